//! The functions that rules may call: one table of name, types, sentence and function.
//!
//! None has a host's name in it. What a host knows is handed to them in tables.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::evaluate::{Scope, Val};
use super::expression::Literal;
use crate::ir::value::{Type, Value};

pub mod argument;
pub mod ask;
pub mod compound;
pub mod convert;
pub mod file;
pub mod list;
pub mod matcher;
mod memo;
pub mod name;
pub mod part;
pub mod placeholder;
pub mod script;
pub mod server;
pub mod tool;

/// A call under way.
pub struct Call<'s, 'a> {
    /// Where it happens.
    pub scope: &'s Scope<'a>,
    /// What it was given.
    pub args: Vec<Val<'a>>,
}

impl<'a> Call<'_, 'a> {
    /// An argument; absent if it was not given.
    pub fn arg(&self, at: usize) -> Val<'a> {
        self.args.get(at).cloned().unwrap_or(Val::Absent)
    }

    /// An argument as a text of our own.
    pub fn text(&self, at: usize) -> Option<String> {
        self.scope.as_text(self.args.get(at)?).map(str::to_owned)
    }

    /// An argument as a value.
    pub fn value(&self, at: usize) -> Option<Value> {
        self.scope.value(self.args.get(at)?)
    }

    /// An argument as a table with keys.
    pub fn table(&self, at: usize) -> &'a [(std::sync::Arc<str>, Literal)] {
        match self.args.get(at) {
            Some(Val::Constant(Literal::Map(map))) => map,
            _ => &[],
        }
    }

    /// An argument as a list of texts.
    pub fn texts(&self, at: usize) -> Vec<String> {
        match self.value(at) {
            Some(Value::List(list)) => {
                list.iter().filter_map(|one| one.as_text().map(str::to_owned)).collect()
            }
            Some(Value::Text(text)) => vec![text],
            _ => Vec::new(),
        }
    }
}

/// A function of the rule language.
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// The types of its arguments.
    pub takes: &'static [Type],
    /// How many of the last ones may be left out; `usize::MAX` if the last may be repeated as well.
    pub optional: usize,
    /// The type of what it gives.
    pub gives: Type,
    /// Whether it asks the package's files.
    pub files: bool,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// Does it.
    pub run: for<'s, 'a> fn(&Call<'s, 'a>) -> Val<'a>,
}

/// Every function, by theme.
pub fn all() -> impl Iterator<Item = &'static Builtin> {
    [
        ask::ALL,
        convert::ALL,
        compound::ALL,
        list::ALL,
        name::ALL,
        tool::ALL,
        matcher::ALL,
        placeholder::ALL,
        argument::ALL,
        script::ALL,
        file::ALL,
        server::ALL,
    ]
    .into_iter()
    .flatten()
}

/// The function of a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    static BY_NAME: OnceLock<BTreeMap<&'static str, &'static Builtin>> = OnceLock::new();
    BY_NAME
        .get_or_init(|| all().map(|builtin| (builtin.name, builtin)).collect())
        .get(name)
        .copied()
}

/// A record that a builtin's list holds, for `it.name`.
pub(crate) fn record(pairs: &[(&str, &str)]) -> Value {
    Value::Map(
        pairs
            .iter()
            .map(|(name, text)| ((*name).to_owned(), Value::Text((*text).to_owned())))
            .collect(),
    )
}
