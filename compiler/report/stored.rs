//! A report as it is kept in the cache: with what no reader of a report is shown, but its snippets are made from.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::locate::Span;
use super::told::Report;
use crate::ir::document::Document;
use crate::ir::path::RelPath;

#[derive(Serialize, Deserialize)]
struct Stored<R> {
    report: R,
    /// Of each diagnostic what reports do not show.
    hidden: Vec<Hidden>,
    /// The files and their texts; of one that no snippet shows, no text.
    documents: Vec<(Arc<str>, Arc<str>)>,
}

#[derive(Serialize, Deserialize)]
struct Hidden {
    label: Option<String>,
    at: Option<(usize, Span)>,
    rule: Option<Arc<str>>,
}

/// A report in bytes. The text of the file `but` is left out: who reads the report again has it at hand.
pub fn write(report: &Report, but: Option<&str>) -> Vec<u8> {
    let told = &report.diagnostics;
    let hidden = told.iter().map(|one| Hidden {
        label: one.label.clone(),
        at: one.at.clone(),
        rule: one.rule.clone(),
    });
    let is_shown = |number: usize| {
        told.iter().any(|one| one.at.as_ref().is_some_and(|(document, _)| *document == number))
    };
    let documents = report.documents.iter().enumerate().map(|(number, one)| {
        let is_kept = is_shown(number) && Some(&*one.file) != but;
        (one.file.clone(), if is_kept { one.text.clone() } else { "".into() })
    });
    let stored = Stored { report, hidden: hidden.collect(), documents: documents.collect() };
    serde_json::to_vec(&stored).unwrap_or_default()
}

/// What was written, with the text that was left out; nothing if it is no report.
pub fn read(bytes: &[u8], but: Option<(&str, &Arc<str>)>) -> Option<Report> {
    let Stored::<Report> { mut report, hidden, documents } = serde_json::from_slice(bytes).ok()?;
    if hidden.len() != report.diagnostics.len() {
        return None;
    }
    for (told, Hidden { label, at, rule }) in report.diagnostics.iter_mut().zip(hidden) {
        (told.label, told.at, told.rule) = (label, at, rule);
    }
    let document = |(file, text): (Arc<str>, Arc<str>)| {
        let kept = but.filter(|(but, _)| *but == &*file).map(|(_, text)| text.clone());
        let mut document = Document::new(&RelPath::root(), kept.unwrap_or(text));
        document.file = file;
        document
    };
    report.documents = documents.into_iter().map(document).collect();
    Some(report)
}
