//! `Source`: what was asked to be read, and `Fault`: why it cannot be.
//!
//! Neither can hold credentials: an address with some is refused, and every word of a fault is scrubbed.

pub mod address;
pub mod digest;
pub mod revision;
pub mod web;

use std::fmt;
use std::ops::Range;

pub use address::{Url, redacted};
pub use digest::Digest;
pub use revision::Revision;

use super::diagnostic::Code;
use super::path::RelPath;

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A folder, a single file or an archive on disk, by its path.
    Local(String),
    /// A folder in a git repository.
    Git(Git),
}

/// A folder in a git repository, at some revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Git {
    /// Where the repository is.
    pub repository: Repository,
    /// Which of its states.
    pub at: At,
    /// The folder below its root.
    pub path: RelPath,
}

/// Where a repository is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repository {
    /// Somewhere that git fetches from.
    Remote(Url),
    /// On this disk, by its path: its objects are read where they lie.
    Local(String),
}

/// Which state of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// What it shows to whoever asks for nothing else.
    Head,
    /// A branch, a tag or a commit.
    Named(Revision),
    /// A branch or tag and a path behind it; as both may hold slashes, only the repository knows where one ends.
    Unparted(Vec<String>),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Local(path) => f.write_str(&redacted(path)),
            Source::Git(git) => git.fmt(f),
        }
    }
}

impl fmt::Display for Git {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.repository.fmt(f)?;
        match &self.at {
            At::Head if self.path.is_root() => return Ok(()),
            At::Head => write!(f, "#")?,
            At::Named(revision) => write!(f, "#{revision}")?,
            At::Unparted(parts) => return write!(f, "/tree/{}", parts.join("/")),
        }
        if self.path.is_root() { Ok(()) } else { write!(f, ":{}", self.path) }
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repository::Remote(url) => url.fmt(f),
            Repository::Local(path) => f.write_str(&redacted(path)),
        }
    }
}

/// What content is known by for ever: the same identity, the same files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identity {
    /// A commit, by its full id.
    Commit(String),
    /// An archive, by the SHA-256 of its bytes.
    Archive(String),
}

/// A folder whose files never change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Of what.
    pub identity: Identity,
    /// Where in it.
    pub folder: RelPath,
}

impl Content {
    /// The commit, if it lies in a repository.
    pub fn commit(&self) -> Option<String> {
        match &self.identity {
            Identity::Commit(commit) => Some(commit.clone()),
            Identity::Archive(_) => None,
        }
    }
}

/// A repository inside the repository, which is not fetched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Submodule {
    /// Where it would lie, below the folder that was asked for.
    pub path: RelPath,
    /// Which of its commits.
    pub commit: String,
}

/// Why a source cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The page that tells it.
    pub code: Code,
    /// What fills the page's holes, without any credentials.
    pub words: Vec<(String, String)>,
    /// Where in the text of the source the trouble is, in characters.
    pub at: Option<Range<usize>>,
    /// Whether something is there, and only cannot be read.
    pub exists: bool,
}

impl Fault {
    /// There is nothing that could be asked about.
    pub fn absent(code: &str) -> Self {
        Fault { code: Code::new(code), words: Vec::new(), at: None, exists: false }
    }

    /// Something is there, and is no plugin that can be read.
    pub fn unreadable(code: &str) -> Self {
        Fault { exists: true, ..Fault::absent(code) }
    }

    /// Adds a word for the page's holes.
    #[must_use]
    pub fn with(mut self, name: &str, word: impl fmt::Display) -> Self {
        self.words.push((name.to_owned(), redacted(&word.to_string()).into_owned()));
        self
    }

    /// Points into the text of the source.
    #[must_use]
    pub fn at(mut self, range: Range<usize>) -> Self {
        self.at = Some(range);
        self
    }
}
