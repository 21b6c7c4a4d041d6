//! `lift`: a manifest's documents become capabilities, in nobody's words.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ir::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::ir::document::{Document, Key, Kind, NodeId};
use crate::ir::fate::Fate;
use crate::ir::manifest::{Manifest, NodeRef, View};
use crate::ir::origin::Origin;
use crate::ir::plugin::{Capability, Field, Flow, Ledger, Plugin};
use crate::ir::route::Route;
use crate::ir::snapshot::Snapshot;
use crate::ir::value::Value;
use crate::rulebook::Rulebook;
use crate::rulebook::evaluate::{Notes, Scope, Val, constant};
use crate::rulebook::judge::{judge, tell};
use crate::rulebook::rules::{Each, Lift, Schema, Source, Unique};
use crate::rulebook::selector::Selector;
use crate::rulebook::walk::{Found, walk};

/// Lifts a manifest by its source's rules and by what only the target's importer reads of it.
pub fn lift(manifest: Manifest, rulebook: &Rulebook, route: &Route) -> Plugin {
    let root = manifest.root();
    let Manifest { host, documents, views, asked, diagnostics, snapshot, fatal } = manifest;
    let snapshot = RefCell::new(snapshot);
    let mut work = Work {
        documents: &documents,
        snapshot: &snapshot,
        root,
        ledger: Ledger::new(&documents),
        diagnostics,
        capabilities: Vec::new(),
        flowing: BTreeSet::new(),
        fatal,
    };
    for (node, fate) in asked {
        work.ledger.give(node, fate);
    }
    if let Some(source) = rulebook.source(&host) {
        let reads = rulebook
            .target(&route.target)
            .and_then(|target| target.reads.iter().find(|reads| *reads.source == *route.source.name));
        for lift in source.lifts.iter().chain(reads.into_iter().flat_map(|reads| &reads.lifts)) {
            if let Some(schema) = rulebook.schema(&lift.kind) {
                work.lift(source, lift, schema, &views);
            }
        }
        work.close(source);
    }
    let Work { ledger, diagnostics, capabilities, fatal, .. } = work;
    Plugin { host, capabilities, documents, ledger, diagnostics, snapshot: snapshot.into_inner(), fatal }
}

struct Work<'a> {
    documents: &'a [Document],
    snapshot: &'a RefCell<Snapshot>,
    root: Option<NodeRef>,
    ledger: Ledger,
    diagnostics: Diagnostics,
    capabilities: Vec<Capability>,
    /// Leaves that flow into some field.
    flowing: BTreeSet<NodeRef>,
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
        self.documents.get(at.document as usize).map_or_else(|| Origin::file(""), |document| document.origin(at.node))
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
        if let Some(root) = self.root {
            scope.bind("manifest", Val::Node(root));
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
            if self.leaves(at).iter().any(|leaf| self.ledger.fate(*leaf).is_none() && !is_nothing(self.documents, *leaf)) {
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
            let untouched = |work: &Self, leaf: &NodeRef| work.ledger.fate(*leaf).is_none() && !work.is_flowing(*leaf);
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
        self.diagnostics.tell(Diagnostic::new(code, origin).with("kind", &*look.lift.kind).fate(Fate::Unsupported));
    }

    /// One node in one shape: a capability, or a reason why not.
    fn node(&mut self, look: &Look<'a>, each: &'a Each, found: Found<'a>, taken: &mut BTreeSet<NodeRef>) {
        if taken.contains(&found.node) {
            return;
        }
        let mut scope = self.scope(look.source, look.view);
        scope.names.extend(found.names);
        scope.bind("node", Val::Node(found.node));
        if each.when.as_ref().is_some_and(|when| !scope.holds(when)) {
            return;
        }
        taken.insert(found.node);
        scope.take_notes();
        let mut bound = Notes::default();
        for (name, bind) in &each.bind {
            let val = scope.eval(bind);
            let notes = scope.take_notes();
            if !matches!(val, Val::Node(_) | Val::Key(_)) {
                scope.traces.push((name, notes.reads.clone()));
            }
            scope.bind(name, val);
            bound.reads.extend(notes.reads);
            bound.ill_typed.extend(notes.ill_typed);
            bound.coerced.extend(notes.coerced);
        }
        for at in &look.lift.asked {
            self.read(&scope, at, Fate::Exact);
        }
        for at in &look.lift.metadata {
            self.read(&scope, at, Fate::Metadata);
        }
        for at in &look.lift.inert {
            self.read(&scope, at, Fate::Inert);
        }
        if self.refuse(look, &mut scope, found.node, &bound) {
            return;
        }
        self.build(look, each, &mut scope, found.node, &bound);
    }

    fn read(&mut self, scope: &Scope<'a>, at: &'a crate::rulebook::expression::Expression, fate: Fate) {
        scope.take_notes();
        scope.eval(at);
        for node in scope.take_notes().reads {
            self.give(node, fate);
        }
    }

    fn refuse(&mut self, look: &Look<'a>, scope: &mut Scope<'a>, node: NodeRef, bound: &Notes) -> bool {
        for check in &look.lift.refuse {
            let Some(remark) = judge(scope, check).into_iter().next() else { continue };
            let place = check.at.as_ref().map(|at| scope.eval(at));
            let at = match place {
                Some(Val::Node(at) | Val::Key(at)) => at,
                _ => self.place_of(look, node),
            };
            let origin = self.origin(at);
            tell(&mut self.diagnostics, check, remark, origin);
            self.fatal |= check.fatal;
            self.refused(look, node, bound, check.fate);
            return true;
        }
        false
    }

    /// A node that is left out: what it holds, and what served only it, fares as the reason says.
    fn refused(&mut self, look: &Look<'a>, node: NodeRef, bound: &Notes, fate: Fate) {
        self.give(node, fate);
        for &at in &bound.reads {
            for leaf in self.leaves(at) {
                if self.ledger.fate(leaf).is_none() && !self.is_flowing(leaf) {
                    self.ledger.give(leaf, fate);
                }
            }
        }
        if self.place_of(look, node).node == Document::WHOLE {
            self.ledger.give(NodeRef { node: Document::WHOLE, ..node }, fate);
        }
    }

    /// A component file as such is the place of what it makes; inside other documents it is the node.
    fn place_of(&self, look: &Look<'a>, node: NodeRef) -> NodeRef {
        let is_file = node.node == Document::ROOT && self.document(node).is_some_and(Document::has_whole);
        if is_file && !look.view.inline { NodeRef { node: Document::WHOLE, ..node } } else { node }
    }

    fn build(&mut self, look: &Look<'a>, each: &'a Each, scope: &mut Scope<'a>, node: NodeRef, bound: &Notes) {
        let place = self.place_of(look, node);
        let mut at_best = look.at_best;
        if let Some(code) = &each.diagnostic {
            at_best = Fate::Adapted;
            let origin = self.origin(place);
            let file = origin.file.clone();
            self.diagnostics.tell_once(&file, Diagnostic::new(code.clone(), origin).fate(Fate::Adapted));
        }
        let number = u32::try_from(self.capabilities.len()).unwrap_or(u32::MAX);
        let (mut fields, mut flows): (Vec<Field>, Vec<Flow>) = (Vec::new(), Vec::new());
        let mut told_missing = None;
        for schema in &look.schema.fields {
            scope.take_notes();
            let expression = look.lift.fields.iter().find(|(name, _)| *name == schema.name).map(|(_, one)| one);
            let value = expression.and_then(|one| scope.value(&scope.eval(one)));
            let notes = scope.take_notes();
            self.tell_types(look, &schema.name, &notes);
            let Some(value) = value.or_else(|| schema.default.as_ref().map(constant)) else {
                if !schema.optional && notes.ill_typed.is_empty() {
                    told_missing.get_or_insert_with(|| schema.name.clone());
                }
                if !schema.optional && !notes.ill_typed.is_empty() {
                    told_missing.get_or_insert_with(|| "".into());
                }
                continue;
            };
            let field = u32::try_from(fields.len()).ok();
            let came_from = notes.reads.first().or(notes.keys.first()).copied();
            for &read in &notes.reads {
                let whole = self.leaves(read).into_iter().map(|leaf| Flow { leaf, capability: number, field });
                flows.extend(whole.filter(|flow| !notes.ill_typed.iter().any(|(bad, _)| *bad == flow.leaf)));
            }
            let parts = came_from.map(|from| parts(self.documents, from)).unwrap_or_default();
            let origin = came_from.map(|at| self.origin(at));
            fields.push(Field { name: schema.name.clone(), value, origin, parts });
        }
        if let Some(name) = told_missing {
            if !name.is_empty() {
                let code = Code::new(&format!("{}/{name}-missing", look.schema.kind));
                let origin = self.origin(place);
                self.diagnostics.tell(Diagnostic::new(code, origin).fate(Fate::Unsupported));
            }
            self.refused(look, node, bound, Fate::Unsupported);
            return;
        }
        if place.node == Document::WHOLE {
            flows.push(Flow { leaf: place, capability: number, field: None });
        }
        self.flowing.extend(flows.iter().map(|flow| flow.leaf));
        self.ledger.flows.extend(flows);
        let origin = self.origin(place);
        self.capabilities.push(Capability {
            kind: look.schema.kind.clone(),
            rule: format!("{}#{}", look.lift.rule, each.id).into(),
            origin,
            readers: look.view.readers,
            at_best,
            ruled_out: None,
            fields,
        });
        self.remark(look, scope, place);
        self.unknown(look, node);
    }

    fn remark(&mut self, look: &Look<'a>, scope: &mut Scope<'a>, place: NodeRef) {
        for check in &look.lift.checks {
            for remark in judge(scope, check) {
                let at = check.at.as_ref().map(|at| scope.eval(at));
                let node = match at {
                    Some(Val::Node(at) | Val::Key(at)) => at,
                    _ => place,
                };
                if matches!(at, Some(Val::Node(_))) {
                    self.give(node, check.fate);
                }
                let origin = self.origin(node);
                tell(&mut self.diagnostics, check, remark, origin);
                self.fatal |= check.fatal;
            }
        }
    }

    fn tell_types(&mut self, look: &Look<'a>, field: &Arc<str>, notes: &Notes) {
        for (code, fate, all) in [
            ("value/ill-typed", Fate::Unsupported, &notes.ill_typed),
            ("value/coerced", Fate::Adapted, &notes.coerced),
        ] {
            for (at, wanted) in all {
                self.give(*at, fate);
                let origin = self.origin(*at);
                let told = Diagnostic::new(Code::new(code), origin)
                    .with("field", format!("{}.{field}", look.schema.called))
                    .with("wanted", wanted.word())
                    .fate(fate);
                self.diagnostics.tell(told);
            }
        }
    }

    /// Where the host allows no key but its own, every other is a mistake.
    fn unknown(&mut self, look: &Look<'a>, node: NodeRef) {
        let Some(code) = &look.lift.closed else { return };
        let fates = |work: &Self, leaf: &NodeRef| work.ledger.fate(*leaf).is_some() || work.is_flowing(*leaf);
        let open: Vec<NodeRef> = self.leaves(node).into_iter().filter(|leaf| !fates(self, leaf)).collect();
        for leaf in open {
            let top = top_below(self.documents, node, leaf);
            self.ledger.give(leaf, Fate::Unsupported);
            let key = key_of(self.documents, top);
            let origin = self.origin(top);
            self.diagnostics.tell_once(&origin.to_string(), Diagnostic::new(code.clone(), origin.clone()).with("key", key).fate(Fate::Unsupported));
            self.fatal = true;
        }
    }

    /// Of several capabilities with one key, one counts.
    fn unique(&mut self, source: &'a Source, schema: &'a Schema, unique: &'a Unique, first: usize) {
        let mut by_key: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, capability) in self.capabilities.iter().enumerate().skip(first) {
            let mut scope = Scope::new(self.documents, &source.tables, self.snapshot);
            scope.bind(&schema.called, Val::Capability(capability));
            if unique.when.as_ref().is_none_or(|when| scope.holds(when)) {
                by_key.entry(scope.say(&scope.eval(&unique.by))).or_default().push(at);
            }
        }
        for same in by_key.into_values().filter(|same| same.len() > 1) {
            self.settle(source, schema, unique, same);
        }
    }

    /// Leaves out all of a few capabilities with one key but the one that counts.
    fn settle(&mut self, source: &'a Source, schema: &'a Schema, unique: &'a Unique, mut same: Vec<usize>) {
        let winner = if unique.last { same.pop().unwrap_or(0) } else { same.remove(0) };
        let say = |work: &Self, at: usize, expression: Option<&'a crate::rulebook::expression::Expression>| {
            let mut scope = Scope::new(work.documents, &source.tables, work.snapshot);
            let capability = work.capabilities.get(at)?.clone();
            let text = {
                scope.bind(&schema.called, Val::Capability(&capability));
                expression.map(|expression| scope.say(&scope.eval(expression)))
            };
            text
        };
        for at in same {
            let differs = |expression: Option<&'a _>| expression.is_some() && say(self, at, expression) != say(self, winner, expression);
            if unique.across.is_some() && !differs(unique.across.as_ref()) {
                continue;
            }
            let contradicts = differs(unique.same.as_ref());
            let code = if contradicts { unique.conflict.as_ref().unwrap_or(&unique.code) } else { &unique.code };
            let fate = if contradicts { Fate::Unsupported } else { unique.fate };
            self.fatal |= contradicts;
            let Some(capability) = self.capabilities.get_mut(at).filter(|one| one.ruled_out.is_none()) else { continue };
            capability.ruled_out = Some(fate);
            let name = capability.value(&schema.named_by).and_then(Value::as_text).unwrap_or_default().to_owned();
            let mut told = Diagnostic::new(code.clone(), capability.origin.clone()).with("name", name).fate(fate);
            told.rule = Some(unique.rule.clone());
            self.diagnostics.tell(told);
        }
    }

    /// Whatever no rule read is a key that the host does not know.
    fn close(&mut self, source: &'a Source) {
        for (number, document) in self.documents.iter().enumerate() {
            let Ok(number) = u32::try_from(number) else { break };
            let whole = NodeRef { document: number, node: Document::WHOLE };
            if document.has_whole() && self.ledger.fate(whole).is_none() && !self.is_flowing(whole) {
                self.ledger.give(whole, if document.readable { Fate::Inert } else { Fate::Unsupported });
            }
            let is_open = |work: &Self, leaf: NodeRef| work.ledger.fate(leaf).is_none() && !work.is_flowing(leaf);
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
        let Some(root) = self.root.filter(|root| root.document == leaf.document) else { return false };
        let mut scope = Scope::new(self.documents, &source.tables, self.snapshot);
        scope.bind("manifest", Val::Node(root));
        source.strict_when.as_ref().is_none_or(|when| scope.holds(when))
    }

    fn tell_unknown(&mut self, source: &'a Source, leaf: NodeRef, known: &BTreeSet<NodeId>) {
        let top = NodeRef { node: top_unknown(self.documents, leaf, known), ..leaf };
        let key = key_of(self.documents, top);
        let origin = self.origin(top);
        match &source.strict {
            Some(code) if self.is_strict(source, leaf) => {
                self.ledger.give(leaf, Fate::Unsupported);
                self.fatal = true;
                let told = Diagnostic::new(code.clone(), origin.clone()).with("key", key).with("path", path_of(&origin.pointer));
                self.diagnostics.tell_once(&origin.to_string(), told.fate(Fate::Unsupported));
            }
            _ => {
                self.ledger.give(leaf, Fate::Inert);
                let told = Diagnostic::new(Code::new("document/unknown-key"), origin).with("key", key.clone());
                self.diagnostics.tell_once(&key, told.fate(Fate::Inert));
            }
        }
    }
}

/// The nodes on the way to some leaf that is known.
fn known_nodes<'l>(document: &Document, leaves: impl Iterator<Item = &'l NodeRef>) -> BTreeSet<NodeId> {
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

/// The outermost node around a leaf in which nothing is known.
fn top_unknown(documents: &[Document], leaf: NodeRef, known: &BTreeSet<NodeId>) -> NodeId {
    let Some(document) = documents.get(leaf.document as usize) else { return leaf.node };
    let mut at = leaf.node;
    while let Some(parent) = document.parent(at).filter(|parent| !known.contains(parent)) {
        at = parent;
    }
    at
}

/// A pointer as people write a path: `contributes.skills[0].paht`.
fn path_of(pointer: &str) -> String {
    let mut out = String::new();
    for step in crate::ir::origin::steps(pointer) {
        if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push_str(&format!("[{step}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&step);
        }
    }
    out
}

/// Where a lift begins in a view, and what is told of that.
fn begin<'a>(scope: &Scope<'a>, lift: &'a Lift, start: NodeRef) -> Option<(NodeRef, Option<&'a Code>)> {
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
    documents
        .get(leaf.document as usize)
        .is_some_and(|document| matches!(document.kind(leaf.node), Kind::Null | Kind::List | Kind::Map))
}

fn parts(documents: &[Document], from: NodeRef) -> Vec<NodeRef> {
    let Some(document) = documents.get(from.document as usize).filter(|_| from.node != Document::WHOLE) else { return Vec::new() };
    match document.kind(from.node) {
        Kind::List | Kind::Map => document.children(from.node).map(|node| NodeRef { node, ..from }).collect(),
        _ => Vec::new(),
    }
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

/// The child of `node` on the way to `leaf`.
fn top_below(documents: &[Document], node: NodeRef, leaf: NodeRef) -> NodeRef {
    let Some(document) = documents.get(leaf.document as usize) else { return leaf };
    let mut at = leaf.node;
    while let Some(parent) = document.parent(at).filter(|&parent| parent != node.node) {
        at = parent;
    }
    NodeRef { node: at, ..leaf }
}
