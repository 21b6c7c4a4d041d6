//! Reports as one page that needs nothing else: no network, no other file, and no script to be read.

mod escape;
mod listing;
mod market;
mod policy;
mod row;
mod score;
mod section;
mod snippet;

use std::fmt::Write as _;

use crate::report::market::MarketTold;
use escape::escape;

pub use row::Row;
pub use section::section;

/// What a page says of all its plugins.
#[derive(Clone, Copy, Debug)]
pub struct Head<'h> {
    /// The marketplace, if one was compiled.
    pub market: Option<&'h MarketTold>,
    /// The host that was compiled to.
    pub target: &'h str,
    /// The form of the plans.
    pub form: &'h str,
    /// Only what is counted, and nothing that is told.
    pub quiet: bool,
}

/// What a page says of one plugin. Only the text of its section is large.
#[derive(Debug)]
pub struct Part {
    /// Its numbers.
    pub row: Row,
    /// The inside of its section.
    pub section: String,
}

/// The script: sorting and searching, from what stands in the page.
fn script() -> String {
    file(include_str!("page.js"))
}

/// The style.
fn style() -> String {
    file(include_str!("page.css"))
}

/// A file that was checked out with other ends of lines gives the same bytes; browsers take the digest of these.
fn file(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Writes the page piece by piece, so that what is large is never held twice.
pub fn page<E>(
    head: Head<'_>,
    parts: &[Part],
    mut put: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let rows: Vec<&Row> = parts.iter().map(|part| &part.row).collect();
    put(&opening(head))?;
    summary(head, &rows, &mut put)?;
    put("<section aria-labelledby=\"plugins\"><h2 id=\"plugins\">Plugins</h2>\n")?;
    put(SEARCH)?;
    put(&row::table(&rows))?;
    put("</section>\n<section aria-labelledby=\"each\"><h2 id=\"each\">Each plugin</h2>\n")?;
    put(FOLDS)?;
    for (number, part) in parts.iter().enumerate() {
        put(&format!("<details class=\"plugin\" id=\"plugin-{}\">\n", number + 1))?;
        put(&part.section)?;
        put("</details>\n")?;
    }
    put("</section>\n</main>\n")?;
    put(&format!("<script>{}</script>\n</body>\n</html>\n", script()))
}

/// What all plugins add up to, and what there is to say of their marketplace.
fn summary<E>(
    head: Head<'_>,
    rows: &[&Row],
    put: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    put("<section aria-labelledby=\"score\"><h2 id=\"score\">Score</h2>\n")?;
    put(&score::card(rows))?;
    if head.market.is_some() {
        put(&market::insecure(rows))?;
    }
    put("</section>\n<section aria-labelledby=\"lost\"><h2 id=\"lost\">What is lost most</h2>\n")?;
    put("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"lost\">\n")?;
    put(&score::chart(rows))?;
    put("</div>\n</section>\n")?;
    let Some(market) = head.market else { return Ok(()) };
    if !head.quiet {
        put(&market::list(market))?;
    }
    put(&market::collisions(market, rows))
}

/// The search field; hidden until the script can answer it.
const SEARCH: &str = "<p id=\"controls\" role=\"search\" hidden><label for=\"search\">Search names, codes and messages</label> \
    <input id=\"search\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\"> \
    <output id=\"found\" for=\"search\" aria-live=\"polite\"></output></p>\n";

/// Opening and closing all; hidden until the script can do it.
const FOLDS: &str = "<p id=\"folds\" hidden><button type=\"button\" id=\"open\">Open all</button> \
    <button type=\"button\" id=\"close\">Close all</button></p>\n";

fn opening(Head { market, target, form, .. }: Head<'_>) -> String {
    let (script, style) = (script(), style());
    let title = escape(market.map_or("Plugins, compiled", market::title));
    let mut out =
        String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    let _ = write!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n\
         <header><h1><bdi>{title}</bdi></h1>\n<p>What arrives on <strong>{}</strong> ({}), and what is lost.</p>{}</header>\n<main>\n",
        policy::policy(&script, &style),
        escape(target),
        escape(form),
        market.map(market::place).unwrap_or_default(),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_style_cannot_end_their_elements() {
        assert!(!script().to_lowercase().contains("</script") && !script().contains("<!--"));
        assert!(!style().contains("</"));
    }
}
