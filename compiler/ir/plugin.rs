//! `Plugin`: what a package means, in nobody's words.

use std::sync::Arc;

use serde::Serialize;

use super::diagnostic::Diagnostics;
use super::document::Document;
use super::fate::Fate;
use super::manifest::{NodeRef, Readers};
use super::origin::Origin;
use super::route::HostName;
use super::snapshot::Snapshot;
use super::value::Value;

/// One field of a capability.
#[derive(Clone, Debug, Serialize)]
pub struct Field {
    /// Its name in the schema.
    pub name: Arc<str>,
    /// What it holds, of the type the schema says.
    pub value: Value,
    /// Where it was written, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The nodes of its elements, if it was a list in its document.
    #[serde(skip)]
    pub parts: Vec<NodeRef>,
    /// Every node that was read for it.
    #[serde(skip)]
    pub reads: Vec<NodeRef>,
}

/// One thing a plugin contributes.
#[derive(Clone, Debug, Serialize)]
pub struct Capability {
    /// What it is: the name of a schema.
    pub kind: Arc<str>,
    /// The rule that made it.
    pub rule: Arc<str>,
    /// Where it was written.
    pub origin: Origin,
    /// Who reads it.
    #[serde(skip)]
    pub readers: Readers,
    /// The rule by which the target's importer discards the document it lies in.
    #[serde(skip)]
    pub discarded: Option<Arc<str>>,
    /// The best it can come to, because its host does not read it in this shape.
    #[serde(skip)]
    pub at_best: Fate,
    /// It does not count: another with its key does, and this fate is what becomes of it.
    #[serde(skip)]
    pub ruled_out: Option<Fate>,
    /// Neutral placeholders in it, each with a spelling that stood for it.
    #[serde(skip)]
    pub spellings: Vec<(String, String)>,
    /// Its fields, those that are absent left out.
    pub fields: Vec<Field>,
}

impl Capability {
    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| *field.name == *name)
    }

    /// The value of a field.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.field(name).map(|field| &field.value)
    }
}

/// A leaf that flows into a field: its fate depends on the field's.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// The leaf.
    pub leaf: NodeRef,
    /// The capability, counted in the plugin.
    pub capability: u32,
    /// The field, counted in the capability; none where the leaf only served to place it.
    pub field: Option<u32>,
}

/// The books of the source side: what became of each leaf while lifting.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// By document, by node: the fate that lifting gave it.
    pub fates: Vec<Vec<Option<Fate>>>,
    /// By document: the fate of the file as one leaf.
    pub wholes: Vec<Option<Fate>>,
    /// What flowed where.
    pub flows: Vec<Flow>,
}

impl Ledger {
    /// Empty books for these documents.
    pub fn new(documents: &[Document]) -> Self {
        Ledger {
            fates: documents.iter().map(|document| vec![None; document.len()]).collect(),
            wholes: vec![None; documents.len()],
            flows: Vec::new(),
        }
    }

    fn entry(&mut self, at: NodeRef) -> Option<&mut Option<Fate>> {
        let document = at.document as usize;
        if at.node == Document::WHOLE {
            return self.wholes.get_mut(document);
        }
        self.fates.get_mut(document).and_then(|nodes| nodes.get_mut(at.node as usize))
    }

    /// Gives a node a fate; of several the worst stands.
    pub fn give(&mut self, at: NodeRef, fate: Fate) {
        if let Some(old) = self.entry(at) {
            *old = Some(old.map_or(fate, |old| old.max(fate)));
        }
    }

    /// The fate that a node has so far.
    pub fn fate(&self, at: NodeRef) -> Option<Fate> {
        let document = at.document as usize;
        if at.node == Document::WHOLE {
            return self.wholes.get(document).copied().flatten();
        }
        self.fates.get(document).and_then(|nodes| nodes.get(at.node as usize)).copied().flatten()
    }
}

/// A plugin, host-neutral.
pub struct Plugin {
    /// Whose it was.
    pub host: HostName,
    /// What it contributes, in the order of the rules and then of the documents.
    pub capabilities: Vec<Capability>,
    /// The documents it was lifted from.
    pub documents: Vec<Document>,
    /// What became of their leaves so far.
    pub ledger: Ledger,
    /// What there is to tell.
    pub diagnostics: Diagnostics,
    /// The files.
    pub snapshot: Snapshot,
    /// Nothing of it can be used.
    pub fatal: bool,
}

impl Plugin {
    /// The place of a node.
    pub fn origin(&self, at: NodeRef) -> Option<Origin> {
        self.documents.get(at.document as usize).map(|document| document.origin(at.node))
    }
}
