//! `Memory`: a plugin's files without a disk, for tests and examples.

use std::collections::BTreeMap;

use crate::ir::path::{PathFault, RelPath};
use crate::ir::snapshot::{Files, Kind, Listed, Unreadable};

/// So many links are followed on the way to one file.
const MOST_LINKS: usize = 40;

/// Files in memory. A folder is there if something lies in it.
///
/// A path that leaves the root adds nothing.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug)]
enum Entry {
    File { bytes: Vec<u8>, executable: bool },
    Link(String),
    Special,
    Denied,
}

impl Memory {
    /// No files.
    pub fn new() -> Self {
        Memory::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn file(self, path: &str, text: impl Into<Vec<u8>>) -> Self {
        self.with(path, Entry::File { bytes: text.into(), executable: false })
    }

    /// Adds a file that may be executed.
    #[must_use]
    pub fn executable(self, path: &str, text: impl Into<Vec<u8>>) -> Self {
        self.with(path, Entry::File { bytes: text.into(), executable: true })
    }

    /// Adds a link, whose target is read from the folder it lies in.
    #[must_use]
    pub fn link(self, path: &str, target: &str) -> Self {
        self.with(path, Entry::Link(target.to_owned()))
    }

    /// Adds a device.
    #[must_use]
    pub fn special(self, path: &str) -> Self {
        self.with(path, Entry::Special)
    }

    /// Adds a file or folder that may not be looked at.
    #[must_use]
    pub fn denied(self, path: &str) -> Self {
        self.with(path, Entry::Denied)
    }

    fn with(mut self, path: &str, entry: Entry) -> Self {
        if let Ok(path) = RelPath::parse(path) {
            self.entries.insert(path.into(), entry);
        }
        self
    }

    /// Follows every link in a path, or says what is in the way.
    fn walk(&self, path: &RelPath) -> Result<RelPath, Kind> {
        let mut left = stack(path.parts());
        let (mut at, mut links) = (RelPath::root(), 0);
        while let Some(part) = left.pop() {
            let next = match part.as_str() {
                "" | "." => continue,
                ".." => at.parent().ok_or(Kind::Outside)?,
                part => at.child(part),
            };
            match self.entries.get(next.as_str()) {
                Some(Entry::Link(target)) => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(Kind::Loop);
                    }
                    if RelPath::parse(target) == Err(PathFault::Absolute) {
                        return Err(Kind::Outside);
                    }
                    left.extend(stack(target.split('/')));
                }
                Some(Entry::Denied) if !left.is_empty() => return Err(Kind::Denied),
                Some(Entry::File { .. } | Entry::Special) if !left.is_empty() => {
                    return Err(Kind::Missing);
                }
                Some(_) => at = next,
                None if next.is_root() || self.below(&next).next().is_some() => at = next,
                None => return Err(Kind::Missing),
            }
        }
        Ok(at)
    }

    /// What lies below a folder, by the paths from there.
    fn below<'a>(&'a self, folder: &RelPath) -> impl Iterator<Item = &'a str> + use<'a> {
        let start = if folder.is_root() { String::new() } else { format!("{folder}/") };
        let from_start = self.entries.range(start.clone()..);
        from_start.map_while(move |(path, _)| path.strip_prefix(start.as_str()))
    }

    fn is_link(&self, path: &RelPath) -> bool {
        let Some(folder) = path.parent().and_then(|folder| self.walk(&folder).ok()) else {
            return false;
        };
        matches!(self.entries.get(folder.child(path.name()).as_str()), Some(Entry::Link(_)))
    }

    fn entry(&self, path: &RelPath) -> Result<&Entry, Kind> {
        let at = self.walk(path)?;
        self.entries.get(at.as_str()).ok_or(Kind::Folder)
    }
}

/// Parts of a path, the first to be taken first.
fn stack<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut parts: Vec<String> = parts.map(str::to_owned).collect();
    parts.reverse();
    parts
}

impl Files for Memory {
    fn kind(&self, path: &RelPath) -> (Kind, bool) {
        let is_link = self.is_link(path);
        let kind = match self.entry(path) {
            Ok(Entry::File { bytes, executable }) => {
                Kind::File { size: bytes.len() as u64, executable: *executable }
            }
            Ok(Entry::Special) => Kind::Special,
            Ok(Entry::Denied) => Kind::Denied,
            Ok(Entry::Link(_)) => Kind::Loop,
            Err(Kind::Missing) if is_link => Kind::Dangling,
            Err(kind) => kind,
        };
        (kind, is_link)
    }

    fn list(&self, folder: &RelPath, most: usize) -> Option<Vec<Listed>> {
        if self.kind(folder).0 != Kind::Folder {
            return None;
        }
        let mut names: Vec<&str> = self
            .below(&self.walk(folder).ok()?)
            .filter_map(|path| path.split('/').next())
            .collect();
        // `a-b` sorts between `a` and `a/x`.
        names.sort_unstable();
        names.dedup();
        let listed = |name: &str| {
            let (kind, link) = self.kind(&folder.child(name));
            Listed { name: name.to_owned(), kind, link }
        };
        Some(names.into_iter().take(most).map(listed).collect())
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<Vec<u8>, Unreadable> {
        match self.entry(path) {
            Ok(Entry::File { bytes, .. }) if bytes.len() as u64 > limit => {
                Err(Unreadable::TooLarge(bytes.len() as u64))
            }
            Ok(Entry::File { bytes, .. }) => Ok(bytes.clone()),
            Ok(Entry::Denied) | Err(Kind::Denied) => Err(Unreadable::Denied),
            _ => Err(Unreadable::NotAFile(self.kind(path).0)),
        }
    }

    fn resolve(&self, path: &RelPath) -> RelPath {
        self.walk(path).unwrap_or_else(|_| path.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::snapshot::{MOST_ENTRIES, Snapshot};

    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::parse(text).unwrap()
    }

    #[test]
    fn answers_like_a_disk() {
        let memory = Memory::new()
            .file("a/b.md", "text")
            .file("a-c", "")
            .executable("run", "x")
            .special("device")
            .denied("no")
            .file("no/x", "")
            .file("../out", "")
            .link("to-a", "./a")
            .link("a/up", "../a-c")
            .link("a/out", "../../x")
            .link("etc", "/etc")
            .link("gone", "x")
            .link("loop", "pool")
            .link("pool", "loop");
        let file = |size, executable| Kind::File { size, executable };
        for (at, kind, link) in [
            ("", Kind::Folder, false),
            ("a", Kind::Folder, false),
            ("a/b.md", file(4, false), false),
            ("run", file(1, true), false),
            ("device", Kind::Special, false),
            ("no", Kind::Denied, false),
            ("no/x", Kind::Denied, false),
            ("out", Kind::Missing, false),
            ("a-c/x", Kind::Missing, false),
            ("to-a", Kind::Folder, true),
            ("to-a/b.md", file(4, false), false),
            ("to-a/up", file(0, false), true),
            ("a/out", Kind::Outside, true),
            ("etc", Kind::Outside, true),
            ("etc/x", Kind::Outside, false),
            ("gone", Kind::Dangling, true),
            ("gone/x", Kind::Missing, false),
            ("loop", Kind::Loop, true),
            ("loop/x", Kind::Loop, false),
        ] {
            assert_eq!(memory.kind(&path(at)), (kind, link), "{at}");
        }
        let names: Vec<_> = memory
            .list(&RelPath::root(), 99)
            .unwrap()
            .into_iter()
            .map(|entry| entry.name)
            .collect();
        assert_eq!(
            names,
            ["a", "a-c", "device", "etc", "gone", "loop", "no", "pool", "run", "to-a"]
        );
        assert_eq!(memory.list(&path("to-a"), 2).unwrap().len(), 2);
        assert_eq!(memory.list(&path("no"), 9), None);
        assert_eq!(memory.resolve(&path("to-a/up")), path("a-c"));
        assert_eq!(memory.read(&path("to-a/b.md"), 4), Ok(b"text".to_vec()));
        assert_eq!(memory.read(&path("to-a/b.md"), 3), Err(Unreadable::TooLarge(4)));
        assert_eq!(memory.read(&path("no"), 9), Err(Unreadable::Denied));
        assert_eq!(memory.read(&path("gone"), 9), Err(Unreadable::NotAFile(Kind::Dangling)));
        assert_eq!(memory.read(&path("a"), 9), Err(Unreadable::NotAFile(Kind::Folder)));
    }

    #[test]
    fn a_folder_has_no_end() {
        let memory = (0..=MOST_ENTRIES)
            .fold(Memory::new(), |memory, at| memory.file(&format!("f/{at:05}"), ""));
        assert_eq!(memory.list(&path("f"), 3).unwrap().len(), 3);
        let mut snapshot = Snapshot::new(Box::new(memory));
        assert_eq!(snapshot.list(&path("f")).unwrap().len(), MOST_ENTRIES);
        assert!(snapshot.is_exhausted());
        assert!(snapshot.list(&RelPath::root()).unwrap().is_empty());
    }
}
