//! `plugc convert`: what it writes is whole, is what its target takes whole, and replaces nothing that it did not write.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use plugc::convert::{Converter, MARK};
use plugc::io::apply::Staging;
use plugc::io::folder::Folder;
use plugc::ir::fate::Verdict;
use plugc::ir::plan::{How, Plan, Step};
use plugc::ir::route::{Form, HostName, Platform};
use plugc::ir::snapshot::Snapshot;
use plugc::survey::{Wish, survey};
use serde_json::Value;

use crate::compile::{Way, cases};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn example(name: &str) -> String {
    here().join("golden/example/plugins").join(name).to_str().unwrap().to_owned()
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_plugc"))
}

/// Converts in a folder, into `out` there.
fn convert(folder: &Path, more: &[&str]) -> Output {
    let mut command = program();
    command.arg("convert").args(more).args(["--out", "out"]).current_dir(folder).output().unwrap()
}

/// Holds a status and what is said, on both outputs.
fn answers(folder: &Path, more: &[&str], status: i32, text: &str) -> String {
    let output = convert(folder, more);
    let all = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(status), "{more:?}\n{all}");
    assert!(all.contains(text), "{more:?} lacks `{text}`\n{all}");
    all
}

fn report(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("out/report.json")).unwrap()).unwrap()
}

fn codes(report: &Value, plugin: usize) -> Vec<&str> {
    let told = report["plugins"][plugin]["diagnostics"].as_array().unwrap();
    told.iter().map(|one| one["code"].as_str().unwrap()).collect()
}

fn put(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A plugin with one command, in a folder of that name.
fn plugin(root: &Path, folder: &str, name: &str) {
    let manifest = format!(r#"{{ "name": "{name}" }}"#);
    put(root, &format!("{folder}/.claude-plugin/plugin.json"), manifest.as_bytes());
    put(root, &format!("{folder}/commands/go.md"), b"---\ndescription: Goes\n---\nGo.\n");
}

/// All files below a folder, and what is in them.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else {
                all.insert(path.strip_prefix(folder).unwrap().into(), fs::read(path).unwrap());
            }
        }
    }
    all
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A package on disk, compiled as the target's own.
fn native(folder: &Path) -> Plan {
    let to = HostName::parse("reasonix");
    let (form, platform) = (Form::Normalised, Platform::Posix);
    let wish = Wish { from: Some(to.clone()), to, form, platform, entry: None };
    let snapshot = Snapshot::new(Box::new(Folder::open(folder).unwrap()));
    survey(snapshot, &plugc::builtin::rulebook(), &wish)
}

#[test]
fn the_example_is_taken_whole() {
    let away = tempfile::tempdir().unwrap();
    let sources = ["release-notes", "careful-edits", "haiku-voice"].map(example);
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let text = answers(away.path(), &sources, 0, "1 full, 1 partial, 1 none");
    let place = Path::new("out").join("careful-edits");
    assert!(text.contains(&format!("partial → {}\n", place.display())), "{text}");
    assert_eq!(text.lines().count(), 4, "{text}");
    let out = away.path().join("out");
    assert_eq!(names(&out), [MARK.file, "careful-edits", "release-notes", "report.json"]);
    let mut compile = program();
    let printed = compile.args(["compile", "--format", "json"]).args(&sources).output().unwrap();
    assert_eq!(fs::read(out.join("report.json")).unwrap(), printed.stdout);
    for plugin in report(away.path())["plugins"].as_array().unwrap().iter().take(2) {
        let plan = native(&out.join(plugin["name"].as_str().unwrap()));
        let mapped: BTreeMap<&str, usize> =
            plan.mapped.iter().map(|(word, count)| (&**word, *count)).collect();
        assert_eq!(plan.verdict, Verdict::Full);
        assert_eq!(plugin["mapped"], serde_json::to_value(mapped).unwrap());
    }
    assert_eq!(names(away.path()), ["out"], "nothing is left beside it");
}

#[test]
fn a_check_finds_every_difference() {
    let away = tempfile::tempdir().unwrap();
    let [one, other] = ["release-notes", "careful-edits"].map(example);
    let check = ["--check", &one, &other];
    answers(away.path(), &check, 1, "missing: careful-edits/reasonix-plugin.json");
    assert!(names(away.path()).is_empty(), "a check writes nothing");
    answers(away.path(), &[&one, &other], 0, "");
    answers(away.path(), &check, 0, "2 plugins");
    let out = away.path().join("out");
    let touched = out.join("careful-edits/hooks/check.sh");
    let before = fs::read(&touched).unwrap();
    let mut bytes = before.clone();
    bytes[0] ^= 1;
    fs::write(&touched, &bytes).unwrap();
    answers(away.path(), &check, 1, "\ndiffers: careful-edits/hooks/check.sh\n");
    fs::write(&touched, &before[1..]).unwrap();
    answers(away.path(), &check, 1, "\ndiffers: careful-edits/hooks/check.sh\n");
    fs::write(&touched, [&before[..], b"x"].concat()).unwrap();
    answers(away.path(), &check, 1, "\ndiffers: careful-edits/hooks/check.sh\n");
    fs::write(&touched, &before).unwrap();
    answers(away.path(), &check, 0, "");
    put(&out, "careful-edits/more/x", b"");
    put(&out, "y", b"");
    fs::remove_file(out.join("report.json")).unwrap();
    let text = answers(away.path(), &check, 1, "\nmissing: report.json\nextra: y\n");
    assert!(text.contains("extra: careful-edits/more/\n"), "{text}");
}

#[test]
fn a_folder_that_is_not_ours_is_left_alone() {
    let away = tempfile::tempdir().unwrap();
    let source = example("release-notes");
    put(away.path(), "out/notes.txt", b"mine");
    answers(away.path(), &[&source], 2, "it holds `notes.txt`, which was not written by");
    // A report alone is no mark: `compile --output` writes one too.
    put(away.path(), "out/report.json", b"{\n  \"format\": \"plugc/report/1\"");
    answers(away.path(), &[&source], 2, "notes.txt");
    assert_eq!(tree(&away.path().join("out")).len(), 2);
    fs::remove_dir_all(away.path().join("out")).unwrap();
    fs::create_dir(away.path().join("out")).unwrap();
    answers(away.path(), &[&source], 0, "");
    // What somebody put beside the packages is nothing of ours.
    put(away.path(), "out/.git/config", b"mine");
    answers(away.path(), &[&source], 2, "it holds `.git`");
    assert!(away.path().join("out/.git/config").is_file());
    fs::remove_dir_all(away.path().join("out")).unwrap();
    put(away.path(), "out", b"a file");
    answers(away.path(), &[&source], 2, "it is no folder");
    answers(away.path(), &["nowhere"], 2, "source/not-found");
    assert_eq!(names(away.path()), ["out"]);
}

#[test]
fn neither_folder_lies_in_the_other() {
    let away = tempfile::tempdir().unwrap();
    plugin(away.path(), "p", "p");
    let inner = away.path().join("p");
    answers(&inner, &["."], 2, "--out lies in SOURCE");
    answers(away.path(), &["p"], 0, "");
    answers(away.path(), &["out/p"], 2, "SOURCE lies in --out");
    let mut here = program();
    here.args(["convert", "../p", "--out", "."]).current_dir(away.path().join("out"));
    assert_eq!(here.output().unwrap().status.code(), Some(2));
    assert_eq!(names(&inner), [".claude-plugin", "commands"]);
}

#[test]
fn an_older_output_is_replaced_and_what_is_denied_replaces_nothing() {
    let away = tempfile::tempdir().unwrap();
    let [one, other] = ["release-notes", "careful-edits"].map(example);
    answers(away.path(), &[&one, &other], 0, "");
    answers(away.path(), &[&one], 0, "1 plugins");
    let out = away.path().join("out");
    assert_eq!(names(&out), [MARK.file, "release-notes", "report.json"]);
    let before = tree(&out);
    answers(away.path(), &[&other, "--deny", "security"], 1, "nothing was written");
    answers(away.path(), &[&other, "--deny", "everything"], 2, "neither `warnings`");
    assert_eq!(tree(&out), before);
    answers(away.path(), &[&one, "--deny", "convert/name-taken"], 0, "");
    assert_eq!(tree(&out), before, "the same input, the same bytes");
    assert_eq!(names(away.path()), ["out"]);
}

/// Whenever it is killed, one of the two is there whole, and the next run is as good as the first.
#[test]
fn a_run_that_is_killed_leaves_the_old_or_the_new() {
    let away = tempfile::tempdir().unwrap();
    for (version, folder) in ["a", "b"].into_iter().enumerate() {
        plugin(away.path(), &format!("{folder}/p"), "p");
        for file in 0..40 {
            let text = format!("{version} {file}");
            put(away.path(), &format!("{folder}/p/assets/{file}"), text.as_bytes());
        }
    }
    let out = away.path().join("out");
    let wanted = ["a/p", "b/p"].map(|source| {
        answers(away.path(), &[source], 0, "");
        tree(&out)
    });
    let mut seed = 1_u64;
    for round in 0..40 {
        let source = ["a/p", "b/p"][round % 2];
        let mut child = program()
            .args(["convert", source, "--out", "out"])
            .current_dir(away.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((seed >> 33) % 45_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = tree(&out);
        // Where two folders cannot be swapped, the old one may lie beside until the next run.
        let is_aside = found.is_empty() && away.path().join(".out.plugc-convert/old").is_dir();
        assert!(wanted.contains(&found) || is_aside, "round {round}: {:?}", found.keys());
        if round % 5 == 0 {
            answers(away.path(), &[source], 0, "");
            assert_eq!(tree(&out), wanted[round % 2]);
            assert_eq!(names(away.path()), ["a", "b", "out"], "round {round}");
        }
    }
}

#[test]
fn a_name_is_taken_once() {
    let away = tempfile::tempdir().unwrap();
    plugin(away.path(), "first", "twin");
    plugin(away.path(), "second", "Twin");
    plugin(away.path(), "third", "report.json");
    let text = answers(away.path(), &["first", "second", "third"], 0, "1 full, 0 partial, 2 none");
    assert!(text.contains("not written: the folder `Twin` is taken by `first`"), "{text}");
    assert_eq!(names(&away.path().join("out")), [MARK.file, "report.json", "twin"]);
    let report = report(away.path());
    for at in [1, 2] {
        let told = &report["plugins"][at]["diagnostics"][0];
        assert_eq!(told["code"], "convert/name-taken");
        assert_eq!(
            (&told["file"], &told["pointer"]),
            (&".claude-plugin/plugin.json".into(), &"/name".into())
        );
        assert_eq!((&told["line"], &told["column"]), (&1.into(), &11.into()));
        assert_eq!(report["plugins"][at]["mapped"]["commands"], 0);
    }
}

#[cfg(unix)]
#[test]
fn modes_and_links_arrive_or_are_told_of() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let away = tempfile::tempdir().unwrap();
    plugin(away.path(), "p", "p");
    let root = away.path().join("p");
    put(away.path(), "secret/key", b"secret");
    put(&root, "run.sh", b"#!/bin/sh\n");
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    // Larger than a document may be.
    put(&root, "large", &vec![7; 9 * 1024 * 1024]);
    fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("run.sh", root.join("again.sh")).unwrap();
    symlink("commands", root.join("same")).unwrap();
    symlink("../secret", root.join("out")).unwrap();
    symlink("/etc/passwd", root.join("passwd")).unwrap();
    symlink("..", root.join("commands/up")).unwrap();
    assert!(Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    answers(away.path(), &["p"], 0, "1 partial");
    let report = report(away.path());
    assert_eq!(codes(&report, 0), ["convert/link-left-out", "convert/file-left-out"]);
    let told = &report["plugins"][0]["diagnostics"];
    assert_eq!((&told[1]["file"], &told[0]["count"]), (&"pipe".into(), &4.into()));
    let to = away.path().join("out/p");
    // What the target would stumble over is rewritten beside it.
    let kept = names(&to);
    for name in [".claude-plugin", "again.sh", "commands", "large", "run.sh", "same"] {
        assert!(kept.iter().any(|one| one == name), "{kept:?}");
    }
    for name in [".git", "out", "passwd", "pipe", "commands/up", "same/up"] {
        assert!(fs::symlink_metadata(to.join(name)).is_err(), "{name}");
    }
    assert_eq!(fs::metadata(to.join("large")).unwrap().len(), 9 * 1024 * 1024);
    for (file, is_executable) in [("run.sh", true), ("again.sh", true), ("same/go.md", false)] {
        let found = fs::symlink_metadata(to.join(file)).unwrap();
        assert!(found.is_file(), "{file}");
        assert_eq!(found.permissions().mode() & 0o100 != 0, is_executable, "{file}");
    }
    answers(away.path(), &["p", "--check"], 0, "");
    fs::set_permissions(to.join("run.sh"), fs::Permissions::from_mode(0o644)).unwrap();
    answers(away.path(), &["p", "--check"], 1, "differs: p/run.sh\n");
    fs::remove_dir_all(to.join("same")).unwrap();
    symlink("commands", to.join("same")).unwrap();
    let text = answers(away.path(), &["p", "--check"], 1, "differs: p/same/go.md\n");
    assert!(text.contains("extra: p/same\n"), "{text}");
}

/// A plan of a plugin that can be changed, and what becomes of it.
fn told_of(change: impl Fn(&Path, &mut Plan)) -> (Plan, usize) {
    let away = tempfile::tempdir().unwrap();
    plugin(away.path(), "p", "p");
    let rulebook = plugc::builtin::rulebook();
    let (to, form) = (HostName::parse("reasonix"), Form::Normalised);
    let wish = Wish { from: None, to, form, platform: Platform::Posix, entry: None };
    let folder = Folder::open(&away.path().join("p")).unwrap();
    let mut plan = survey(Snapshot::new(Box::new(folder)), &rulebook, &wish);
    change(&away.path().join("p"), &mut plan);
    let out = away.path().join("out");
    let mut staging = Staging::open(&out, &MARK).unwrap();
    let mut converter = Converter::new();
    converter.reserve("index.json");
    assert_eq!(converter.plugin("p", &mut plan, &mut staging).unwrap(), None);
    converter.end("{}", &[("index.json", "{}")], &mut staging).unwrap();
    staging.finish().unwrap();
    (plan, tree(&out).len())
}

#[test]
fn a_package_is_written_whole_or_not_at_all() {
    let (plan, files) = told_of(|folder, plan| {
        // It goes after its folder was listed.
        plan.snapshot.list(&plugc::ir::path::RelPath::parse("commands").unwrap());
        fs::remove_file(folder.join("commands/go.md")).unwrap();
    });
    let told = plan.diagnostics.last().unwrap();
    assert_eq!((told.code.as_str(), files), ("convert/file-unreadable", 3));
    assert_eq!((plan.verdict, plan.carried()), (Verdict::None, 0));
    let called = |name: &str| Step::Merge {
        into: "x.json".into(),
        at: vec!["name".into()],
        how: How::Set,
        value: name.into(),
    };
    let write = |to: &str| Step::Write { to: to.into(), text: String::new() };
    for wrong in [
        vec![called("a/b")],
        vec![called("..")],
        vec![called("")],
        vec![called("a\nb")],
        vec![write("../x")],
        vec![write("x"), write("x/y")],
        vec![write(".")],
        vec![called("p"), called("q")],
    ] {
        let (plan, files) = told_of(|_, plan| plan.entries[0].steps.extend(wrong.clone()));
        let told = plan.diagnostics.last().unwrap();
        assert_eq!((told.code.as_str(), files), ("convert/steps-conflict", 3), "{wrong:?}");
    }
}

/// The law of the normalised form, by way of the disk.
#[test]
fn what_is_written_its_target_takes_whole() {
    let rulebook = plugc::builtin::rulebook();
    let away = tempfile::tempdir().unwrap();
    for case in cases().iter().filter(|case| case.source != "reasonix") {
        let mut plan = case.plan(&rulebook, &Way::parse("reasonix"));
        let mut staging = Staging::open(&away.path().join("out"), &MARK).unwrap();
        let mut converter = Converter::new();
        let folder = converter.plugin("case", &mut plan, &mut staging).unwrap();
        converter.end("{ \"format\": \"plugc/report/", &[], &mut staging).unwrap();
        staging.finish().unwrap();
        assert_eq!(folder.is_none(), plan.verdict == Verdict::None, "{}", case.folder.display());
        let Some(folder) = folder else { continue };
        let again = native(&away.path().join("out").join(folder.as_str()));
        let kept = (Verdict::Full, &plan.mapped);
        assert_eq!((again.verdict, &again.mapped), kept, "{}", case.folder.display());
    }
}
