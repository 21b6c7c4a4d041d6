//! Of several capabilities with one key, one counts.

use std::collections::BTreeMap;

use super::Work;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::fate::Fate;
use crate::ir::value::Value;
use crate::rulebook::evaluate::{Scope, Val};
use crate::rulebook::rules::{Source, Unique};
use crate::rulebook::schema::Schema;

impl<'a> Work<'a> {
    /// Of several capabilities with one key, one counts.
    pub(super) fn unique(
        &mut self,
        source: &'a Source,
        schema: &'a Schema,
        unique: &'a Unique,
        first: usize,
    ) {
        let mut by_key: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, capability) in self.capabilities.iter().enumerate().skip(first) {
            let mut scope = Scope::new(self.documents, &source.tables, self.snapshot);
            scope.bind(&schema.called, Val::Capability(capability));
            if unique.when.as_ref().is_none_or(|when| scope.holds(when)) {
                by_key.entry(scope.say(&scope.eval(&unique.by))).or_default().push(at);
            }
        }
        for same in by_key.into_values().filter(|same| same.len() > 1) {
            let same = self.as_read(schema, unique, same);
            if same.len() > 1 {
                self.settle(source, schema, unique, same);
            }
        }
    }

    /// Those that compete: where the target's importer does not read the one that counts at home, only those that
    /// it reads.
    fn as_read(&mut self, schema: &'a Schema, unique: &'a Unique, same: Vec<usize>) -> Vec<usize> {
        let is_read = |at: &usize| self.capabilities.get(*at).is_some_and(|one| one.readers.target);
        let read: Vec<usize> = same.iter().copied().filter(is_read).collect();
        let at_home = if unique.last { same.last() } else { same.first() };
        let winner = if unique.last { read.last() } else { read.first() };
        let (true, Some(&winner)) = (self.by_target && !at_home.is_some_and(is_read), winner)
        else {
            return same;
        };
        if let Some(capability) = self.capabilities.get_mut(winner) {
            capability.at_best = capability.at_best.max(Fate::Partial);
            let name = capability.value(&schema.named_by).and_then(Value::as_text);
            let told =
                Diagnostic::new(Code::new("document/other-counts"), capability.origin.clone())
                    .with("kind", &*schema.called)
                    .with("name", name.unwrap_or_default())
                    .fate(Fate::Partial);
            self.diagnostics.tell(told);
        }
        read
    }

    /// Leaves out all of a few capabilities with one key but the one that counts.
    fn settle(
        &mut self,
        source: &'a Source,
        schema: &'a Schema,
        unique: &'a Unique,
        mut same: Vec<usize>,
    ) {
        let winner = if unique.last { same.pop().unwrap_or(0) } else { same.remove(0) };
        let say =
            |work: &Self,
             at: usize,
             expression: Option<&'a crate::rulebook::expression::Expression>| {
                let mut scope = Scope::new(work.documents, &source.tables, work.snapshot);
                let capability = work.capabilities.get(at)?.clone();

                {
                    scope.bind(&schema.called, Val::Capability(&capability));
                    expression.map(|expression| scope.say(&scope.eval(expression)))
                }
            };
        for at in same {
            let differs = |expression: Option<&'a _>| {
                expression.is_some() && say(self, at, expression) != say(self, winner, expression)
            };
            if unique.across.is_some() && !differs(unique.across.as_ref()) {
                continue;
            }
            let contradicts = differs(unique.same.as_ref());
            let code = if contradicts {
                unique.conflict.as_ref().unwrap_or(&unique.code)
            } else {
                &unique.code
            };
            let fate = if contradicts { Fate::Unsupported } else { unique.fate };
            self.fatal |= contradicts || unique.fatal;
            let Some(capability) =
                self.capabilities.get_mut(at).filter(|one| one.ruled_out.is_none())
            else {
                continue;
            };
            capability.ruled_out = Some(fate);
            let name = capability
                .value(&schema.named_by)
                .and_then(Value::as_text)
                .unwrap_or_default()
                .to_owned();
            let mut told = Diagnostic::new(code.clone(), capability.origin.clone())
                .with("name", name)
                .fate(fate)
                .fatal(contradicts || unique.fatal);
            told.rule = Some(unique.rule.clone());
            self.diagnostics.tell(told);
        }
    }
}
