//! What is kept of a plugin for the table and the score: small, as there may be thousands.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::escape;
use super::listing::stands;
use super::market::link;
use crate::ir::diagnostic::Loss;
use crate::ir::fate::Verdict;
use crate::report::market::claimant;
use crate::report::told::Report;

/// The kinds of loss, the worst first.
pub(super) const LOSSES: [Loss; 3] = [Loss::Security, Loss::Behaviour, Loss::Cosmetic];

/// The column that is there where there is a marketplace.
const STANDS: &str = "as it stands";

/// The columns of the table: their heading, and whether they hold numbers.
const COLUMNS: [(&str, bool); 10] = [
    ("plugin", false),
    ("verdict", true),
    (STANDS, true),
    ("arrives", true),
    ("security", true),
    ("behaviour", true),
    ("cosmetic", true),
    ("diagnostics", true),
    ("read as", false),
    ("source", false),
];

/// One plugin in one line.
#[derive(Debug)]
pub struct Row {
    pub(super) name: String,
    path: String,
    manifest: Option<String>,
    pub(super) verdict: Verdict,
    pub(super) listed: Option<Listed>,
    arrives: usize,
    pub(super) losses: [usize; 3],
    diagnostics: usize,
    /// How often each code says that something is lost, and what.
    pub(super) lost: BTreeMap<(String, &'static str), usize>,
}

/// A plugin in its marketplace.
#[derive(Debug)]
pub(super) struct Listed {
    /// What it is called where it claims a name.
    pub(super) claimant: String,
    /// The target installs it from the marketplace as it stands.
    pub(super) installs: bool,
}

impl Listed {
    fn of(report: &Report) -> Option<Self> {
        let installs = report.listing.as_ref()?.installs;
        Some(Listed { claimant: claimant(report).to_owned(), installs })
    }
}

impl Row {
    /// The row of a plugin.
    pub fn of(report: &Report) -> Self {
        let lost_of =
            |loss: Loss| report.diagnostics.iter().filter(|one| one.loss == Some(loss)).count();
        let mut lost = BTreeMap::new();
        for one in &report.diagnostics {
            if let Some(kind) = one.lost() {
                *lost.entry((one.code.clone(), kind)).or_default() += one.count;
            }
        }
        Row {
            name: report.name.clone().unwrap_or_else(|| report.path.clone()),
            path: report.path.clone(),
            manifest: report.manifest.clone(),
            verdict: report.verdict,
            listed: Listed::of(report),
            arrives: report.mapped.iter().map(|(_, count)| count).sum(),
            losses: LOSSES.map(lost_of),
            diagnostics: report.diagnostics.len(),
            lost,
        }
    }

    /// How many losses of security there are.
    pub(super) fn security(&self) -> usize {
        let [security, ..] = self.losses;
        security
    }

    fn cells(&self, number: usize) -> String {
        let word = self.verdict.word();
        let mut out = format!(
            "<tr><th scope=\"row\">{}</th>\
             <td data-key=\"{}\"><span class=\"verdict {word}\">{word}</span></td>",
            link(number, &self.name),
            self.verdict as u8,
        );
        if let Some(Listed { installs, .. }) = self.listed {
            let (word, class) = stands(installs);
            let key = u8::from(!installs);
            let _ = write!(
                out,
                "<td data-key=\"{key}\"><span class=\"verdict {class}\">{word}</span></td>"
            );
        }
        let numbers = [self.arrives].into_iter().chain(self.losses).chain([self.diagnostics]);
        for number in numbers {
            let class = if number == 0 { "number zero" } else { "number" };
            let _ = write!(out, "<td class=\"{class}\" data-key=\"{number}\">{number}</td>");
        }
        let _ = write!(
            out,
            "<td>{}</td><td class=\"source\"><bdi>{}</bdi></td>",
            escape(self.manifest.as_deref().unwrap_or("–")),
            escape(&self.path),
        );
        out.push_str("</tr>\n");
        out
    }
}

/// The table of all plugins. Its buttons wait for the script; without it they are plain headings.
pub(super) fn table(rows: &[&Row]) -> String {
    // All are of one marketplace, or none is.
    let is_market = rows.iter().any(|row| row.listed.is_some());
    let mut out = String::from(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"plugins\">\n\
         <table id=\"table\"><caption>Every plugin, and how many losses of each kind it has</caption>\n<thead><tr>",
    );
    for (heading, is_number) in COLUMNS.into_iter().filter(|one| is_market || one.0 != STANDS) {
        // What is many is looked for first.
        let first = if is_number { "descending" } else { "ascending" };
        let _ = write!(
            out,
            "<th scope=\"col\" aria-sort=\"none\" data-first=\"{first}\">\
             <button type=\"button\" disabled>{heading}</button></th>",
        );
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (number, row) in rows.iter().enumerate() {
        out.push_str(&row.cells(number + 1));
    }
    out.push_str("</tbody></table>\n</div>\n");
    out
}
