//! What a check says in a scope: nothing, or one thing for each element it looks at.

use super::evaluate::{Scope, Val};
use super::rules::{Check, Once};
use crate::ir::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::origin::Origin;
use crate::ir::value::Value;

/// One thing that a check says.
#[derive(Clone, Debug)]
pub struct Remark {
    /// Words for the page's holes.
    pub words: Vec<(String, String)>,
    /// Which element of the list it speaks of.
    pub element: Option<usize>,
    /// The text it speaks of, to be found at its place.
    pub text: Option<String>,
}

/// Everything that a check says.
pub fn judge<'a>(scope: &mut Scope<'a>, check: &'a Check) -> Vec<Remark> {
    let Some(each) = &check.each else {
        if !scope.holds(&check.when) {
            return Vec::new();
        }
        return vec![remark(scope, check, None)];
    };
    let Some(Value::List(list)) = scope.value(&scope.eval(each)) else { return Vec::new() };
    let depth = scope.names.len();
    let mut remarks = Vec::new();
    for (at, element) in list.into_iter().enumerate() {
        scope.bind("it", Val::own(element));
        if scope.holds(&check.when) {
            remarks.push(remark(scope, check, Some(at)));
        }
        scope.names.truncate(depth);
    }
    remarks
}

fn remark<'a>(scope: &Scope<'a>, check: &'a Check, element: Option<usize>) -> Remark {
    let words = check
        .with
        .iter()
        .map(|(name, with)| (name.to_string(), scope.say(&scope.eval(with))))
        .collect();
    let text = match scope.name("it") {
        Some(Val::Value(value)) if element.is_some() => match &**value {
            Value::Map(map) => map
                .iter()
                .find(|(name, _)| name == "text")
                .and_then(|(_, text)| text.as_text().map(str::to_owned)),
            _ => None,
        },
        _ => None,
    };
    Remark { words, element, text }
}

/// Tells a remark at its place, as often as the check wants.
pub fn tell(diagnostics: &mut Diagnostics, check: &Check, remark: Remark, origin: Origin) {
    let mut diagnostic =
        Diagnostic::new(check.code.clone(), origin).fate(check.fate).fatal(check.fatal);
    diagnostic.words = remark.words;
    if let Some(text) = remark.text {
        diagnostic.words.push(("text".to_owned(), text));
    }
    diagnostic.loss = check.loss;
    diagnostic.rule = Some(check.rule.clone());
    match check.once {
        Once::Each => diagnostics.tell(diagnostic),
        Once::File => {
            let file = diagnostic.origin.file.clone();
            diagnostics.tell_once(&file, diagnostic);
        }
        Once::Package => diagnostics.tell_once("", diagnostic),
    }
}
