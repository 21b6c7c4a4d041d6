//! Opens a `Source`, wherever it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::archive::{Archive, kept};
use super::cache::user_folder;
use super::folder::Folder;
use super::git;
use crate::ir::path::RelPath;
use crate::ir::snapshot::Files;
use crate::ir::source::web::Web;
use crate::ir::source::{Content, Digest, Fault, Identity, Source, Submodule};

/// How long a fetch may take, if nobody says otherwise.
pub const PATIENCE: Duration = Duration::from_mins(5);

/// How sources are fetched.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// Use what is in the store, and nothing else.
    pub offline: bool,
    /// How long one source may take.
    pub limit: Duration,
    /// Where what was fetched is kept; the user's cache folder if not given.
    pub store: Option<PathBuf>,
}

impl Fetch {
    /// The folder in which one kind of what was fetched is kept.
    pub(super) fn kept(&self, kind: &str) -> Result<PathBuf, Fault> {
        let folder = match &self.store {
            Some(folder) => folder.clone(),
            None => user_folder().map_err(|why| unusable(Path::new("~"), &why))?,
        };
        let folder = folder.join(kind);
        fs::create_dir_all(&folder).map_err(|why| unusable(&folder, &why))?;
        Ok(folder)
    }
}

/// What was fetched cannot be kept.
pub(super) fn unusable(path: &Path, why: &dyn ToString) -> Fault {
    let fault = Fault::absent("source/store-unusable").with("path", path.display());
    fault.with("detail", why.to_string())
}

impl Default for Fetch {
    fn default() -> Self {
        Fetch { offline: false, limit: PATIENCE, store: None }
    }
}

/// A source that can be read.
pub struct Opened {
    /// Its files.
    pub files: Box<dyn Files>,
    /// What they are known by for ever; a folder on disk may change, so it has none.
    pub content: Option<Content>,
    /// The branch or tag that the commit was found by, in full: `refs/heads/main`.
    pub reference: Option<String>,
    /// Repositories inside the repository, which are not fetched.
    pub submodules: Vec<Submodule>,
    /// Paths of an archive that differ in nothing but capitals.
    pub collisions: Vec<(String, String)>,
}

impl Opened {
    fn new(files: Box<dyn Files>) -> Self {
        Opened {
            files,
            content: None,
            reference: None,
            submodules: Vec::new(),
            collisions: Vec::new(),
        }
    }

    fn archive(mut archive: Archive) -> Self {
        let collisions = std::mem::take(&mut archive.collisions);
        let identity = Identity::Archive(archive.sha256.clone());
        let content = Some(Content { identity, folder: RelPath::root() });
        Opened { content, collisions, ..Opened::new(Box::new(archive)) }
    }

    /// What a repository holds at a commit.
    pub(super) fn commit(
        files: Box<dyn Files>,
        commit: String,
        folder: RelPath,
        reference: Option<String>,
        submodules: Vec<Submodule>,
    ) -> Self {
        let content = Some(Content { identity: Identity::Commit(commit), folder });
        Opened { content, reference, submodules, ..Opened::new(files) }
    }
}

/// Opens a source. A single file is nothing that could be opened without knowing where it belongs.
pub fn open(source: &Source, how: &Fetch) -> Result<Opened, Fault> {
    match source {
        Source::Git(asked) => git::open(asked, how),
        Source::Local(path) => local(Path::new(path), path),
    }
}

fn local(path: &Path, text: &str) -> Result<Opened, Fault> {
    if let Ok(folder) = Folder::open(path) {
        return Ok(Opened::new(Box::new(folder)));
    }
    if super::what_is(path) != super::What::File || !super::archive::is_archive(path) {
        return Err(Fault::absent("source/not-found").with("path", text));
    }
    Archive::open(path).map(Opened::archive)
}

/// Opens a `.zip` from the web, which must have the digest that is given.
pub fn packed(from: &Web, digest: Option<&Digest>, how: &Fetch) -> Result<Opened, Fault> {
    kept::open(from, digest, how).map(Opened::archive)
}

/// How much of a path is there, in characters, with the slash behind it.
pub fn there(text: &str) -> usize {
    let ends = text.match_indices(['/', '\\']).map(|(at, _)| at + 1);
    let is_there = |end: &usize| {
        let part = text.get(..*end).unwrap_or_default();
        super::what_is(Path::new(part)) != super::What::Missing
    };
    let end = ends.take_while(is_there).last().unwrap_or(0);
    text.get(..end).map_or(0, |part| part.chars().count())
}
