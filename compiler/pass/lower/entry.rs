//! What becomes of one capability.

use super::{Outcome, Work};
use crate::ir::diagnostic::Diagnostics;
use crate::ir::fate::Fate;
use crate::ir::manifest::NodeRef;
use crate::ir::plan::{Entry, Step};
use crate::ir::plugin::{Capability, Field};
use crate::ir::route::Form;
use crate::ir::value::Value;
use crate::rulebook::evaluate::{Scope, Val};
use crate::rulebook::expression::Expression;
use crate::rulebook::fill::constant;
use crate::rulebook::judge::{Remark, judge, tell};
use crate::rulebook::rules::{Check, Lower, StepRule};
use crate::rulebook::schema::Schema;
use crate::rulebook::template::Template;

impl<'a> Work<'a> {
    pub(super) fn one(
        &self,
        capability: &'a Capability,
        diagnostics: &mut Diagnostics,
        fatal: &mut bool,
    ) -> Outcome {
        let schema = self.rulebook.schema(&capability.kind);
        let name =
            schema.and_then(|schema| capability.value(&schema.named_by)).and_then(Value::as_text);
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
            // The load check sees that every kind that is read is written, so this is not reached.
            outcome.entry.fate = Fate::Unsupported;
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

    /// The target's importer does not read the document this lies in, or discards it, as has been told.
    fn ignored(
        &self,
        capability: &Capability,
        outcome: &mut Outcome,
        diagnostics: &mut Diagnostics,
    ) {
        outcome.entry.fate = Fate::Unsupported;
        if let Some(rule) = &capability.discarded {
            outcome.entry.rules.push(rule.clone());
            return;
        }
        let reads = self.target.reads.iter().find(|reads| *reads.source == *self.route.source.name);
        let rules = reads.map(|reads| &reads.ignored);
        if let Some((_, check)) =
            rules.and_then(|rules| rules.iter().find(|(kind, _)| *kind == capability.kind))
        {
            let mut remark = Remark { words: Vec::new(), element: None, text: None };
            self.common_words(&mut remark);
            outcome.entry.rules.push(check.rule.clone());
            tell(diagnostics, check, remark, capability.origin.clone());
        }
    }

    pub(super) fn common_words(&self, remark: &mut Remark) {
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
        let number =
            at.and_then(|name| capability.fields.iter().position(|field| *field.name == *name));
        let field = number.and_then(|number| capability.fields.get(number));
        let part = field.and_then(|field| self.part(field, &remark));
        let origin = match part {
            Some(part) => self
                .documents
                .get(part.document as usize)
                .map(|document| document.origin(part.node)),
            None => field.and_then(|field| field.origin.clone()),
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

    /// The part of a field that a remark speaks of: the one that holds its text, else the one with its number if
    /// every element of the field has a node of its own.
    fn part(&self, field: &Field, remark: &Remark) -> Option<NodeRef> {
        let element = remark.element?;
        let Some(text) = &remark.text else {
            let listed = [&field.parts, &field.reads];
            let nodes = listed.into_iter().find(|nodes| nodes.len() == elements(field))?;
            return nodes.get(element).copied();
        };
        let mut leaves = field.reads.iter().flat_map(|read| {
            let document = self.documents.get(read.document as usize);
            let leaves = document.map(|document| document.leaves(read.node)).unwrap_or_default();
            leaves.into_iter().map(|node| NodeRef { node, ..*read })
        });
        let holds = |at: &NodeRef| {
            let document = self.documents.get(at.document as usize);
            document.and_then(|one| one.text_of(at.node)).is_some_and(|one| one.contains(text))
        };
        leaves.find(holds)
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
            let Some(number) = capability.fields.iter().position(|field| field.name == *name)
            else {
                continue;
            };
            let Some(field) = capability.fields.get(number) else { continue };
            let default = schema.field(name).and_then(|field| field.default.as_ref()).map(constant);
            if Some(&field.value) == default.as_ref() || !scope.holds(&check.when) {
                continue;
            }
            let mut remark = Remark {
                words: vec![("field".to_owned(), name.to_string())],
                element: None,
                text: None,
            };
            self.common_words(&mut remark);
            if let Some(fate) = outcome.fields.get_mut(number) {
                *fate = (*fate).max(check.fate);
            }
            outcome.entry.fate = outcome.entry.fate.max(check.fate);
            outcome.entry.rules.push(check.rule.clone());
            tell(
                diagnostics,
                check,
                remark,
                field.origin.clone().unwrap_or_else(|| capability.origin.clone()),
            );
        }
        for name in &lower.metadata {
            let number = capability.fields.iter().position(|field| field.name == *name);
            if let Some(fate) = number.and_then(|number| outcome.fields.get_mut(number)) {
                *fate = (*fate).min(Fate::Metadata);
            }
        }
    }
}

/// How many elements the value of a field has; they are told apart only if each is a node of its own.
fn elements(field: &Field) -> usize {
    match &field.value {
        Value::List(list) => list.len(),
        Value::Tools(tools) => tools.len(),
        Value::Map(map) => map.len(),
        _ => 0,
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
    let Some(emit) =
        lower.emit.iter().find(|emit| emit.when.as_ref().is_none_or(|when| scope.holds(when)))
    else {
        return;
    };
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

pub(super) fn step<'a>(scope: &Scope<'a>, rule: &'a StepRule) -> Option<Step> {
    let text = |template: &'a Template| match scope.fill(template)? {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Null => None,
        other => Some(other.to_string()),
    };
    Some(match rule {
        StepRule::Copy { from, to, except } => {
            let except = except.as_ref().and_then(|one| scope.fill(one)).unwrap_or_default();
            let except = except.as_array().into_iter().flatten();
            let except = except.filter_map(|one| one.as_str()).map(str::to_owned).collect();
            Step::Copy { from: text(from)?, to: text(to)?, except }
        }
        StepRule::Write { to, text: content } => {
            Step::Write { to: text(to)?, text: text(content)? }
        }
        StepRule::Link { to } => Step::Link { to: text(to)? },
        StepRule::Merge { into, at, how, value } => Step::Merge {
            into: text(into)?,
            at: at.iter().filter_map(text).collect(),
            how: *how,
            value: scope.fill(value)?,
        },
    })
}
