//! Reports for people. The only file that names miette.

use std::fmt::Write as _;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource,
    Severity as Level, ThemeCharacters, ThemeStyles,
};

use super::crop::crop;
use super::json::Summary;
use super::told::{Report, Told};
use crate::ir::diagnostic::{Loss, Severity};
use crate::ir::document::Document;

/// How wide a page is.
const WIDTH: usize = 80;

/// The most further places that are listed.
const MOST_PLACES: usize = 5;

/// How a report is printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// With colour.
    pub colour: bool,
    /// Notes too, each in full.
    pub verbose: bool,
    /// Only the headers.
    pub quiet: bool,
}

/// One plugin: who it is and what arrives, then what is lost, the worst first, then a line that sums it up.
pub fn plugin(report: &Report, style: Style) -> String {
    header(report) + &diagnostics(&report.diagnostics, &report.documents, style)
}

/// Diagnostics with their snippets, then the notes in one line each.
pub fn diagnostics(all: &[Told], documents: &[Document], style: Style) -> String {
    let mut out = String::new();
    if style.quiet {
        return out;
    }
    let (loud, quiet): (Vec<&Told>, Vec<&Told>) =
        all.iter().partition(|one| style.verbose || one.severity != Severity::Note);
    for one in loud {
        out.push('\n');
        out.push_str(&snippet(one, documents, style));
    }
    let notes: Vec<&Told> =
        quiet.into_iter().filter(|one| one.code != "document/unknown-key").collect();
    if !notes.is_empty() {
        out.push('\n');
    }
    for one in notes {
        let places = if one.count > 1 { format!(" ({} places)", one.count) } else { String::new() };
        let _ = writeln!(out, "  note: {}{}{places}", place(one), clean(&one.message));
    }
    out
}

fn place(one: &Told) -> String {
    if one.file.is_empty() { String::new() } else { format!("{}:{}: ", clean(&one.file), one.line) }
}

fn header(report: &Report) -> String {
    let name = report.name.as_deref().unwrap_or(&report.path);
    let mut out = clean(name);
    if let Some(version) = &report.version {
        let _ = write!(out, " {}", clean(version));
    }
    let manifest = report.manifest.as_deref().unwrap_or("no manifest");
    let _ = writeln!(out, " ({}, {manifest}): {}", clean(&report.path), report.verdict.word());
    let arrives: Vec<String> =
        report.mapped.iter().filter(|(_, count)| *count > 0).map(counted).collect();
    let arrives = if arrives.is_empty() { "nothing".to_owned() } else { arrives.join(", ") };
    let lost = |loss| report.diagnostics.iter().filter(|one| one.loss == Some(loss)).count();
    let losses = [(Loss::Security, "security"), (Loss::Behaviour, "behaviour")]
        .map(|(loss, word)| (lost(loss), word));
    let losses: Vec<String> = losses
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} of {word}"))
        .collect();
    let losses =
        if losses.is_empty() { String::new() } else { format!("; losses: {}", losses.join(", ")) };
    let _ = writeln!(out, "  arrives: {arrives}{losses}");
    if let Some(listing) = report.listing.as_ref().filter(|listing| !listing.installs) {
        for reason in &listing.reasons {
            let help = reason.help.as_deref().map(|help| format!("; {help}")).unwrap_or_default();
            let _ = writeln!(
                out,
                "  as it stands: {}: {}{}",
                reason.code,
                clean(&reason.message),
                clean(&help)
            );
        }
    }
    for other in &report.others {
        let carried: Vec<String> =
            other.mapped.iter().filter(|(_, count)| *count > 0).map(counted).collect();
        let carried = if carried.is_empty() { "nothing".to_owned() } else { carried.join(", ") };
        let _ = writeln!(
            out,
            "  not chosen: the manifest for {}, which carries {carried}",
            other.manifest
        );
    }
    out
}

/// `3 skills`, `1 skill`.
pub(super) fn counted((word, count): &(std::sync::Arc<str>, usize)) -> String {
    let word = if *count == 1 { word.strip_suffix('s').unwrap_or(word) } else { word };
    format!("{count} {word}")
}

/// The last line: how many of each verdict.
pub fn summary(summary: Summary) -> String {
    format!(
        "{} plugins: {} full, {} partial, {} none; {} diagnostics\n",
        summary.plugins, summary.full, summary.partial, summary.none, summary.diagnostics
    )
}

fn snippet(one: &Told, documents: &[Document], style: Style) -> String {
    let loss = one.loss.map(|loss| format!(" [{}]", loss.word())).unwrap_or_default();
    let level = match one.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Note => Level::Advice,
    };
    let mut told = MietteDiagnostic::new(format!("{}{loss}: {}", one.code, clean(&one.message)))
        .with_severity(level);
    let help = help(one);
    if !help.is_empty() {
        told = told.with_help(help);
    }
    let mut out = String::new();
    let document = one.at.as_ref().and_then(|(number, span)| Some((documents.get(*number)?, span)));
    let Some((document, span)) = document.filter(|(document, _)| !document.text.is_empty()) else {
        let _ = handler(style).render_report(&mut out, &told);
        return with_place(&out, one);
    };
    let crop = crop(&document.text, span);
    let label = one.label.as_deref().map(clean);
    told = told.with_label(LabeledSpan::new(label, crop.at, crop.len));
    let name = format!("{}:{}:{}", clean(&one.file), one.line, one.column);
    let source = NamedSource::new(name.clone(), crop.text);
    let shown = miette::Report::new(told).with_source_code(source);
    let _ = handler(style).render_report(&mut out, shown.as_ref());
    renumber(&out, &name, crop.first_line)
}

/// Without a snippet the place stands in a line of its own.
fn with_place(out: &str, one: &Told) -> String {
    if one.file.is_empty() {
        return out.to_owned();
    }
    let mut lines = out.splitn(2, '\n');
    let (first, rest) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    format!("{first}\n   in {}\n{rest}", clean(&one.file))
}

fn help(one: &Told) -> String {
    let mut help = one.help.as_deref().map(clean).unwrap_or_default();
    if !one.also.is_empty() {
        let listed = one
            .also
            .iter()
            .take(MOST_PLACES)
            .map(|also| format!("{}:{}", clean(&also.file), also.line));
        let mut places = listed.collect::<Vec<_>>().join(", ");
        if one.also.len() > MOST_PLACES {
            let _ = write!(places, " and {} more", one.also.len() - MOST_PLACES);
        }
        if !help.is_empty() {
            help.push('\n');
        }
        let _ = write!(help, "also at {places}");
    }
    help
}

fn handler(style: Style) -> GraphicalReportHandler {
    let styles = if style.colour { ThemeStyles::ansi() } else { ThemeStyles::none() };
    let mut characters = ThemeCharacters::unicode();
    "×".clone_into(&mut characters.error);
    "⚠".clone_into(&mut characters.warning);
    "·".clone_into(&mut characters.advice);
    GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles })
        .with_width(WIDTH)
        .with_context_lines(1)
        .with_links(false)
        .without_cause_chain()
}

/// The handler numbers the lines of what it was given, and counts columns in bytes; the place is printed by us.
fn renumber(out: &str, name: &str, first_line: usize) -> String {
    let mut result = String::new();
    for line in out.lines() {
        let line = line.trim_end();
        if line.contains("─[") && line.contains(name) {
            let _ = writeln!(result, "     ╭─[{name}]");
            continue;
        }
        let numbered = line.split_once('│').and_then(|(number, rest)| {
            let trimmed = number.trim_start();
            let number: usize = trimmed.trim_end().parse().ok()?;
            Some(format!("{:>4} │{rest}", number + first_line - 1))
        });
        let _ = writeln!(result, "{}", numbered.unwrap_or_else(|| pad(line)));
    }
    result
}

/// Lines without a number keep step with those that have one.
fn pad(line: &str) -> String {
    let is_frame = line.trim_start().starts_with(['╭', '·', '╰']) && line.starts_with(' ');
    if is_frame { format!("     {}", line.trim_start()) } else { line.to_owned() }
}

/// A text without anything that a terminal would act on: each such character is replaced by one that shows.
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' => c,
            '\t' => ' ',
            c if c.is_control() => '\u{FFFD}',
            '\u{202A}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}'
            | '\u{200B}'..='\u{200F}'
            | '\u{FEFF}' => '\u{FFFD}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_a_terminal_that_it_would_act_on() {
        assert_eq!(clean("a\u{1b}[31mb\u{202e}c\td\u{9b}"), "a\u{FFFD}[31mb\u{FFFD}c d\u{FFFD}");
    }
}
