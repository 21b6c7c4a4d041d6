//! Tests about the code: who may name whom, how long a file may be, and that every module says what it is.
#![expect(clippy::disallowed_methods, reason = "it reads the source files")]

use std::fs;
use std::path::{Path, PathBuf};

/// Each folder, and which others it may name. `lib.rs` may name all; `cli` calls the library.
const LAYERS: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("rulebook", &["ir"]),
    ("pass", &["ir", "rulebook"]),
    ("report", &["ir", "rulebook"]),
    ("io", &["ir"]),
];

/// The longest a file may be, in lines.
const LONGEST: usize = 400;

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), all);
        } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
            all.push(entry.path());
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("compiler")
}

fn sources() -> Vec<(String, String)> {
    let mut all = Vec::new();
    files(&root(), &mut all);
    all.sort();
    all.into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"), text)
        })
        .collect()
}

/// The text without the tests at its end.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap()
}

#[test]
fn forms_lie_below_passes() {
    for (path, text) in sources().iter().filter(|(path, _)| !path.contains("tests")) {
        let Some((folder, allowed)) =
            LAYERS.iter().find(|(folder, _)| path.starts_with(&format!("{folder}/")))
        else {
            continue;
        };
        for (other, _) in
            LAYERS.iter().filter(|(other, _)| other != folder && !allowed.contains(other))
        {
            assert!(
                !without_tests(text).contains(&format!("crate::{other}::")),
                "{path} names {other}"
            );
        }
        assert!(!without_tests(text).contains("crate::cli"), "{path} names cli");
    }
}

#[test]
fn passes_do_not_name_each_other() {
    for (path, text) in sources().iter().filter(|(path, _)| path.starts_with("pass/")) {
        for other in ["parse", "lift", "lower"]
            .iter()
            .filter(|other| !path.starts_with(&format!("pass/{other}")))
        {
            assert!(
                !text.contains(&format!("pass::{other}")) || path == "pass/mod.rs",
                "{path} names {other}"
            );
        }
    }
}

#[test]
fn a_file_is_one_idea() {
    for (path, text) in sources() {
        assert!(text.lines().count() <= LONGEST, "{path} has more than {LONGEST} lines");
        assert!(text.starts_with("//!"), "{path} does not say what it is");
    }
}

#[test]
fn rust_names_no_host() {
    let hosts = ["claude", "codex", "reforma", "gjc", "reasonix"];
    let core = ["ir/", "pass/", "rulebook/", "report/", "io/"];
    for (path, text) in
        sources().iter().filter(|(path, _)| core.iter().any(|folder| path.starts_with(folder)))
    {
        let bare = without_tests(text).lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in bare {
            let names = hosts.iter().find(|host| line.to_lowercase().contains(*host));
            assert!(names.is_none() || path.contains("tests"), "{path} names a host: {line}");
        }
    }
}

#[test]
fn one_file_names_pest_and_one_names_miette() {
    for (path, text) in sources() {
        let bare: String =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        assert!(
            !bare.contains("pest::") || path.starts_with("rulebook/grammar/") || path == "tidy.rs",
            "{path} names pest"
        );
        assert!(
            !bare.contains("miette::") || path.starts_with("report/text") || path == "tidy.rs",
            "{path} names miette"
        );
    }
}
