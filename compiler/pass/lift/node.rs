//! One node in one shape: a capability, or a reason why not.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Look, Work};
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::{Document, Key, Kind};
use crate::ir::fate::Fate;
use crate::ir::manifest::NodeRef;
use crate::ir::plugin::{Capability, Field, Flow};
use crate::rulebook::evaluate::{Notes, Scope, Val};
use crate::rulebook::fill::constant;
use crate::rulebook::judge::{judge, tell};
use crate::rulebook::rules::Each;
use crate::rulebook::walk::Found;

/// What is told of a place once, however many rules read it.
const ILL_TYPED: &str = "value/ill-typed";

impl<'a> Work<'a> {
    /// One node in one shape: a capability, or a reason why not.
    pub(super) fn node(
        &mut self,
        look: &Look<'a>,
        each: &'a Each,
        found: Found<'a>,
        taken: &mut BTreeSet<NodeRef>,
    ) {
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
            bound.spellings.extend(notes.spellings);
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

    fn read(
        &mut self,
        scope: &Scope<'a>,
        at: &'a crate::rulebook::expression::Expression,
        fate: Fate,
    ) {
        scope.take_notes();
        scope.eval(at);
        for node in scope.take_notes().reads {
            self.give(node, fate);
        }
    }

    fn refuse(
        &mut self,
        look: &Look<'a>,
        scope: &mut Scope<'a>,
        node: NodeRef,
        bound: &Notes,
    ) -> bool {
        for check in &look.lift.refuse {
            let Some(remark) = judge(scope, check).into_iter().next() else { continue };
            let place = check.at.as_ref().map(|at| scope.eval(at));
            let at = match place {
                Some(Val::Node(at) | Val::Key(at)) => at,
                _ => self.place_of(look, node),
            };
            if *check.code.0 != *ILL_TYPED || self.is_news(at, Fate::Unsupported) {
                let origin = self.origin(at);
                tell(&mut self.diagnostics, check, remark, origin);
            }
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
        let is_file =
            node.node == Document::ROOT && self.document(node).is_some_and(Document::has_whole);
        if is_file && !look.view.inline { NodeRef { node: Document::WHOLE, ..node } } else { node }
    }

    fn build(
        &mut self,
        look: &Look<'a>,
        each: &'a Each,
        scope: &mut Scope<'a>,
        node: NodeRef,
        bound: &Notes,
    ) {
        let place = self.place_of(look, node);
        let mut at_best = look.at_best;
        if let Some(code) = &each.diagnostic {
            at_best = Fate::Adapted;
            let origin = self.origin(place);
            let file = origin.file.clone();
            let told = Diagnostic::new(code.clone(), origin).fate(Fate::Adapted);
            self.diagnostics.tell_once(&file, told);
        }
        let mut spellings = bound.spellings.clone();
        let Some((fields, mut flows)) = self.fields(look, scope, place, &mut spellings) else {
            self.refused(look, node, bound, Fate::Unsupported);
            return;
        };
        if place.node == Document::WHOLE {
            let capability = u32::try_from(self.capabilities.len()).unwrap_or(u32::MAX);
            flows.push(Flow { leaf: place, capability, field: None });
        }
        self.flowing.extend(flows.iter().map(|flow| flow.leaf));
        self.ledger.flows.extend(flows);
        self.capabilities.push(Capability {
            kind: look.schema.kind.clone(),
            rule: format!("{}#{}", look.lift.rule, each.id).into(),
            origin: self.origin(place),
            readers: look.view.readers,
            discarded: look.view.discarded.clone(),
            at_best,
            ruled_out: None,
            spellings,
            fields,
        });
        self.remark(look, scope, place);
    }

    /// The fields and the leaves that flow into them; none if one is missing that has to be there.
    fn fields(
        &mut self,
        look: &Look<'a>,
        scope: &Scope<'a>,
        place: NodeRef,
        spellings: &mut Vec<(String, String)>,
    ) -> Option<(Vec<Field>, Vec<Flow>)> {
        let capability = u32::try_from(self.capabilities.len()).unwrap_or(u32::MAX);
        let (mut fields, mut flows) = (Vec::with_capacity(look.schema.fields.len()), Vec::new());
        let mut complete = true;
        for schema in &look.schema.fields {
            scope.take_notes();
            let expression = look.lift.fields.iter().find(|(name, _)| *name == schema.name);
            let value = expression.and_then(|(_, one)| scope.value(&scope.eval(one)));
            let notes = scope.take_notes();
            spellings.extend(notes.spellings.iter().cloned());
            self.tell_types(look, &schema.name, &notes);
            let Some(value) = value.or_else(|| schema.default.as_ref().map(constant)) else {
                complete &= schema.optional;
                if !schema.optional && notes.ill_typed.is_empty() {
                    self.tell_missing(look, &schema.name, place);
                }
                continue;
            };
            let field = u32::try_from(fields.len()).ok();
            for &read in &notes.reads {
                let whole =
                    self.leaves(read).into_iter().map(|leaf| Flow { leaf, capability, field });
                flows.extend(
                    whole.filter(|flow| !notes.ill_typed.iter().any(|(bad, _)| *bad == flow.leaf)),
                );
            }
            let came_from = notes.reads.first().or(notes.keys.first()).copied();
            let parts = came_from.map(|from| parts(self.documents, from)).unwrap_or_default();
            let origin = came_from.map(|at| self.origin(at));
            let reads = notes.reads;
            fields.push(Field { name: schema.name.clone(), value, origin, parts, reads });
        }
        complete.then_some((fields, flows))
    }

    fn tell_missing(&mut self, look: &Look<'a>, field: &str, place: NodeRef) {
        let code = Code::new(&format!("{}/{field}-missing", look.schema.kind));
        let origin = self.origin(place);
        self.diagnostics.tell(Diagnostic::new(code, origin).fate(Fate::Unsupported));
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

    /// The name that a value, or the list it lies in, has in its document.
    fn key(&self, at: NodeRef) -> Option<&'a str> {
        let document = self.document(at)?;
        let mut way = std::iter::successors(Some(at.node), |&node| document.parent(node));
        way.find_map(|node| match document.key(node) {
            Key::Name(name) => Some(&**name),
            Key::Root | Key::Index(_) => None,
        })
    }

    /// Has nothing as grave been told of the type of this value?
    fn is_news(&mut self, at: NodeRef, fate: Fate) -> bool {
        self.typed.insert(at, fate).is_none_or(|told| told < fate)
    }

    fn tell_types(&mut self, look: &Look<'a>, field: &Arc<str>, notes: &Notes) {
        let manifest = self.root.map(|root| root.document);
        let is_strict =
            |at: &NodeRef| look.source.strict.is_some() && Some(at.document) == manifest;
        self.fatal |= notes.ill_typed.iter().chain(&notes.coerced).any(|(at, _)| is_strict(at));
        // A host that is strict puts up with nothing that is of another type.
        let coerced = if notes.coerced.iter().any(|(at, _)| is_strict(at)) {
            (ILL_TYPED, Fate::Unsupported, &notes.coerced)
        } else {
            ("value/coerced", Fate::Adapted, &notes.coerced)
        };
        for (code, fate, all) in [(ILL_TYPED, Fate::Unsupported, &notes.ill_typed), coerced] {
            for (at, wanted) in all {
                self.give(*at, fate);
                if !self.is_news(*at, fate) {
                    continue;
                }
                let origin = self.origin(*at);
                let told = Diagnostic::new(Code::new(code), origin)
                    .with("field", self.key(*at).unwrap_or(field))
                    .with("wanted", wanted.phrase())
                    .fate(fate)
                    .fatal(is_strict(at));
                self.diagnostics.tell(told);
            }
        }
    }
}

fn parts(documents: &[Document], from: NodeRef) -> Vec<NodeRef> {
    let Some(document) =
        documents.get(from.document as usize).filter(|_| from.node != Document::WHOLE)
    else {
        return Vec::new();
    };
    match document.kind(from.node) {
        Kind::List | Kind::Map => {
            document.children(from.node).map(|node| NodeRef { node, ..from }).collect()
        }
        _ => Vec::new(),
    }
}
