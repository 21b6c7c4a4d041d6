//! Marketplaces as people see them: every case that is one, told whole.

use std::path::Path;
use std::process::Command;

use plugc::entry::{Entries, Outcome, tasks};
use plugc::io::folder::Folder;
use plugc::io::source::Fetch;
use plugc::ir::path::RelPath;
use plugc::ir::route::HostName;
use plugc::market::market;
use plugc::rulebook::Rulebook;
use plugc::source::Found;
use plugc::standing::Seen;
use plugc::survey::Wish;

use crate::bless::Golden;
use crate::compile::{Case, Way, cases, plan_json};

/// The files that hold what is told of a marketplace.
pub const FILES: [&str; 2] = ["marketplace.txt", "marketplace.jsonl"];

fn told(folder: &Path, format: &str) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "plugin", "--marketplace", "-v", "--format", format])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}: {out:?}", folder.display());
    String::from_utf8(out.stdout).unwrap()
}

/// Is the case a list of plugins rather than a plugin?
pub fn is_list(case: &Case, rulebook: &Rulebook) -> bool {
    rulebook.source(&HostName::parse(&case.source)).is_some_and(|source| source.lists.is_some())
}

/// What becomes of its entries under a rulebook, whatever words it is told in.
pub fn meaning(case: &Case, rulebook: &Rulebook) -> String {
    let files = Folder::open(&case.folder.join("plugin")).unwrap();
    let base = Found::here(Box::new(files));
    let way = Way::parse("reasonix");
    let wish = Wish { from: None, to: way.to, form: way.form, platform: way.platform, entry: None };
    let Some(lister) = base.lister(rulebook, true) else { return String::new() };
    let root = base.snapshot(&RelPath::root());
    let Some(mut market) = market(root, rulebook, &wish, lister) else { return String::new() };
    let how = Fetch::default();
    let entries = Entries { base: &base, rulebook, how: &how, fetch: false };
    let tasks = tasks(&mut market, &wish).into_iter();
    let all = tasks.map(|task| {
        let Outcome { plan, looked, .. } = entries.compile(&task);
        let reasons = entries.reasons(&task, looked.then(|| Seen::from(&plan)), None);
        let reasons: Vec<String> =
            reasons.iter().map(|one| format!("{} {}", one.code, one.blocks)).collect();
        format!("{}\n{}\n{}", task.path(), reasons.join("\n"), plan_json(&plan))
    });
    all.collect()
}

#[test]
fn every_marketplace_is_told_as_its_goldens_say() {
    let mut golden = Golden::new();
    let rulebook = plugc::builtin::rulebook();
    for case in cases().iter().filter(|case| is_list(case, &rulebook)) {
        for (file, format) in FILES.into_iter().zip(["text", "jsonl"]) {
            golden.hold(&case.folder.join(file), &told(&case.folder, format));
        }
    }
    golden.finish();
}

pub fn plugc(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(arguments)
        .current_dir(folder)
        .env("PLUGC_CACHE", folder.join("cache"))
        .output()
        .unwrap();
    let all = String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap();
    (out.status.code(), all)
}

pub fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let out = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.com"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(out.status.success(), "{arguments:?} {out:?}");
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

#[test]
fn plugins_elsewhere_are_fetched_only_when_asked() {
    let away = tempfile::tempdir().unwrap();
    let there = away.path().join("there");
    write(&there.join("p/.claude-plugin/plugin.json"), r#"{ "name": "p", "version": "1.0.0" }"#);
    write(&there.join("p/commands/go.md"), "Go.\n");
    git(&there, &["init", "-q"]);
    git(&there, &["add", "."]);
    git(&there, &["commit", "-qm", "one"]);
    let commit = git(&there, &["rev-parse", "HEAD"]);
    let url = format!("file://{}", there.display());
    let list = serde_json::json!({ "name": "m", "plugins": [
        { "name": "p", "source": { "source": "git-subdir", "url": url, "path": "p", "sha": commit } },
        { "name": "gone", "source": { "source": "url", "url": url, "sha": "0".repeat(40) } },
        { "name": "unpinned", "source": { "source": "url", "url": url } },
    ]});
    write(&away.path().join("m/.claude-plugin/marketplace.json"), &list.to_string());
    let (status, text) = plugc(away.path(), &["compile", "m"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("3 plugins: 0 full, 0 partial, 3 none"), "{text}");
    assert!(text.contains("marketplace/not-fetched"), "{text}");
    let (status, text) = plugc(away.path(), &["compile", "m", "--fetch", "--format", "jsonl"]);
    assert_eq!(status, Some(0), "{text}");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["marketplace", "plugin", "plugin", "plugin", "summary"]);
    assert_eq!((&lines[1]["verdict"], &lines[2]["verdict"]), (&"full".into(), &"none".into()));
    assert_eq!(lines[1]["listing"]["commit"], commit);
    // What would make an entry installable is said in full once the commit is known.
    let pin = lines[3]["listing"]["reasons"].to_string();
    assert!(pin.contains("marketplace-entry/not-pinned") && pin.contains(&commit), "{pin}");
    // What is pinned and was fetched needs no network, and no repository, any more.
    std::fs::rename(&there, away.path().join("moved")).unwrap();
    let (_, again) = plugc(away.path(), &["compile", "m", "--fetch", "--offline", "-q"]);
    assert!(again.contains("3 plugins: 1 full, 0 partial, 2 none"), "{again}");
}

#[test]
fn a_marketplace_is_converted_whole_and_checked() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/example");
    let away = tempfile::tempdir().unwrap();
    let source = example.to_str().unwrap();
    let convert = ["convert", source, "--out", "out"];
    let (status, text) = plugc(away.path(), &convert);
    assert_eq!(status, Some(0), "{text}");
    let out = away.path().join("out");
    let index = std::fs::read_to_string(out.join("index.json")).unwrap();
    let index: serde_json::Value = serde_json::from_str(&index).unwrap();
    let written: Vec<&str> = index["plugins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        (index["name"].as_str(), written.as_slice()),
        (Some("example"), &["release-notes", "careful-edits"][..])
    );
    for plugin in written {
        let (_, text) = plugc(&out, &["compile", plugin, "--from", "reasonix", "-q"]);
        assert!(text.contains("1 full"), "{text}");
    }
    let report = std::fs::read_to_string(out.join("report.json")).unwrap();
    assert!(report.contains("\"marketplace\"") && report.contains("\"collisions\""), "{report}");
    assert_eq!(plugc(away.path(), &[&convert[..], &["--check"]].concat()).0, Some(0));
    std::fs::write(out.join("index.json"), "{}").unwrap();
    let (status, text) = plugc(away.path(), &[&convert[..], &["--check"]].concat());
    assert!(status == Some(1) && text.contains("index.json"), "{status:?} {text}");
}

#[test]
fn a_list_is_found_wherever_a_host_keeps_it() {
    let away = tempfile::tempdir().unwrap();
    let list = |name: &str| {
        let source = "./plugins/p";
        serde_json::json!({ "name": name, "plugins": [{ "name": "p", "source": source }] })
            .to_string()
    };
    let root = away.path().join("one");
    write(&root.join("plugins/p/skills/s/SKILL.md"), "---\nname: s\ndescription: d\n---\nSay.\n");
    let places = [
        (".claude-plugin/marketplace.json", false),
        (".agents/plugins/marketplace.json", false),
        (".agents/plugins/api_marketplace.json", true),
        (".codex-plugin/marketplace.json", true),
        (".cursor-plugin/marketplace.json", true),
        (".github/plugin/marketplace.json", true),
        (".any-plugin/marketplace.json", true),
        ("marketplace.json", true),
    ];
    for (place, _) in places {
        write(&root.join(place), &list(&place.replace(['/', '_'], "-")));
    }
    // The one that is named is read, though others lie beside it, from wherever it is named.
    for (place, is_elsewhere) in places {
        let within = root.join(place);
        let (folder, file) = (within.parent().unwrap(), within.file_name().unwrap());
        let far = format!("one/{place}");
        for (from, source) in
            [(away.path(), &*far), (&root, place), (folder, file.to_str().unwrap())]
        {
            let (status, text) = plugc(from, &["compile", source, "-v", "--format", "jsonl"]);
            assert_eq!(status, Some(0), "{source}: {text}");
            let lines: Vec<serde_json::Value> =
                text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(lines[0]["name"], place.replace(['/', '_'], "-"), "{source}");
            assert_eq!((lines.len(), &lines[1]["path"]), (3, &"plugins/p".into()), "{source}");
            assert_eq!(lines[1]["verdict"], "full", "{source}");
            let said = lines[0]["diagnostics"].as_array().unwrap().iter();
            let said: Vec<_> = said.filter(|one| one["code"] == "marketplace/read-as").collect();
            assert_eq!(said.len(), usize::from(is_elsewhere), "{source}: {text}");
            assert!(said.iter().all(|one| one["file"] == place), "{source}: {text}");
        }
    }
    // A folder that has a list only where another host looks is that list.
    for place in [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"] {
        std::fs::remove_file(root.join(place)).unwrap();
    }
    let (status, text) = plugc(away.path(), &["compile", "one", "-q"]);
    assert!(status == Some(0) && text.starts_with(".cursor-plugin-marketplace.json"), "{text}");
}

#[test]
fn a_password_in_a_list_is_shown_nowhere() {
    let away = tempfile::tempdir().unwrap();
    let url = "https://me:hunter2@example.invalid/o/r";
    let list = serde_json::json!({ "name": "m", "plugins": [
        { "name": "a", "source": { "source": "url", "url": url } },
        { "name": "b", "source": { "source": "archive", "url": url } },
        { "name": "c", "source": url },
    ]});
    write(&away.path().join("m/.claude-plugin/marketplace.json"), &format!("{list:#}"));
    for format in ["text", "json", "jsonl", "html"] {
        for fetch in [&[][..], &["--fetch"]] {
            let asked = [&["compile", "m", "-v", "--format", format][..], fetch].concat();
            let (status, text) = plugc(away.path(), &asked);
            assert_eq!(status, Some(0), "{text}");
            assert!(!text.contains("hunter2") && text.contains("**"), "{format}: {text}");
        }
    }
}
