//! Foreign input is hostile: each ends in a diagnostic, within a second and 200 MB.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use plugc::io::memory::Memory;
use plugc::ir::plan::{Plan, Step};
use plugc::ir::snapshot::Snapshot;
use plugc::survey::{Wish, survey};
use serde_json::Value;

use crate::compile::Way;

fn put(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Compiles a folder in a process of its own that may have 200 MB, and gives its report.
fn report(root: &Path) -> Value {
    let started = Instant::now();
    let script = "ulimit -v 204800 2>/dev/null; exec \"$0\" compile --format json \"$1\"";
    let out = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_plugc")])
        .arg(root)
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap();
    // A debug build is slower than what people run, and other tests run beside this one.
    let limit = if cfg!(debug_assertions) { 20 } else { 1 };
    assert!(started.elapsed() < Duration::from_secs(limit), "{:?}", started.elapsed());
    assert!(out.status.code().is_some_and(|code| code < 2), "{out:?}");
    serde_json::from_slice(&out.stdout).unwrap()
}

fn codes(report: &Value) -> Vec<String> {
    let told = report["plugins"][0]["diagnostics"].as_array().unwrap();
    told.iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect()
}

fn tells(root: &Path, code: &str) {
    let report = report(root);
    let found = codes(&report);
    assert!(found.iter().any(|one| one == code), "{code} is not among {found:?}");
}

fn plugin() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), ".claude-plugin/plugin.json", br#"{ "name": "hostile" }"#);
    folder
}

#[test]
fn a_manifest_of_100_mb() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), ".claude-plugin/plugin.json", b"");
    let file = fs::OpenOptions::new()
        .write(true)
        .open(folder.path().join(".claude-plugin/plugin.json"))
        .unwrap();
    file.set_len(100 * 1024 * 1024).unwrap();
    tells(folder.path(), "document/too-large");
}

#[test]
fn nesting_of_100_000_levels() {
    let folder = plugin();
    put(folder.path(), "hooks/hooks.json", "[".repeat(100_000).as_bytes());
    let deep = format!("---\nname: {}\n---\n", "[".repeat(100_000));
    put(folder.path(), "skills/deep/SKILL.md", deep.as_bytes());
    tells(folder.path(), "json/too-deep");
}

#[test]
fn nesting_in_every_document_that_is_read() {
    let folder = plugin();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    put(folder.path(), "hooks/hooks.json", format!(r#"{{"hooks":{{"Stop":{deep}}}}}"#).as_bytes());
    put(folder.path(), ".mcp.json", format!(r#"{{"mcpServers":{deep}}}"#).as_bytes());
    put(folder.path(), ".lsp.json", format!(r#"{{"a":{deep}}}"#).as_bytes());
    let front = format!("---\nname: a\ndescription: b\nextra: {deep}\n---\nText.\n");
    for file in ["skills/a/SKILL.md", "commands/a.md", "agents/a.md"] {
        put(folder.path(), file, front.as_bytes());
    }
    let report = report(folder.path());
    let told = report["plugins"][0]["diagnostics"].as_array().unwrap();
    for file in [
        "hooks/hooks.json",
        ".mcp.json",
        ".lsp.json",
        "skills/a/SKILL.md",
        "commands/a.md",
        "agents/a.md",
    ] {
        let is_told = |one: &Value| {
            one["code"].as_str().unwrap().ends_with("too-deep") && one["file"] == file
        };
        assert!(told.iter().any(is_told), "{file}: {told:?}");
    }
}

#[test]
fn a_matcher_of_a_million_groups() {
    let folder = plugin();
    let hook = r#"{"hooks":[{"type":"command","command":"x"}],"matcher":""#;
    let text = format!(r#"{{"hooks":{{"PreToolUse":[{hook}{}"}}]}}}}"#, "(a*)*".repeat(1_000_000));
    put(folder.path(), "hooks/hooks.json", text.as_bytes());
    tells(folder.path(), "hook/pattern-refused");
}

#[test]
fn texts_of_nothing_but_signs() {
    let folder = plugin();
    for (number, sign) in ["@", " @", "$", "${", "$ARGUMENTS[", "!`", " !`", "```!", "[", "*", "> "]
        .into_iter()
        .enumerate()
    {
        put(folder.path(), &format!("commands/c{number}.md"), sign.repeat(100_000).as_bytes());
    }
    assert_eq!(report(folder.path())["plugins"][0]["mapped"]["commands"], 11);
}

#[test]
fn a_hook_file_with_a_million_entries() {
    let folder = plugin();
    let item = r#"{"hooks":[{"type":"command","command":"x"}]},"#;
    let text = format!(r#"{{"hooks":{{"Stop":[{}{{}}]}}}}"#, item.repeat(1_000_000 / 6));
    put(folder.path(), "hooks/hooks.json", text.as_bytes());
    tells(folder.path(), "document/too-many-values");
}

#[test]
fn aliases_that_explode() {
    let folder = plugin();
    let mut text = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        let _ = writeln!(text, "a{level}: &a{level} [{}]", vec![before; 10].join(", "));
    }
    put(folder.path(), "skills/bomb/SKILL.md", (text + "---\n").as_bytes());
    tells(folder.path(), "document/too-many-values");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file() {
    let folder = plugin();
    fs::create_dir_all(folder.path().join("hooks")).unwrap();
    let made = Command::new("mkfifo").arg(folder.path().join("hooks/hooks.json")).status().unwrap();
    assert!(made.success());
    tells(folder.path(), "document/not-a-file");
}

#[cfg(unix)]
#[test]
fn links_that_loop_and_links_that_lead_out() {
    use std::os::unix::fs::symlink;
    let folder = plugin();
    fs::create_dir_all(folder.path().join("skills/round")).unwrap();
    symlink("SKILL.md", folder.path().join("skills/round/SKILL.md")).unwrap();
    fs::create_dir_all(folder.path().join("commands")).unwrap();
    symlink("/etc/passwd", folder.path().join("commands/out.md")).unwrap();
    symlink("..", folder.path().join("commands/up")).unwrap();
    let report = report(folder.path());
    let told = report["plugins"][0]["diagnostics"].to_string();
    assert!(
        codes(&report).iter().filter(|code| *code == "document/not-a-file").count() >= 2,
        "{told}"
    );
    assert!(!told.contains("root:"), "{told}");
}

#[test]
fn paths_that_climb() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "secret/SKILL.md", b"---\nname: secret\n---\n");
    put(
        folder.path(),
        "inner/.claude-plugin/plugin.json",
        br#"{ "name": "climber", "skills": ["../secret", "/etc", "C:\\x"] }"#,
    );
    let report = report(&folder.path().join("inner"));
    assert_eq!(codes(&report).iter().filter(|code| *code == "path/leaves-root").count(), 3);
    assert_eq!(report["plugins"][0]["mapped"]["skills"], 0);
}

#[test]
fn names_that_a_terminal_would_act_on() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\u{1b}]0;owned\u{7}\u{202e}b";
    let manifest = serde_json::json!({ "name": name, "hooks": { "St\u{1b}[2Jop": [] , "Stop": [{ "hooks": [{ "type": "\u{1b}[31m" }] }] } });
    put(folder.path(), ".claude-plugin/plugin.json", manifest.to_string().as_bytes());
    let out = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "-v"])
        .arg(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("hook/type-unknown"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
}

fn in_memory(memory: Memory) -> Plan {
    let way = Way::parse("reasonix");
    let wish = Wish { from: None, to: way.to, form: way.form, platform: way.platform, entry: None };
    survey(Snapshot::new(Box::new(memory)), &plugc::builtin::rulebook(), &wish)
}

fn has(plan: &Plan, code: &str) -> bool {
    plan.diagnostics.iter().any(|one| one.code.as_str() == code)
}

#[test]
fn a_device_and_what_may_not_be_read() {
    let base = || Memory::new().file(".claude-plugin/plugin.json", r#"{ "name": "x" }"#);
    assert!(has(&in_memory(base().special("hooks/hooks.json")), "document/not-a-file"));
    assert!(has(&in_memory(base().denied("hooks/hooks.json")), "document/denied"));
    assert!(has(&in_memory(base().denied("skills")), "document/folder-unreadable"));
    let named =
        Memory::new().file(".claude-plugin/plugin.json", r#"{ "name": "x", "skills": "./pipe" }"#);
    assert!(has(&in_memory(named.special("pipe")), "path/unreadable"));
}

#[test]
fn names_that_differ_in_case_only() {
    let memory = Memory::new()
        .file(".claude-plugin/plugin.json", r#"{ "name": "x" }"#)
        .file("commands/Fix.md", "---\ndescription: one\n---\n")
        .file("commands/fix.md", "---\ndescription: other\n---\n");
    assert!(has(&in_memory(memory), "command/case-collision"));
}

/// In memory, since not every tool that lists the goldens prints such names as they are.
#[test]
fn files_named_in_other_scripts_are_staged_under_names_that_the_target_takes() {
    let memory = Memory::new()
        .file(".claude-plugin/plugin.json", r#"{ "name": "x" }"#)
        .file("skills/\u{dc}ber/SKILL.md", "---\nname: one\ndescription: one\n---\n")
        .file("skills/\u{65e5}\u{672c}\u{8a9e}/SKILL.md", "---\nname: two\ndescription: two\n---\n")
        .file("agents/\u{52a9}\u{624b}.md", "---\nname: \u{52a9}\u{624b}\ndescription: a\n---\n")
        .file("commands/\u{547d}\u{4ee4}.md", "---\ndescription: a\n---\n");
    let plan = in_memory(memory);
    let to: Vec<&str> = plan
        .entries
        .iter()
        .flat_map(|entry| &entry.steps)
        .filter_map(|step| match step {
            Step::Copy { to, .. } | Step::Write { to, .. } => Some(to.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        to,
        [
            "reasonix/skills/Uber",
            "reasonix/skills/ri-ben-yu",
            "reasonix/commands/\u{547d}\u{4ee4}.md",
            "reasonix/agents/zhu-shou.md",
        ]
    );
}

#[test]
fn more_files_than_are_listed() {
    let mut memory = Memory::new().file(".claude-plugin/plugin.json", r#"{ "name": "x" }"#);
    for number in 0..20_100 {
        memory = memory.file(format!("commands/{number}.txt").as_str(), "");
    }
    assert!(has(&in_memory(memory), "package/too-many-files"));
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let root = crate::compile::root();
    let mut child = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "--format", "jsonl", "-"])
        .current_dir(root)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    for _ in 0..500 {
        if input.write_all(b"claude/stop-hook-blocks/plugin\n").is_err() {
            break;
        }
    }
    drop(input);
    let out = child.wait_with_output().unwrap();
    assert!(out.status.code().is_some_and(|code| code < 2), "{out:?}");
    assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn a_source_that_is_not_there_is_answered_among_others() {
    let out = Command::new("sh")
        .args([
            "-c",
            "printf 'nowhere\\n' | \"$0\" compile --format jsonl -",
            env!("CARGO_BIN_EXE_plugc"),
        ])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((answer["verdict"].as_str(), out.status.code()), (Some("none"), Some(0)));
    assert_eq!(answer["diagnostics"][0]["code"], *"source/not-found");
    let alone =
        Command::new(env!("CARGO_BIN_EXE_plugc")).args(["compile", "nowhere"]).output().unwrap();
    assert_eq!(alone.status.code(), Some(2));
    assert!(has(&in_memory(Memory::new()), "package/not-a-plugin"));
}
