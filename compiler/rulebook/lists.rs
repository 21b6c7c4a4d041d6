//! `lists:` of a host whose packages are lists of plugins.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// How an entry of a list of plugins and the manifest of its plugin combine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lists {
    /// Whose plugins it lists.
    pub host: Arc<str>,
    /// Where else such lists lie, below the folder that they speak of; `*` is any part of a name. One is read where it
    /// is named, or where there is nothing else to read.
    pub elsewhere: Vec<Arc<str>>,
    /// The key of the list in its manifest.
    pub entries: Arc<str>,
    /// Without a manifest of its own, the entry is the manifest.
    pub whole: bool,
    /// Keys of an entry that count beside a manifest.
    pub beside: Vec<(Arc<str>, Beside)>,
    /// Keys of an entry that the rules read beside the manifest's, as `listing`.
    pub said: Vec<Arc<str>>,
    /// The flag of an entry that, when false, lets no manifest stand beside those keys.
    pub strict: Option<Arc<str>>,
    /// Those of them that count only as an object in the entry itself.
    pub inline: Vec<Arc<str>>,
    /// Keys of an entry that say where the plugin is, not what it is.
    pub listing: Vec<Arc<str>>,
    /// Keys of an entry that are passed over beside a manifest.
    pub ignored: Vec<Arc<str>>,
}

/// How a key of an entry counts beside a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Beside {
    /// Behind what the manifest has.
    Append,
    /// Key by key in place of what the manifest has.
    ReplaceByKey,
}
