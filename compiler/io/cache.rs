//! The cache: answers about content that never changes, each in a file of its own in the user's cache folder.
//!
//! Whatever cannot be read, written or believed there is as if it were not there: the answer is worked out again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

use super::folder::read_regular;
use super::hex;

/// The largest answer that is read, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Answers of other programs and rules go when nothing was added to them for so long.
const STALE: Duration = Duration::from_hours(30 * 24);

/// Answers by one program under one set of rules.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What the cache has for a name.
#[derive(Debug, PartialEq, Eq)]
pub enum Kept {
    /// What was put there.
    Answer(Vec<u8>),
    /// Nothing.
    Nothing,
    /// Something that nobody put there.
    Damaged,
}

impl Cache {
    /// The answers of a maker, in the user's cache folder or another; nothing where none can be kept.
    pub fn open(place: Option<&Path>, maker: &str) -> Option<Self> {
        let all = place.map(Path::to_owned).or_else(|| user_folder().ok())?.join("answers");
        let folder = all.join(maker);
        if !folder.is_dir() {
            fs::create_dir_all(&folder).ok()?;
            clear(&all);
        }
        Some(Cache { folder })
    }

    /// What was put under a name.
    pub fn get(&self, name: &str) -> Kept {
        let Ok(bytes) = read_regular(&self.folder.join(name), LARGEST) else {
            return Kept::Nothing;
        };
        match bytes.split_first_chunk::<64>() {
            Some((head, answer)) if digest(answer).as_bytes() == head => {
                Kept::Answer(answer.to_vec())
            }
            _ => Kept::Damaged,
        }
    }

    /// Puts an answer under a name. It takes its place only when it is whole.
    pub fn put(&self, name: &str, answer: &[u8]) {
        let written = tempfile::NamedTempFile::new_in(&self.folder).and_then(|mut file| {
            file.write_all(digest(answer).as_bytes())?;
            file.write_all(answer)?;
            Ok(file)
        });
        // A full disk takes nothing from whoever asked.
        let _kept = written.map(|file| file.persist(self.folder.join(name)));
    }
}

/// What stands before an answer: its SHA-256.
pub fn digest(answer: &[u8]) -> String {
    hex(&Sha256::digest(answer))
}

/// The name for what belongs to some texts, in their order.
pub fn name(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hex(&hash.finalize())
}

/// What tells this program from every other: the SHA-256 of its file.
pub fn program() -> Option<String> {
    let bytes = fs::read(std::env::current_exe().ok()?).ok()?;
    Some(hex(&Sha256::digest(bytes)))
}

/// The folder for what can be had again, by `PLUGC_CACHE` or by the custom of the system.
pub(super) fn user_folder() -> Result<PathBuf, etcetera::HomeDirError> {
    if let Some(folder) = std::env::var_os("PLUGC_CACHE").filter(|folder| !folder.is_empty()) {
        return Ok(folder.into());
    }
    let places = etcetera::base_strategy::choose_native_strategy();
    places.map(|places| places.cache_dir().join("plugc"))
}

fn clear(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|found| found.modified());
        let is_stale = changed.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > STALE));
        if is_stale {
            let _gone = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_given_as_it_was_put_or_not_at_all() {
        let away = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(away.path()), "maker").unwrap();
        let name = name(&["a", "b"]);
        assert_eq!(cache.get(&name), Kept::Nothing);
        cache.put(&name, b"answer");
        assert_eq!(cache.get(&name), Kept::Answer(b"answer".to_vec()));
        let file = away.path().join("answers/maker").join(&name);
        let whole = fs::read(&file).unwrap();
        for end in 0..whole.len() {
            fs::write(&file, whole.get(..end).unwrap()).unwrap();
            assert_eq!(cache.get(&name), Kept::Damaged, "{end}");
        }
        for at in 0..whole.len() {
            let mut other = whole.clone();
            *other.get_mut(at).unwrap() ^= 1;
            fs::write(&file, other).unwrap();
            assert_eq!(cache.get(&name), Kept::Damaged, "{at}");
        }
        let other = Cache::open(Some(away.path()), "other").unwrap();
        assert_eq!(other.get(&name), Kept::Nothing);
    }

    #[test]
    fn texts_are_told_apart_by_where_they_end() {
        assert_ne!(name(&["ab", "c"]), name(&["a", "bc"]));
    }

    #[test]
    fn what_nobody_adds_to_goes_when_another_maker_comes() {
        let away = tempfile::tempdir().unwrap();
        Cache::open(Some(away.path()), "old").unwrap().put("x", b"1");
        let old = away.path().join("answers/old");
        let long_ago = std::time::SystemTime::now() - 2 * STALE;
        fs::File::open(&old).unwrap().set_modified(long_ago).unwrap();
        Cache::open(Some(away.path()), "new").unwrap();
        assert!(!old.exists());
    }
}
