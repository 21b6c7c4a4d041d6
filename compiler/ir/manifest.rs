//! `Manifest`: what the source host's files say, still in that host's words.

use std::sync::Arc;

use super::diagnostic::Diagnostics;
use super::document::{Document, NodeId};
use super::path::RelPath;
use super::route::HostName;
use super::snapshot::Snapshot;

/// A node of one of a manifest's documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeRef {
    /// The document, counted in the manifest.
    pub document: u32,
    /// The node in it.
    pub node: NodeId,
}

/// Who reads a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readers {
    /// The source host.
    pub source: bool,
    /// The target's own importer.
    pub target: bool,
}

impl Readers {
    /// Both sets of readers together.
    #[must_use]
    pub fn and(self, other: Readers) -> Readers {
        Readers { source: self.source || other.source, target: self.target || other.target }
    }
}

/// A document in one role: as hooks, as a skill. The same file may play several.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts that rules ask one by one")]
pub struct View {
    /// The role, a key of `documents:`.
    pub role: String,
    /// Where it begins: a document's root, or an object inside the manifest.
    pub start: NodeRef,
    /// The folder it was looked for in; a command's name is its path below this.
    pub root: RelPath,
    /// The file or, for a component that is a folder, that folder.
    pub path: RelPath,
    /// Written inside another document rather than in a file of its own.
    pub inline: bool,
    /// The entry of a map in the manifest that names it.
    pub entry: Option<NodeRef>,
    /// Named by a field, rather than found by convention.
    pub named: bool,
    /// A field names the file itself rather than a folder it lies in.
    pub loose: bool,
    /// A link on the way, or a file that holds nothing but a path.
    pub link: bool,
    /// How many folders lie between `root` and it.
    pub depth: usize,
    /// Who reads it.
    pub readers: Readers,
    /// The rule by which the target's importer, which looks at it, takes nothing over from it.
    pub discarded: Option<Arc<str>>,
}

/// The documents of a package, read as one host's.
pub struct Manifest {
    /// Whose words they are.
    pub host: HostName,
    /// The documents, the manifest itself first.
    pub documents: Vec<Document>,
    /// The roles they play, in the order of the rules.
    pub views: Vec<View>,
    /// What a list of plugins says of it, where that counts too.
    pub listing: Option<NodeRef>,
    /// Leaves that were used to find documents, or could not be.
    pub asked: Vec<(NodeRef, super::fate::Fate)>,
    /// Places for which a whole document is discarded.
    pub discarded: Vec<NodeRef>,
    /// What there is to tell.
    pub diagnostics: Diagnostics,
    /// The files.
    pub snapshot: Snapshot,
    /// Nothing of it can be used.
    pub fatal: bool,
}

impl Manifest {
    /// The manifest file's root, if there is a manifest.
    pub fn root(&self) -> Option<NodeRef> {
        self.views.iter().find(|view| view.role == "manifest").map(|view| view.start)
    }
}
