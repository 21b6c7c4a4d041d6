//! Selectors: where in a document a rule looks, with names bound on the way.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One step of a selector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// `.hooks`, `.'$schema'`: the value of a key.
    Key(Arc<str>),
    /// `.{event}`: every value of a map, the key's text bound to the name.
    Each(Arc<str>),
    /// `[{item}]`: every element of a list, bound to the name.
    Element(Arc<str>),
}

/// The steps from a document's start to the nodes that are meant; none means the start itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selector(pub Vec<Step>);
