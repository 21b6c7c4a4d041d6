//! `Snapshot`: the rooted, read-only view of a plugin's files.
//!
//! The kinds of it live in `io/`. Whatever lies behind it, no path leaves the root and no link is followed out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use super::path::RelPath;

/// The largest document that is read, in bytes.
pub const LARGEST_DOCUMENT: u64 = 8 * 1024 * 1024;

/// The most entries that are listed in one plugin.
pub const MOST_ENTRIES: usize = 20_000;

/// What lies at a path, links followed inside the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// In bytes.
        size: u64,
        /// Whether some execute bit is set.
        executable: bool,
    },
    /// A folder.
    Folder,
    /// Nothing.
    Missing,
    /// A link to nothing.
    Dangling,
    /// A link out of the root.
    Outside,
    /// Links that go round in a circle.
    Loop,
    /// A pipe, a device, a socket.
    Special,
    /// Something that may not be looked at.
    Denied,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name, one part.
    pub name: String,
    /// What it is, links followed.
    pub kind: Kind,
    /// Whether the entry itself is a link.
    pub link: bool,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is larger than the limit, in bytes.
    TooLarge(u64),
    /// It is no regular file below the root.
    NotAFile(Kind),
    /// The system does not let us, in its own words.
    Denied,
}

/// Why a file could not be copied.
#[derive(Debug)]
pub enum Uncopied {
    /// It cannot be read.
    Unreadable(Unreadable),
    /// What takes its bytes takes no more.
    Untaken(io::Error),
}

/// Where files come from: a folder, a git tree, memory.
pub trait Files: Send {
    /// What lies at `path`, and whether the last part of it is a link.
    fn kind(&self, path: &RelPath) -> (Kind, bool);
    /// The entries of a folder, in any order; nothing if it may not be listed. At most `most` are asked for.
    fn list(&self, folder: &RelPath, most: usize) -> Option<Vec<Listed>>;
    /// The bytes of a regular file, at most `limit`.
    fn read(&self, path: &RelPath, limit: u64) -> Result<Vec<u8>, Unreadable>;
    /// Hands on the bytes of a regular file, however many.
    fn copy(&self, path: &RelPath, into: &mut dyn Write) -> Result<(), Uncopied> {
        let bytes = self.read(path, u64::MAX).map_err(Uncopied::Unreadable)?;
        into.write_all(&bytes).map_err(Uncopied::Untaken)
    }
    /// The path that `path` leads to when every link in it is followed.
    fn resolve(&self, path: &RelPath) -> RelPath;
}

/// A view of files that answers the same question the same way again, and keeps the limits.
pub struct Snapshot {
    files: Box<dyn Files>,
    kinds: BTreeMap<RelPath, (Kind, bool)>,
    lists: BTreeMap<RelPath, Option<Arc<[Listed]>>>,
    listed: usize,
    exhausted: bool,
}

impl Snapshot {
    /// A view of `files`.
    pub fn new(files: Box<dyn Files>) -> Self {
        Snapshot {
            files,
            kinds: BTreeMap::new(),
            lists: BTreeMap::new(),
            listed: 0,
            exhausted: false,
        }
    }

    /// A view of nothing.
    pub fn empty() -> Self {
        Snapshot::new(Box::new(Nothing))
    }

    /// What lies at `path`.
    pub fn kind(&mut self, path: &RelPath) -> Kind {
        self.look(path).0
    }

    /// Is the last part of `path` a link?
    pub fn is_link(&mut self, path: &RelPath) -> bool {
        self.look(path).1
    }

    fn look(&mut self, path: &RelPath) -> (Kind, bool) {
        if let Some(known) = self.kinds.get(path) {
            return known.clone();
        }
        let found = self.files.kind(path);
        self.kinds.insert(path.clone(), found.clone());
        found
    }

    /// The entries of a folder, sorted by name; nothing if it may not be listed.
    pub fn list(&mut self, folder: &RelPath) -> Option<Arc<[Listed]>> {
        if let Some(known) = self.lists.get(folder) {
            return known.clone();
        }
        let left = MOST_ENTRIES.saturating_sub(self.listed);
        let mut found = self.files.list(folder, left + 1);
        if let Some(entries) = &mut found {
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            if entries.len() > left {
                self.exhausted = true;
                entries.truncate(left);
            }
            self.listed += entries.len();
            for entry in entries.iter() {
                self.kinds.insert(folder.child(&entry.name), (entry.kind.clone(), entry.link));
            }
        }
        let found: Option<Arc<[Listed]>> = found.map(Into::into);
        self.lists.insert(folder.clone(), found.clone());
        found
    }

    /// Were there more entries than are listed?
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// The bytes of a document.
    pub fn read(&mut self, path: &RelPath) -> Result<Vec<u8>, Unreadable> {
        match self.kind(path) {
            Kind::File { size, .. } if size > LARGEST_DOCUMENT => Err(Unreadable::TooLarge(size)),
            Kind::File { .. } => self.files.read(path, LARGEST_DOCUMENT),
            Kind::Denied => Err(Unreadable::Denied),
            other => Err(Unreadable::NotAFile(other)),
        }
    }

    /// Hands on the bytes of a file, however many.
    pub fn copy(&mut self, path: &RelPath, into: &mut dyn Write) -> Result<(), Uncopied> {
        match self.kind(path) {
            Kind::File { .. } => self.files.copy(path, into),
            Kind::Denied => Err(Uncopied::Unreadable(Unreadable::Denied)),
            other => Err(Uncopied::Unreadable(Unreadable::NotAFile(other))),
        }
    }

    /// The path that `path` leads to when every link in it is followed.
    pub fn resolve(&self, path: &RelPath) -> RelPath {
        self.files.resolve(path)
    }
}

struct Nothing;

impl Files for Nothing {
    fn kind(&self, _: &RelPath) -> (Kind, bool) {
        (Kind::Missing, false)
    }

    fn list(&self, _: &RelPath, _: usize) -> Option<Vec<Listed>> {
        None
    }

    fn read(&self, _: &RelPath, _: u64) -> Result<Vec<u8>, Unreadable> {
        Err(Unreadable::NotAFile(Kind::Missing))
    }

    fn resolve(&self, path: &RelPath) -> RelPath {
        path.clone()
    }
}
