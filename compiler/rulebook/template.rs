//! Templates: texts and values with holes in them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::expression::{Expression, Literal};

/// A part of a text with holes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Part {
    /// Text as it is; `$$` was written for `$`.
    Text(Arc<str>),
    /// `${expression}`
    Hole(Expression),
}

/// A value with holes in it. One that is a hole and nothing else keeps its type, and is left out if it is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Template {
    /// A constant.
    Literal(Literal),
    /// A hole and nothing else.
    Hole(Expression),
    /// Text with holes.
    Text(Vec<Part>),
    /// A list.
    List(Vec<Template>),
    /// Values by name.
    Map(Vec<(Arc<str>, Template)>),
}

impl Template {
    /// Calls `see` for every expression in it.
    pub fn walk<'t>(&'t self, see: &mut dyn FnMut(&'t Expression)) {
        match self {
            Template::Literal(_) => {}
            Template::Hole(expression) => expression.walk(see),
            Template::Text(parts) => {
                for part in parts {
                    if let Part::Hole(expression) = part {
                        expression.walk(see);
                    }
                }
            }
            Template::List(list) => {
                for one in list {
                    one.walk(see);
                }
            }
            Template::Map(map) => {
                for (_, one) in map {
                    one.walk(see);
                }
            }
        }
    }
}
