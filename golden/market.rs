//! Marketplaces as people see them: every case that is one, told whole.

use std::path::Path;
use std::process::Command;

use crate::bless::Golden;
use crate::compile::{Case, cases};

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
pub fn is_list(case: &Case) -> bool {
    case.source.strip_suffix("-marketplace").is_some()
}

#[test]
fn every_marketplace_is_told_as_its_goldens_say() {
    let mut golden = Golden::new();
    for case in cases().iter().filter(|case| is_list(case)) {
        for (file, format) in FILES.into_iter().zip(["text", "jsonl"]) {
            golden.hold(&case.folder.join(file), &told(&case.folder, format));
        }
    }
    golden.finish();
}
