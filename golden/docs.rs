//! What documents and lists say of the code: written by a test, or held against it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use plugc::ir::value::Type;
use plugc::rulebook::builtin::{self, Builtin};
use plugc::rulebook::codes;

use crate::bless::Golden;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_function_stands_in_the_table() {
    let path = root().join("grammar/README.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("<!-- functions -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- /functions -->\n").unwrap();
    let mut table = "| function | gives | what it does |\n|---|---|---|\n".to_owned();
    let mut all: Vec<&Builtin> = builtin::all().collect();
    all.sort_by_key(|one| one.name);
    for one in all {
        let files = if one.files { " It asks the package's files." } else { "" };
        let doc = one.doc.replace('|', "\\|");
        writeln!(table, "| `{}({})` | {} | {doc}{files} |", one.name, takes(one), one.gives.word())
            .unwrap();
    }
    let mut golden = Golden::new();
    golden.hold(&path, &format!("{before}<!-- functions -->\n{table}<!-- /functions -->\n{after}"));
    golden.finish();
}

/// The types of a function's arguments, those that may be left out with `?`.
fn takes(one: &Builtin) -> String {
    let most = one.takes.len();
    let least = if one.optional == usize::MAX { most } else { most - one.optional };
    let word = |(at, r#type): (usize, &Type)| {
        format!("{}{}", r#type.word(), if at < least { "" } else { "?" })
    };
    let words: Vec<String> = one.takes.iter().enumerate().map(word).collect();
    words.join(", ") + if one.optional == usize::MAX { ", …" } else { "" }
}

/// Codes that passes write out are those of the list, and each has its page.
#[test]
fn codes_that_rust_raises_are_listed() {
    let listed: BTreeSet<&str> = codes::ALL.iter().map(|raised| raised.code).collect();
    let sorted: Vec<&str> = codes::ALL.iter().map(|raised| raised.code).collect();
    assert_eq!(sorted, listed.iter().copied().collect::<Vec<_>>(), "sorted, each once");
    let areas: BTreeSet<&str> =
        listed.iter().filter_map(|code| code.split_once('/')).map(|(area, _)| area).collect();
    let pattern = regex::Regex::new(r#""([a-z][a-z0-9-]*)/([a-z0-9-]+)""#).unwrap();
    let mut found = BTreeSet::new();
    for file in sources(&root().join("compiler")) {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for one in pattern.captures_iter(code) {
            let is_told =
                areas.contains(&one[1]) || code.contains(&format!("Code::new({}", &one[0]));
            if is_told {
                found.insert(format!("{}/{}", &one[1], &one[2]));
            }
        }
    }
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let unlisted: Vec<_> = found.difference(&listed).collect();
    let unraised: Vec<_> = listed.difference(&found).collect();
    assert!(
        unlisted.is_empty() && unraised.is_empty(),
        "not in codes.rs: {unlisted:?}; raised nowhere: {unraised:?}"
    );
    for code in listed {
        let page = root().join(format!("rules/diagnostics/en/{code}.md"));
        assert!(page.is_file(), "there is no page for {code}");
    }
}

/// The Rust files below a folder, but for tests and the list itself.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let is_other = ["tests.rs", "tidy.rs", "codes.rs"].iter().any(|name| path.ends_with(name));
        if path.is_dir() {
            files.extend(sources(&path));
        } else if !is_other && path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Holds what stands between two marks of a file.
fn between(path: &Path, mark: &str, inside: &str) {
    let text = fs::read_to_string(path).unwrap();
    let (open, close) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->\n"));
    let (before, rest) = text.split_once(&open).unwrap();
    let (_, after) = rest.split_once(&close).unwrap();
    let mut golden = Golden::new();
    golden.hold(path, &format!("{before}{open}{inside}{close}{after}"));
    golden.finish();
}

#[test]
fn the_readme_shows_what_is_supported() {
    let table = plugc::report::matrix::matrix(&plugc::builtin::rulebook());
    between(&root().join("README.md"), "support", &table);
}

#[test]
fn the_readme_shows_a_real_report() {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "--example"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    // Down to the last snippet of the plugin in the middle.
    let part = text.split("\n  note:").next().unwrap();
    between(&root().join("README.md"), "example", &format!("```text\n{}\n```\n", part.trim_end()));
}
