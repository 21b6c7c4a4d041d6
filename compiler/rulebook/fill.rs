//! Templates filled: what their holes come to, as JSON or as words in a text.

use super::evaluate::{Scope, Val};
use super::expression::Literal;
use super::template::{Part, Template};
use crate::ir::value::Value;

impl<'a> Scope<'a> {
    /// Fills a template; nothing if it is a hole over nothing.
    pub fn fill(&self, template: &'a Template) -> Option<serde_json::Value> {
        match template {
            Template::Literal(literal) => Some(constant(literal).to_json()),
            Template::Hole(expression) => {
                self.value(&self.eval(expression)).map(|value| value.to_json())
            }
            Template::Text(parts) => Some(serde_json::Value::String(self.fill_text(parts))),
            Template::List(all) => Some(serde_json::Value::Array(
                all.iter().filter_map(|one| self.fill(one)).collect(),
            )),
            Template::Map(all) => Some(serde_json::Value::Object(
                all.iter()
                    .filter_map(|(name, one)| Some((name.to_string(), self.fill(one)?)))
                    .collect(),
            )),
        }
    }

    fn fill_text(&self, parts: &'a [Part]) -> String {
        parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.to_string(),
                Part::Hole(expression) => self.say(&self.eval(expression)),
            })
            .collect()
    }

    /// Something as words in a text.
    pub fn say(&self, val: &Val<'a>) -> String {
        if let Some(text) = self.as_text(val) {
            return text.to_owned();
        }
        match self.value(val) {
            None => String::new(),
            Some(Value::List(list)) => list
                .iter()
                .map(|one| self.say(&Val::own(one.clone())))
                .collect::<Vec<_>>()
                .join(", "),
            Some(Value::Duration(milliseconds)) => milliseconds.to_string(),
            Some(value) => value.to_json().to_string(),
        }
    }
}

/// A constant as a value.
pub fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Flag(flag) => Value::Flag(*flag),
        Literal::Number(number) => Value::Number(*number),
        Literal::Text(text) => Value::Text(text.to_string()),
        Literal::List(list) => Value::List(list.iter().map(constant).collect()),
        Literal::Map(map) => {
            Value::Map(map.iter().map(|(name, one)| (name.to_string(), constant(one))).collect())
        }
    }
}
