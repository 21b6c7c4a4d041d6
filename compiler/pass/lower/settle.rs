//! Of several entries with one key over the whole plan, one counts.

use std::collections::BTreeMap;

use super::{Done, Work};
use crate::ir::diagnostic::Diagnostic;
use crate::rulebook::evaluate::Val;
use crate::rulebook::judge::Remark;
use crate::rulebook::rules::{Lower, Unique};

impl<'a> Work<'a> {
    /// Of several entries with one key over the whole plan, one counts.
    pub(super) fn unique(&self, lower: &'a Lower, unique: &'a Unique, done: &mut Done) {
        let Some(schema) = self.rulebook.schema(&lower.kind) else { return };
        let mut by_key: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, (capability, outcome)) in self.capabilities.iter().zip(&done.outcomes).enumerate()
        {
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
            if unique.last {
                same.pop()
            } else {
                Some(same.remove(0))
            };
            for at in same {
                let Some(outcome) = done.outcomes.get_mut(at) else { continue };
                let entry = &mut outcome.entry;
                entry.fate =
                    if unique.fate.arrives() { entry.fate.max(unique.fate) } else { unique.fate };
                entry.rules.push(unique.rule.clone());
                if !unique.fate.arrives() {
                    entry.steps.clear();
                }
                let mut remark = Remark {
                    words: vec![("name".to_owned(), entry.name.clone())],
                    element: None,
                    text: None,
                };
                self.common_words(&mut remark);
                let mut told =
                    Diagnostic::new(unique.code.clone(), entry.origin.clone()).fate(unique.fate);
                told.words = remark.words;
                told.rule = Some(unique.rule.clone());
                done.diagnostics.tell(told);
            }
        }
    }
}
