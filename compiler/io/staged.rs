//! The package that a plan makes, in memory: what its steps would write, without a target to write to.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::memory::Memory;
use crate::ir::path::RelPath;
use crate::ir::plan::{How, Plan, Step};
use crate::ir::snapshot::{Kind, Snapshot, Unreadable};

/// Why a plan could not be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A file that is to be copied cannot be read.
    Unreadable(RelPath, Unreadable),
    /// A step names a path that leaves the package.
    Leaves(String),
    /// A value is to stand where another one stands already.
    Conflict(String),
}

/// Carries out the steps of a plan: the package's, then each entry's.
///
/// A file that values are merged into begins as an empty object, whatever the package had there.
pub fn staged(plan: &mut Plan) -> Result<Memory, Fault> {
    let Plan { steps, entries, snapshot, .. } = plan;
    let mut stage = Stage::default();
    for step in steps.iter().chain(entries.iter().flat_map(|entry| &entry.steps)) {
        stage.step(step, snapshot)?;
    }
    Ok(stage.into_memory())
}

#[derive(Default)]
struct Stage {
    files: BTreeMap<RelPath, (Vec<u8>, bool)>,
    merged: BTreeMap<RelPath, Value>,
}

impl Stage {
    fn step(&mut self, step: &Step, snapshot: &mut Snapshot) -> Result<(), Fault> {
        match step {
            Step::Copy { from, to } => {
                self.copy(&inside(from)?, &inside(to)?, snapshot, &mut Vec::new())
            }
            Step::Write { to, text } => {
                self.files.insert(inside(to)?, (text.clone().into_bytes(), false));
                Ok(())
            }
            Step::Merge { into, at, how, value } => {
                let root = self.merged.entry(inside(into)?).or_insert_with(empty);
                merge(root, at, *how, value)
            }
            // The root is the package that was read, as it is.
            Step::Link { .. } => {
                self.copy(&RelPath::root(), &RelPath::root(), snapshot, &mut Vec::new())
            }
        }
    }

    /// Copies what links lead to; one out of the package, to nothing or into its own folder is left out.
    fn copy(
        &mut self,
        from: &RelPath,
        to: &RelPath,
        snapshot: &mut Snapshot,
        trail: &mut Vec<RelPath>,
    ) -> Result<(), Fault> {
        match snapshot.kind(from) {
            Kind::File { executable, .. } => {
                let bytes = snapshot
                    .read(from)
                    .map_err(|reason| Fault::Unreadable(from.clone(), reason))?;
                self.files.insert(to.clone(), (bytes, executable));
                Ok(())
            }
            Kind::Folder => {
                let really = snapshot.resolve(from);
                if trail.contains(&really) {
                    return Ok(());
                }
                trail.push(really);
                for entry in snapshot.list(from).iter().flat_map(|all| all.iter()) {
                    self.copy(&from.child(&entry.name), &to.child(&entry.name), snapshot, trail)?;
                }
                trail.pop();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn into_memory(mut self) -> Memory {
        for (path, value) in self.merged {
            self.files.insert(path, (format!("{value:#}\n").into_bytes(), false));
        }
        self.files.into_iter().fold(Memory::new(), |memory, (path, (bytes, executable))| {
            if executable {
                memory.executable(path.as_str(), bytes)
            } else {
                memory.file(path.as_str(), bytes)
            }
        })
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
}
