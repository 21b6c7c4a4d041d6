//! `Folder`: a plugin's files in a folder on disk.

mod disk;
#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::ir::path::RelPath;
use crate::ir::snapshot::{Files, Kind, Listed, Uncopied, Unreadable};

pub(super) use disk::{kind_of, open_regular, read_regular, stream};

/// A folder on disk, looked at no more than needed: what was found at a path is kept.
pub struct Folder {
    /// As it was asked for.
    root: PathBuf,
    /// Without any link in it, so that what a link below it leads to begins with it; most folders hold no link.
    real: OnceCell<PathBuf>,
    seen: RefCell<BTreeMap<RelPath, Place>>,
}

/// What was found at a path.
#[derive(Clone, Debug)]
struct Place {
    kind: Kind,
    /// Whether the last part is a link.
    link: bool,
    /// Where it really lies, if some part is a link that leads to a place below the root.
    real: Option<PathBuf>,
}

impl Place {
    fn plain(kind: Kind) -> Self {
        Place { kind, link: false, real: None }
    }
}

impl Folder {
    /// A folder, which must be there.
    pub fn open(root: &Path) -> io::Result<Self> {
        if !fs::metadata(root)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder { root: root.to_owned(), real: OnceCell::new(), seen: RefCell::default() })
    }

    fn real_root(&self) -> &Path {
        self.real.get_or_init(|| fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone()))
    }

    fn look(&self, path: &RelPath) -> Place {
        let Some(parent) = path.parent() else { return Place::plain(Kind::Folder) };
        if let Some(known) = self.seen.borrow().get(path) {
            return known.clone();
        }
        let parent = (self.look(&parent), parent);
        let place = match parent.0.kind {
            Kind::Folder => self.look_in(&parent.0, &parent.1, path.name()),
            // Whatever bars the way to a folder bars it to what lies in it.
            Kind::Outside | Kind::Loop | Kind::Denied => Place::plain(parent.0.kind),
            _ => Place::plain(Kind::Missing),
        };
        self.keep(path.clone(), &place);
        place
    }

    fn keep(&self, path: RelPath, place: &Place) {
        self.seen.borrow_mut().insert(path, place.clone());
    }

    fn look_in(&self, folder: &Place, path: &RelPath, name: &str) -> Place {
        if !disk::is_one_part(name) {
            return Place::plain(Kind::Missing);
        }
        let real = self.real(folder, path).join(name);
        match fs::symlink_metadata(&real) {
            Ok(found) if found.is_symlink() => self.follow(&real),
            found => {
                let kind =
                    found.map_or_else(|error| disk::kind_of_error(&error), |found| kind_of(&found));
                Place { kind, link: false, real: folder.real.is_some().then_some(real) }
            }
        }
    }

    /// What a link leads to.
    fn follow(&self, link: &Path) -> Place {
        let barred = |kind| Place { kind, link: true, real: None };
        let real = match fs::canonicalize(link) {
            Ok(real) => real,
            Err(error) => {
                return barred(match disk::kind_of_error(&error) {
                    Kind::Missing => Kind::Dangling,
                    kind => kind,
                });
            }
        };
        if !real.starts_with(self.real_root()) {
            return barred(Kind::Outside);
        }
        match fs::symlink_metadata(&real) {
            Ok(found) => Place { kind: kind_of(&found), link: true, real: Some(real) },
            Err(error) => barred(disk::kind_of_error(&error)),
        }
    }

    fn real(&self, place: &Place, path: &RelPath) -> PathBuf {
        match &place.real {
            Some(real) => real.clone(),
            None if path.is_root() => self.root.clone(),
            None => self.root.join(path.as_str()),
        }
    }

    fn entry(&self, folder: &Place, path: &RelPath, entry: &fs::DirEntry) -> Listed {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            // No path that we can write leads to it.
            return Listed {
                name: name.to_string_lossy().into_owned(),
                kind: Kind::Special,
                link: false,
            };
        };
        let name = name.to_owned();
        let denied = |error: io::Error| disk::kind_of_error(&error);
        match entry.file_type() {
            Ok(found) if found.is_symlink() => {
                let place = self.follow(&self.real(folder, path).join(&name));
                self.keep(path.child(&name), &place);
                Listed { name, kind: place.kind, link: true }
            }
            Ok(found) if found.is_dir() => {
                let real = folder.real.as_ref().map(|real| real.join(&name));
                self.keep(path.child(&name), &Place { kind: Kind::Folder, link: false, real });
                Listed { name, kind: Kind::Folder, link: false }
            }
            Ok(found) if found.is_file() => {
                let kind = entry.metadata().map_or_else(denied, |found| kind_of(&found));
                Listed { name, kind, link: false }
            }
            Ok(_) => Listed { name, kind: Kind::Special, link: false },
            Err(error) => Listed { name, kind: denied(error), link: false },
        }
    }
}

impl Files for Folder {
    fn kind(&self, path: &RelPath) -> (Kind, bool) {
        let place = self.look(path);
        (place.kind, place.link)
    }

    fn list(&self, folder: &RelPath, most: usize) -> Option<Vec<Listed>> {
        let place = self.look(folder);
        if place.kind != Kind::Folder {
            return None;
        }
        let entries = fs::read_dir(self.real(&place, folder)).ok()?;
        entries
            .take(most)
            .map(|entry| entry.map(|entry| self.entry(&place, folder, &entry)).ok())
            .collect()
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<Vec<u8>, Unreadable> {
        let folder = path.parent().unwrap_or_default();
        let place = self.look(&folder);
        // The common case takes no further look: what is opened tells what it is, and a link is not opened.
        if place.kind == Kind::Folder && disk::is_one_part(path.name()) {
            let read = read_regular(&self.real(&place, &folder).join(path.name()), limit);
            if read.is_ok() || matches!(read, Err(Unreadable::TooLarge(_))) {
                return read;
            }
        }
        let place = self.look(path);
        match place.kind {
            Kind::File { size, .. } if size > limit => Err(Unreadable::TooLarge(size)),
            Kind::File { .. } => read_regular(&self.real(&place, path), limit),
            Kind::Denied => Err(Unreadable::Denied),
            kind => Err(Unreadable::NotAFile(kind)),
        }
    }

    fn copy(&self, path: &RelPath, into: &mut dyn Write) -> Result<(), Uncopied> {
        let place = self.look(path);
        let opened = match place.kind {
            Kind::File { .. } => open_regular(&self.real(&place, path)),
            Kind::Denied => Err(Unreadable::Denied),
            kind => Err(Unreadable::NotAFile(kind)),
        };
        stream(&mut opened.map_err(Uncopied::Unreadable)?.0, into)
    }

    fn resolve(&self, path: &RelPath) -> RelPath {
        let place = self.look(path);
        let below = place.real.as_ref().and_then(|real| real.strip_prefix(self.real_root()).ok());
        let Some(below) = below else { return path.clone() };
        let parts = below.components().map(|part| part.as_os_str().to_str());
        parts.collect::<Option<Vec<&str>>>().map_or_else(
            || path.clone(),
            |parts| parts.iter().fold(RelPath::root(), |folder, part| folder.child(part)),
        )
    }
}
