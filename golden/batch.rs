//! Many plugins at once, as people report them: each row of a report is a kind of fault, and here is what must happen
//! instead.

use std::path::Path;

use serde_json::{Value, json};

use crate::market::{plugc, write};

const SKILL: &str = "---\nname: one\ndescription: Says one.\n---\nSay it.\n";

/// Writes a list of plugins.
fn list(root: &Path, plugins: &Value) {
    let list = json!({ "name": "m", "owner": { "name": "Somebody" }, "plugins": plugins });
    write(&root.join(".claude-plugin/marketplace.json"), &format!("{list:#}"));
}

/// Compiles to one line a plugin, and gives them.
fn lines(root: &Path, arguments: &[&str]) -> Vec<Value> {
    let (status, text) = plugc(root, &[&["compile", "--format", "jsonl"], arguments].concat());
    assert_eq!(status, Some(0), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn codes(plugin: &Value) -> Vec<&str> {
    let told = plugin["diagnostics"].as_array().unwrap().iter();
    told.map(|one| one["code"].as_str().unwrap()).collect()
}

/// One bad entry rejects the whole list; a client of an older version knows no `git-subdir`.
#[test]
fn an_entry_that_is_wrong_or_unknown_spoils_no_other() {
    let away = tempfile::tempdir().unwrap();
    write(&away.path().join("p/skills/one/SKILL.md"), SKILL);
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let subdir = json!({ "source": "git-subdir", "url": "o/r", "path": "x", "sha": commit });
    let sources = [json!("./p"), subdir, json!({ "source": "new-kind" }), json!(7), json!("./p")];
    let entries: Vec<Value> = (0..)
        .zip(&sources)
        .map(|(at, source)| json!({ "name": format!("n{at}"), "source": source }))
        .collect();
    list(away.path(), &json!(entries));
    let told = lines(away.path(), &["."]);
    let verdicts: Vec<&str> =
        told[1..6].iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["full", "none", "none", "none", "full"]);
    assert_eq!(told[2]["path"], format!("https://github.com/o/r#{commit}:x"));
    assert!(told[2..5].iter().all(|one| one["diagnostics"][0]["line"].as_u64() > Some(1)));
}

/// A list of one plugin at its root fails, and shows no version; nothing is seen of a plugin before it is installed.
#[test]
fn a_list_of_one_plugin_shows_what_it_is_and_holds() {
    for source in [".", "./"] {
        let away = tempfile::tempdir().unwrap();
        write(&away.path().join("skills/one/SKILL.md"), SKILL);
        write(&away.path().join("commands/go.md"), "Go.\n");
        list(away.path(), &json!([{ "name": "whole", "source": source, "version": "2.1.0" }]));
        let told = lines(away.path(), &["."]);
        assert_eq!((&told[1]["verdict"], &told[1]["version"]), (&"full".into(), &"2.1.0".into()));
        assert_eq!(
            (&told[1]["mapped"]["skills"], &told[1]["mapped"]["commands"]),
            (&1.into(), &1.into())
        );
    }
}

/// A manifest that declares only commands, or a `.claude` folder beside them, hides the skills.
#[test]
fn skills_are_found_whatever_else_there_is() {
    let away = tempfile::tempdir().unwrap();
    let manifest = json!({ "name": "p", "version": "1.0.0", "commands": ["./commands/go.md"] });
    write(&away.path().join("p/.claude-plugin/plugin.json"), &manifest.to_string());
    write(&away.path().join("p/commands/go.md"), "Go.\n");
    write(&away.path().join("p/skills/one/SKILL.md"), SKILL);
    write(&away.path().join("p/.claude/settings.json"), "{}");
    write(&away.path().join("p/.claude/skills/two/SKILL.md"), SKILL);
    let told = lines(away.path(), &["p"]);
    assert_eq!(
        (&told[0]["mapped"]["skills"], &told[0]["mapped"]["commands"]),
        (&2.into(), &1.into())
    );
}

/// A file of hooks that the manifest names too is loaded twice, and loading fails.
#[test]
fn a_file_of_hooks_that_is_reached_twice_counts_once() {
    let away = tempfile::tempdir().unwrap();
    let manifest = json!({ "name": "p", "version": "1.0.0", "hooks": "./hooks/hooks.json" });
    write(&away.path().join("p/.claude-plugin/plugin.json"), &manifest.to_string());
    let hook = json!({ "type": "command", "command": "echo x", "timeout": 5 });
    let hooks = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] } });
    write(&away.path().join("p/hooks/hooks.json"), &hooks.to_string());
    let told = lines(away.path(), &["p"]);
    assert_eq!(told[0]["mapped"]["hooks"], 1);
    assert!(codes(&told[0]).contains(&"document/reached-twice"), "{told:?}");
}

/// A path of an entry leads out of the list, by steps upwards, as an absolute path or through a link.
#[cfg(unix)]
#[test]
fn no_entry_leads_out_of_the_list() {
    let away = tempfile::tempdir().unwrap();
    let market = away.path().join("m");
    write(&away.path().join("secret/skills/one/SKILL.md"), SKILL);
    std::fs::create_dir(&market).unwrap();
    std::os::unix::fs::symlink("../secret", market.join("link")).unwrap();
    let absolute = away.path().join("secret");
    let sources = ["./../secret", "./x/../../secret", absolute.to_str().unwrap(), "./link"];
    let entries: Vec<Value> = (0..)
        .zip(sources)
        .map(|(at, source)| json!({ "name": format!("n{at}"), "source": source }))
        .collect();
    list(&market, &json!(entries));
    let told = lines(away.path(), &["m"]);
    for (one, source) in told[1..5].iter().zip(sources) {
        assert_eq!(one["verdict"], "none", "{source}");
        assert!(codes(one).iter().any(|code| code.starts_with("marketplace/")), "{one}");
        assert!(!one["entries"].to_string().contains("\"skill\""), "{one}");
    }
}

/// A plugin's name is taken for a path, and written through.
#[test]
fn a_name_is_no_path() {
    let away = tempfile::tempdir().unwrap();
    for (folder, name) in
        [("a", "../../up"), ("b", "/abs"), ("c", ".."), ("d", "x/y"), ("e", "nul\0")]
    {
        let manifest = json!({ "name": name, "version": "1.0.0" });
        write(&away.path().join(folder).join(".claude-plugin/plugin.json"), &manifest.to_string());
        write(&away.path().join(folder).join("skills/one/SKILL.md"), SKILL);
    }
    let (status, text) = plugc(away.path(), &["convert", "a", "b", "c", "d", "e", "--out", "out"]);
    assert_eq!(status, Some(0), "{text}");
    let all = std::fs::read_dir(away.path()).unwrap().flatten();
    let mut all: Vec<String> = all.map(|one| one.file_name().into_string().unwrap()).collect();
    all.sort();
    assert_eq!(all, ["a", "b", "c", "d", "e", "out"], "{text}");
    let inside = std::fs::read_dir(away.path().join("out")).unwrap().flatten();
    let is_plain = |name: &str| !name.starts_with("..") && !name.contains(['/', '\\', '\0']);
    assert!(inside.map(|one| one.file_name().into_string().unwrap()).all(|name| is_plain(&name)));
}

/// Leaf names that many plugins share, and two plugins that call themselves the same.
#[test]
fn names_that_several_claim_are_told_together() {
    let away = tempfile::tempdir().unwrap();
    for (folder, name) in [("a", "same"), ("b", "same"), ("c", "Same"), ("d", "other")] {
        let manifest = json!({ "name": name, "version": "1.0.0" });
        write(&away.path().join(folder).join(".claude-plugin/plugin.json"), &manifest.to_string());
        write(&away.path().join(folder).join("skills/one/SKILL.md"), SKILL);
    }
    let entry = |name: &str| json!({ "name": name, "source": format!("./{name}") });
    list(away.path(), &json!(["a", "b", "c", "d"].map(entry)));
    let told = lines(away.path(), &["."]);
    let collisions = told.last().unwrap()["collisions"].clone();
    let of = |kind: &str| {
        let all = collisions.as_array().unwrap().iter();
        let mut one = all.filter(|one| one["kind"] == kind);
        (one.next().unwrap_or_else(|| panic!("{collisions}"))["plugins"].clone(), one.count())
    };
    assert_eq!(of("skill"), (json!(["a", "b", "c", "d"]), 0));
    assert_eq!(of("plugin"), (json!(["a", "b", "c"]), 0));
    let (status, text) = plugc(away.path(), &["convert", "a", "b", "d", "--out", "out"]);
    assert_eq!(status, Some(0), "{text}");
    let report = std::fs::read_to_string(away.path().join("out/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(codes(&report["plugins"][1]).contains(&"convert/name-taken"), "{report}");
}

#[test]
fn a_list_among_others_is_said_to_be_one() {
    let away = tempfile::tempdir().unwrap();
    write(&away.path().join("m/p/skills/one/SKILL.md"), SKILL);
    list(&away.path().join("m"), &json!([{ "name": "p", "source": "./p" }]));
    let named = "m\nm/.claude-plugin/marketplace.json\nm/p\ngone\n";
    let told = asked(away.path(), &["compile", "--format", "jsonl", "-"], named);
    let told: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told.len(), 4);
    assert!(told[..2].iter().all(|one| codes(one) == ["package/is-a-marketplace"]), "{told:?}");
    assert_eq!((&told[2]["verdict"], codes(&told[3])), (&"full".into(), vec!["source/not-found"]));
}

#[test]
fn what_lines_name_is_converted_and_one_that_is_missing_spoils_no_other() {
    let away = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        let manifest = json!({ "name": name, "version": "1.0.0" });
        write(&away.path().join(name).join(".claude-plugin/plugin.json"), &manifest.to_string());
        write(&away.path().join(name).join("skills/one/SKILL.md"), SKILL);
    }
    let convert = ["convert", "-", "--out", "out"];
    let text = asked(away.path(), &convert, "a\n\ngone\nb\r\n");
    assert!(
        text.contains("gone (gone): none, not written") && text.contains("3 plugins"),
        "{text}"
    );
    for name in ["a", "b"] {
        assert!(away.path().join("out").join(name).join("reasonix-plugin.json").is_file());
    }
    asked(away.path(), &[&convert[..], &["--check"]].concat(), "a\ngone\nb\n");
}

#[test]
fn the_marketplace_in_the_program_is_converted() {
    let away = tempfile::tempdir().unwrap();
    let (status, text) = plugc(away.path(), &["convert", "--example", "--out", "out"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(away.path().join("out/release-notes/reasonix-plugin.json").is_file(), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_differ_only_in_capitals_are_told() {
    let away = tempfile::tempdir().unwrap();
    write(
        &away.path().join("p/.claude-plugin/plugin.json"),
        r#"{ "name": "p", "version": "1.0.0" }"#,
    );
    write(&away.path().join("p/skills/one/SKILL.md"), SKILL);
    write(&away.path().join("p/notes/Read.txt"), "one");
    write(&away.path().join("p/notes/read.txt"), "two");
    let (status, text) = plugc(away.path(), &["convert", "p", "--out", "out"]);
    assert_eq!(status, Some(0), "{text}");
    let report = std::fs::read_to_string(away.path().join("out/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(codes(&report["plugins"][0]), ["convert/case-collision"], "{report}");
    assert_eq!(report["plugins"][0]["verdict"], "full");
}

/// A list of many entries takes no more time for each than a short one.
#[test]
fn time_grows_with_the_entries_and_not_with_their_square() {
    let away = tempfile::tempdir().unwrap();
    let took = |count: usize| {
        let entry = |at| json!({ "name": format!("n{at}"), "source": { "source": "github", "repo": format!("o/r{at}") } });
        list(away.path(), &json!((0..count).map(entry).collect::<Vec<Value>>()));
        let start = std::time::Instant::now();
        assert_eq!(lines(away.path(), &["."]).len(), count + 2);
        start.elapsed()
    };
    let (short, long) = (took(500), took(8000));
    // Sixteen times as many: the square would take more than two hundred times as long.
    assert!(long < short * 80, "{short:?} {long:?}");
}

/// Runs plugc with lines on standard input, which must succeed.
fn asked(folder: &Path, arguments: &[&str], lines: &str) -> String {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap();
    assert!(out.status.success(), "{text}");
    text
}
