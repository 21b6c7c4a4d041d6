//! One place in a YAML file, for mistakes in rules.

use super::{Lines, Span, yaml};

/// Where a pointer leads in a YAML text that begins at an offset of a file; `inside` characters further if it is a text.
pub fn one(text: &str, part: &str, offset: usize, pointer: &str, inside: usize) -> Span {
    let places = yaml::places(part);
    let mut at = pointer;
    let mut range = loop {
        if let Some(range) = places.get(at) {
            break range.clone();
        }
        match at.rsplit_once('/') {
            Some((outer, _)) => at = outer,
            None => break 0..0,
        }
    };
    let quoted =
        usize::from(part.get(range.clone()).is_some_and(|value| value.starts_with(['"', '\''])));
    let skip = if inside > 0 && at == pointer { quoted } else { 0 };
    let further =
        part.get(range.start + skip..range.end).and_then(|value| value.char_indices().nth(inside));
    if inside > 0 && at == pointer {
        range.start += skip + further.map_or(0, |(at, _)| at);
    }
    let range = offset + range.start..offset + range.end.max(range.start);
    Lines::new(text).span(text, range)
}
