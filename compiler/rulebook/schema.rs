//! The shapes of capabilities: `rules/schema/<kind>.yaml`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::expression::Literal;
use crate::ir::value::Type;

/// The shape of one kind of capability: `rules/schema/<kind>.yaml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The kind.
    pub kind: Arc<str>,
    /// What it is, in a sentence.
    pub doc: String,
    /// The name by which rules speak of one of it.
    pub called: Arc<str>,
    /// The word under which reports count it; one without is not counted.
    pub counted_as: Option<Arc<str>>,
    /// The field that names one of it.
    pub named_by: Arc<str>,
    /// It says who the package is, and is no contribution.
    pub identity: bool,
    /// Two plugins of a marketplace that claim one name get in each other's way.
    pub collides: bool,
    /// Its fields.
    pub fields: Vec<FieldSchema>,
}

impl Schema {
    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<&FieldSchema> {
        self.fields.iter().find(|field| *field.name == *name)
    }
}

/// One field of a schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldSchema {
    /// Its name.
    pub name: Arc<str>,
    /// What it holds.
    pub r#type: Type,
    /// What it means, in a sentence.
    pub doc: String,
    /// What an absent one means; a field that holds this counts as not said.
    pub default: Option<Literal>,
    /// Whether it may be absent.
    pub optional: bool,
}
