//! `Origin`: where something was written.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A symbolic place: a file and a JSON pointer (RFC 6901) into it, as in `hooks/hooks.json#/hooks/Stop/0`.
///
/// Without a pointer it is the whole file; for a Markdown file that is its body, the pointer being into the front
/// matter. Byte ranges are found when a report needs them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The file, below the plugin's root.
    pub file: Arc<str>,
    /// Empty, or the pointer with its leading `/`.
    pub pointer: String,
}

impl Origin {
    /// A whole file.
    pub fn file(file: impl Into<Arc<str>>) -> Self {
        Origin { file: file.into(), pointer: String::new() }
    }

    /// The place as it is written: `file` or `file#pointer`.
    pub fn parse(text: &str) -> Self {
        match text.split_once('#') {
            Some((file, pointer)) => Origin { file: file.into(), pointer: pointer.to_owned() },
            None => Origin::file(text),
        }
    }
}

/// Appends one step to a pointer, escaped as RFC 6901 says.
pub fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    for c in step.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// The steps of a pointer, unescaped.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"))
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if !self.pointer.is_empty() {
            write!(f, "#{}", self.pointer)?;
        }
        Ok(())
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Origin::parse(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_survive_the_way_into_a_pointer_and_back() {
        let mut pointer = String::new();
        for step in ["a/b", "~1", "", "0"] {
            push_step(&mut pointer, step);
        }
        assert_eq!(pointer, "/a~1b/~01//0");
        assert_eq!(steps(&pointer).collect::<Vec<_>>(), ["a/b", "~1", "", "0"]);
    }
}
