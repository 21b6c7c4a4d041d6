//! `Plan`: what will be done, and how well it fits.

use std::sync::Arc;

use serde::Serialize;

use super::diagnostic::Diagnostic;
use super::document::Document;
use super::fate::{Fate, Verdict};
use super::manifest::NodeRef;
use super::origin::Origin;
use super::route::Route;
use super::snapshot::Snapshot;

/// One change at the target. Paths are below the package's new root, `from` below the old one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase", tag = "step")]
pub enum Step {
    /// Copies a file, or a folder with all that lies in it.
    Copy {
        /// What.
        from: String,
        /// To where.
        to: String,
        /// What stays behind, by its path below `from`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        except: Vec<String>,
    },
    /// Writes a file.
    Write {
        /// Where.
        to: String,
        /// What.
        text: String,
    },
    /// Puts a value into a JSON file.
    Merge {
        /// The file.
        into: String,
        /// The keys on the way to the value.
        at: Vec<String>,
        /// Whether the value is an element of a list there, or is what stands there.
        how: How,
        /// The value.
        value: serde_json::Value,
    },
    /// Links the package's root.
    Link {
        /// To where.
        to: String,
    },
}

/// How a merge puts its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// It becomes what stands there; two different ones are a conflict.
    Set,
    /// It becomes the last element of the list there.
    Append,
}

/// What becomes of one capability.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// What it is.
    pub kind: Arc<str>,
    /// What it is called, as its schema says.
    pub name: String,
    /// Where it was written.
    pub origin: Origin,
    /// How well it fits.
    pub fate: Fate,
    /// The rules that decided.
    pub rules: Vec<Arc<str>>,
    /// What is done for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// Who the package is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// Its name, where one could be read.
    pub name: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// How many entries of one kind arrive.
pub type Mapped = Vec<(Arc<str>, usize)>;

/// A manifest of the same folder that was not chosen, and what it would have carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// Whose it is.
    pub manifest: String,
    /// How well it would have fitted.
    pub verdict: Verdict,
    /// What would have arrived.
    pub mapped: Mapped,
}

/// What will be done with a package, and how well it fits.
pub struct Plan {
    /// From where to where.
    pub route: Route,
    /// Who it is.
    pub identity: Identity,
    /// What becomes of each capability.
    pub entries: Vec<Entry>,
    /// What is done for the package as a whole, before its entries' steps.
    pub steps: Vec<Step>,
    /// The fate of each leaf, in the order of the documents.
    pub account: Vec<(NodeRef, Fate)>,
    /// What there is to tell, in the order it was found.
    pub diagnostics: Vec<Diagnostic>,
    /// How many entries of each kind arrive, by the word of the kind's schema.
    pub mapped: Mapped,
    /// How well the package fits.
    pub verdict: Verdict,
    /// The other manifests of the folder.
    pub others: Vec<Other>,
    /// The entry of a list of plugins is its manifest.
    pub by_entry: bool,
    /// The documents, for a report's snippets.
    pub documents: Vec<Document>,
    /// The files, for whoever applies the plan.
    pub snapshot: Snapshot,
}

impl Plan {
    /// The sum of what arrives.
    pub fn carried(&self) -> usize {
        self.mapped.iter().map(|(_, count)| count).sum()
    }
}
