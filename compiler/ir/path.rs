//! `RelPath`: a path that cannot leave its root.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A path below its root, `/` between its parts. Has no `..`, no root, no drive, no backslash.
///
/// The empty path is the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

/// Why a text is no path below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// It starts at the root of a file system, a share or a drive.
    Absolute,
    /// It climbs out of its root.
    Escapes,
    /// It holds a NUL.
    Nul,
}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PathFault::Absolute => "is absolute",
            PathFault::Escapes => "leaves its root",
            PathFault::Nul => "holds a NUL character",
        })
    }
}

impl RelPath {
    /// The root.
    pub const fn root() -> Self {
        RelPath(String::new())
    }

    /// Cleans `text` as hosts do: blanks around it go, a backslash is a `/`, `.` and `..` are resolved.
    pub fn parse(text: &str) -> Result<Self, PathFault> {
        Self::root().join(text)
    }

    /// The path `text`, read from this folder. It may climb, as long as it stays below the root.
    pub fn join(&self, text: &str) -> Result<Self, PathFault> {
        let text = text.trim();
        if text.contains('\0') {
            return Err(PathFault::Nul);
        }
        if is_absolute(text) {
            return Err(PathFault::Absolute);
        }
        let mut parts: Vec<&str> = self.parts().collect();
        for part in text.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or(PathFault::Escapes)?;
                }
                part => parts.push(part),
            }
        }
        Ok(RelPath(parts.join("/")))
    }

    /// The entry called `name` in this folder; `name` is one part, as a folder lists it.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        if self.is_root() {
            RelPath(name.to_owned())
        } else {
            RelPath(format!("{}/{name}", self.0))
        }
    }

    /// The parts between the slashes, none for the root.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// The folder this lies in; none for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(RelPath(
            self.0.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned()),
        ))
    }

    /// The last part, empty for the root.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(self.0.as_str(), |(_, name)| name)
    }

    /// The last part without its extension.
    pub fn stem(&self) -> &str {
        let name = self.name();
        name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
    }

    /// What follows the last dot of the last part.
    pub fn extension(&self) -> Option<&str> {
        self.name()
            .rsplit_once('.')
            .and_then(|(stem, extension)| (!stem.is_empty()).then_some(extension))
    }

    /// The part of this path below `folder`; none if it does not lie there.
    pub fn below(&self, folder: &Self) -> Option<&str> {
        if folder.is_root() {
            return Some(&self.0);
        }
        let rest = self.0.strip_prefix(folder.as_str())?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// Is it the root?
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// How it is written; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_absolute(text: &str) -> bool {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('/' | '\\'), _) => true,
        (Some(letter), Some(':')) => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> Self {
        path.0
    }
}

impl TryFrom<String> for RelPath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        RelPath::parse(&text).map_err(|fault| format!("`{text}` {fault}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleans_what_stays_inside() {
        for (text, clean) in
            [("./a/b/", "a/b"), ("a//b/./c", "a/b/c"), ("a\\b", "a/b"), ("a/../b", "b"), ("", "")]
        {
            assert_eq!(RelPath::parse(text).map(String::from), Ok(clean.to_owned()), "{text}");
        }
        assert_eq!(RelPath::parse("..foo").map(String::from), Ok("..foo".to_owned()));
    }

    #[test]
    fn refuses_what_leaves() {
        for (text, fault) in [
            ("../a", PathFault::Escapes),
            ("a/../../b", PathFault::Escapes),
            ("/etc", PathFault::Absolute),
            ("\\\\share\\x", PathFault::Absolute),
            ("C:\\x", PathFault::Absolute),
            ("C:x", PathFault::Absolute),
            ("a\0b", PathFault::Nul),
        ] {
            assert_eq!(RelPath::parse(text), Err(fault), "{text}");
        }
    }

    #[test]
    fn knows_its_parts() {
        let path = RelPath::parse("a/b.c.md").unwrap();
        assert_eq!((path.name(), path.stem(), path.extension()), ("b.c.md", "b.c", Some("md")));
        assert_eq!(path.parent(), RelPath::parse("a").ok());
        assert_eq!(path.below(&RelPath::parse("a").unwrap()), Some("b.c.md"));
        assert_eq!(path.below(&RelPath::parse("b").unwrap()), None);
    }
}
