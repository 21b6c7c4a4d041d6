//! `Unpack`: what every archive has to keep to, whoever packed it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};

use super::super::tree::{Node, Tree};
use super::{MOST_ENTRIES, MOST_UNPACKED, broken, too_large};
use crate::ir::source::Fault;

/// The longest target of a link, in bytes, as most systems have it.
pub(super) const LONGEST_LINK: u64 = 4096;

/// An archive on its way into a tree.
pub(super) struct Unpack {
    tree: Tree<u64>,
    data: File,
    written: u64,
    entries: usize,
}

/// What came out of an archive.
pub(super) struct Unpacked {
    pub(super) tree: Tree<u64>,
    pub(super) data: File,
    /// Paths that differ in nothing but capitals.
    pub(super) collisions: Vec<(String, String)>,
}

/// What an entry may be called.
enum Name {
    /// A path below the root.
    Path(String),
    /// The root itself.
    Root,
    /// It is no UTF-8: no path that can be written leads to it.
    Unspeakable(String),
}

impl Unpack {
    /// Bytes go to `data`.
    pub(super) fn new(data: File) -> Self {
        Unpack { tree: Tree::default(), data, written: 0, entries: 0 }
    }

    /// Puts a file; what it holds must be as long as it says.
    pub(super) fn file(
        &mut self,
        name: &[u8],
        executable: bool,
        size: u64,
        content: impl Read,
    ) -> Result<(), Fault> {
        let name = self.name(name)?;
        let start = self.written;
        if size > MOST_UNPACKED.saturating_sub(start) {
            return Err(too_large(format!("more than {} MiB come out of it", MOST_UNPACKED >> 20)));
        }
        // One byte more tells a lie.
        let mut content = content.take(size + 1);
        let copied = io::copy(&mut content, &mut self.data).map_err(|why| broken(&why))?;
        if copied != size {
            return Err(broken(&format!("an entry says it holds {size} bytes, and does not")));
        }
        self.written += copied;
        self.put(name, Node::File { content: start, size, executable })
    }

    /// Puts a folder.
    pub(super) fn folder(&mut self, name: &[u8]) -> Result<(), Fault> {
        match self.name(name)? {
            Name::Path(path) if matches!(self.tree.at(&path), Some(Node::Folder)) => Ok(()),
            name => self.put(name, Node::Folder),
        }
    }

    /// Puts a link. Whether it leads out is seen when it is followed.
    pub(super) fn link(&mut self, name: &[u8], target: &[u8]) -> Result<(), Fault> {
        let text = shown(name);
        let name = self.name(name)?;
        let target = std::str::from_utf8(target).ok().filter(|target| is_plain(target));
        let Some(target) = target.filter(|target| target.len() as u64 <= LONGEST_LINK) else {
            return Err(refused(&text, "it links to what is no path"));
        };
        self.put(name, Node::Link(target.to_owned()))
    }

    /// Puts a second name for a file that came before.
    pub(super) fn hard_link(&mut self, name: &[u8], target: &[u8]) -> Result<(), Fault> {
        let text = shown(name);
        let (name, target) = (self.name(name)?, path(target)?);
        let same = match &target {
            Name::Path(target) => self.tree.at(target),
            _ => None,
        };
        let Some(Node::File { content, size, executable }) = same else {
            return Err(refused(&text, "it shares its content with something that is not there"));
        };
        let node = Node::File { content: *content, size: *size, executable: *executable };
        self.put(name, node)
    }

    /// Puts a device, a pipe, or whatever else is never made.
    pub(super) fn special(&mut self, name: &[u8]) -> Result<(), Fault> {
        let name = self.name(name)?;
        self.put(name, Node::Special)
    }

    /// What an entry is called; counts it too.
    fn name(&mut self, name: &[u8]) -> Result<Name, Fault> {
        self.entries += 1;
        if self.entries > MOST_ENTRIES {
            return Err(too_large(format!("it has more than {MOST_ENTRIES} entries")));
        }
        path(name)
    }

    fn put(&mut self, name: Name, node: Node<u64>) -> Result<(), Fault> {
        let (path, node) = match name {
            Name::Path(path) => (path, node),
            Name::Unspeakable(path) => (path, Node::Special),
            Name::Root if matches!(node, Node::Folder) => return Ok(()),
            Name::Root => return Err(refused(".", "it is the root itself, and no folder")),
        };
        if self.tree.insert(path.clone(), node).is_some() {
            return Err(refused(&path, "it is there twice"));
        }
        Ok(())
    }

    /// The tree, below its only folder if there is but one.
    pub(super) fn finish(self) -> Result<Unpacked, Fault> {
        for (path, _) in self.tree.nodes() {
            let mut above = path;
            while let Some((folder, _)) = above.rsplit_once('/') {
                if !matches!(self.tree.at(folder), None | Some(Node::Folder)) {
                    return Err(refused(path, "it lies below something that is no folder"));
                }
                above = folder;
            }
        }
        let tree = match only_folder(&self.tree) {
            Some(folder) => self.tree.below(&folder),
            None => self.tree,
        };
        let collisions = collisions(&tree);
        Ok(Unpacked { tree, data: self.data, collisions })
    }
}

/// The path that is written so, if it is one below the root on every system.
fn path(name: &[u8]) -> Result<Name, Fault> {
    let text = shown(name);
    let starts_with_drive = matches!(name, [letter, b':', ..] if letter.is_ascii_alphabetic());
    let why = if name.contains(&0) {
        "its name holds a NUL"
    } else if name.contains(&b'\\') {
        "its name holds a backslash, which other systems read as a folder"
    } else if name.starts_with(b"/") || starts_with_drive {
        "its name is absolute"
    } else if name.split(|byte| *byte == b'/').any(|part| part == b"..") {
        "its name climbs out of a folder"
    } else {
        let parts = text.split('/').filter(|part| !part.is_empty() && *part != ".");
        let path = parts.collect::<Vec<_>>().join("/");
        return Ok(if path.is_empty() {
            Name::Root
        } else if std::str::from_utf8(name).is_err() {
            Name::Unspeakable(path)
        } else {
            Name::Path(path)
        });
    };
    Err(refused(&text, why))
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn is_plain(target: &str) -> bool {
    !target.is_empty() && !target.contains(['\0', '\\'])
}

/// Something that an honest packer does not do.
fn refused(path: &str, why: &str) -> Fault {
    Fault::unreadable("source/archive-unsafe").with("path", path).with("detail", why)
}

/// The folder in which all lies, as services and packers like to have one.
///
/// One whose name begins with a dot is no wrapping: manifests lie in such folders.
fn only_folder(tree: &Tree<u64>) -> Option<String> {
    let mut tops = tree.nodes().map(|(path, node)| match path.split_once('/') {
        Some((top, _)) => Some(top),
        None => matches!(node, Node::Folder).then_some(path),
    });
    let top = tops.next()??;
    (!top.starts_with('.') && tops.all(|other| other == Some(top))).then(|| top.to_owned())
}

/// Paths that are the same without regard to capitals, each with the one before it. Folders count too.
fn collisions(tree: &Tree<u64>) -> Vec<(String, String)> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (path, _) in tree.nodes() {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for part in ends.filter_map(|end| path.get(..end)) {
            let first = *seen.entry(part.to_lowercase()).or_insert(part);
            if first != part {
                found.insert((first.to_owned(), part.to_owned()));
            }
        }
    }
    found.into_iter().collect()
}
