//! `Route`: from which host to which, in what form and for what platform.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A host, and the version of it that is meant: `reasonix`, `reasonix@1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostName {
    /// The folder under `rules/from` or `rules/to`.
    pub name: String,
    /// The overlay `@<version>`, if one is asked for.
    pub version: Option<String>,
}

impl HostName {
    /// Reads `name` or `name@version`.
    pub fn parse(text: &str) -> Self {
        match text.split_once('@') {
            Some((name, version)) => {
                HostName { name: name.to_owned(), version: Some(version.to_owned()) }
            }
            None => HostName { name: text.to_owned(), version: None },
        }
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{}@{version}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Whether the target gets its own words, or the files as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The package is rewritten in the target's own words.
    Normalised,
    /// The files stay as they are; the target's own importer reads them.
    AsFound,
}

impl Form {
    /// The word for it, as rules and reports write it.
    pub fn word(self) -> &'static str {
        match self {
            Form::Normalised => "normalised",
            Form::AsFound => "as-found",
        }
    }
}

/// Where the target runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Platform {
    /// Linux, macOS and their kin.
    Posix,
    /// Windows.
    Windows,
}

impl Platform {
    /// The word for it, as rules and reports write it.
    pub fn word(self) -> &'static str {
        match self {
            Platform::Posix => "posix",
            Platform::Windows => "windows",
        }
    }
}

/// One way through the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// The host the plugin was written for.
    pub source: HostName,
    /// The host it is compiled to.
    pub target: HostName,
    /// The form of the plan.
    pub form: Form,
    /// The platform of the target.
    pub platform: Platform,
}
