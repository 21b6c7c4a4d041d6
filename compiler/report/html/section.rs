//! One plugin in full: its verdict, what arrives, what is lost and where.

use std::fmt::Write as _;

use super::escape::escape;
use super::listing;
use super::row::LOSSES;
use super::snippet::snippet;
use crate::ir::diagnostic::Severity;
use crate::ir::document::Document;
use crate::ir::plan::Mapped;
use crate::report::text::counted;
use crate::report::told::{EntryTold, Report, Told};

/// The inside of a plugin's section. Its frame needs the plugin's number, which is known only when all are there.
pub fn section(report: &Report, quiet: bool) -> String {
    let mut out = summary(report);
    out.push_str("<div class=\"inside\">\n");
    facts(&mut out, report);
    if !quiet {
        out.push_str(&listing::reasons(report));
        entries(&mut out, &report.entries);
        out.push_str(&diagnostics(&report.diagnostics, &report.documents));
    }
    out.push_str("</div>\n");
    out
}

/// Diagnostics, and the notes among them folded.
pub(super) fn diagnostics(all: &[Told], documents: &[Document]) -> String {
    let (notes, loud): (Vec<&Told>, Vec<&Told>) =
        all.iter().partition(|one| one.severity == Severity::Note);
    let mut out: String = loud.into_iter().map(|one| diagnostic(one, documents)).collect();
    if !notes.is_empty() {
        let word = if notes.len() == 1 { "note" } else { "notes" };
        let _ = writeln!(out, "<details class=\"more\"><summary>{} {word}</summary>", notes.len());
        for one in notes {
            out.push_str(&diagnostic(one, documents));
        }
        out.push_str("</details>\n");
    }
    out
}

fn summary(report: &Report) -> String {
    let name = escape(report.name.as_deref().unwrap_or(&report.path));
    let version = report.version.as_deref().map(escape).unwrap_or_default();
    let word = report.verdict.word();
    format!(
        "<summary><h3><bdi>{name}</bdi> <small><bdi>{version}</bdi></small></h3> \
         <span class=\"verdict {word}\">{word}</span>{}</summary>\n",
        listing::mark(report)
    )
}

fn facts(out: &mut String, report: &Report) {
    let manifest = report.manifest.as_deref().unwrap_or("no manifest");
    let _ = writeln!(
        out,
        "<dl>\n<dt>source</dt><dd><bdi>{}</bdi></dd>\n<dt>read as</dt><dd>{}</dd>\n<dt>arrives</dt><dd>{}</dd>",
        escape(&report.path),
        escape(manifest),
        escape(&carried(&report.mapped))
    );
    let lost = LOSSES.map(|loss| {
        (report.diagnostics.iter().filter(|one| one.loss == Some(loss)).count(), loss.word())
    });
    let lost: Vec<String> = lost
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} of {word}"))
        .collect();
    if !lost.is_empty() {
        let _ = writeln!(out, "<dt>losses</dt><dd>{}</dd>", lost.join(", "));
    }
    out.push_str(&listing::facts(report));
    for other in &report.others {
        let _ = writeln!(
            out,
            "<dt>not chosen</dt><dd>the manifest for {}, which carries {}</dd>",
            escape(&other.manifest),
            escape(&carried(&other.mapped))
        );
    }
    out.push_str("</dl>\n");
}

/// What to do, if anything is known.
pub(super) fn help(out: &mut String, help: Option<&str>) {
    if let Some(help) = help {
        let _ = writeln!(out, "<p class=\"help\">help: <bdi>{}</bdi></p>", escape(help));
    }
}

fn carried(mapped: &Mapped) -> String {
    let all: Vec<String> = mapped.iter().filter(|(_, count)| *count > 0).map(counted).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

fn entries(out: &mut String, entries: &[EntryTold]) {
    if entries.is_empty() {
        return;
    }
    let word = if entries.len() == 1 { "item" } else { "items" };
    let _ = writeln!(
        out,
        "<details class=\"more\"><summary>{} {word}, and what becomes of each</summary>\n<ul class=\"entries\">",
        entries.len()
    );
    for EntryTold { kind, name, origin, fate, .. } in entries {
        let _ = writeln!(
            out,
            "<li><span class=\"fate {}\">{}</span> {} <bdi>{}</bdi> <code><bdi>{}</bdi></code></li>",
            fate.word(),
            fate.word(),
            escape(kind),
            escape(name),
            escape(&origin.to_string())
        );
    }
    out.push_str("</ul></details>\n");
}

/// One diagnostic with its snippet.
fn diagnostic(one: &Told, documents: &[Document]) -> String {
    let severity = one.severity.word();
    let mut out = format!(
        "<article class=\"{severity}\">\n<p><code class=\"code\">{}</code> ",
        escape(&one.code)
    );
    match one.loss {
        Some(loss) => {
            let _ = write!(out, "<span class=\"loss {0}\">{0}</span> ", loss.word());
        }
        None => {
            let _ = write!(out, "<span class=\"loss {severity}\">{severity}</span> ");
        }
    }
    let _ = writeln!(out, "<bdi>{}</bdi></p>", escape(&one.message));
    if !one.file.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"place\"><code><bdi>{}</bdi>:{}:{}</code></p>",
            escape(&one.file),
            one.line,
            one.column
        );
    }
    out.push_str(&snippet(one, documents));
    help(&mut out, one.help.as_deref());
    also(&mut out, one);
    out.push_str("</article>\n");
    out
}

/// The most further places that are listed; a broken generator can make thousands.
const MOST_PLACES: usize = 20;

fn also(out: &mut String, one: &Told) {
    if one.also.is_empty() {
        return;
    }
    out.push_str("<p class=\"also\">also at ");
    let listed = one.also.iter().take(MOST_PLACES).map(|also| {
        format!("<code><bdi>{}</bdi>:{}:{}</code>", escape(&also.file), also.line, also.column)
    });
    out.push_str(&listed.collect::<Vec<_>>().join(", "));
    if one.also.len() > MOST_PLACES {
        let _ = write!(out, " and {} more", one.also.len() - MOST_PLACES);
    }
    out.push_str("</p>\n");
}
