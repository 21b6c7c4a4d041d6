//! `Objects`: the files of a folder at a commit, read from a repository's objects.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::super::source::PATIENCE;
use super::super::tree::{Node, Tree};
use super::listing::{Asking, EXECUTABLE, Entry, FOLDER, LINK, SUBMODULE};
use super::reader::{Object, Reader};
use super::remote::Remote;
use crate::ir::path::RelPath;
use crate::ir::snapshot::{Files, Kind, LARGEST_DOCUMENT, Listed, Unreadable};
use crate::ir::source::{Fault, Git, Submodule};

/// A folder with at most so many files is fetched as a whole; of a larger one, those parts that are read.
const WHOLE: usize = 2_000;

/// The longest target of a link, in bytes.
const LONGEST_LINK: u64 = 4096;

/// The files of a folder at a commit.
pub(super) struct Objects {
    tree: Tree<String>,
    /// The id of each folder.
    folders: BTreeMap<String, String>,
    store: Store,
    reader: RefCell<Option<Reader>>,
}

/// Where objects are, and where from they come.
struct Store {
    folder: PathBuf,
    remote: Option<Remote>,
    /// The commit that is read.
    commit: String,
}

impl Objects {
    /// Lists the folder and, unless it is very large, fetches what is missing of it.
    pub(super) fn open(
        folder: &Path,
        remote: Option<Remote>,
        commit: &str,
        path: &RelPath,
        asked: &Git,
    ) -> Result<(Self, Vec<Submodule>), Fault> {
        let limit = remote.as_ref().map_or(PATIENCE, |remote| remote.how.limit);
        let asking = Asking { folder, asked, limit };
        let store = Store { folder: folder.to_owned(), remote, commit: commit.to_owned() };
        let root = root(&asking, &store, commit, path)?;
        let entries = asking.entries(&root)?;
        let ids: BTreeSet<&String> =
            entries.iter().filter(|one| is_blob(one)).map(|one| &one.id).collect();
        let all = || ids.iter().map(|id| (*id).clone());
        let mut sizes = BTreeMap::new();
        if ids.len() <= WHOLE || store.remote.is_none() {
            sizes = asking.sizes(all())?;
            if sizes.len() < ids.len() && store.fetch_folder(&root, path)? {
                sizes = asking.sizes(all())?;
            }
        }
        let is_link = |entry: &&Entry| entry.mode == LINK && !sizes.contains_key(&entry.id);
        let links: Vec<String> = entries.iter().filter(is_link).map(|one| one.id.clone()).collect();
        if let (false, Some(remote)) = (links.is_empty(), &store.remote) {
            let there = asking.sizes(links.iter().cloned())?;
            let missing: Vec<String> =
                links.into_iter().filter(|id| !there.contains_key(id)).collect();
            if !missing.is_empty() {
                let _lock = remote.lock(&"where its links lead")?;
                remote.fetch_files(&missing)?;
            }
        }
        let mut objects = Objects {
            tree: Tree::default(),
            folders: BTreeMap::new(),
            store,
            reader: RefCell::default(),
        };
        objects.folders.insert(String::new(), root);
        let mut submodules = Vec::new();
        for entry in entries {
            objects.put(entry, &sizes, &mut submodules);
        }
        Ok((objects, submodules))
    }

    fn put(
        &mut self,
        entry: Entry,
        sizes: &BTreeMap<String, u64>,
        submodules: &mut Vec<Submodule>,
    ) {
        let Some((path, is_plain)) = path(&entry.path) else { return };
        let node = match entry.mode.as_str() {
            // No path that we can write leads to it.
            _ if !is_plain => Node::Special,
            FOLDER => {
                self.folders.insert(path.as_str().to_owned(), entry.id);
                return;
            }
            SUBMODULE => {
                submodules.push(Submodule { path: path.clone(), commit: entry.id });
                Node::Folder
            }
            LINK => match self.bytes(&entry.id, LONGEST_LINK).map(String::from_utf8) {
                Ok(Ok(target)) => Node::Link(target),
                _ => Node::Special,
            },
            mode => {
                // Of a folder that was fetched as a whole, only what is too large is not there.
                let unknown = if sizes.is_empty() { 0 } else { LARGEST_DOCUMENT + 1 };
                let size = sizes.get(&entry.id).copied().unwrap_or(unknown);
                Node::File { content: entry.id, size, executable: mode == EXECUTABLE }
            }
        };
        self.tree.insert(path.into(), node);
    }

    /// The bytes of an object that is there.
    fn bytes(&self, id: &str, limit: u64) -> Result<Vec<u8>, Unreadable> {
        match self.object(id, limit) {
            Some(Object::Bytes(bytes)) => Ok(bytes),
            Some(Object::TooLarge(size)) => Err(Unreadable::TooLarge(size)),
            Some(Object::Missing) => Err(Unreadable::NotAFile(Kind::Missing)),
            None => Err(Unreadable::Denied),
        }
    }

    /// A reader that has died is replaced once.
    fn object(&self, id: &str, limit: u64) -> Option<Object> {
        let mut kept = self.reader.borrow_mut();
        if let Some(object) = kept.as_mut().and_then(|reader| reader.read(id, limit)) {
            return Some(object);
        }
        let mut reader = Reader::start(&self.store.folder)?;
        let object = reader.read(id, limit);
        *kept = Some(reader);
        object
    }

    /// The bytes of a file that was missing. One too large to be a document is fetched for whoever wants it so.
    fn fetched(&self, path: &RelPath, id: &str, limit: u64) -> Result<Vec<u8>, Unreadable> {
        let denied = |_: Fault| Unreadable::Denied;
        self.fetch_around(&self.tree.resolve(path), id).map_err(denied)?;
        match (self.bytes(id, limit), &self.store.remote) {
            (Err(Unreadable::NotAFile(Kind::Missing)), Some(_)) if limit <= LARGEST_DOCUMENT => {
                Err(Unreadable::TooLarge(LARGEST_DOCUMENT + 1))
            }
            (Err(Unreadable::NotAFile(Kind::Missing)), Some(remote)) => {
                let _lock = remote.lock(path).map_err(denied)?;
                remote.fetch_files(&[id.to_owned()]).map_err(denied)?;
                self.bytes(id, limit)
            }
            (read, _) => read,
        }
    }

    /// Fetches a file that is missing, with all that lies around it if that is not too much.
    fn fetch_around(&self, path: &RelPath, id: &str) -> Result<(), Fault> {
        let mut around = None;
        let mut folder = path.parent();
        while let Some(at) = folder {
            if self.tree.from(&at).nth(WHOLE).is_some() {
                break;
            }
            folder = at.parent();
            around = self.folders.get(at.as_str()).map(|id| (id, at));
        }
        if let Some((folder, at)) = around {
            return self.store.fetch_folder(folder, &at).map(|_| ());
        }
        let Some(remote) = &self.store.remote else { return Ok(()) };
        let _lock = remote.lock(path)?;
        remote.fetch_files(&[id.to_owned()])
    }
}

impl Store {
    /// Fetches what is missing below a folder, unless that was done; says whether anything can have come.
    fn fetch_folder(&self, tree: &str, path: &RelPath) -> Result<bool, Fault> {
        let Some(remote) = &self.remote else { return Ok(false) };
        // Files too large to be documents are missing for good; the mark tells that all others came.
        let mark = self.folder.join("plugc").join(tree);
        if mark.exists() {
            return Ok(false);
        }
        let _lock = remote.lock(&format!("the files in `{path}`"))?;
        remote.fetch_folder(tree, &self.commit)?;
        let made = self.folder.join("plugc");
        let written = fs::create_dir_all(made).and_then(|()| fs::write(&mark, ""));
        written.map_err(|why| super::super::source::unusable(&mark, &why))?;
        Ok(true)
    }
}

/// The folder's id, once all links on the way to it can be read.
fn root(asking: &Asking<'_>, store: &Store, commit: &str, path: &RelPath) -> Result<String, Fault> {
    let mut tried = BTreeSet::new();
    loop {
        let links = match asking.folder_id(commit, path)? {
            Ok(id) => return Ok(id),
            Err(links) => links,
        };
        let there = asking.sizes(links.iter().cloned())?;
        let new: Vec<String> = links
            .into_iter()
            .filter(|id| !there.contains_key(id) && tried.insert(id.clone()))
            .collect();
        let Some(remote) = store.remote.as_ref().filter(|_| !new.is_empty()) else {
            let fault =
                Fault::absent("source/folder-missing").with("url", &asking.asked.repository);
            return Err(fault.with("path", path).with("commit", commit));
        };
        let _lock = remote.lock(&format!("where the links on the way to `{path}` lead"))?;
        remote.fetch_files(&new)?;
    }
}

fn is_blob(entry: &Entry) -> bool {
    entry.mode != FOLDER && entry.mode != SUBMODULE
}

/// The path of an entry, and whether some path that we can write leads to it. Nothing for one that would climb.
fn path(bytes: &[u8]) -> Option<(RelPath, bool)> {
    let text = String::from_utf8_lossy(bytes);
    if text.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return None;
    }
    let path = text.split('/').fold(RelPath::root(), |folder, part| folder.child(part));
    Some((path, std::str::from_utf8(bytes).is_ok() && !text.contains('\\')))
}

impl Files for Objects {
    fn kind(&self, path: &RelPath) -> (Kind, bool) {
        self.tree.kind(path)
    }

    fn list(&self, folder: &RelPath, most: usize) -> Option<Vec<Listed>> {
        self.tree.list(folder, most)
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<Vec<u8>, Unreadable> {
        let (id, size) = self.tree.content(path)?;
        if size > limit {
            return Err(Unreadable::TooLarge(size));
        }
        match self.bytes(id, limit) {
            Err(Unreadable::NotAFile(Kind::Missing)) => self.fetched(path, id, limit),
            read => read,
        }
    }

    fn resolve(&self, path: &RelPath) -> RelPath {
        self.tree.resolve(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_may_hold_names_that_no_checkout_would() {
        let read = |bytes: &[u8]| path(bytes).map(|(path, is_plain)| (path.to_string(), is_plain));
        for climbing in ["../x", "a/../x", "..", "./x", "a//x", "/etc", ""] {
            assert_eq!(read(climbing.as_bytes()), None, "{climbing}");
        }
        assert_eq!(read(b"a/b c"), Some(("a/b c".to_owned(), true)));
        assert_eq!(read(b"a\\..\\x").map(|(_, is_plain)| is_plain), Some(false));
        assert_eq!(read(b"a/\xff").map(|(_, is_plain)| is_plain), Some(false));
    }
}
