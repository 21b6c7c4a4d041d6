//! `Fate` and `Verdict`: how well one value, and how well a package, fits.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What becomes of a leaf or a capability, best first: the worst of several is their `max()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// The source host does not act on it, so neither do we.
    Inert,
    /// Descriptive only.
    Metadata,
    /// Same meaning, same form.
    Exact,
    /// Same meaning, other form.
    Adapted,
    /// Arrives, some meaning lost.
    Partial,
    /// Left out.
    Unsupported,
    /// Could be done and would be unsafe.
    Refused,
}

impl Fate {
    /// Does it pull the verdict of its package down?
    pub fn is_loss(self) -> bool {
        self >= Fate::Partial
    }

    /// Does the capability arrive at the target?
    pub fn arrives(self) -> bool {
        (Fate::Exact..=Fate::Partial).contains(&self)
    }

    /// The word for it, as reports and rules write it.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Inert => "inert",
            Fate::Metadata => "metadata",
            Fate::Exact => "exact",
            Fate::Adapted => "adapted",
            Fate::Partial => "partial",
            Fate::Unsupported => "unsupported",
            Fate::Refused => "refused",
        }
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How well a package fits its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Something arrives and nothing is lost.
    Full,
    /// Something arrives and something is lost.
    Partial,
    /// Nothing arrives.
    None,
}

impl Verdict {
    /// The word for it, as reports write it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Full => "full",
            Verdict::Partial => "partial",
            Verdict::None => "none",
        }
    }
}
