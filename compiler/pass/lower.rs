//! `lower`: capabilities become a plan, by the target's rules.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ir::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::document::Document;
use crate::ir::fate::{Fate, Verdict};
use crate::ir::manifest::NodeRef;
use crate::ir::origin::Origin;
use crate::ir::plan::{Entry, Identity, Plan, Step};
use crate::ir::plugin::{Capability, Ledger, Plugin};
use crate::ir::route::{Form, Route};
use crate::ir::snapshot::Snapshot;
use crate::ir::value::Value;
use crate::rulebook::Rulebook;
use crate::rulebook::evaluate::{Scope, Val, constant};
use crate::rulebook::expression::Expression;
use crate::rulebook::judge::{Remark, judge, tell};
use crate::rulebook::rules::{Check, Lower, Schema, StepRule, Target, Unique};
use crate::rulebook::template::Template;

/// Lowers a plugin along a route.
pub fn lower(plugin: Plugin, rulebook: &Rulebook, route: &Route) -> Plan {
    let Plugin { capabilities, documents, ledger, diagnostics, snapshot, fatal, .. } = plugin;
    let snapshot = RefCell::new(snapshot);
    let identity = identity(&capabilities, rulebook);
    let target = rulebook.target(&route.target);
    let native = target.and_then(|target| target.native.as_deref()) == Some(&*route.source.name);
    let mut done = Done { diagnostics, fatal, ..Done::default() };
    let mut steps = Vec::new();
    if let Some(target) = target {
        let work = Work { rulebook, target, route, documents: &documents, snapshot: &snapshot, capabilities: &capabilities };
        work.all(&mut done);
        steps = work.package();
    }
    let account = account(&documents, ledger, &done);
    let Done { diagnostics, outcomes, fatal } = done;
    let diagnostics = diagnostics.into_vec();
    let entries: Vec<Entry> = outcomes.into_iter().map(|outcome| outcome.entry).collect();
    let mapped = mapped(&entries, rulebook);
    let carries = mapped.iter().any(|(_, count)| *count > 0);
    let lost = entries.iter().any(|entry| entry.fate.is_loss())
        || account.iter().any(|(_, fate)| fate.is_loss())
        || diagnostics.iter().any(|diagnostic| diagnostic.fate.is_loss());
    let verdict = match () {
        () if fatal || (!carries && !native) => Verdict::None,
        () if lost => Verdict::Partial,
        () => Verdict::Full,
    };
    Plan {
        route: route.clone(),
        identity,
        entries,
        steps,
        account,
        diagnostics,
        mapped,
        verdict,
        others: Vec::new(),
        documents,
        snapshot: snapshot.into_inner(),
    }
}

/// What has come of the capabilities so far.
#[derive(Default)]
struct Done {
    outcomes: Vec<Outcome>,
    diagnostics: Diagnostics,
    fatal: bool,
}

/// What has come of one capability: its entry, and how its fields and their elements fare.
struct Outcome {
    entry: Entry,
    fields: Vec<Fate>,
    parts: Vec<(NodeRef, Fate)>,
}

struct Work<'a> {
    rulebook: &'a Rulebook,
    target: &'a Target,
    route: &'a Route,
    documents: &'a [Document],
    snapshot: &'a RefCell<Snapshot>,
    capabilities: &'a [Capability],
}

fn identity(capabilities: &[Capability], rulebook: &Rulebook) -> Identity {
    let is_identity = |one: &&Capability| rulebook.schema(&one.kind).is_some_and(|schema| schema.identity);
    let Some(one) = capabilities.iter().find(is_identity) else { return Identity::default() };
    let text = |name: &str| one.value(name).and_then(Value::as_text).map(str::to_owned);
    Identity { name: text("name"), version: text("version") }
}

fn mapped(entries: &[Entry], rulebook: &Rulebook) -> Vec<(Arc<str>, usize)> {
    let mut mapped = rulebook.counted();
    for entry in entries.iter().filter(|entry| entry.fate.arrives()) {
        let word = rulebook.schema(&entry.kind).and_then(|schema| schema.counted_as.as_ref());
        if let Some((_, count)) = mapped.iter_mut().find(|(known, _)| Some(known) == word) {
            *count += 1;
        }
    }
    mapped
}

impl<'a> Work<'a> {
    fn scope(&self) -> Scope<'a> {
        let mut scope = Scope::new(self.documents, &self.target.tables, self.snapshot);
        scope.bind("form", Val::text(self.route.form.word()));
        scope.bind("platform", Val::text(self.route.platform.word()));
        let is_identity = |one: &&Capability| self.rulebook.schema(&one.kind).is_some_and(|schema| schema.identity);
        if let Some(one) = self.capabilities.iter().find(is_identity) {
            scope.bind("plugin", Val::Capability(one));
        }
        scope
    }

    fn package(&self) -> Vec<Step> {
        let rules = if self.route.form == Form::AsFound { &self.target.as_found } else { &self.target.package };
        let scope = self.scope();
        rules.iter().filter_map(|rule| step(&scope, rule)).collect()
    }

    fn all(&self, done: &mut Done) {
        for capability in self.capabilities {
            let outcome = self.one(capability, &mut done.diagnostics, &mut done.fatal);
            done.outcomes.push(outcome);
        }
        for lower in &self.target.lowers {
            for unique in &lower.plan {
                self.unique(lower, unique, done);
            }
        }
        if done.fatal {
            for outcome in &mut done.outcomes {
                outcome.entry.fate = outcome.entry.fate.max(Fate::Unsupported);
                outcome.entry.steps.clear();
            }
        }
    }

    fn one(&self, capability: &'a Capability, diagnostics: &mut Diagnostics, fatal: &mut bool) -> Outcome {
        let schema = self.rulebook.schema(&capability.kind);
        let name = schema.and_then(|schema| capability.value(&schema.named_by)).and_then(Value::as_text);
        let mut outcome = Outcome {
            entry: Entry {
                kind: capability.kind.clone(),
                name: name.unwrap_or_default().to_owned(),
                origin: capability.origin.clone(),
                fate: Fate::Exact,
                rules: vec![capability.rule.clone()],
                steps: Vec::new(),
            },
            fields: vec![Fate::Exact; capability.fields.len()],
            parts: Vec::new(),
        };
        if let Some(fate) = capability.ruled_out {
            outcome.entry.fate = fate;
            return outcome;
        }
        let lower = self.target.lowers.iter().find(|lower| lower.kind == capability.kind);
        let (Some(lower), Some(schema)) = (lower, schema) else {
            outcome.entry.fate = Fate::Unsupported;
            let code = crate::ir::diagnostic::Code::new("document/kind-unsupported");
            diagnostics.tell_once(&capability.kind, Diagnostic::new(code, capability.origin.clone()).with("kind", &*capability.kind).with("target", self.target.title.clone()).fate(Fate::Unsupported));
            return outcome;
        };
        // A package of the target's own kind needs no importer.
        let native = self.target.native.as_deref() == Some(&*self.route.source.name);
        let is_read = self.route.form == Form::Normalised || native || capability.readers.target;
        if !is_read {
            self.ignored(capability, &mut outcome, diagnostics);
            return outcome;
        }
        let mut scope = self.scope();
        scope.bind(&schema.called, Val::Capability(capability));
        for (name, bind) in &lower.bind {
            let val = scope.eval(bind);
            scope.bind(name, val);
        }
        for check in &lower.checks {
            let remarks = judge(&mut scope, check);
            *fatal |= check.fatal && !remarks.is_empty();
            for remark in remarks {
                self.remark(capability, schema, check, remark, &mut outcome, diagnostics);
            }
        }
        self.lost(capability, schema, lower, &mut scope, &mut outcome, diagnostics);
        if self.route.form == Form::Normalised {
            emit(&scope, lower, capability, &mut outcome);
        }
        outcome.entry.fate = outcome.entry.fate.max(capability.at_best).max(worst_loss(&outcome));
        outcome
    }

    /// The target's importer does not read the document this lies in.
    fn ignored(&self, capability: &Capability, outcome: &mut Outcome, diagnostics: &mut Diagnostics) {
        outcome.entry.fate = Fate::Unsupported;
        let reads = self.target.reads.iter().find(|reads| *reads.source == *self.route.source.name);
        let rules = reads.map(|reads| &reads.ignored);
        if let Some((_, check)) = rules.and_then(|rules| rules.iter().find(|(kind, _)| *kind == capability.kind)) {
            let mut remark = Remark { words: Vec::new(), element: None, text: None };
            self.common_words(&mut remark);
            outcome.entry.rules.push(check.rule.clone());
            let mut origin = capability.origin.clone();
            if origin.file.is_empty() {
                origin = Origin::file("");
            }
            let told = |diagnostics: &mut Diagnostics| tell(diagnostics, check, remark, origin);
            told(diagnostics);
        }
    }

    fn common_words(&self, remark: &mut Remark) {
        remark.words.push(("target".to_owned(), self.target.title.clone()));
        if let Some(source) = self.rulebook.source(&self.route.source) {
            remark.words.push(("source".to_owned(), source.title.clone()));
        }
    }

    fn remark(
        &self,
        capability: &Capability,
        schema: &Schema,
        check: &Check,
        mut remark: Remark,
        outcome: &mut Outcome,
        diagnostics: &mut Diagnostics,
    ) {
        self.common_words(&mut remark);
        let at = check.at.as_ref().and_then(|at| field_of(at, schema));
        let number = at.and_then(|name| capability.fields.iter().position(|field| *field.name == *name));
        let field = number.and_then(|number| capability.fields.get(number));
        let part = remark.element.and_then(|element| field.and_then(|field| field.parts.get(element))).copied();
        let origin = match (part, field) {
            (Some(part), Some(field)) if field.parts.len() == self.elements(field) => self.documents.get(part.document as usize).map(|document| document.origin(part.node)),
            (_, Some(field)) => field.origin.clone(),
            _ => None,
        };
        match (part, number) {
            (Some(part), _) => outcome.parts.push((part, check.fate)),
            (None, Some(number)) => {
                if let Some(fate) = outcome.fields.get_mut(number) {
                    *fate = (*fate).max(check.fate);
                }
            }
            (None, None) => {}
        }
        outcome.entry.fate = outcome.entry.fate.max(check.fate);
        outcome.entry.rules.push(check.rule.clone());
        tell(diagnostics, check, remark, origin.unwrap_or_else(|| capability.origin.clone()));
    }

    /// How many elements the value of a field has; they are told apart only if each is a node of its own.
    fn elements(&self, field: &crate::ir::plugin::Field) -> usize {
        match &field.value {
            Value::List(list) => list.len(),
            Value::Tools(tools) => tools.len(),
            Value::Map(map) => map.len(),
            _ => 0,
        }
    }

    /// Fields that do not arrive are told when they are there and say something.
    fn lost(
        &self,
        capability: &'a Capability,
        schema: &Schema,
        lower: &'a Lower,
        scope: &mut Scope<'a>,
        outcome: &mut Outcome,
        diagnostics: &mut Diagnostics,
    ) {
        for (name, check) in &lower.lost {
            let Some(number) = capability.fields.iter().position(|field| field.name == *name) else { continue };
            let Some(field) = capability.fields.get(number) else { continue };
            let default = schema.field(name).and_then(|field| field.default.as_ref()).map(constant);
            if Some(&field.value) == default.as_ref() || !scope.holds(&check.when) {
                continue;
            }
            let mut remark = Remark { words: vec![("field".to_owned(), name.to_string())], element: None, text: None };
            self.common_words(&mut remark);
            if let Some(fate) = outcome.fields.get_mut(number) {
                *fate = (*fate).max(check.fate);
            }
            outcome.entry.fate = outcome.entry.fate.max(check.fate);
            outcome.entry.rules.push(check.rule.clone());
            tell(diagnostics, check, remark, field.origin.clone().unwrap_or_else(|| capability.origin.clone()));
        }
        for name in &lower.metadata {
            let number = capability.fields.iter().position(|field| field.name == *name);
            if let Some(fate) = number.and_then(|number| outcome.fields.get_mut(number)) {
                *fate = (*fate).min(Fate::Metadata);
            }
        }
    }

    /// Of several entries with one key over the whole plan, one counts.
    fn unique(&self, lower: &'a Lower, unique: &'a Unique, done: &mut Done) {
        let Some(schema) = self.rulebook.schema(&lower.kind) else { return };
        let mut by_key: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, (capability, outcome)) in self.capabilities.iter().zip(&done.outcomes).enumerate() {
            if capability.kind != lower.kind || !outcome.entry.fate.arrives() {
                continue;
            }
            let mut scope = self.scope();
            scope.bind(&schema.called, Val::Capability(capability));
            for (name, bind) in &lower.bind {
                let val = scope.eval(bind);
                scope.bind(name, val);
            }
            if unique.when.as_ref().is_none_or(|when| scope.holds(when)) {
                by_key.entry(scope.say(&scope.eval(&unique.by))).or_default().push(at);
            }
        }
        for mut same in by_key.into_values() {
            if unique.last { same.pop() } else { Some(same.remove(0)) };
            for at in same {
                let Some(outcome) = done.outcomes.get_mut(at) else { continue };
                let entry = &mut outcome.entry;
                entry.fate = if unique.fate.arrives() { entry.fate.max(unique.fate) } else { unique.fate };
                entry.rules.push(unique.rule.clone());
                if !unique.fate.arrives() {
                    entry.steps.clear();
                }
                let mut remark = Remark { words: vec![("name".to_owned(), entry.name.clone())], element: None, text: None };
                self.common_words(&mut remark);
                let mut told = Diagnostic::new(unique.code.clone(), entry.origin.clone()).fate(unique.fate);
                told.words = remark.words;
                told.rule = Some(unique.rule.clone());
                done.diagnostics.tell(told);
            }
        }
    }
}

/// The field that a place names: `hook.matcher` is the field `matcher`.
fn field_of<'e>(at: &'e Expression, schema: &Schema) -> Option<&'e str> {
    match at {
        Expression::Path(path) => match path.as_slice() {
            [called, field, ..] if *called == schema.called => Some(field),
            _ => None,
        },
        _ => None,
    }
}

fn worst_loss(outcome: &Outcome) -> Fate {
    let all = outcome.fields.iter().chain(outcome.parts.iter().map(|(_, fate)| fate));
    // A field that is left out alone leaves the capability partial; a refused one is a matter of its own.
    all.filter(|fate| fate.is_loss()).map(|_| Fate::Partial).max().unwrap_or(Fate::Inert)
}

fn emit<'a>(scope: &Scope<'a>, lower: &'a Lower, capability: &Capability, outcome: &mut Outcome) {
    let Some(emit) = lower.emit.iter().find(|emit| emit.when.as_ref().is_none_or(|when| scope.holds(when))) else { return };
    outcome.entry.rules.push(emit.rule.clone());
    if !outcome.entry.fate.arrives() {
        return;
    }
    outcome.entry.fate = outcome.entry.fate.max(emit.fate);
    for (field, fate) in capability.fields.iter().zip(&mut outcome.fields) {
        if *fate >= Fate::Exact && emit.carries.contains(&field.name) {
            *fate = (*fate).max(emit.fate);
        }
    }
    outcome.entry.steps = emit.steps.iter().filter_map(|rule| step(scope, rule)).collect();
}

fn step<'a>(scope: &Scope<'a>, rule: &'a StepRule) -> Option<Step> {
    let text = |template: &'a Template| match scope.fill(template)? {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Null => None,
        other => Some(other.to_string()),
    };
    Some(match rule {
        StepRule::Copy { from, to } => Step::Copy { from: text(from)?, to: text(to)? },
        StepRule::Write { to, text: content } => Step::Write { to: text(to)?, text: text(content)? },
        StepRule::Link { to } => Step::Link { to: text(to)? },
        StepRule::Merge { into, at, how, value } => Step::Merge {
            into: text(into)?,
            at: at.iter().filter_map(text).collect(),
            how: *how,
            value: scope.fill(value)?,
        },
    })
}

/// The books: each leaf with the worst of what became of it.
fn account(documents: &[Document], mut ledger: Ledger, done: &Done) -> Vec<(NodeRef, Fate)> {
    for flow in std::mem::take(&mut ledger.flows) {
        let Some(outcome) = done.outcomes.get(flow.capability as usize) else { continue };
        let own = outcome.entry.fate;
        let fate = if own.arrives() {
            flow.field.and_then(|field| outcome.fields.get(field as usize)).copied().unwrap_or(Fate::Exact)
        } else {
            own
        };
        ledger.give(flow.leaf, fate);
    }
    for outcome in &done.outcomes {
        for &(part, fate) in &outcome.parts {
            let leaves = documents.get(part.document as usize).map(|document| document.leaves(part.node)).unwrap_or_default();
            for node in leaves {
                ledger.give(NodeRef { node, ..part }, fate);
            }
        }
    }
    let mut account = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        let Ok(number) = u32::try_from(number) else { break };
        let mut nodes = if document.has_whole() { vec![Document::WHOLE] } else { Vec::new() };
        nodes.extend(document.leaves(Document::ROOT).into_iter().filter(|&node| node != Document::ROOT || !document.has_whole()));
        for node in nodes {
            let at = NodeRef { document: number, node };
            let fate = ledger.fate(at).unwrap_or(Fate::Inert);
            account.push((at, if done.fatal { fate.max(Fate::Unsupported) } else { fate }));
        }
    }
    account
}
