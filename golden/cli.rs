//! The program from outside: what it prints, and the status it ends with.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs the program in a folder.
fn plugc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .unwrap()
}

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/compile").join(name).join("plugin")
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Holds a status, and that the words on both outputs hold some text.
fn answers(folder: &Path, arguments: &[&str], status: i32, text: &str) -> String {
    let output = plugc(folder, arguments);
    let all = out(&output) + &told(&output);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{all}");
    assert!(all.contains(text), "{arguments:?} lacks `{text}`\n{all}");
    all
}

const STOPS: &str = "hooks/hooks.json#/hooks/Stop/0/hooks/0";

#[test]
fn the_current_folder_is_compiled_if_none_is_named() {
    let folder = case("claude/stop-hook-blocks");
    let named = out(&plugc(&folder, &["compile", "."]));
    assert_eq!(out(&plugc(&folder, &["compile"])), named);
    assert!(named.contains("hook/stop-cannot-block"), "{named}");
    assert!(named.ends_with('\n') && !named.contains('\u{1b}'), "{named}");
}

#[test]
fn json_and_lines_say_the_same() {
    let folder = case("claude/stop-hook-blocks");
    let whole: Value =
        serde_json::from_slice(&plugc(&folder, &["compile", "--format", "json"]).stdout).unwrap();
    let line = out(&plugc(&folder, &["compile", "--format", "jsonl"]));
    assert_eq!(line.lines().count(), 1);
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&whole["format"], &line["format"]),
        (&"plugc/report/1".into(), &"plugc/report/1".into())
    );
    assert_eq!(line["type"], "plugin");
    let plugin = whole["plugins"][0].as_object().unwrap();
    for (key, value) in plugin {
        assert_eq!(&line[key], value, "{key}");
    }
    assert_eq!(whole["summary"]["plugins"], 1);
    assert_eq!(plugin["diagnostics"][0]["pointer"], "/hooks/Stop/0/hooks/0");
    assert!(!plugin.contains_key("account"));
    let account = plugc(&folder, &["compile", "--format", "json", "--account"]);
    let account: Value = serde_json::from_slice(&account.stdout).unwrap();
    assert!(account["plugins"][0]["account"].as_array().unwrap().len() > 3);
}

#[test]
fn what_is_denied_is_answered_with_no() {
    let bad = case("claude/stop-hook-blocks");
    let good = case("claude/skill-with-a-reference");
    let good = if good.is_dir() { good } else { case("reasonix/identity-only") };
    for (deny, status) in
        [("partial", 1), ("warnings", 1), ("hook/stop-cannot-block", 1), ("hook/flat-item", 0)]
    {
        answers(&bad, &["compile", "--deny", deny], status, "stop-cannot-block");
    }
    for deny in ["partial", "warnings", "security"] {
        answers(&good, &["compile", "--deny", deny], 0, "full");
    }
    answers(&good, &["compile", "--deny", "everything"], 2, "neither `warnings`");
}

#[test]
fn a_question_that_cannot_be_put_ends_with_two() {
    let folder = case("claude/stop-hook-blocks");
    answers(
        &folder,
        &["compile", "nowhere"],
        2,
        "there is nothing at `nowhere`\n  nowhere\n  ^^^^^^^",
    );
    answers(&folder, &["compile", "--to", "nobody"], 2, "there are reasonix");
    answers(&folder, &["compile", "--from", "nobody"], 2, "--from: no host `nobody`");
    answers(&folder, &["compile", "--rules", "nowhere"], 2, "--rules nowhere");
    answers(&folder, &["compile", "--frm", "x"], 2, "--frm");
    answers(&folder, &["why", "nowhere", "x"], 2, "nowhere");
    answers(&folder, &[], 2, "Usage");
    answers(&folder, &["--help"], 0, "compile");
    answers(&folder, &["--version"], 0, env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_report_can_go_to_a_file() {
    let folder = case("claude/stop-hook-blocks");
    let away = tempfile::tempdir().unwrap();
    let file = away.path().join("report.json");
    let name = file.to_str().unwrap();
    let output = plugc(&folder, &["compile", "--format", "json", "--output", name]);
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert_eq!(
        std::fs::read(&file).unwrap(),
        plugc(&folder, &["compile", "--format", "json"]).stdout
    );
    answers(&folder, &["compile", "--output", "no/such/folder/x"], 2, "--output");
}

#[test]
fn lines_on_standard_input_are_answered_in_order_whatever_they_are() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "--format", "jsonl", "-"])
        .current_dir(here().join("golden/compile"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let asked = ["claude/stop-hook-blocks/plugin", "nowhere", "codex/all-events/plugin", "claude"];
    writeln!(child.stdin.take().unwrap(), "{}\n", asked.join("\n")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = out(&output);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let paths: Vec<&str> = lines.iter().map(|line| line["path"].as_str().unwrap()).collect();
    assert_eq!(paths, asked);
    let verdicts: Vec<&str> = lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!((verdicts[1], verdicts[3]), ("none", "none"));
    assert_eq!(lines[1]["diagnostics"][0]["code"], "source/not-found");
}

#[test]
fn pages_rules_and_kinds_are_explained() {
    let page = answers(here(), &["explain", "hook/stop-cannot-block"], 0, "What happened");
    assert!(page.contains("Why it matters") && page.contains("What to do"), "{page}");
    answers(
        here(),
        &["explain", "to/reasonix/hook#stop-cannot-block"],
        0,
        "hook/stop-cannot-block",
    );
    answers(here(), &["explain", "hook"], 0, "timeout");
    answers(here(), &["explain", "hook/stop-cannot-blok"], 1, "hook/stop-cannot-block");
}

#[test]
fn why_tells_what_fired_and_what_was_passed_over() {
    let folder = case("claude/stop-hook-blocks");
    let text = answers(&folder, &["why", ".", STOPS], 0, "stop-cannot-block");
    assert!(text.contains("timeout-unit"), "what was passed over is told too\n{text}");
    answers(&folder, &["why", ".", "hooks/hooks.json#/hooks/Nothing"], 1, "Stop");
}

#[test]
fn rules_are_checked_listed_and_compared() {
    answers(here(), &["rules", "check"], 0, "");
    answers(here(), &["rules", "list"], 0, "to/reasonix/hook#stop-cannot-block");
    answers(here(), &["rules", "matrix"], 0, "| hook");
    let away = tempfile::tempdir().unwrap();
    let folder = away.path().join("to/reasonix");
    std::fs::create_dir_all(&folder).unwrap();
    let wrong = "checks:\n  - { id: stop-cannot-block, when: \"hook.event in ['stopp']\", fate: partial }\n";
    std::fs::write(folder.join("hook.yaml"), wrong).unwrap();
    let rules = away.path().to_str().unwrap();
    let text = answers(here(), &["rules", "check", "--rules", rules], 1, "stopp");
    assert!(text.contains("to/reasonix/hook.yaml:2:"), "{text}");
    answers(here(), &["compile", "--example", "--rules", rules], 2, "the rulebook is broken");
}

#[test]
fn an_overlay_changes_one_entry() {
    let away = tempfile::tempdir().unwrap();
    let folder = away.path().join("to/reasonix");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("hook.yaml"), "remove: [stop-cannot-block]\n").unwrap();
    let rules = away.path().to_str().unwrap();
    let plugin = case("claude/stop-hook-blocks");
    let text = answers(&plugin, &["compile", "--rules", rules], 0, "full");
    assert!(!text.contains("stop-cannot-block"), "{text}");
}

#[test]
fn colour_is_for_those_who_ask() {
    let plugin = case("claude/stop-hook-blocks");
    assert!(out(&plugc(&plugin, &["compile", "--color", "always"])).contains("\u{1b}["));
    assert!(!out(&plugc(&plugin, &["compile", "--color", "never"])).contains('\u{1b}'));
    let loud = out(&plugc(&plugin, &["compile", "-v"]));
    let plain = out(&plugc(&plugin, &["compile"]));
    let quiet = out(&plugc(&plugin, &["compile", "-q"]));
    assert!(quiet.len() < plain.len() && plain.len() <= loud.len());
}
