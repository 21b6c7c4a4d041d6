//! `Comparison`: where a folder is not what a run would write.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::{Barred, Sink, Untaken, below, real};
use crate::io::folder::open_regular;
use crate::ir::package::{Content, Made, Package};
use crate::ir::path::RelPath;
use crate::ir::snapshot::{Kind, Snapshot, Uncopied, Unreadable};

/// How a file is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Other bytes, no regular file, or an execute bit too many or too few.
    Differs,
    /// It is not there.
    Missing,
    /// It would not be there.
    Extra,
}

impl How {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            How::Differs => "differs",
            How::Missing => "missing",
            How::Extra => "extra",
        }
    }
}

/// One file that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// Its path below the folder; a folder's ends in `/`.
    pub path: String,
    /// How.
    pub how: How,
}

/// A folder that is held against what a run would write. No link in it is followed.
pub struct Comparison {
    root: PathBuf,
    /// What was compared, and how it is.
    seen: BTreeMap<RelPath, Option<How>>,
}

impl Comparison {
    /// Begins with a folder, which may be missing.
    pub fn open(folder: &Path) -> Result<Self, Barred> {
        let root = match real(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => folder.to_owned(),
            root => root?,
        };
        match fs::symlink_metadata(&root) {
            Ok(found) if !found.is_dir() => Err(Barred::NoFolder),
            _ => Ok(Comparison { root, seen: BTreeMap::new() }),
        }
    }

    /// Every difference, by path.
    pub fn finish(self) -> io::Result<Vec<Difference>> {
        let found = self.seen.iter().filter_map(|(path, how)| Some((path, (*how)?)));
        let mut all: Vec<Difference> =
            found.map(|(path, how)| Difference { path: path.to_string(), how }).collect();
        let folders: BTreeSet<RelPath> = self
            .seen
            .keys()
            .flat_map(|path| std::iter::successors(path.parent(), RelPath::parent))
            .collect();
        self.extras(&RelPath::root(), &folders, &mut all)?;
        all.sort();
        Ok(all)
    }

    /// What a folder holds that would not be there. What lies in a folder that would not be there is not listed.
    fn extras(
        &self,
        folder: &RelPath,
        folders: &BTreeSet<RelPath>,
        all: &mut Vec<Difference>,
    ) -> io::Result<()> {
        let entries = match fs::read_dir(below(&self.root, folder)?) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let path = folder.child(&entry.file_name().to_string_lossy());
            let is_folder = entry.file_type()?.is_dir();
            if is_folder && folders.contains(&path) {
                self.extras(&path, folders, all)?;
            } else if !self.seen.contains_key(&path) {
                let end = if is_folder { "/" } else { "" };
                all.push(Difference { path: format!("{path}{end}"), how: How::Extra });
            }
        }
        Ok(())
    }

    /// Is every folder on the way to a file one, and no link?
    fn is_reached(&self, path: &RelPath) -> io::Result<bool> {
        for folder in std::iter::successors(path.parent(), RelPath::parent) {
            match fs::symlink_metadata(below(&self.root, &folder)?) {
                Ok(found) if found.is_dir() => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn compare(
        &self,
        path: &RelPath,
        made: &Made,
        from: &mut Snapshot,
    ) -> Result<Option<How>, Untaken> {
        let at = below(&self.root, path)?;
        let opened = if self.is_reached(path)? {
            open_regular(&at)
        } else {
            Err(Unreadable::NotAFile(Kind::Missing))
        };
        let (there, executable) = match opened {
            Ok((file, _, executable)) => (Some(file), executable),
            Err(_) => (None, false),
        };
        let is_absent = there.is_none() && fs::symlink_metadata(&at).is_err();
        let mut held = Held { there: there.map(BufReader::new), same: true };
        match &made.content {
            Content::Bytes(bytes) => held.write_all(bytes)?,
            // A file that cannot be read is told of, whatever is there.
            Content::Copied(old) => match from.copy(old, &mut held) {
                Ok(()) => {}
                Err(Uncopied::Unreadable(why)) => {
                    return Err(Untaken::Unreadable(old.clone(), why));
                }
                Err(Uncopied::Untaken(error)) => return Err(error.into()),
            },
        }
        let is_same = held.ends()? && (cfg!(not(unix)) || executable == made.executable);
        Ok(match (is_same, is_absent) {
            (true, _) => None,
            (false, true) => Some(How::Missing),
            (false, false) => Some(How::Differs),
        })
    }
}

impl Sink for Comparison {
    fn package(
        &mut self,
        folder: &RelPath,
        package: &Package,
        snapshot: &mut Snapshot,
    ) -> Result<(), Untaken> {
        let mut seen = Vec::new();
        for (path, made) in &package.files {
            let at = path.parts().fold(folder.clone(), |folder, part| folder.child(part));
            let how = self.compare(&at, made, snapshot)?;
            seen.push((at, how));
        }
        self.seen.extend(seen);
        Ok(())
    }

    fn text(&mut self, path: &RelPath, text: &str) -> io::Result<()> {
        let made = Made { content: Content::Bytes(text.into()), executable: false };
        match self.compare(path, &made, &mut Snapshot::empty()) {
            Ok(how) => self.seen.insert(path.clone(), how),
            Err(Untaken::Unwritten(error)) => return Err(error),
            Err(Untaken::Unreadable(..)) => self.seen.insert(path.clone(), Some(How::Differs)),
        };
        Ok(())
    }
}

/// A file that bytes are held against as they come.
struct Held {
    there: Option<BufReader<File>>,
    same: bool,
}

impl Held {
    /// Was it the same, and is nothing left of it?
    fn ends(mut self) -> io::Result<bool> {
        let Some(there) = &mut self.there else { return Ok(false) };
        Ok(self.same && there.read(&mut [0])? == 0)
    }
}

impl Write for Held {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let (Some(there), true) = (&mut self.there, self.same) {
            let mut found = vec![0; bytes.len()];
            match there.read_exact(&mut found) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => self.same = false,
                read => read.map(|()| self.same = found == bytes)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
