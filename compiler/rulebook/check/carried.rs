//! Every field of a schema arrives at every target, or it is said that it does not.

use std::collections::BTreeSet;

use super::super::expression::Expression;
use super::super::rules::{Emit, Lower, StepRule};
use super::super::schema::Schema;
use super::super::template::{Part, Template};
use super::known::texts;
use super::lower::parts;
use super::{Book, Place};

/// Each field is carried by every emit entry, lost, metadata, or only asked.
pub(super) fn check(book: &Book<'_>, lower: &Lower, schema: &Schema, place: &Place) {
    if lower
        .emit
        .iter()
        .all(|emit| emit.steps.is_empty() && (emit.fate.is_loss() || always_refused(lower)))
    {
        return;
    }
    let reader = Reader { lower, called: &schema.called };
    let carried: Vec<(&Emit, BTreeSet<String>)> = lower
        .emit
        .iter()
        .filter(|emit| !emit.steps.is_empty() || !emit.fate.is_loss())
        .map(|emit| (emit, reader.carried(emit)))
        .collect();
    let asked = reader.asked();
    let declared: Vec<&str> =
        texts(book, &place.at("asked")).into_iter().map(|(_, name)| name).collect();
    for field in &schema.fields {
        let name = &field.name;
        let is_said = lower.lost.iter().any(|(lost, _)| lost == name)
            || lower.metadata.contains(name)
            || declared.contains(&&**name);
        let missing = carried
            .iter()
            .filter(|(emit, fields)| !copies(emit, &schema.called) && !fields.contains(&**name));
        let missing: Vec<&str> = missing.map(|(emit, _)| &*emit.id).collect();
        let nowhere = !carried.iter().any(|(_, fields)| fields.contains(&**name));
        if is_said || missing.is_empty() || (nowhere && asked.contains(&**name)) {
            continue;
        }
        let message = format!("`{}.{name}` does not arrive by {}", schema.called, list(&missing));
        let help = "carry it there, or declare it under `lost`, `metadata` or `asked`";
        book.tell(&place.at("emit"), message, Some(help.to_owned()));
    }
}

fn list(ids: &[&str]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}

/// Is there a check that takes every one of the kind?
fn always_refused(lower: &Lower) -> bool {
    use super::super::expression::Literal;
    lower.checks.iter().any(|check| {
        check.each.is_none()
            && !check.fate.arrives()
            && check.when == Expression::Literal(Literal::Flag(true))
    })
}

/// A file that is copied as it is carries whatever is written in it, unless it is then written anew.
fn copies(emit: &Emit, called: &str) -> bool {
    let is_own = |rule: &StepRule| match rule {
        StepRule::Copy { from: Template::Hole(Expression::Path(path)), .. } => {
            path.first().is_some_and(|first| **first == *called)
        }
        _ => false,
    };
    emit.steps.iter().any(is_own)
        && !emit.steps.iter().any(|rule| matches!(rule, StepRule::Write { .. }))
}

/// Which fields the expressions of a lowering read, also through its `let` names.
struct Reader<'l> {
    lower: &'l Lower,
    called: &'l str,
}

impl Reader<'_> {
    fn carried(&self, emit: &Emit) -> BTreeSet<String> {
        let mut fields = BTreeSet::new();
        for (_, _, template) in emit.steps.iter().flat_map(parts) {
            self.template(template, &mut fields);
        }
        fields
    }

    /// What conditions read, and the words of what is told.
    fn asked(&self) -> BTreeSet<String> {
        let mut fields = BTreeSet::new();
        for check in self.lower.checks.iter().chain(self.lower.lost.iter().map(|(_, check)| check))
        {
            self.expression(&check.when, &mut fields);
            check.each.iter().for_each(|one| self.expression(one, &mut fields));
        }
        for when in self.lower.emit.iter().filter_map(|emit| emit.when.as_ref()) {
            self.expression(when, &mut fields);
        }
        for unique in &self.lower.plan {
            self.expression(&unique.by, &mut fields);
            unique.when.iter().for_each(|one| self.expression(one, &mut fields));
        }
        fields
    }

    fn template(&self, template: &Template, fields: &mut BTreeSet<String>) {
        match template {
            Template::Literal(_) => {}
            Template::Hole(one) => self.expression(one, fields),
            Template::Text(parts) => parts.iter().for_each(|part| {
                if let Part::Hole(one) = part {
                    self.expression(one, fields);
                }
            }),
            Template::List(list) => list.iter().for_each(|one| self.template(one, fields)),
            Template::Map(map) => map.iter().for_each(|(_, one)| self.template(one, fields)),
        }
    }

    fn expression(&self, expression: &Expression, fields: &mut BTreeSet<String>) {
        self.below(expression, self.lower.bind.len(), fields);
    }

    /// A `let` may only use those above it, so this ends.
    fn below(&self, expression: &Expression, lets: usize, fields: &mut BTreeSet<String>) {
        expression.walk(&mut |one| {
            let Expression::Path(path) = one else { return };
            let Some(first) = path.first() else { return };
            if let (true, Some(field)) = (**first == *self.called, path.get(1)) {
                fields.insert(field.to_string());
            }
            let bound = self.lower.bind.iter().take(lets).position(|(name, _)| name == first);
            if let Some(at) = bound
                && let Some((_, inner)) = self.lower.bind.get(at)
            {
                self.below(inner, at, fields);
            }
        });
    }
}
