//! The marketplace that is built into the program.

use crate::io::memory::Memory;
use crate::ir::snapshot::Snapshot;

/// Its files.
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

/// The files below one of its folders; all of them below the empty one.
pub(super) fn snapshot(folder: &str) -> Snapshot {
    let mut memory = Memory::new();
    for &(path, text) in FILES {
        let rest = path.strip_prefix(folder);
        let inside = rest
            .and_then(|rest| if folder.is_empty() { Some(rest) } else { rest.strip_prefix('/') });
        if let Some(inside) = inside {
            memory = if text.starts_with("#!") {
                memory.executable(inside, text)
            } else {
                memory.file(inside, text)
            };
        }
    }
    Snapshot::new(Box::new(memory))
}
