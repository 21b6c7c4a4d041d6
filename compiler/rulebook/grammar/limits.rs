//! What is looked for before a text is parsed: nesting that would exhaust the stack, and holes that never end.

use std::ops::Range;

use super::{SyntaxFault, fault};

/// How deep brackets may nest. Parsing recurses, and so does all that walks a tree.
const DEEPEST: usize = 32;

/// How many `and`, `or` and `not` one expression may hold: each can make its tree one deeper.
const MOST_JOINTS: usize = 100;

/// Fails if the expression in this part of a text nests too deep, or goes on in another line.
pub(super) fn check_expression(text: &str, part: Range<usize>) -> Result<(), SyntaxFault> {
    let (start, part) = (part.start, text.get(part).unwrap_or_default());
    let outside = || Unquoted::new(part).map(|(at, c)| (start + at, c));
    if let Some(at) = part.find(['\n', '\r']) {
        return Err(fault(text, start + at, "an expression has no line breaks"));
    }
    check_depth(text, outside().filter(|(_, c)| "()[]".contains(*c)))?;
    let mut word = String::new();
    let mut joints = 0;
    // The blank at the end closes the last word.
    for (at, c) in outside().chain([(text.len(), ' ')]) {
        if c.is_alphanumeric() || "_-.".contains(c) {
            word.push(c);
            continue;
        }
        joints += usize::from(matches!(word.as_str(), "and" | "or" | "not"));
        word.clear();
        if joints > MOST_JOINTS {
            let message =
                format!("more than {MOST_JOINTS} of `and`, `or` and `not` in one expression");
            return Err(fault(text, at, message));
        }
    }
    Ok(())
}

/// Fails if the parentheses in a list of tools nest too deep.
pub(super) fn check_tools(text: &str) -> Result<(), SyntaxFault> {
    check_depth(text, text.char_indices().filter(|(_, c)| "()".contains(*c)))
}

/// Fails at the bracket that nests too deep.
fn check_depth(
    text: &str,
    brackets: impl Iterator<Item = (usize, char)>,
) -> Result<(), SyntaxFault> {
    let mut depth = 0_usize;
    for (at, c) in brackets {
        depth = if "([".contains(c) { depth + 1 } else { depth.saturating_sub(1) };
        if depth > DEEPEST {
            return Err(fault(text, at, format!("nested more than {DEEPEST} deep")));
        }
    }
    Ok(())
}

/// Where the expressions in a template stand.
pub(super) fn holes(text: &str) -> Result<Vec<Range<usize>>, SyntaxFault> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(dollar) = text.get(from..).and_then(|rest| rest.find('$')).map(|at| from + at) {
        let start = dollar + 2;
        match text.as_bytes().get(dollar + 1) {
            Some(b'{') => {
                let rest = text.get(start..).unwrap_or_default();
                let end = Unquoted::new(rest).find(|(_, c)| *c == '}').map(|(at, _)| start + at);
                let end = end.ok_or_else(|| {
                    fault(text, dollar, "this `${` has no `}`; write `$${` for a plain `${`")
                })?;
                found.push(start..end);
                from = end + 1;
            }
            Some(b'$') => from = start,
            _ => from = dollar + 1,
        }
    }
    Ok(found)
}

/// The characters of an expression that are not in a text, with their places.
struct Unquoted<'t> {
    all: std::str::CharIndices<'t>,
}

impl<'t> Unquoted<'t> {
    fn new(text: &'t str) -> Self {
        Unquoted { all: text.char_indices() }
    }

    /// Goes behind the quote that ends the text one is in.
    fn skip_text(&mut self) {
        while let Some((_, c)) = self.all.next() {
            match c {
                '\'' => return,
                '\\' => drop(self.all.next()),
                _ => {}
            }
        }
    }
}

impl Iterator for Unquoted<'_> {
    type Item = (usize, char);

    /// A text counts as the quote that begins it.
    fn next(&mut self) -> Option<Self::Item> {
        let found = self.all.next()?;
        if found.1 == '\'' {
            self.skip_text();
        }
        Some(found)
    }
}
