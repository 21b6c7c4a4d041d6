//! Which fields the steps of an emit entry read, straight or through names that `let:` gives.

use std::sync::Arc;

use super::expression::Expression;
use super::rules::{Emit, StepRule};

impl StepRule {
    /// Calls `see` for every expression in it.
    pub fn walk<'r>(&'r self, see: &mut dyn FnMut(&'r Expression)) {
        match self {
            StepRule::Copy { from, to, except } => {
                for one in [from, to].into_iter().chain(except) {
                    one.walk(see);
                }
            }
            StepRule::Write { to, text } => {
                to.walk(see);
                text.walk(see);
            }
            StepRule::Link { to } => to.walk(see),
            StepRule::Merge { into, at, value, .. } => {
                for one in [into, value].into_iter().chain(at) {
                    one.walk(see);
                }
            }
        }
    }
}

impl Emit {
    /// The fields of `called` that steps read, with the names in `bind` followed.
    pub fn carried(
        steps: &[StepRule],
        bind: &[(Arc<str>, Expression)],
        called: &str,
    ) -> Vec<Arc<str>> {
        let (mut fields, mut names): (Vec<Arc<str>>, Vec<Arc<str>>) = (Vec::new(), Vec::new());
        let mut see = |expression: &Expression| {
            if let Expression::Path(path) = expression {
                match path.as_slice() {
                    [first, field, ..] if **first == *called && !fields.contains(field) => {
                        fields.push(field.clone());
                    }
                    [first, ..] if !names.contains(first) => names.push(first.clone()),
                    _ => {}
                }
            }
        };
        for step in steps {
            step.walk(&mut see);
        }
        // Names stand for what was bound before them, so the last is followed first.
        for (name, expression) in bind.iter().rev() {
            let mut inner: (Vec<Arc<str>>, Vec<Arc<str>>) = (Vec::new(), Vec::new());
            if !names.contains(name) {
                continue;
            }
            expression.walk(&mut |expression| {
                if let Expression::Path(path) = expression {
                    match path.as_slice() {
                        [first, field, ..] if **first == *called => inner.0.push(field.clone()),
                        [first, ..] => inner.1.push(first.clone()),
                        [] => {}
                    }
                }
            });
            fields.extend(inner.0);
            names.extend(inner.1);
        }
        fields.sort();
        fields.dedup();
        fields
    }
}
