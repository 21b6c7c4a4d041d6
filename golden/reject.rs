//! Rules with one mistake each: what is said of it, as `golden/reject/<case>/report.txt` has it.
//!
//! A case's `rules/` is laid over the built-in rules, and only what is wrong because of it counts.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use plugc::rulebook::fault::Fault;
use plugc::rulebook::load::{Files, load};
use rayon::prelude::*;

use crate::bless::Golden;

#[test]
fn mistakes_in_rules_are_named_at_their_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/reject");
    let base = plugc::builtin::files();
    let (_, known) = load(&base, None);
    let mut golden = Golden::new();
    let cases = folders(&folder);
    let found: Vec<Vec<Fault>> = cases
        .par_iter()
        .map(|case| {
            let mut over = Files::new();
            collect(&case.join("rules"), "", &mut over);
            load(&base, Some(&over)).1.into_iter().filter(|fault| !known.contains(fault)).collect()
        })
        .collect();
    for (case, new) in cases.iter().zip(found) {
        assert!(!new.is_empty(), "{}: nothing is wrong with it", case.display());
        golden.hold(&case.join("report.txt"), &report(&new));
    }
    golden.finish();
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The rule files below a folder, by their path below it.
fn collect(folder: &Path, prefix: &str, files: &mut Files) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        if entry.path().is_dir() {
            collect(&entry.path(), &path, files);
        } else {
            files.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
}

fn report(faults: &[Fault]) -> String {
    let mut text = String::new();
    for fault in faults {
        let inside = if fault.inside == 0 {
            String::new()
        } else {
            format!(" (character {})", fault.inside + 1)
        };
        writeln!(text, "{}#{}{inside}", fault.file, without_number(fault)).unwrap();
        writeln!(text, "  {}", fault.message).unwrap();
        if let Some(help) = &fault.help {
            writeln!(text, "  help: {help}").unwrap();
        }
    }
    text
}

/// How many checks a target's file has already is of no interest here.
fn without_number(fault: &Fault) -> String {
    match fault.pointer.strip_prefix("/checks/").filter(|_| fault.file.starts_with("to/")) {
        Some(rest) => format!("/checks/n{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => fault.pointer.clone(),
    }
}
