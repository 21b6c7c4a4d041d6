//! `Archive`: the files in a `.zip` or `.tar.gz`.
//!
//! The bytes lie in a file without a name that goes with the process; no path of the archive ever touches the disk.

pub(super) mod kept;
mod tar;
#[cfg(test)]
mod tests;
mod unpack;
mod zip;

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::folder::stream;
use super::tree::Tree;
use crate::ir::path::RelPath;
use crate::ir::snapshot::{Files, Kind, Listed, Uncopied, Unreadable};
use crate::ir::source::Fault;
use unpack::{Unpack, Unpacked};

/// The largest archive that is read, in bytes.
pub(super) const MOST_PACKED: u64 = 256 * 1024 * 1024;

/// The most bytes that come out of one.
const MOST_UNPACKED: u64 = 512 * 1024 * 1024;

/// The most entries of one.
const MOST_ENTRIES: usize = 20_000;

/// What archives are called, and how they are read.
const ENDS: &[(&str, Reader)] = &[(".zip", zip::read), (".tar.gz", tar::read), (".tgz", tar::read)];

/// Puts what an archive holds into its place.
type Reader = fn(File, &mut Unpack) -> Result<(), Fault>;

/// The files of an archive that was read.
pub struct Archive {
    /// Where each file's bytes begin in `data`.
    tree: Tree<u64>,
    data: RefCell<File>,
    /// The SHA-256 of its bytes.
    pub sha256: String,
    /// Paths that differ in nothing but capitals: of two files only one would arrive on many disks.
    pub collisions: Vec<(String, String)>,
}

/// Is it called as archives are?
pub fn is_archive(path: &Path) -> bool {
    reader(path).is_some()
}

fn reader(path: &Path) -> Option<Reader> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    ENDS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, read)| *read)
}

impl Archive {
    /// Reads all of an archive.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let read = reader(path).ok_or_else(|| broken(&"its name is that of no archive"))?;
        let from = File::open(path).map_err(|why| broken(&why))?;
        Archive::read(taken(from)?, read)
    }

    fn read(packed: Packed, read: Reader) -> Result<Self, Fault> {
        let mut unpack = Unpack::new(tempfile::tempfile().map_err(|why| broken(&why))?);
        read(packed.file, &mut unpack)?;
        let Unpacked { tree, data, collisions } = unpack.finish()?;
        Ok(Archive { tree, data: RefCell::new(data), sha256: packed.sha256, collisions })
    }
}

/// An archive that nobody else can change.
struct Packed {
    file: File,
    /// The SHA-256 of its bytes.
    sha256: String,
}

/// A copy of an archive.
fn taken(from: impl Read) -> Result<Packed, Fault> {
    let mut file = tempfile::tempfile().map_err(|why| broken(&why))?;
    let sha256 = copied(from, &mut file)?;
    file.rewind().map_err(|why| broken(&why))?;
    Ok(Packed { file, sha256 })
}

/// Copies an archive, and gives the SHA-256 of its bytes.
fn copied(from: impl Read, mut into: impl Write) -> Result<String, Fault> {
    let mut from = from.take(MOST_PACKED + 1);
    let (mut hash, mut size) = (Sha256::new(), 0);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut buffer).map_err(|why| broken(&why))?;
        let bytes = buffer.get(..read).unwrap_or_default();
        size += read as u64;
        if size > MOST_PACKED {
            return Err(overlong());
        }
        if bytes.is_empty() {
            break;
        }
        hash.update(bytes);
        into.write_all(bytes).map_err(|why| broken(&why))?;
    }
    Ok(super::hex(&hash.finalize()))
}

fn broken(why: &dyn ToString) -> Fault {
    Fault::unreadable("source/archive-broken").with("detail", why.to_string())
}

/// It is longer than any that is read.
pub(super) fn overlong() -> Fault {
    too_large(format!("it holds more than {} MiB", MOST_PACKED >> 20))
}

fn too_large(why: impl std::fmt::Display) -> Fault {
    Fault::unreadable("source/archive-too-large").with("detail", why)
}

impl Files for Archive {
    fn kind(&self, path: &RelPath) -> (Kind, bool) {
        self.tree.kind(path)
    }

    fn list(&self, folder: &RelPath, most: usize) -> Option<Vec<Listed>> {
        self.tree.list(folder, most)
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<Vec<u8>, Unreadable> {
        let (&start, size) = self.tree.content(path)?;
        if size > limit {
            return Err(Unreadable::TooLarge(size));
        }
        let mut data = self.data.borrow_mut();
        let mut bytes = Vec::new();
        let read = |data: &mut File, bytes: &mut Vec<u8>| -> io::Result<usize> {
            data.seek(SeekFrom::Start(start))?;
            data.take(size).read_to_end(bytes)
        };
        read(&mut data, &mut bytes).map_err(|_| Unreadable::Denied)?;
        Ok(bytes)
    }

    fn copy(&self, path: &RelPath, into: &mut dyn Write) -> Result<(), Uncopied> {
        let (&start, size) = self.tree.content(path).map_err(Uncopied::Unreadable)?;
        let mut data = self.data.borrow_mut();
        let denied = |_| Uncopied::Unreadable(Unreadable::Denied);
        data.seek(SeekFrom::Start(start)).map_err(denied)?;
        stream(&mut (&mut *data).take(size), into)
    }

    fn resolve(&self, path: &RelPath) -> RelPath {
        self.tree.resolve(path)
    }
}
