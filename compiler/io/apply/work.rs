//! The folder beside the one that is written: the new one grows there, and the old one goes there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Barred, is_there, real};

/// How often we look again when another run has just taken its folder away.
const MOST_TRIES: usize = 100;

/// A folder to be replaced and the one beside it, ours until this is let go.
pub(super) struct Work {
    /// What is replaced.
    pub(super) folder: PathBuf,
    /// What replaces it.
    pub(super) new: PathBuf,
    /// Where the old one lies for a moment, where systems cannot swap two.
    old: PathBuf,
    beside: PathBuf,
    lock: PathBuf,
    _held: File,
}

impl Work {
    /// Takes the place, and puts right what a run that was killed has left.
    pub(super) fn take(folder: &Path) -> Result<Self, Barred> {
        if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent)?;
        }
        let folder = real(folder)?;
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
            return Err(Barred::NoFolder);
        };
        let mut called = std::ffi::OsString::from(".");
        called.push(name);
        called.push(".plugc-convert");
        let beside = parent.join(called);
        let lock = beside.join("lock");
        let held = hold(&beside, &lock)?;
        let (new, old) = (beside.join("new"), beside.join("old"));
        let work = Work { folder, new, old, beside, lock, _held: held };
        work.put_right()?;
        Ok(work)
    }

    fn put_right(&self) -> io::Result<()> {
        if is_there(&self.old) && !is_there(&self.folder) {
            fs::rename(&self.old, &self.folder)?;
            self.sync()?;
        }
        remove(&self.new)?;
        remove(&self.old)
    }

    /// Puts the new folder where the old one is. Whoever looks sees one of them whole.
    pub(super) fn swap(&self) -> io::Result<()> {
        sync(&self.new)?;
        if !is_there(&self.folder) {
            fs::rename(&self.new, &self.folder)?;
        } else if !exchange(&self.new, &self.folder)? {
            fs::rename(&self.folder, &self.old)?;
            if let Err(error) = fs::rename(&self.new, &self.folder) {
                fs::rename(&self.old, &self.folder)?;
                return Err(error);
            }
        }
        self.sync()
    }

    fn sync(&self) -> io::Result<()> {
        sync(&self.beside)?;
        self.folder.parent().map_or(Ok(()), sync)
    }
}

impl Drop for Work {
    /// What cannot be removed now, the next run removes.
    fn drop(&mut self) {
        let _left = self.put_right();
        let _left = fs::remove_file(&self.lock);
        let _left = fs::remove_dir(&self.beside);
    }
}

/// Makes the folder beside and locks it. Whoever held it before us may be taking it away meanwhile.
fn hold(beside: &Path, lock: &Path) -> Result<File, Barred> {
    for _ in 0..MOST_TRIES {
        match fs::create_dir(beside) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
        match fs::symlink_metadata(beside) {
            Ok(found) if !found.is_dir() => {
                let name = beside.file_name().unwrap_or_default().to_owned();
                return Err(Barred::Foreign(name));
            }
            _ => {}
        }
        let file = match OpenOptions::new().write(true).create(true).truncate(false).open(lock) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            opened => opened?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(Barred::Busy),
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Ok(()) if is_same(&file, lock) => return Ok(file),
            Ok(()) => {}
        }
    }
    Err(Barred::Busy)
}

/// Is the file still the one at its path?
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(file), Ok(there)) => (file.dev(), file.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// An open file is not taken away there.
#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    is_there(path)
}

/// Removes a folder with all that lies in it, if it is there; no link is followed.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Swaps two folders in one step; says whether this system can.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Swaps two folders in one step; says whether this system can.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Sees to it that what a folder lists outlives a power cut.
#[cfg(unix)]
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Folders cannot be synced there.
#[cfg(not(unix))]
pub(super) fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_left_is_put_right() {
        let away = tempfile::tempdir().unwrap();
        let folder = away.path().join("out");
        let beside = away.path().join(".out.plugc-convert");
        for name in ["old", "new"] {
            fs::create_dir_all(beside.join(name)).unwrap();
            fs::write(beside.join(name).join("which"), name).unwrap();
        }
        drop(Work::take(&folder).ok().unwrap());
        assert_eq!(fs::read(folder.join("which")).unwrap(), b"old");
        assert!(!beside.exists());
        // One that is there is never put aside for an older one.
        fs::create_dir_all(beside.join("old")).unwrap();
        drop(Work::take(&folder).ok().unwrap());
        assert_eq!(fs::read(folder.join("which")).unwrap(), b"old");
        assert!(!beside.exists());
    }

    #[test]
    fn two_runs_do_not_write_to_one_place() {
        let away = tempfile::tempdir().unwrap();
        let folder = away.path().join("a/out");
        let first = Work::take(&folder).ok().unwrap();
        assert!(matches!(Work::take(&folder), Err(Barred::Busy)));
        assert!(Work::take(&away.path().join("a/other")).is_ok());
        drop(first);
        assert!(Work::take(&folder).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_beside_is_not_followed() {
        let away = tempfile::tempdir().unwrap();
        fs::create_dir_all(away.path().join("mine/new")).unwrap();
        let beside = away.path().join(".out.plugc-convert");
        std::os::unix::fs::symlink("mine", beside).unwrap();
        assert!(matches!(Work::take(&away.path().join("out")), Err(Barred::Foreign(_))));
        assert!(away.path().join("mine/new").is_dir());
    }
}
