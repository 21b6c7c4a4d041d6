//! `Memory`: a plugin's files without a disk, for tests and examples.

use super::tree::{Node, Tree};
use crate::ir::path::RelPath;
use crate::ir::snapshot::{Files, Kind, Listed, Unreadable};

/// Files in memory. A folder is there if something lies in it.
///
/// A path that leaves the root adds nothing.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    tree: Tree<Vec<u8>>,
}

impl Memory {
    /// No files.
    pub fn new() -> Self {
        Memory::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn file(self, path: &str, text: impl Into<Vec<u8>>) -> Self {
        self.with_file(path, text.into(), false)
    }

    /// Adds a file that may be executed.
    #[must_use]
    pub fn executable(self, path: &str, text: impl Into<Vec<u8>>) -> Self {
        self.with_file(path, text.into(), true)
    }

    /// Adds a link, whose target is read from the folder it lies in.
    #[must_use]
    pub fn link(self, path: &str, target: &str) -> Self {
        self.with(path, Node::Link(target.to_owned()))
    }

    /// Adds a device.
    #[must_use]
    pub fn special(self, path: &str) -> Self {
        self.with(path, Node::Special)
    }

    /// Adds a file or folder that may not be looked at.
    #[must_use]
    pub fn denied(self, path: &str) -> Self {
        self.with(path, Node::Denied)
    }

    fn with_file(self, path: &str, content: Vec<u8>, executable: bool) -> Self {
        let size = content.len() as u64;
        self.with(path, Node::File { content, size, executable })
    }

    fn with(mut self, path: &str, node: Node<Vec<u8>>) -> Self {
        if let Ok(path) = RelPath::parse(path) {
            self.tree.insert(path.into(), node);
        }
        self
    }
}

impl Files for Memory {
    fn kind(&self, path: &RelPath) -> (Kind, bool) {
        self.tree.kind(path)
    }

    fn list(&self, folder: &RelPath, most: usize) -> Option<Vec<Listed>> {
        self.tree.list(folder, most)
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<Vec<u8>, Unreadable> {
        match self.tree.content(path)? {
            (_, size) if size > limit => Err(Unreadable::TooLarge(size)),
            (bytes, _) => Ok(bytes.clone()),
        }
    }

    fn resolve(&self, path: &RelPath) -> RelPath {
        self.tree.resolve(path)
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
