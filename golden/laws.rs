//! Laws that hold for every case: the books close, nothing panics, the same input gives the same bytes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use plugc::io::memory::Memory;
use plugc::ir::document::{Document, Front};
use plugc::ir::path::RelPath;
use plugc::ir::plan::Plan;
use plugc::ir::snapshot::Snapshot;
use plugc::rulebook::Rulebook;
use plugc::survey::{Wish, survey};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::compile::{Case, Way, cases};

/// The files of a case, by path, with their bytes and whether they may be run.
type Files = Vec<(String, Vec<u8>, bool)>;

fn files(folder: &Path, prefix: &str, all: &mut Files) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let inside = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        let found = fs::symlink_metadata(&path).unwrap();
        if found.is_dir() {
            files(&path, &inside, all);
        } else if found.is_file() {
            all.push((inside, fs::read(&path).unwrap(), is_executable(&found)));
        }
    }
}

#[cfg(unix)]
fn is_executable(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

fn plan(files: &Files, rulebook: &Rulebook, way: &Way) -> Plan {
    let mut memory = Memory::new();
    for (path, bytes, executable) in files {
        memory = if *executable {
            memory.executable(path, bytes.clone())
        } else {
            memory.file(path, bytes.clone())
        };
    }
    let wish = Wish {
        from: None,
        to: way.to.clone(),
        form: way.form,
        platform: way.platform,
        entry: None,
    };
    survey(Snapshot::new(Box::new(memory)), rulebook, &wish)
}

fn accounted(plan: &Plan) -> Vec<String> {
    plan.account
        .iter()
        .map(|(at, _)| plan.documents[at.document as usize].origin(at.node).to_string())
        .collect()
}

fn whole_cases() -> impl Iterator<Item = (Case, Files)> {
    cases().into_iter().filter(|case| case.single.is_none()).map(|case| {
        let mut all = Files::new();
        files(&case.folder.join("plugin"), "", &mut all);
        (case, all)
    })
}

/// Was it read as what it is, and not as one leaf?
fn is_open(document: &Document) -> bool {
    document.readable && !matches!(document.front, Front::Absent | Front::Broken)
}

/// Puts a key into every object of a JSON value in turn.
fn with_key(value: &Value, new: &Value, all: &mut Vec<Value>) {
    let mut paths = vec![String::new()];
    let mut objects = Vec::new();
    while let Some(path) = paths.pop() {
        match value.pointer(&path).unwrap() {
            Value::Object(map) => {
                objects.push(path.clone());
                let steps = map.keys().map(|key| key.replace('~', "~0").replace('/', "~1"));
                paths.extend(steps.map(|step| format!("{path}/{step}")));
            }
            Value::Array(list) => paths.extend((0..list.len()).map(|at| format!("{path}/{at}"))),
            _ => {}
        }
    }
    for path in objects {
        let mut changed = value.clone();
        changed
            .pointer_mut(&path)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .insert("newlyPut".to_owned(), new.clone());
        all.push(changed);
    }
}

#[test]
fn whatever_is_put_anywhere_the_account_shows_it() {
    let rulebook = plugc::builtin::rulebook();
    let mut seen = 0;
    for (case, files) in whole_cases() {
        let way = Way::parse("reasonix");
        let read: BTreeSet<String> = plan(&files, &rulebook, &way)
            .documents
            .iter()
            .map(|document| document.file.to_string())
            .collect();
        for (at, (path, bytes, _)) in
            files.iter().enumerate().filter(|(_, (path, ..))| read.contains(path))
        {
            let mut changed = Vec::new();
            if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
                for new in [json!("text"), json!(7), json!([true]), json!({ "deep": null })] {
                    with_key(&value, &new, &mut changed);
                }
            }
            let mut texts: Vec<String> = changed.iter().map(Value::to_string).collect();
            if let Some(rest) = String::from_utf8_lossy(bytes).strip_prefix("---\n") {
                texts.push(format!("---\nnewlyPut: [a, b]\n{rest}"));
            }
            for text in texts {
                let mut files = files.clone();
                files[at].1 = text.clone().into_bytes();
                let plan = plan(&files, &rulebook, &way);
                let still_read = plan
                    .documents
                    .iter()
                    .any(|document| *document.file == **path && is_open(document));
                let shown = accounted(&plan);
                assert!(
                    !still_read || shown.iter().any(|origin| origin.contains("newlyPut")),
                    "{} {path}: {text}",
                    case.folder.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "only {seen} were tried");
}

#[test]
fn every_leaf_is_accounted_for_once() {
    let rulebook = plugc::builtin::rulebook();
    for (case, files) in whole_cases() {
        for way in ["reasonix", "reasonix.as-found", "reasonix@1"] {
            let plan = plan(&files, &rulebook, &Way::parse(way));
            let mut places: Vec<_> = plan.account.iter().map(|(at, _)| *at).collect();
            let all = places.len();
            places.sort();
            places.dedup();
            assert_eq!(places.len(), all, "{} {way}", case.folder.display());
            for (number, document) in plan.documents.iter().enumerate() {
                let leaves = document.leaves(0).len();
                let here = places.iter().filter(|at| at.document as usize == number).count();
                assert!(
                    here >= leaves || document.has_whole(),
                    "{} {way} {}",
                    case.folder.display(),
                    document.file
                );
            }
        }
    }
}

fn some_case() -> impl Strategy<Value = Files> {
    let all: Vec<Files> =
        whole_cases().map(|(_, files)| files).filter(|files| !files.is_empty()).collect();
    proptest::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_in_any_document_panic(
        files in some_case(), which in any::<proptest::sample::Index>(), at in any::<proptest::sample::Index>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..12), replace in any::<bool>(),
    ) {
        let rulebook = plugc::builtin::rulebook();
        let mut files = files;
        let number = which.index(files.len());
        let old = &mut files[number].1;
        if replace || old.is_empty() {
            *old = bytes;
        } else {
            let at = at.index(old.len());
            let end = (at + bytes.len()).min(old.len());
            old.splice(at..end, bytes);
        }
        for way in ["reasonix", "reasonix.as-found"] {
            let plan = plan(&files, &rulebook, &Way::parse(way));
            plugc::report::told::tell(plan, &rulebook, "x", true);
        }
    }
}

fn program(folder: &Path, threads: &str, roots: &[String]) -> Vec<u8> {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "--format", "jsonl", "--account", "-"])
        .current_dir(folder)
        .env("RAYON_NUM_THREADS", threads)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(roots.join("\n").as_bytes()).unwrap();
    child.wait_with_output().unwrap().stdout
}

#[test]
fn the_same_bytes_from_every_process_folder_and_number_of_threads() {
    let root = crate::compile::root();
    let roots: Vec<String> = whole_cases()
        .map(|(case, _)| {
            case.folder.join("plugin").strip_prefix(&root).unwrap().display().to_string()
        })
        .collect();
    let one = program(&root, "1", &roots);
    assert!(one.split(|byte| *byte == b'\n').count() > roots.len());
    assert!(one == program(&root, "1", &roots), "another process gives other bytes");
    assert!(one == program(&root, "8", &roots), "eight threads give other bytes");
    let elsewhere = tempfile::tempdir().unwrap();
    let copied = Command::new("cp")
        .args(["-a", "."])
        .arg(elsewhere.path())
        .current_dir(&root)
        .status()
        .unwrap();
    assert!(copied.success());
    assert!(one == program(elsewhere.path(), "2", &roots), "another folder gives other bytes");
}

#[test]
fn the_digest_and_the_files_give_the_same_rulebook() {
    let (rules, faults) = plugc::rulebook::load::load(&plugc::builtin::files(), None);
    assert_eq!(faults, []);
    let digested = plugc::builtin::rulebook();
    assert_eq!(digested.index, rules.index);
    for source in &rules.sources {
        let host = plugc::ir::route::HostName::parse(&source.host);
        assert_eq!(digested.source(&host), Some(source));
    }
    for target in &rules.targets {
        let host = plugc::ir::route::HostName::parse(&target.host);
        assert_eq!(digested.target(&host), Some(target));
    }
    for (code, page) in &rules.pages.heads {
        assert_eq!(digested.page(&plugc::ir::diagnostic::Code::new(code)), Some(page));
    }
}

#[test]
fn a_path_stays_below_its_root() {
    assert!(RelPath::parse("../x").is_err());
}
