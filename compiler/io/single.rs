//! `Single`: one file on disk, offered as if it lay in a plugin.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::folder::{kind_of, read_regular};
use crate::ir::path::RelPath;
use crate::ir::snapshot::{Files, Kind, Listed, Unreadable};

/// One file at a path of our choice, and the folders on the way to it; nothing else is there.
pub struct Single {
    file: PathBuf,
    kind: Kind,
    at: RelPath,
}

impl Single {
    /// The file, which must be there, offered at `at`.
    pub fn open(file: &Path, at: RelPath) -> io::Result<Self> {
        let file = fs::canonicalize(file)?;
        let kind = match kind_of(&fs::metadata(&file)?) {
            Kind::Folder => return Err(io::ErrorKind::IsADirectory.into()),
            kind => kind,
        };
        Ok(Single { file, kind, at })
    }
}

impl Files for Single {
    fn kind(&self, path: &RelPath) -> (Kind, bool) {
        let kind = match self.at.below(path) {
            Some("") => self.kind.clone(),
            Some(_) => Kind::Folder,
            None => Kind::Missing,
        };
        (kind, false)
    }

    fn list(&self, folder: &RelPath, most: usize) -> Option<Vec<Listed>> {
        let below = self.at.below(folder).filter(|below| !below.is_empty())?;
        let name = below.split('/').next()?.to_owned();
        let (kind, link) = self.kind(&folder.child(&name));
        Some([Listed { name, kind, link }].into_iter().take(most).collect())
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<Vec<u8>, Unreadable> {
        if *path == self.at {
            read_regular(&self.file, limit)
        } else {
            Err(Unreadable::NotAFile(self.kind(path).0))
        }
    }

    fn resolve(&self, path: &RelPath) -> RelPath {
        path.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_and_its_folders_are_there() {
        let disk = tempfile::tempdir().unwrap();
        let file = disk.path().join("anything.json");
        fs::write(&file, "{}").unwrap();
        let path = |text| RelPath::parse(text).unwrap();
        let single = Single::open(&file, path("hooks/hooks.json")).unwrap();
        let kind = Kind::File { size: 2, executable: false };
        assert_eq!(single.kind(&path("hooks/hooks.json")), (kind.clone(), false));
        assert_eq!(
            (single.kind(&path("hooks")).0, single.kind(&path("")).0),
            (Kind::Folder, Kind::Folder)
        );
        assert_eq!(
            (single.kind(&path("x")).0, single.kind(&path("hooks/x")).0),
            (Kind::Missing, Kind::Missing)
        );
        let folder = Listed { name: "hooks".to_owned(), kind: Kind::Folder, link: false };
        assert_eq!(single.list(&path(""), 9), Some(vec![folder]));
        let entry = Listed { name: "hooks.json".to_owned(), kind, link: false };
        assert_eq!(single.list(&path("hooks"), 9), Some(vec![entry]));
        assert_eq!(
            (single.list(&path("hooks/hooks.json"), 9), single.list(&path("x"), 9)),
            (None, None)
        );
        assert_eq!(single.read(&path("hooks/hooks.json"), 9), Ok(b"{}".to_vec()));
        assert_eq!(single.read(&path("hooks/hooks.json"), 1), Err(Unreadable::TooLarge(2)));
        assert_eq!(single.read(&path("x"), 9), Err(Unreadable::NotAFile(Kind::Missing)));
        assert!(Single::open(disk.path(), path("x")).is_err());
    }
}
