//! Writes packages into a folder, in place of what was written there before, or tells where the two differ.

mod compare;
mod stage;
mod work;

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use super::folder::open_regular;
use crate::ir::package::Package;
use crate::ir::path::RelPath;
use crate::ir::snapshot::{Snapshot, Unreadable};

pub use compare::{Comparison, Difference, How};
pub use stage::Staging;

/// The longest mark that is read, in bytes: some names for every plugin there is.
const MOST_MARKED: u64 = 8 * 1024 * 1024;

/// What takes packages and texts.
pub trait Sink {
    /// Takes a package at a folder. If it cannot be read, nothing of it is taken.
    fn package(
        &mut self,
        folder: &RelPath,
        package: &Package,
        snapshot: &mut Snapshot,
    ) -> Result<(), Untaken>;
    /// Takes a text at a path.
    fn text(&mut self, path: &RelPath, text: &str) -> io::Result<()>;
}

/// Why a package was not taken.
#[derive(Debug)]
pub enum Untaken {
    /// A file of it cannot be read.
    Unreadable(RelPath, Unreadable),
    /// It cannot be written.
    Unwritten(io::Error),
}

impl From<io::Error> for Untaken {
    fn from(error: io::Error) -> Self {
        Untaken::Unwritten(error)
    }
}

/// How a folder that we wrote is known again.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// A file whose first line is `line`; each further one names an entry of the folder.
    pub file: &'static str,
    /// The first line.
    pub line: &'static str,
    /// A report that lies beside it.
    pub report: &'static str,
    /// What stands near the report's beginning.
    pub format: &'static str,
}

/// Why a folder is not written into.
#[derive(Debug)]
pub enum Barred {
    /// It is no folder.
    NoFolder,
    /// It holds something that we did not write.
    Foreign(OsString),
    /// It is being written by another run.
    Busy,
    /// The system says no.
    Failed(io::Error),
}

impl From<io::Error> for Barred {
    fn from(error: io::Error) -> Self {
        Barred::Failed(error)
    }
}

impl fmt::Display for Barred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Barred::NoFolder => f.write_str("it is no folder; name another one"),
            Barred::Foreign(name) => write!(
                f,
                "it holds `{}`, which was not written by `plugc convert`; name a new or an empty folder, or remove this one",
                name.to_string_lossy()
            ),
            Barred::Busy => f.write_str("another run writes there; wait for its end"),
            Barred::Failed(error) => error.fmt(f),
        }
    }
}

/// Does `path` lie in `folder`, or is it that? What is not there yet counts as being where it would be.
pub fn lies_in(path: &Path, folder: &Path) -> bool {
    match (real(path), real(folder)) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}

/// A path without links, be its end there or not.
fn real(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        found => return found,
    }
    // A link to nothing would be written through.
    if fs::symlink_metadata(path).is_ok() {
        return Err(ErrorKind::NotFound.into());
    }
    let Some(Component::Normal(name)) = path.components().next_back() else {
        return Err(ErrorKind::NotFound.into());
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok(real(parent.unwrap_or(Path::new(".")))?.join(name))
}

/// What is at a path itself, no link followed.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Is it a folder that may be replaced: a missing one, an empty one, one that we wrote?
fn is_ours(folder: &Path, mark: &Mark) -> Result<(), Barred> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Err(Barred::NoFolder),
        Err(error) => return Err(error.into()),
    };
    let marked = beginning(&folder.join(mark.file), MOST_MARKED);
    let mut lines = marked.lines();
    let has_report = beginning(&folder.join(mark.report), 512).contains(mark.format);
    let is_marked = lines.next() == Some(mark.line) && has_report;
    let known: Vec<&str> = if is_marked { lines.collect() } else { Vec::new() };
    let mut foreign = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let is_known = name.to_str().is_some_and(|name| {
            known.contains(&name) || is_marked && (name == mark.file || name == mark.report)
        });
        if !is_known {
            foreign.push(name);
        }
    }
    // The same one on every run, whatever order the system lists them in.
    foreign.into_iter().min().map_or(Ok(()), |name| Err(Barred::Foreign(name)))
}

/// The first bytes of a text; nothing if it cannot be read.
fn beginning(path: &Path, most: u64) -> String {
    let mut bytes = Vec::new();
    let read = open_regular(path).map(|(file, ..)| file.take(most).read_to_end(&mut bytes));
    if matches!(read, Ok(Ok(_))) {
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        String::new()
    }
}

/// The path of a file below a folder on this system, which may give some names another meaning.
fn below(folder: &Path, path: &RelPath) -> io::Result<PathBuf> {
    let is_plain = |part: &str| !cfg!(windows) || !part.contains([':', '\\']);
    if path.parts().all(|part| part != ".." && is_plain(part)) {
        return Ok(path.parts().fold(folder.to_owned(), |folder, part| folder.join(part)));
    }
    Err(io::Error::new(ErrorKind::InvalidFilename, format!("`{path}` cannot be written here")))
}
