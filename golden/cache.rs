//! The cache: an answer from it is the answer that would be worked out, byte for byte, or none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use plugc::ir::route::Form;
use plugc::report::text::{self, Style};
use plugc::report::told::{Report, tell};
use plugc::report::{html, json, stored};

use crate::compile::{Way, cases};

/// Everything that is printed of a report.
fn printed(report: &Report) -> [String; 3] {
    let style = Style { verbose: true, ..Style::default() };
    [
        text::plugin(report, style),
        json::line(report, "reasonix", Form::Normalised),
        html::section(report, false),
    ]
}

#[test]
fn a_report_survives_the_way_into_the_cache_and_back() {
    let rulebook = plugc::builtin::rulebook();
    let way = Way::parse("reasonix");
    for case in cases() {
        let report = tell(case.plan(&rulebook, &way), &rulebook, "p", true);
        let back = stored::read(&stored::write(&report, None), None).unwrap();
        assert_eq!(printed(&back), printed(&report), "{}", case.folder.display());
    }
}

/// A marketplace in a repository, and a place for the cache.
struct Lab {
    away: tempfile::TempDir,
    source: String,
}

/// What a run gave: its report, and what it said beside it.
#[derive(Debug, PartialEq)]
struct Ran {
    report: String,
    beside: String,
}

impl Lab {
    fn new() -> Self {
        let away = tempfile::tempdir().unwrap();
        let there = away.path().join("there");
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/example");
        copy(&example, &there);
        git(&there, &["init", "-q"]);
        git(&there, &["add", "."]);
        git(&there, &["commit", "-qm", "one"]);
        let commit = git(&there, &["rev-parse", "HEAD"]);
        let source = format!("file://{}#{commit}", there.display());
        Lab { away, source }
    }

    fn run(&self, path: &str, arguments: &[&str]) -> Ran {
        let out = Command::new(env!("CARGO_BIN_EXE_plugc"))
            .args(["compile", &format!("{}{path}", self.source)])
            .args(arguments)
            .current_dir(self.away.path())
            .env("PLUGC_CACHE", self.away.path().join("cache"))
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(0), "{out:?}");
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { report: text(out.stdout), beside: text(out.stderr) }
    }

    /// The files of the cache, whatever program made them.
    fn answers(&self) -> Vec<PathBuf> {
        let makers = fs::read_dir(self.away.path().join("cache/answers"));
        let makers = makers.into_iter().flatten().flatten();
        let files = makers.flat_map(|maker| fs::read_dir(maker.path()).unwrap().flatten());
        files.map(|file| file.path()).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
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
fn what_never_changes_is_answered_as_it_was_the_first_time() {
    let lab = Lab::new();
    for format in ["text", "jsonl", "json", "html"] {
        let anew = lab.run("", &["--format", format, "--no-cache"]);
        let first = lab.run("", &["--format", format]);
        assert_eq!(first, anew);
        assert_eq!(lab.run("", &["--format", format]), first);
    }
    // The entries are kept once, in whatever format they are printed; `--no-cache` keeps nothing.
    assert_eq!(lab.answers().len(), 3);
    // Another question has another answer.
    lab.run("", &["--form", "as-found"]);
    assert_eq!(lab.answers().len(), 6);
}

#[test]
fn an_answer_is_used_and_a_damaged_one_is_noticed_and_mended() {
    let lab = Lab::new();
    let first = lab.run("", &["--format", "jsonl"]);
    let kept: Vec<(PathBuf, Vec<u8>)> =
        lab.answers().into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect();
    assert_eq!(kept.len(), 3);
    for at in [0, 70, 500] {
        for (file, bytes) in &kept {
            let mut other = bytes.clone();
            other[at] ^= 1;
            fs::write(file, other).unwrap();
        }
        let ran = lab.run("", &["--format", "jsonl"]);
        assert_eq!(ran.report, first.report);
        assert_eq!(ran.beside.matches("is damaged").count(), 3, "{}", ran.beside);
        for (file, bytes) in &kept {
            assert_eq!(&fs::read(file).unwrap(), bytes);
        }
    }
    // Only what is read from the cache can tell of a name that no plugin has.
    let (file, bytes) = kept.iter().find(|(_, bytes)| holds(bytes, "\"haiku-voice\"")).unwrap();
    let answer = String::from_utf8(bytes[64..].to_vec()).unwrap();
    let other = answer.replace("\"haiku-voice\"", "\"other-voice\"");
    fs::write(file, format!("{}{other}", plugc::io::cache::digest(other.as_bytes()))).unwrap();
    assert!(lab.run("", &["--format", "jsonl"]).report.contains("\"other-voice\""));
    assert!(!lab.run("", &["--format", "jsonl", "--no-cache"]).report.contains("\"other-voice\""));
}

fn holds(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(text)
}

#[test]
fn a_plugin_at_a_commit_needs_its_repository_only_once_and_a_folder_is_never_kept() {
    let lab = Lab::new();
    let lines = |lab: &Lab, arguments: &[&str]| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_plugc"))
            .args(["compile", "--format", "jsonl", "-"])
            .args(arguments)
            .current_dir(lab.away.path())
            .env("PLUGC_CACHE", lab.away.path().join("cache"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let source = format!("{}:plugins/careful-edits\nthere/plugins/careful-edits\n", lab.source);
        std::io::Write::write_all(&mut run.stdin.take().unwrap(), source.as_bytes()).unwrap();
        let out = run.wait_with_output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    let first = lines(&lab, &[]);
    assert_eq!(first.matches("\"verdict\":\"partial\"").count(), 2, "{first}");
    assert_eq!(lab.answers().len(), 1);
    fs::remove_dir_all(lab.away.path().join("cache/git")).unwrap();
    fs::rename(lab.away.path().join("there/.git"), lab.away.path().join("gone")).unwrap();
    assert_eq!(lines(&lab, &["--offline"]), first);
    // Other rules give another answer, which needs the repository.
    fs::create_dir_all(lab.away.path().join("rules")).unwrap();
    fs::write(lab.away.path().join("rules/README.md"), "").unwrap();
    let page = "rules/diagnostics/en/package/no-manifest.md";
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let over = lab.away.path().join("rules/diagnostics/en/package/no-manifest.md");
    fs::create_dir_all(over.parent().unwrap()).unwrap();
    fs::copy(own, over).unwrap();
    assert_ne!(lines(&lab, &["--offline", "--rules", "rules"]), first);
}
