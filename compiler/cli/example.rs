//! The marketplace that is built into the program.

use crate::io::memory::Memory;

/// Each with its path.
const FILES: &[(&str, &str)] = &[
    (
        ".claude-plugin/marketplace.json",
        include_str!("../../golden/example/.claude-plugin/marketplace.json"),
    ),
    (
        "plugins/release-notes/.claude-plugin/plugin.json",
        include_str!("../../golden/example/plugins/release-notes/.claude-plugin/plugin.json"),
    ),
    (
        "plugins/release-notes/skills/release-notes/SKILL.md",
        include_str!("../../golden/example/plugins/release-notes/skills/release-notes/SKILL.md"),
    ),
    (
        "plugins/release-notes/commands/notes.md",
        include_str!("../../golden/example/plugins/release-notes/commands/notes.md"),
    ),
    (
        "plugins/careful-edits/.claude-plugin/plugin.json",
        include_str!("../../golden/example/plugins/careful-edits/.claude-plugin/plugin.json"),
    ),
    (
        "plugins/careful-edits/hooks/hooks.json",
        include_str!("../../golden/example/plugins/careful-edits/hooks/hooks.json"),
    ),
    (
        "plugins/careful-edits/hooks/check.sh",
        include_str!("../../golden/example/plugins/careful-edits/hooks/check.sh"),
    ),
    (
        "plugins/careful-edits/agents/reviewer.md",
        include_str!("../../golden/example/plugins/careful-edits/agents/reviewer.md"),
    ),
    (
        "plugins/careful-edits/.mcp.json",
        include_str!("../../golden/example/plugins/careful-edits/.mcp.json"),
    ),
    (
        "plugins/haiku-voice/.claude-plugin/plugin.json",
        include_str!("../../golden/example/plugins/haiku-voice/.claude-plugin/plugin.json"),
    ),
    (
        "plugins/haiku-voice/output-styles/haiku.md",
        include_str!("../../golden/example/plugins/haiku-voice/output-styles/haiku.md"),
    ),
];

/// Its files.
pub(super) fn files() -> Memory {
    FILES.iter().fold(Memory::new(), |memory, &(path, text)| {
        if text.starts_with("#!") { memory.executable(path, text) } else { memory.file(path, text) }
    })
}
