//! Foreign text in a page: nothing in it is markup, in text and in attributes alike.

use crate::report::text::clean;

/// The text with what a browser would act on replaced: markup by its names, controls by what shows.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup_and_nothing_turns_the_line_round() {
        assert_eq!(
            escape("<a b=\"c\" d='e'>&amp;"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;"
        );
        assert_eq!(escape("\u{202e}x\u{0}\u{1b}"), "\u{FFFD}x\u{FFFD}\u{FFFD}");
    }
}
