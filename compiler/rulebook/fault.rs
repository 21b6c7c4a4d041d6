//! `Fault`: one mistake in the rules, with its place.

use std::fmt;

/// A mistake in a text of one of the small languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Where in the text, in characters from 0.
    pub at: usize,
    /// The line in the text, from 1.
    pub line: usize,
    /// The column in that line, in characters from 1.
    pub column: usize,
    /// What was expected there, in the words of the language: "a name", "`)`".
    pub message: String,
}

impl fmt::Display for SyntaxFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// A mistake in the rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The file below `rules/`.
    pub file: String,
    /// The pointer to the entry or value in that file; empty for the whole file.
    pub pointer: String,
    /// How many characters into that value the mistake is, if it lies inside a text.
    pub inside: usize,
    /// What is wrong.
    pub message: String,
    /// What to do, if that is not plain.
    pub help: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if !self.pointer.is_empty() {
            write!(f, "#{}", self.pointer)?;
        }
        write!(f, ": {}", self.message)
    }
}
