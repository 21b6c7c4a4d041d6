//! `lift`: a manifest's documents become capabilities, in nobody's words.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::ir::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::ir::document::{Document, Kind};
use crate::ir::fate::Fate;
use crate::ir::manifest::{Manifest, NodeRef, View};
use crate::ir::origin::Origin;
use crate::ir::plugin::{Capability, Ledger, Plugin};
use crate::ir::route::{Form, Route};
use crate::ir::snapshot::Snapshot;
use crate::rulebook::Rulebook;
use crate::rulebook::evaluate::{Scope, Val};
use crate::rulebook::rules::{Lift, Source};
use crate::rulebook::schema::Schema;
use crate::rulebook::selector::Selector;
use crate::rulebook::walk::walk;

/// Lifts a manifest by its source's rules and by what only the target's importer reads of it.
pub fn lift(manifest: Manifest, rulebook: &Rulebook, route: &Route) -> Plugin {
    let root = manifest.root();
    let Manifest {
        host,
        documents,
        views,
        listing,
        asked,
        discarded,
        diagnostics,
        snapshot,
        fatal,
    } = manifest;
    let snapshot = RefCell::new(snapshot);
    let mut work = Work {
        documents: &documents,
        snapshot: &snapshot,
        root,
        listing,
        ledger: Ledger::new(&documents),
        diagnostics,
        capabilities: Vec::new(),
        by_target: false,
        flowing: BTreeSet::new(),
        typed: discarded.into_iter().map(|at| (at, Fate::Unsupported)).collect(),
        fatal,
    };
    for (node, fate) in asked {
        work.ledger.give(node, fate);
    }
    if let Some(source) = rulebook.source(&host) {
        let reads = rulebook.target(&route.target).and_then(|target| {
            target.reads.iter().find(|reads| *reads.source == *route.source.name)
        });
        work.by_target = reads.is_some() && route.form == Form::AsFound;
        for lift in source.lifts.iter().chain(reads.into_iter().flat_map(|reads| &reads.lifts)) {
            if let Some(schema) = rulebook.schema(&lift.kind) {
                work.lift(source, lift, schema, &views);
            }
        }
        work.close(source);
    }
    let Work { ledger, diagnostics, capabilities, fatal, .. } = work;
    Plugin {
        host,
        capabilities,
        documents,
        ledger,
        diagnostics,
        snapshot: snapshot.into_inner(),
        fatal,
    }
}

mod close;
mod node;
mod settle;

struct Work<'a> {
    documents: &'a [Document],
    snapshot: &'a RefCell<Snapshot>,
    root: Option<NodeRef>,
    /// What a list of plugins says of it.
    listing: Option<NodeRef>,
    ledger: Ledger,
    diagnostics: Diagnostics,
    capabilities: Vec<Capability>,
    /// Which of several counts is the affair of the target's own importer.
    by_target: bool,
    /// Leaves that flow into some field.
    flowing: BTreeSet<NodeRef>,
    /// Places of which it has been told that their type is wrong, and with what fate: several fields may read one,
    /// and what one of them can do with it another cannot.
    typed: BTreeMap<NodeRef, Fate>,
    fatal: bool,
}

/// What one lift does with one view.
struct Look<'a> {
    source: &'a Source,
    lift: &'a Lift,
    schema: &'a Schema,
    view: &'a View,
    at_best: Fate,
}

impl<'a> Work<'a> {
    fn origin(&self, at: NodeRef) -> Origin {
        self.documents
            .get(at.document as usize)
            .map_or_else(|| Origin::file(""), |document| document.origin(at.node))
    }

    fn document(&self, at: NodeRef) -> Option<&'a Document> {
        self.documents.get(at.document as usize)
    }

    fn leaves(&self, at: NodeRef) -> Vec<NodeRef> {
        if at.node == Document::WHOLE {
            return vec![at];
        }
        let nodes = self.document(at).map(|document| document.leaves(at.node)).unwrap_or_default();
        nodes.into_iter().map(|node| NodeRef { node, ..at }).collect()
    }

    fn give(&mut self, at: NodeRef, fate: Fate) {
        for leaf in self.leaves(at) {
            self.ledger.give(leaf, fate);
        }
    }

    fn scope(&self, source: &'a Source, view: &'a View) -> Scope<'a> {
        let mut scope = Scope::new(self.documents, &source.tables, self.snapshot);
        scope.any_case = source.any_case;
        scope.bind("file", Val::View(view));
        scope.bind("front", Val::Node(view.start));
        scope.bind("root", Val::Node(view.start));
        if let Some(entry) = view.entry {
            scope.bind("mapped", Val::Node(entry));
        }
        for (name, node) in [("manifest", self.root), ("listing", self.listing)] {
            if let Some(node) = node {
                scope.bind(name, Val::Node(node));
            }
        }
        scope
    }

    fn lift(&mut self, source: &'a Source, lift: &'a Lift, schema: &'a Schema, views: &'a [View]) {
        let first = self.capabilities.len();
        for view in views.iter().filter(|view| view.role == *lift.role) {
            if self.document(view.start).is_some_and(|document| document.readable) {
                let at_best = Fate::Inert;
                self.view(&Look { source, lift, schema, view, at_best });
            }
        }
        for unique in &lift.unique {
            self.unique(source, schema, unique, first);
        }
    }

    fn view(&mut self, look: &Look<'a>) {
        let scope = self.scope(look.source, look.view);
        let Some((start, shape_code)) = begin(&scope, look.lift, look.view.start) else {
            let at = look.view.start;
            if self
                .leaves(at)
                .iter()
                .any(|leaf| self.ledger.fate(*leaf).is_none() && !is_nothing(self.documents, *leaf))
            {
                self.tell_shape(look, at);
            }
            return;
        };
        let mut at_best = Fate::Inert;
        if let Some(code) = shape_code {
            at_best = Fate::Adapted;
            let origin = self.origin(start);
            self.diagnostics.tell(Diagnostic::new(code.clone(), origin).fate(Fate::Adapted));
        }
        let look = &Look { at_best, ..*look };
        let (mut taken, mut stuck) = (BTreeSet::new(), Vec::new());
        for each in &look.lift.each {
            for found in walk(&scope, &each.at, start, &mut stuck) {
                self.node(look, each, found, &mut taken);
            }
        }
        self.stuck(look, &stuck);
    }

    /// Where a selector walks and no shape fits, something is written that nobody reads.
    fn stuck(&mut self, look: &Look<'a>, stuck: &[NodeRef]) {
        let stuck: BTreeSet<NodeRef> = stuck.iter().copied().collect();
        for at in stuck {
            let untouched = |work: &Self, leaf: &NodeRef| {
                work.ledger.fate(*leaf).is_none() && !work.is_flowing(*leaf)
            };
            let leaves = self.leaves(at);
            if leaves.iter().any(|leaf| !untouched(self, leaf)) {
                continue;
            }
            if leaves.iter().all(|leaf| is_nothing(self.documents, *leaf)) {
                self.give(at, Fate::Inert);
            } else {
                self.tell_shape(look, at);
            }
        }
    }

    fn is_flowing(&self, leaf: NodeRef) -> bool {
        self.flowing.contains(&leaf)
    }

    fn tell_shape(&mut self, look: &Look<'a>, at: NodeRef) {
        self.give(at, Fate::Unsupported);
        let origin = self.origin(at);
        let code = Code::new("document/shape-unknown");
        self.diagnostics.tell(
            Diagnostic::new(code, origin).with("kind", &*look.lift.kind).fate(Fate::Unsupported),
        );
    }
}

/// Where a lift begins in a view, and what is told of that.
fn begin<'a>(
    scope: &Scope<'a>,
    lift: &'a Lift,
    start: NodeRef,
) -> Option<(NodeRef, Option<&'a Code>)> {
    if lift.shapes.is_empty() {
        return Some((start, None));
    }
    lift.shapes.iter().find_map(|shape| {
        if shape.when.as_ref().is_some_and(|when| !scope.holds(when)) {
            return None;
        }
        let at = follow(scope, &shape.at, start)?;
        Some((at, shape.diagnostic.as_ref()))
    })
}

fn follow<'a>(scope: &Scope<'a>, selector: &'a Selector, start: NodeRef) -> Option<NodeRef> {
    walk(scope, selector, start, &mut Vec::new()).first().map(|found| found.node)
}

/// Null and empty containers say nothing.
fn is_nothing(documents: &[Document], leaf: NodeRef) -> bool {
    documents.get(leaf.document as usize).is_some_and(|document| {
        matches!(document.kind(leaf.node), Kind::Null | Kind::List | Kind::Map)
    })
}
