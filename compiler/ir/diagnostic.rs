//! `Diagnostic`: a code, a place and a few named words. Prose lives on the code's page.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::fate::Fate;
use super::origin::Origin;

/// The name of a diagnostic: the path of its page, `hook/stop-cannot-block`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Code(pub Arc<str>);

impl Code {
    /// The code that is written so.
    pub fn new(text: &str) -> Self {
        Code(text.into())
    }

    /// How it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How much a diagnostic asks of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something cannot be read or must not be done.
    Error,
    /// Something is lost.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// What kind of thing is lost, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// A guard no longer guards, a restriction no longer restricts.
    Security,
    /// Something works differently or not at all.
    Behaviour,
    /// Something looks different.
    Cosmetic,
}

impl Loss {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Loss::Security => "security",
            Loss::Behaviour => "behaviour",
            Loss::Cosmetic => "cosmetic",
        }
    }
}

/// One thing to tell about a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Which page tells it.
    pub code: Code,
    /// Overrides the page's kind of loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Where.
    pub origin: Origin,
    /// What fills the holes of the page's message, help and label.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<(String, String)>,
    /// The further places of one that is told once a file or once a package.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Origin>,
    /// How badly the place fares for it.
    pub fate: Fate,
    /// The rule that raised it, if a rule did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Arc<str>>,
    /// Whether its own host refuses the package for it.
    #[serde(skip)]
    pub fatal: bool,
}

impl Diagnostic {
    /// A diagnostic at a place, without words.
    pub fn new(code: Code, origin: Origin) -> Self {
        Diagnostic {
            code,
            loss: None,
            origin,
            words: Vec::new(),
            also: Vec::new(),
            fate: Fate::Inert,
            rule: None,
            fatal: false,
        }
    }

    /// Adds a word for the page's holes.
    #[must_use]
    pub fn with(mut self, name: &str, word: impl Into<String>) -> Self {
        self.words.push((name.to_owned(), word.into()));
        self
    }

    /// Says how badly its place fares.
    #[must_use]
    pub fn fate(mut self, fate: Fate) -> Self {
        self.fate = fate;
        self
    }

    /// Says whether the package is refused for it.
    #[must_use]
    pub fn fatal(mut self, fatal: bool) -> Self {
        self.fatal = fatal;
        self
    }

    /// How many places it speaks of.
    pub fn count(&self) -> usize {
        self.also.len() + 1
    }
}

/// The diagnostics of one plugin, in the order they were told.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    told: Vec<Diagnostic>,
    once: BTreeMap<(Code, String), usize>,
}

impl Diagnostics {
    /// Tells one.
    pub fn tell(&mut self, diagnostic: Diagnostic) {
        self.told.push(diagnostic);
    }

    /// Tells one whose code and `key` (a file, a name) make it a further place of an earlier one.
    pub fn tell_once(&mut self, key: &str, diagnostic: Diagnostic) {
        let key = (diagnostic.code.clone(), key.to_owned());
        if let Some(earlier) = self.once.get(&key).and_then(|&at| self.told.get_mut(at)) {
            earlier.fate = earlier.fate.max(diagnostic.fate);
            earlier.fatal |= diagnostic.fatal;
            if earlier.origin != diagnostic.origin
                && earlier.also.last() != Some(&diagnostic.origin)
            {
                earlier.also.push(diagnostic.origin);
            }
        } else {
            self.once.insert(key, self.told.len());
            self.told.push(diagnostic);
        }
    }

    /// Takes back those of a code at a place: something graver is told of it.
    pub fn retire(&mut self, code: &Code, at: &Origin) {
        while let Some(gone) =
            self.told.iter().position(|one| one.code == *code && one.origin == *at)
        {
            self.told.remove(gone);
            self.once.retain(|_, known| *known != gone);
            self.once.values_mut().filter(|known| **known > gone).for_each(|known| *known -= 1);
        }
    }

    /// Says of those about a file that the package is refused for them.
    pub fn refuse(&mut self, file: &str) {
        for one in self.told.iter_mut().filter(|one| *one.origin.file == *file) {
            one.fatal = true;
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.told.iter()
    }

    /// All of them, for a report.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.told
    }
}
