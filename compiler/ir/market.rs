//! `Market`: a list of plugins, and where each of them is.

use std::sync::Arc;

use super::document::Document;
use super::origin::Origin;
use super::path::RelPath;
use super::plan::Plan;
use super::plugin::Capability;
use super::route::HostName;
use super::source::Digest;

/// Where the files of a listed plugin are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a folder below the list's root.
    Folder(RelPath),
    /// In a git repository.
    Git {
        /// Its address.
        address: String,
        /// The folder in it; empty for its root.
        path: String,
        /// The branch or tag that is asked for.
        branch: Option<String>,
        /// The commit that it is pinned to, which goes before the branch.
        commit: Option<String>,
    },
    /// In an archive.
    Archive {
        /// Its address.
        address: String,
        /// The SHA-256 that it must have.
        digest: Option<Digest>,
    },
    /// Somewhere that nobody looks: a registry, or what a command prints.
    Elsewhere,
    /// The entry does not say, or says what must not be.
    Nowhere,
}

/// One entry.
#[derive(Clone, Debug)]
pub struct Listing {
    /// What the plugin is called there.
    pub name: Option<String>,
    /// Where it is written.
    pub origin: Origin,
    /// Where its name is written.
    pub name_at: Origin,
    /// Where it says where its files are.
    pub place_at: Origin,
    /// What it says.
    pub document: Arc<Document>,
    /// Where its files are.
    pub place: Place,
    /// What its list's host makes of it.
    pub entry: Capability,
}

/// A list of plugins.
pub struct Market {
    /// Who writes such lists.
    pub lister: HostName,
    /// Whose plugins it lists.
    pub host: HostName,
    /// An entry is the manifest of a plugin that has none.
    pub whole: bool,
    /// What it is called.
    pub name: Option<String>,
    /// Its entries, in the order written.
    pub listings: Vec<Listing>,
    /// What the target makes of the list itself.
    pub plan: Plan,
}
