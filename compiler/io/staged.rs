//! The package that a plan makes: what its steps would write, without a target to write to.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::memory::Memory;
use crate::ir::package::{Content, Made, Package};
use crate::ir::path::RelPath;
use crate::ir::plan::{How, Plan, Step};
use crate::ir::snapshot::{Kind, Snapshot, Unreadable};

/// What a clone keeps of its history is no part of a package: the same commit, fetched or unpacked, has none.
const HISTORY: &str = ".git";

/// Why a plan could not be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A file that is to be copied cannot be read.
    Unreadable(RelPath, Unreadable),
    /// A step names a path that leaves the package.
    Leaves(String),
    /// A value is to stand where another one stands already, or a file where a folder is.
    Conflict(String),
}

/// Carries out the steps of a plan: the package's, then each entry's. No file is read for it.
///
/// A file that values are merged into begins as an empty object, whatever the package had there. An entry may write
/// over what the package has, not over what another entry wrote.
pub fn package(plan: &mut Plan) -> Result<Package, Fault> {
    let Plan { steps, entries, snapshot, .. } = plan;
    let mut stage = Stage::default();
    for step in steps.iter() {
        stage.step(step, snapshot)?;
    }
    for (number, entry) in entries.iter().enumerate() {
        stage.entry = Some(number);
        for step in &entry.steps {
            stage.step(step, snapshot)?;
        }
    }
    stage.finish()
}

/// The package in memory.
pub fn staged(plan: &mut Plan) -> Result<Memory, Fault> {
    let mut memory = Memory::new();
    for (path, Made { content, executable }) in package(plan)?.files {
        let bytes = match content {
            Content::Bytes(bytes) => bytes,
            Content::Copied(from) => {
                plan.snapshot.read(&from).map_err(|reason| Fault::Unreadable(from, reason))?
            }
        };
        memory = if executable {
            memory.executable(path.as_str(), bytes)
        } else {
            memory.file(path.as_str(), bytes)
        };
    }
    Ok(memory)
}

#[derive(Default)]
struct Stage {
    package: Package,
    merged: BTreeMap<RelPath, Value>,
    /// The entry whose steps are carried out; none while the package's are.
    entry: Option<usize>,
    /// Which entry wrote a file.
    written: BTreeMap<RelPath, usize>,
    /// The first file that two entries want to be different.
    contested: Option<RelPath>,
}

impl Stage {
    fn step(&mut self, step: &Step, snapshot: &mut Snapshot) -> Result<(), Fault> {
        match step {
            Step::Copy { from, to, except } => {
                let from = inside(from)?;
                let behind = except.iter().map(|path| from.join(path));
                let behind = behind.collect::<Result<Vec<RelPath>, _>>();
                let behind = behind.map_err(|_| Fault::Leaves(except.join(", ")))?;
                self.copy(&from, &inside(to)?, behind, snapshot);
            }
            Step::Write { to, text } => self.write(inside(to)?, text.clone()),
            Step::Merge { into, at, how, value } => {
                let root = self.merged.entry(inside(into)?).or_insert_with(empty);
                merge(root, at, *how, value)?;
            }
            // The root is the package that was read, as it is.
            Step::Link { .. } => {
                self.copy(&RelPath::root(), &RelPath::root(), Vec::new(), snapshot);
            }
        }
        Ok(())
    }

    fn write(&mut self, to: RelPath, text: String) {
        let content = Content::Bytes(text.into_bytes());
        self.put(to, Made { content, executable: false });
    }

    fn put(&mut self, to: RelPath, made: Made) {
        if let Some(entry) = self.entry {
            let other = self.written.insert(to.clone(), entry).filter(|other| *other != entry);
            if other.is_some() && self.package.files.get(&to) != Some(&made) {
                self.contested.get_or_insert_with(|| to.clone());
            }
        }
        self.package.files.insert(to, made);
    }

    fn copy(
        &mut self,
        from: &RelPath,
        to: &RelPath,
        mut behind: Vec<RelPath>,
        snapshot: &mut Snapshot,
    ) {
        behind.push(RelPath::root().child(HISTORY));
        Copying { stage: self, snapshot, behind, trail: Vec::new() }.copy(from, to);
    }

    fn finish(mut self) -> Result<Package, Fault> {
        if let Some(path) = self.contested {
            return Err(Fault::Conflict(path.to_string()));
        }
        self.entry = None;
        for (path, value) in std::mem::take(&mut self.merged) {
            self.write(path, format!("{value:#}\n"));
        }
        let files = &self.package.files;
        for path in files.keys() {
            let folders = std::iter::successors(path.parent(), RelPath::parent);
            if path.is_root() || folders.into_iter().any(|folder| files.contains_key(&folder)) {
                return Err(Fault::Conflict(path.to_string()));
            }
        }
        Ok(self.package)
    }
}

/// A copy on its way down.
struct Copying<'s> {
    stage: &'s mut Stage,
    snapshot: &'s mut Snapshot,
    /// What stays behind and is not missed.
    behind: Vec<RelPath>,
    /// The folders it is in, without links.
    trail: Vec<RelPath>,
}

impl Copying<'_> {
    /// Copies what links lead to; one out of the package, to nothing or into its own folder is left out.
    fn copy(&mut self, from: &RelPath, to: &RelPath) {
        if self.behind.contains(from) {
            return;
        }
        match self.snapshot.kind(from) {
            Kind::File { executable, .. } => {
                let content = Content::Copied(from.clone());
                self.stage.put(to.clone(), Made { content, executable });
            }
            Kind::Folder => {
                let really = self.snapshot.resolve(from);
                if self.trail.contains(&really) {
                    return self.leave_out(from, Kind::Loop);
                }
                let Some(entries) = self.snapshot.list(from) else {
                    return self.leave_out(from, Kind::Denied);
                };
                self.trail.push(really);
                for entry in entries.iter() {
                    self.copy(&from.child(&entry.name), &to.child(&entry.name));
                }
                self.trail.pop();
            }
            kind => self.leave_out(from, kind),
        }
    }

    fn leave_out(&mut self, path: &RelPath, kind: Kind) {
        self.stage.package.left_out.push((path.clone(), kind));
    }
}

fn inside(path: &str) -> Result<RelPath, Fault> {
    RelPath::parse(path).map_err(|_| Fault::Leaves(path.to_owned()))
}

fn empty() -> Value {
    Value::Object(Map::new())
}

fn merge(root: &mut Value, at: &[String], how: How, value: &Value) -> Result<(), Fault> {
    let conflict = || Fault::Conflict(at.join("."));
    let Some((name, folders)) = at.split_last() else { return Err(conflict()) };
    let mut here = root;
    for key in folders {
        let map = here.as_object_mut().ok_or_else(conflict)?;
        here = map.entry(key.clone()).or_insert_with(empty);
    }
    let map = here.as_object_mut().ok_or_else(conflict)?;
    match how {
        How::Set => match map.get(name) {
            Some(there) if there != value => Err(conflict()),
            _ => {
                map.insert(name.clone(), value.clone());
                Ok(())
            }
        },
        How::Append => {
            let list = map.entry(name.clone()).or_insert_with(|| Value::Array(Vec::new()));
            let list = list.as_array_mut().ok_or_else(conflict)?;
            // A folder that several entries declare is declared once.
            if !(value.is_string() && list.contains(value)) {
                list.push(value.clone());
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_set_twice_must_be_the_same() {
        let mut root = empty();
        let at = ["a".to_owned(), "b".to_owned()];
        assert_eq!(merge(&mut root, &at, How::Set, &json!(1)), Ok(()));
        assert_eq!(merge(&mut root, &at, How::Set, &json!(1)), Ok(()));
        let conflict = Err(Fault::Conflict("a.b".to_owned()));
        assert_eq!(merge(&mut root, &at, How::Set, &json!(2)), conflict);
        assert_eq!(merge(&mut root, &at, How::Append, &json!(2)), conflict);
        assert_eq!(root, json!({ "a": { "b": 1 } }));
    }

    #[test]
    fn a_path_is_declared_once_and_a_hook_as_often_as_it_comes() {
        let mut root = empty();
        let at = ["list".to_owned()];
        for value in [json!("x"), json!("x"), json!({}), json!({})] {
            assert_eq!(merge(&mut root, &at, How::Append, &value), Ok(()));
        }
        assert_eq!(root, json!({ "list": ["x", {}, {}] }));
    }

    #[test]
    fn two_entries_do_not_write_one_file_in_two_ways() {
        let memory = Memory::new().file("a", "1").file("b", "2");
        let mut snapshot = Snapshot::new(Box::new(memory));
        let copy = |from: &str| Step::Copy { from: from.into(), to: "x".into(), except: vec![] };
        let write = |text: &str| Step::Write { to: "x".into(), text: text.into() };
        let mut staged = |steps: &[(Option<usize>, Step)]| {
            let mut stage = Stage::default();
            for (entry, step) in steps {
                stage.entry = *entry;
                stage.step(step, &mut snapshot)?;
            }
            stage.finish().map(|package| package.files.len())
        };
        // An entry may mend what the package or it itself has there, and two may want the same.
        assert_eq!(
            staged(&[(None, copy("a")), (Some(0), write("x")), (Some(0), copy("b"))]),
            Ok(1)
        );
        assert_eq!(staged(&[(Some(0), copy("a")), (Some(1), copy("a"))]), Ok(1));
        let conflict = Err(Fault::Conflict("x".to_owned()));
        assert_eq!(staged(&[(Some(0), copy("a")), (Some(1), copy("b"))]), conflict);
        assert_eq!(staged(&[(Some(0), write("a")), (Some(1), write("b"))]), conflict);
        assert_eq!(staged(&[(Some(0), write("a")), (Some(1), copy("a"))]), conflict);
    }

    #[test]
    fn what_stays_behind_is_neither_copied_nor_missed() {
        let files = ["a/CLAUDE.md", "a/b/CLAUDE.md", "a/c/x"];
        let memory = files.iter().fold(Memory::new(), |memory, path| memory.file(path, *b"text"));
        let mut snapshot = Snapshot::new(Box::new(memory));
        let except = ["CLAUDE.md", "c", "gone"].map(str::to_owned).to_vec();
        let step = Step::Copy { from: "a".into(), to: ".".into(), except };
        let mut stage = Stage::default();
        assert_eq!(stage.step(&step, &mut snapshot), Ok(()));
        let copied: Vec<&str> = stage.package.files.keys().map(RelPath::as_str).collect();
        assert_eq!((copied, stage.package.left_out), (vec!["b/CLAUDE.md"], vec![]));
    }
}
