//! `Staging`: a folder that grows beside the one it will replace.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::work::{Work, sync};
use super::{Barred, Mark, Sink, Untaken, below, is_ours};
use crate::ir::package::{Content, Made, Package};
use crate::ir::path::RelPath;
use crate::ir::snapshot::{Snapshot, Uncopied};

/// A folder that is not there yet. Let go without an end, it leaves nothing behind.
pub struct Staging {
    work: Work,
    folders: BTreeSet<PathBuf>,
}

impl Staging {
    /// Begins a folder that will be at `folder`, if that may be replaced.
    pub fn open(folder: &Path, mark: &Mark) -> Result<Self, Barred> {
        let work = Work::take(folder)?;
        is_ours(&work.folder, mark)?;
        fs::create_dir(&work.new)?;
        Ok(Staging { work, folders: BTreeSet::new() })
    }

    /// Puts the folder in its place. Until here, what was there is untouched.
    pub fn finish(self) -> io::Result<()> {
        for folder in &self.folders {
            sync(folder)?;
        }
        self.work.swap()
    }

    fn create(&mut self, path: &RelPath, executable: bool) -> io::Result<BufWriter<File>> {
        let file = below(&self.work.new, path)?;
        let mut folders: Vec<PathBuf> = Vec::new();
        let mut folder = file.parent();
        while let Some(one) = folder.filter(|one| **one != self.work.new) {
            if self.folders.contains(one) {
                break;
            }
            folders.push(one.to_owned());
            folder = one.parent();
        }
        for folder in folders.into_iter().rev() {
            fs::create_dir(&folder)?;
            self.folders.insert(folder);
        }
        Ok(BufWriter::new(options(executable).open(file)?))
    }

    fn put(&mut self, path: &RelPath, made: &Made, from: &mut Snapshot) -> Result<(), Untaken> {
        let mut file = self.create(path, made.executable)?;
        match &made.content {
            Content::Bytes(bytes) => file.write_all(bytes)?,
            Content::Copied(old) => from.copy(old, &mut file).map_err(|why| match why {
                Uncopied::Unreadable(why) => Untaken::Unreadable(old.clone(), why),
                Uncopied::Untaken(error) => Untaken::Unwritten(error),
            })?,
        }
        ended(file)?;
        Ok(())
    }
}

impl Sink for Staging {
    fn package(
        &mut self,
        folder: &RelPath,
        package: &Package,
        snapshot: &mut Snapshot,
    ) -> Result<(), Untaken> {
        let mut files = package.files.iter();
        let put = files.try_for_each(|(path, made)| {
            let at = path.parts().fold(folder.clone(), |folder, part| folder.child(part));
            self.put(&at, made, snapshot)
        });
        if put.is_err() {
            let begun = below(&self.work.new, folder)?;
            self.folders.retain(|one| !one.starts_with(&begun));
            if super::is_there(&begun) {
                fs::remove_dir_all(begun)?;
            }
        }
        put
    }

    fn text(&mut self, path: &RelPath, text: &str) -> io::Result<()> {
        let mut file = self.create(path, false)?;
        file.write_all(text.as_bytes())?;
        ended(file)
    }
}

fn ended(file: BufWriter<File>) -> io::Result<()> {
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// A new file, for whomever the user's mask lets.
fn options(executable: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if executable { 0o777 } else { 0o666 });
    #[cfg(not(unix))]
    let _ = executable;
    options
}
