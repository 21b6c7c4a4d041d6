//! Checks and digests `rules/`, so that the program starts without reading YAML.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads the rules and writes their digest"
)]
#![allow(
    dead_code,
    unreachable_pub,
    clippy::expect_used,
    clippy::panic,
    reason = "only a part of the included modules is used here, and a build fails by panicking"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "ir/mod.rs"]
mod ir;
#[path = "rulebook/mod.rs"]
mod rulebook;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for folder in ["rules", "grammar", "compiler/ir", "compiler/rulebook", "compiler/build.rs"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    let mut files = rulebook::load::Files::new();
    collect(&root.join("rules"), "", &mut files);
    let (rules, faults) = rulebook::load::load(&files, None);
    if !faults.is_empty() {
        let all: Vec<String> = faults.iter().map(ToString::to_string).collect();
        panic!("mistakes in rules/:\n{}", all.join("\n"));
    }
    fs::write(out.join("digest.rs"), source(&rules, &files, &out))
        .expect("the output folder is ours");
}

/// The rule files below a folder, by their path below `rules/`.
fn collect(folder: &Path, prefix: &str, files: &mut rulebook::load::Files) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).expect("rules/ can be listed").flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        if entry.path().is_dir() {
            collect(&entry.path(), &path, files);
        } else if path != "README.md" {
            files.insert(path, fs::read_to_string(entry.path()).expect("rules are UTF-8"));
        }
    }
}

/// The Rust text that includes the digest's sections and the rule files.
fn source(rules: &rulebook::Rules, files: &rulebook::load::Files, out: &Path) -> String {
    let mut text = String::from(
        "/// The checked rules, packed by section.\npub(super) static SECTIONS: &[(&str, &[u8])] = &[\n",
    );
    for (number, (name, bytes)) in rules.digest().into_iter().enumerate() {
        let file = out.join(format!("section-{number}"));
        fs::write(&file, bytes).expect("the output folder is ours");
        let file = file.display().to_string();
        let _ = writeln!(text, "    ({name:?}, include_bytes!({file:?})),");
    }
    text.push_str("];\n/// The rule files, by their path below `rules/`.\npub(super) static FILES: &[(&str, &str)] = &[\n");
    for (path, content) in files {
        let _ = writeln!(text, "    ({path:?}, {content:?}),");
    }
    text.push_str("];\n");
    text
}
