//! `Below`: a folder of other files as files of its own, whose links do not leave it.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::ir::path::RelPath;
use crate::ir::snapshot::{Files, Kind, Listed, Uncopied, Unreadable};

/// Files that several look at.
#[derive(Clone)]
pub struct Shared {
    files: Arc<Mutex<Box<dyn Files>>>,
    denied: Arc<AtomicBool>,
}

impl Shared {
    /// Files that several may look at from now on.
    pub fn new(files: Box<dyn Files>) -> Self {
        Shared { files: Arc::new(Mutex::new(files)), denied: Arc::default() }
    }

    /// Could some file not be had that is there? Another time it may be.
    pub fn is_denied(&self) -> bool {
        self.denied.load(Ordering::Relaxed)
    }

    /// What lies below a folder of them.
    pub fn below(&self, folder: RelPath) -> Below {
        Below { files: self.clone(), folder }
    }

    fn ask<T>(&self, question: impl FnOnce(&dyn Files) -> T) -> T {
        // Who panicked while looking has changed nothing.
        question(&**self.files.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The files below a folder.
pub struct Below {
    files: Shared,
    folder: RelPath,
}

impl Below {
    fn full(&self, path: &RelPath) -> RelPath {
        if self.folder.is_root() {
            return path.clone();
        }
        self.folder.join(path.as_str()).unwrap_or_default()
    }

    /// A link may lead to a sibling of the folder, which is outside of it.
    fn look(&self, full: &RelPath) -> (Kind, bool) {
        self.files.ask(|files| {
            let (kind, link) = files.kind(full);
            let is_there = matches!(kind, Kind::File { .. } | Kind::Folder);
            if is_there && !self.folder.is_root() && !self.holds(&files.resolve(full)) {
                return (Kind::Outside, link);
            }
            (kind, link)
        })
    }

    /// The files themselves see to it that no link leaves all of them, without a look of their own.
    fn bars(&self, full: &RelPath) -> bool {
        !self.folder.is_root() && self.look(full).0 == Kind::Outside
    }

    fn holds(&self, path: &RelPath) -> bool {
        *path == self.folder || path.below(&self.folder).is_some()
    }
}

impl Files for Below {
    fn kind(&self, path: &RelPath) -> (Kind, bool) {
        self.look(&self.full(path))
    }

    fn list(&self, folder: &RelPath, most: usize) -> Option<Vec<Listed>> {
        let full = self.full(folder);
        let mut all = self.files.ask(|files| files.list(&full, most))?;
        for entry in all.iter_mut().filter(|entry| entry.link) {
            entry.kind = self.look(&full.child(&entry.name)).0;
        }
        Some(all)
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<Vec<u8>, Unreadable> {
        let full = self.full(path);
        if self.bars(&full) {
            return Err(Unreadable::NotAFile(Kind::Outside));
        }
        let read = self.files.ask(|files| files.read(&full, limit));
        if matches!(read, Err(Unreadable::Denied)) {
            self.files.denied.store(true, Ordering::Relaxed);
        }
        read
    }

    fn copy(&self, path: &RelPath, into: &mut dyn Write) -> Result<(), Uncopied> {
        let full = self.full(path);
        if self.bars(&full) {
            return Err(Uncopied::Unreadable(Unreadable::NotAFile(Kind::Outside)));
        }
        self.files.ask(|files| files.copy(&full, into))
    }

    fn resolve(&self, path: &RelPath) -> RelPath {
        let resolved = self.files.ask(|files| files.resolve(&self.full(path)));
        if self.folder.is_root() {
            return resolved;
        }
        let inside = resolved.below(&self.folder).map(RelPath::parse);
        inside.and_then(Result::ok).unwrap_or_else(|| path.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::Memory;
    use super::*;

    #[test]
    fn links_do_not_leave_the_folder() {
        let memory = Memory::new()
            .file("a/x", "x")
            .file("b/y", "y")
            .link("a/in", "x")
            .link("a/out", "../b/y");
        let below = Shared::new(Box::new(memory)).below(RelPath::parse("a").unwrap());
        let kind = |path: &str| below.kind(&RelPath::parse(path).unwrap()).0;
        assert_eq!(kind("x"), Kind::File { size: 1, executable: false });
        assert_eq!(kind("in"), Kind::File { size: 1, executable: false });
        assert_eq!(kind("out"), Kind::Outside);
        assert_eq!(kind("y"), Kind::Missing);
        let out = RelPath::parse("out").unwrap();
        assert_eq!(below.read(&out, 10), Err(Unreadable::NotAFile(Kind::Outside)));
        let listed = below.list(&RelPath::root(), 10).unwrap();
        let outside: Vec<&str> = listed
            .iter()
            .filter(|one| one.kind == Kind::Outside)
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(outside, ["out"]);
    }
}
