//! `Cursor`: a place in a rule file, read strictly. Every mistake is noted at its place, and reading goes on.

use std::cell::RefCell;
use std::sync::Arc;

use serde_yaml::Value;

use super::expression::{Expression, Literal};
use super::fault::{Fault, SyntaxFault};
use super::grammar;
use super::selector::Selector;
use super::template::Template;
use crate::ir::diagnostic::{Code, Loss};
use crate::ir::fate::Fate;
use crate::ir::origin::push_step;
use crate::ir::path::RelPath;

/// A value in a rule file, and where the mistakes go.
#[derive(Clone)]
pub struct Cursor<'y> {
    value: &'y Value,
    file: &'y str,
    pointer: String,
    faults: &'y RefCell<Vec<Fault>>,
}

impl<'y> Cursor<'y> {
    /// The whole of a file.
    pub fn new(value: &'y Value, file: &'y str, faults: &'y RefCell<Vec<Fault>>) -> Self {
        Cursor { value, file, pointer: String::new(), faults }
    }

    /// The file below `rules/`.
    pub fn file(&self) -> &'y str {
        self.file
    }

    /// The pointer to this value.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Notes a mistake here.
    pub fn fault(&self, message: impl Into<String>) {
        self.fault_inside(0, message.into(), None);
    }

    /// Notes a mistake here, with what to do.
    pub fn fault_with(&self, message: impl Into<String>, help: impl Into<String>) {
        self.fault_inside(0, message.into(), Some(help.into()));
    }

    fn fault_inside(&self, inside: usize, message: String, help: Option<String>) {
        self.faults.borrow_mut().push(Fault {
            file: self.file.to_owned(),
            pointer: self.pointer.clone(),
            inside,
            message,
            help,
        });
    }

    fn syntax(&self, fault: &SyntaxFault) {
        self.fault_inside(fault.at, fault.message.clone(), None);
    }

    fn at(&self, value: &'y Value, step: &str) -> Self {
        let mut pointer = self.pointer.clone();
        push_step(&mut pointer, step);
        Cursor { value, file: self.file, pointer, faults: self.faults }
    }

    /// Notes every key that is none of these.
    pub fn only(&self, keys: &[&str]) {
        for (key, cursor) in self.pairs() {
            if !keys.contains(&&*key) {
                let near = keys.iter().min_by_key(|known| strsim::damerau_levenshtein(known, &key));
                let help = near
                    .map(|near| format!("did you mean `{near}`? known here: {}", keys.join(", ")));
                cursor.fault_inside(0, format!("unknown key `{key}`"), help);
            }
        }
        if !matches!(self.value, Value::Mapping(_) | Value::Null) {
            self.fault("expected a map");
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Self> {
        self.value
            .as_mapping()?
            .get(key)
            .filter(|value| !value.is_null())
            .map(|value| self.at(value, key))
    }

    /// The keys of a map and their values, in the order written.
    pub fn pairs(&self) -> Vec<(Arc<str>, Self)> {
        let Some(map) = self.value.as_mapping() else { return Vec::new() };
        map.iter()
            .filter_map(|(key, value)| Some((key.as_str()?.into(), self.at(value, key.as_str()?))))
            .collect()
    }

    /// The elements of a list.
    pub fn items(&self) -> Vec<Self> {
        match self.value {
            Value::Sequence(list) => {
                list.iter().enumerate().map(|(at, value)| self.at(value, &at.to_string())).collect()
            }
            Value::Null => Vec::new(),
            _ => {
                self.fault("expected a list");
                Vec::new()
            }
        }
    }

    /// The elements of the list under a key; none if there is no such key.
    pub fn list(&self, key: &str) -> Vec<Self> {
        self.get(key).map_or(Vec::new(), |list| list.items())
    }

    /// The pairs of the map under a key.
    pub fn map(&self, key: &str) -> Vec<(Arc<str>, Self)> {
        self.get(key).map_or(Vec::new(), |map| map.pairs())
    }

    /// A scalar as a text.
    pub fn text(&self) -> Option<String> {
        match self.value {
            Value::String(text) => Some(text.clone()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Number(number) => Some(number.to_string()),
            _ => {
                self.fault("expected a text");
                None
            }
        }
    }

    /// The text under a key that must be there.
    pub fn need(&self, key: &str) -> String {
        if let Some(cursor) = self.get(key) {
            cursor.text().unwrap_or_default()
        } else {
            self.fault(format!("`{key}` is missing"));
            String::new()
        }
    }

    /// The text under a key.
    pub fn maybe(&self, key: &str) -> Option<String> {
        self.get(key).and_then(|cursor| cursor.text())
    }

    /// The flag under a key; false if there is none.
    pub fn flag(&self, key: &str) -> bool {
        match self.get(key) {
            None => false,
            Some(cursor) => cursor.value.as_bool().unwrap_or_else(|| {
                cursor.fault("expected `true` or `false`");
                false
            }),
        }
    }

    /// The texts of a list, or a single one.
    pub fn texts(&self, key: &str) -> Vec<Arc<str>> {
        match self.get(key) {
            None => Vec::new(),
            Some(cursor) if matches!(cursor.value, Value::Sequence(_)) => {
                cursor.items().iter().filter_map(Cursor::text).map(Into::into).collect()
            }
            Some(cursor) => cursor.text().map(Into::into).into_iter().collect(),
        }
    }

    /// A path below the root.
    pub fn path(&self) -> RelPath {
        let text = self.text().unwrap_or_default();
        RelPath::parse(&text).unwrap_or_else(|fault| {
            self.fault(format!("`{text}` {fault}"));
            RelPath::root()
        })
    }

    /// An expression.
    pub fn expression(&self) -> Option<Expression> {
        let text = self.text()?;
        grammar::expression(&text).map_err(|fault| self.syntax(&fault)).ok()
    }

    /// The expression under a key.
    pub fn when(&self, key: &str) -> Option<Expression> {
        self.get(key)?.expression()
    }

    /// A selector.
    pub fn selector(&self) -> Selector {
        let text = self.text().unwrap_or_default();
        grammar::selector(&text).unwrap_or_else(|fault| {
            self.syntax(&fault);
            Selector::default()
        })
    }

    /// The expressions of the map under a key.
    pub fn expressions(&self, key: &str) -> Vec<(Arc<str>, Expression)> {
        self.map(key)
            .into_iter()
            .filter_map(|(name, cursor)| Some((name, cursor.expression()?)))
            .collect()
    }

    /// A template, down to its leaves.
    pub fn template(&self) -> Template {
        match self.value {
            Value::String(text) => grammar::template_text(text).unwrap_or_else(|fault| {
                self.syntax(&fault);
                Template::Literal(Literal::Text("".into()))
            }),
            Value::Sequence(_) => {
                Template::List(self.items().iter().map(Cursor::template).collect())
            }
            Value::Mapping(_) => Template::Map(
                self.pairs().into_iter().map(|(name, cursor)| (name, cursor.template())).collect(),
            ),
            _ => Template::Literal(self.literal()),
        }
    }

    /// A constant.
    pub fn literal(&self) -> Literal {
        match self.value {
            Value::Bool(flag) => Literal::Flag(*flag),
            Value::Number(number) => Literal::Number(number.as_i64().unwrap_or_else(|| {
                self.fault("expected a whole number");
                0
            })),
            Value::String(text) => Literal::Text(text.as_str().into()),
            Value::Sequence(_) => Literal::List(self.items().iter().map(Cursor::literal).collect()),
            Value::Mapping(_) => Literal::Map(
                self.pairs().into_iter().map(|(name, cursor)| (name, cursor.literal())).collect(),
            ),
            Value::Null | Value::Tagged(_) => {
                self.fault("expected a constant");
                Literal::Flag(false)
            }
        }
    }

    /// The fate under a key.
    pub fn fate(&self, key: &str) -> Option<Fate> {
        let cursor = self.get(key)?;
        let word = cursor.text()?;
        let all = [
            Fate::Inert,
            Fate::Metadata,
            Fate::Exact,
            Fate::Adapted,
            Fate::Partial,
            Fate::Unsupported,
            Fate::Refused,
        ];
        let found = all.into_iter().find(|fate| fate.word() == word);
        if found.is_none() {
            let words: Vec<_> = all.iter().map(|fate| fate.word()).collect();
            cursor.fault(format!("`{word}` is no fate: {}", words.join(", ")));
        }
        found
    }

    /// The loss under a key.
    pub fn loss(&self, key: &str) -> Option<Loss> {
        let cursor = self.get(key)?;
        let word = cursor.text()?;
        let found = [Loss::Security, Loss::Behaviour, Loss::Cosmetic]
            .into_iter()
            .find(|loss| loss.word() == word);
        if found.is_none() {
            cursor.fault(format!("`{word}` is no kind of loss: security, behaviour, cosmetic"));
        }
        found
    }

    /// The code under a key.
    pub fn code(&self, key: &str) -> Option<Code> {
        self.maybe(key).map(|text| Code::new(&text))
    }

    /// Is this the last place at which something was read? Empty maps and lists are.
    pub fn is_empty(&self) -> bool {
        match self.value {
            Value::Null => true,
            Value::Mapping(map) => map.is_empty(),
            Value::Sequence(list) => list.is_empty(),
            _ => false,
        }
    }
}
