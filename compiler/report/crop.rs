//! The lines around a place, short enough to be shown.

use std::ops::Range;

use super::locate::Span;
use super::text::clean;
use crate::ir::source::address::veiled;

/// The most of a line that a snippet shows, in characters.
const LONGEST_LINE: usize = 70;

/// A part of a text around a place, short enough to be shown, and the place in it.
pub(super) struct Crop {
    /// The lines, shortened.
    pub(super) text: String,
    /// Where the place begins in them, in bytes.
    pub(super) at: usize,
    /// How long it is, in bytes.
    pub(super) len: usize,
    /// The number of its first line in the whole.
    pub(super) first_line: usize,
}

/// How far around a place its lines are looked for, in bytes: more than is shown of any.
const NEAR: usize = 16 * 1024;

/// The lines of the place and one around it, each shortened around the place, with nothing in them that a terminal
/// would act on.
pub(super) fn crop(text: &str, span: &Span) -> Crop {
    let start = span.range.start;
    let (before, own, end, after) = window(text, span.range.clone());
    let first_line = span.line.saturating_sub(usize::from(before < own)).max(1);
    let (mut out, mut at, mut stop) = (String::new(), 0, 0);
    let mut offset = before;
    for line in veiled(text.get(before..after).unwrap_or_default()).split('\n') {
        let bare = line.trim_end_matches('\r');
        let from = start.saturating_sub(offset).min(bare.len());
        let skip =
            if (offset..=offset + line.len()).contains(&start) { skipped(bare, from) } else { 0 };
        let shown: String = bare.chars().skip(skip).take(LONGEST_LINE).collect();
        let place = |at: usize, limit: usize| {
            let characters =
                bare.get(..at).map_or(0, |head| head.chars().count()).saturating_sub(skip);
            clean(&shown.chars().take(characters.min(limit)).collect::<String>()).len()
        };
        let lead = if skip > 0 { "…" } else { "" };
        if (offset..=offset + line.len()).contains(&start) {
            at = out.len() + lead.len() + place(start - offset, LONGEST_LINE);
        }
        if offset <= end {
            stop = out.len() + lead.len() + place((end - offset).min(bare.len()), LONGEST_LINE);
        }
        out.push_str(lead);
        out.push_str(&clean(&shown));
        if bare.chars().count() > skip + LONGEST_LINE {
            out.push('…');
        }
        out.push('\n');
        offset += line.len() + 1;
    }
    Crop {
        len: stop.saturating_sub(at).max(1).min(out.len().saturating_sub(at)),
        at,
        first_line,
        text: out,
    }
}

/// How many characters of a long line are left out in front, so that the place is seen.
fn skipped(line: &str, at: usize) -> usize {
    let before = line.get(..at).map_or(0, |head| head.chars().count());
    if line.chars().count() <= LONGEST_LINE || before <= LONGEST_LINE / 2 {
        0
    } else {
        before - LONGEST_LINE / 3
    }
}

/// The part of a text that is looked at for a range: where it begins, where the line of the range begins, and where
/// the range and the part end.
fn window(text: &str, Range { start, end }: Range<usize>) -> (usize, usize, usize, usize) {
    // Of a line that is longer than anybody shows, only what is near is looked at.
    let line_start = |at: usize| {
        let near = text.floor_char_boundary(at.saturating_sub(NEAR));
        let found = text.get(near..at).and_then(|before| before.rfind('\n'));
        found.map_or((near, near == 0), |found| (near + found + 1, true))
    };
    let line_end = |at: usize| {
        let near = text.floor_char_boundary(text.len().min(at + NEAR));
        text.get(at..near).and_then(|rest| rest.find('\n')).map_or(near, |len| at + len)
    };
    let (own, is_whole) = line_start(start);
    let before = match line_start(own.saturating_sub(1)) {
        (before, true) if is_whole && own > 0 => before,
        _ => own,
    };
    // A value over many lines is shown by its first ones.
    let mut last = line_end(end.max(start));
    let many = text.get(own..last).map_or(0, |inside| inside.matches('\n').count());
    if many > 4 {
        last = text
            .get(own..)
            .into_iter()
            .flat_map(|rest| rest.match_indices('\n'))
            .nth(3)
            .map_or(last, |(at, _)| own + at);
    }
    let end = end.min(last).max(start);
    let after = if last < text.len() && many <= 4 { line_end(last + 1) } else { last };
    (before, own, end, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cropped_around_the_place() {
        let text = format!("{}NEEDLE{}", "x".repeat(300), "y".repeat(300));
        let crop = crop(&text, &Span::of(&text, 300..306));
        assert_eq!(crop.text.get(crop.at..crop.at + crop.len), Some("NEEDLE"));
        assert!(crop.text.lines().all(|line| line.chars().count() <= LONGEST_LINE + 2));
    }
}
