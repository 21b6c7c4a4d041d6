//! The books of the source side are closed: whatever no rule read is a key that the host does not know.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Work;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::{Document, Key, NodeId};
use crate::ir::fate::Fate;
use crate::ir::manifest::NodeRef;
use crate::rulebook::evaluate::{Scope, Val};
use crate::rulebook::rules::Source;

impl<'a> Work<'a> {
    /// Whatever no rule read is a key that the host does not know.
    pub(super) fn close(&mut self, source: &'a Source) {
        for (number, document) in self.documents.iter().enumerate() {
            let Ok(number) = u32::try_from(number) else { break };
            let whole = NodeRef { document: number, node: Document::WHOLE };
            if document.has_whole() && self.ledger.fate(whole).is_none() && !self.is_flowing(whole)
            {
                self.ledger
                    .give(whole, if document.readable { Fate::Inert } else { Fate::Unsupported });
            }
            let is_open = |work: &Self, leaf: NodeRef| {
                work.ledger.fate(leaf).is_none() && !work.is_flowing(leaf)
            };
            let leaves = self.leaves(NodeRef { document: number, node: Document::ROOT });
            if !leaves.iter().any(|leaf| is_open(self, *leaf)) {
                continue;
            }
            let known = known_nodes(document, leaves.iter().filter(|leaf| !is_open(self, **leaf)));
            for leaf in leaves.into_iter().filter(|leaf| is_open(self, *leaf)).collect::<Vec<_>>() {
                if leaf.node == Document::ROOT || document.is_shadowed(leaf.node) {
                    self.ledger.give(leaf, Fate::Inert);
                } else {
                    self.tell_unknown(source, leaf, &known);
                }
            }
        }
    }

    /// Only the manifest itself is held to be strict.
    fn is_strict(&self, source: &'a Source, leaf: NodeRef) -> bool {
        let Some(root) = self.root.filter(|root| root.document == leaf.document) else {
            return false;
        };
        let mut scope = Scope::new(self.documents, &source.tables, self.snapshot);
        scope.bind("manifest", Val::Node(root));
        source.strict_when.as_ref().is_none_or(|when| scope.holds(when))
    }

    fn tell_unknown(&mut self, source: &'a Source, leaf: NodeRef, known: &BTreeSet<NodeId>) {
        let top = NodeRef { node: self.top_unknown(leaf, known), ..leaf };
        let key = key_of(self.documents, top);
        let origin = self.origin(top);
        match &source.strict {
            Some(code) if self.is_strict(source, leaf) => {
                self.ledger.give(leaf, Fate::Unsupported);
                self.fatal = true;
                let told = Diagnostic::new(code.clone(), origin.clone())
                    .with("key", key)
                    .with("path", path_of(&origin.pointer));
                self.diagnostics
                    .tell_once(&origin.to_string(), told.fate(Fate::Unsupported).fatal(true));
            }
            _ => {
                self.ledger.give(leaf, Fate::Inert);
                let told = Diagnostic::new(Code::new("document/unknown-key"), origin)
                    .with("key", key.clone());
                self.diagnostics.tell_once(&key, told.fate(Fate::Inert));
            }
        }
    }

    /// The outermost node around a leaf that was not looked into, and in which nothing is known.
    fn top_unknown(&self, leaf: NodeRef, known: &BTreeSet<NodeId>) -> NodeId {
        let Some(document) = self.document(leaf) else { return leaf.node };
        let is_known = |node: NodeId| {
            known.contains(&node) || self.ledger.fate(NodeRef { node, ..leaf }).is_some()
        };
        let mut at = leaf.node;
        while let Some(parent) = document.parent(at).filter(|parent| !is_known(*parent)) {
            at = parent;
        }
        at
    }
}

/// The nodes on the way to some leaf that is known.
fn known_nodes<'l>(
    document: &Document,
    leaves: impl Iterator<Item = &'l NodeRef>,
) -> BTreeSet<NodeId> {
    let mut known = BTreeSet::from([Document::ROOT]);
    for leaf in leaves {
        let mut at = Some(leaf.node);
        while let Some(node) = at {
            if !known.insert(node) {
                break;
            }
            at = document.parent(node);
        }
    }
    known
}

/// A pointer as people write a path: `contributes.skills[0].paht`.
fn path_of(pointer: &str) -> String {
    let mut out = String::new();
    for step in crate::ir::origin::steps(pointer) {
        if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            let _ = write!(out, "[{step}]");
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&step);
        }
    }
    out
}

/// The key under which a leaf lies, the elements of a list being under their list's.
fn key_of(documents: &[Document], leaf: NodeRef) -> String {
    let Some(document) = documents.get(leaf.document as usize) else { return String::new() };
    let mut at = Some(leaf.node);
    while let Some(node) = at {
        if let Key::Name(name) = document.key(node) {
            return name.to_string();
        }
        at = document.parent(node);
    }
    String::new()
}
