//! The store: bare repositories in the user's cache folder, one for each address, and a lock beside each.
//!
//! They hold what was asked for and no more: single commits, and of their files those that were needed.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::super::source::{Fetch, unusable};
use super::program::{answer, git, unended};
use crate::ir::source::{Fault, Url};

/// Where repositories are kept.
pub(super) struct Store(PathBuf);

/// The right to change one repository; let go, it is given up.
pub(super) struct Lock {
    _file: File,
}

impl Store {
    /// The store in the place that is asked for, or in the user's cache folder.
    pub(super) fn open(how: &Fetch) -> Result<Self, Fault> {
        let folder = how.kept("git")?;
        // git is run in it, so it must be found from there.
        fs::canonicalize(&folder).map(Store).map_err(|why| unusable(&folder, &why))
    }

    /// Where the repository for an address is, or would be.
    pub(super) fn repository(&self, url: &Url) -> PathBuf {
        self.0.join(name(url))
    }

    /// Waits for its turn, makes the repository if it is not there yet, and clears away what a killed run left.
    pub(super) fn lock(&self, url: &Url, until: Instant, how: &Fetch) -> Result<Lock, Fault> {
        let folder = self.repository(url);
        let path = folder.with_extension("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|why| unusable(&path, &why))?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(unended(super::super::process::Unended::Late, url, how.limit));
                }
                Err(TryLockError::Error(why)) => return Err(unusable(&path, &why)),
            }
        }
        if folder.is_dir() {
            clear(&folder);
        } else {
            self.make(url, until, how)?;
        }
        Ok(Lock { _file: file })
    }

    /// Makes an empty repository that knows its address. It takes its place only when it is whole.
    fn make(&self, url: &Url, until: Instant, how: &Fetch) -> Result<(), Fault> {
        let folder = self.repository(url);
        let new = folder.with_extension("new");
        if new.exists() {
            fs::remove_dir_all(&new).map_err(|why| unusable(&new, &why))?;
        }
        let mut init = git(&self.0);
        init.args(["init", "--quiet", "--bare", "--template=", "--"]).arg(&new);
        let ended = answer(init, Vec::new(), until).map_err(|why| unended(why, url, how.limit))?;
        let config = new.join("config");
        let written = fs::read_to_string(&config).and_then(|text| {
            // An address has neither quotes nor backslashes.
            fs::write(&config, format!("{text}[remote \"origin\"]\n\turl = \"{url}\"\n"))
        });
        written.map_err(|why| {
            let told = super::program::gist(&ended.told);
            unusable(&new, if ended.status.success() { &why } else { &told })
        })?;
        fs::rename(&new, &folder).map_err(|why| unusable(&folder, &why))
    }
}

/// The name of a repository's folder: no address is too long or too odd for it.
fn name(url: &Url) -> String {
    let hash = super::super::hex(&Sha256::digest(url.as_str()));
    format!("{}.git", hash.get(..32).unwrap_or_default())
}

/// Removes half a pack and the locks of a git that was killed; whoever holds ours has no git running there.
fn clear(folder: &Path) {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_lock = Path::new(&name).extension().is_some_and(|end| end == "lock");
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            } else if is_lock || name.starts_with("tmp_") || name.starts_with(".tmp-") {
                let _gone = fs::remove_file(entry.path());
            }
        }
    }
}
