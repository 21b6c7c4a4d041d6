//! `Report`: a plan in words and places, as every format prints it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::locate::{Part, Span, Wanted, locate};
use crate::ir::diagnostic::{Diagnostic, Loss, Severity};
use crate::ir::document::Document;
use crate::ir::fate::{Fate, Verdict};
use crate::ir::manifest::NodeRef;
use crate::ir::market::Listing;
use crate::ir::origin::Origin;
use crate::ir::plan::{Entry, Mapped, Plan};
use crate::ir::source::address::veiled;
use crate::rulebook::Rulebook;
use crate::rulebook::page::{self, Page};

/// What is told of one plugin.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// The SOURCE as it was given.
    pub path: String,
    /// What the package is called, where that could be read.
    pub name: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The host it was read as; none where nothing could be read.
    pub manifest: Option<String>,
    /// How well it fits.
    pub verdict: Verdict,
    /// The marketplace's entry for it, if it was compiled as part of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing: Option<ListingTold>,
    /// The manifests of the same folder that were not chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherTold>,
    /// How many of each kind arrive.
    #[serde(serialize_with = "as_map", deserialize_with = "from_map")]
    pub mapped: Mapped,
    /// What becomes of each capability.
    pub entries: Vec<EntryTold>,
    /// What there is to tell, the worst first.
    pub diagnostics: Vec<Told>,
    /// The fate of each leaf, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<Vec<LeafTold>>,
    /// The documents, for snippets.
    #[serde(skip)]
    pub documents: Vec<Document>,
}

/// What stands for the manifest of a plugin that has none but its entry in a marketplace.
pub const BY_ENTRY: &str = "entry";

/// A plugin in its marketplace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListingTold {
    /// Where its entry is written, below the marketplace's root.
    pub origin: Origin,
    /// What it is called there.
    pub name: Option<String>,
    /// Whether the target installs it from the marketplace as it stands.
    pub installs: bool,
    /// Why not, and what would make it installable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonTold>,
    /// The commit that was read, where it lies in a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl ListingTold {
    /// An entry of whose plugin nothing is known yet.
    pub fn of(listing: &Listing) -> Self {
        ListingTold {
            origin: listing.origin.clone(),
            name: listing.name.clone(),
            installs: false,
            reasons: Vec::new(),
            commit: None,
        }
    }
}

/// Why a plugin is not installed from its marketplace as it stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReasonTold {
    /// The diagnostic.
    pub code: String,
    /// It keeps the whole marketplace from being installed at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocks: bool,
    /// What is in the way.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

fn as_map<S: Serializer>(mapped: &Mapped, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(mapped.iter().map(|(word, count)| (word, count)))
}

fn from_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Mapped, D::Error> {
    struct Counts;
    impl<'de> Visitor<'de> for Counts {
        type Value = Mapped;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("counts by kind")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Mapped, A::Error> {
            let mut mapped = Mapped::new();
            while let Some(one) = map.next_entry()? {
                mapped.push(one);
            }
            Ok(mapped)
        }
    }
    deserializer.deserialize_map(Counts)
}

/// A manifest that was not chosen, and what it would have carried.
#[derive(Debug, Serialize, Deserialize)]
pub struct OtherTold {
    /// Whose it is.
    pub manifest: String,
    /// How well it would have fitted.
    pub verdict: Verdict,
    /// What would have arrived.
    #[serde(serialize_with = "some_as_map", deserialize_with = "from_map")]
    pub mapped: Mapped,
}

fn some_as_map<S: Serializer>(mapped: &Mapped, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        mapped.iter().filter(|(_, count)| *count > 0).map(|(word, count)| (word, count)),
    )
}

/// One capability.
#[derive(Debug, Serialize, Deserialize)]
pub struct EntryTold {
    /// What it is.
    pub kind: Arc<str>,
    /// What it is called.
    pub name: String,
    /// Where it was written.
    pub origin: Origin,
    /// How well it fits.
    pub fate: Fate,
    /// The rules that decided.
    pub rules: Vec<Arc<str>>,
}

/// One leaf of the account.
#[derive(Debug, Serialize, Deserialize)]
pub struct LeafTold {
    /// Where it was written.
    pub origin: Origin,
    /// What becomes of it.
    pub fate: Fate,
}

/// One diagnostic in words, at its place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Told {
    /// Its code.
    pub code: String,
    /// How much it asks of its reader.
    pub severity: Severity,
    /// What kind of thing is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// What stands at the caret.
    #[serde(skip)]
    pub label: Option<String>,
    /// The file, below the package.
    pub file: Arc<str>,
    /// The pointer into it.
    pub pointer: String,
    /// Where it begins, from 1.
    pub line: usize,
    /// Where it begins, in characters from 1.
    pub column: usize,
    /// Behind its end.
    pub end_line: usize,
    /// Behind its end.
    pub end_column: usize,
    /// How many places it speaks of.
    pub count: usize,
    /// The further places.
    pub also: Vec<Place>,
    /// The place in bytes, and which document it lies in.
    #[serde(skip)]
    pub at: Option<(usize, Span)>,
    /// The rule that told it, if a rule did.
    #[serde(skip)]
    pub rule: Option<Arc<str>>,
}

/// A further place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: Arc<str>,
    /// The pointer into it.
    pub pointer: String,
    /// From 1.
    pub line: usize,
    /// In characters from 1.
    pub column: usize,
}

impl Told {
    /// What is lost, in a word. An error without a loss counts too: what cannot be read does not arrive.
    pub fn lost(&self) -> Option<&'static str> {
        let error = || (self.severity == Severity::Error).then_some("error");
        self.loss.map(Loss::word).or_else(error)
    }
}

/// Puts a plan into words.
pub fn tell(plan: Plan, rulebook: &Rulebook, path: &str, account: bool) -> Report {
    let source = plan.route.source.to_string();
    let titles = Titles {
        source: rulebook
            .source(&plan.route.source)
            .map(|one| one.title.clone())
            .unwrap_or_default(),
        target: rulebook
            .target(&plan.route.target)
            .map(|one| one.title.clone())
            .unwrap_or_default(),
    };
    let spans = spans(&plan.documents, &plan.diagnostics);
    let mut diagnostics: Vec<Told> =
        plan.diagnostics.into_iter().map(|one| in_words(one, rulebook, &titles, &spans)).collect();
    let order = |one: &Told| {
        let document = one.at.as_ref().map_or(usize::MAX, |(document, _)| *document);
        (
            one.loss != Some(Loss::Security),
            one.severity,
            document,
            one.file.clone(),
            one.line,
            one.column,
            one.code.clone(),
        )
    };
    diagnostics.sort_by_cached_key(order);
    let leaf = |(at, fate): (NodeRef, Fate)| {
        let origin = plan.documents.get(at.document as usize)?.origin(at.node);
        Some(LeafTold { origin, fate })
    };
    let account = account.then(|| plan.account.into_iter().filter_map(leaf).collect());
    Report {
        path: path.to_owned(),
        name: plan.identity.name,
        version: plan.identity.version,
        manifest: if plan.by_entry {
            Some(BY_ENTRY.to_owned())
        } else {
            (!source.is_empty()).then_some(source)
        },
        verdict: plan.verdict,
        listing: None,
        others: plan
            .others
            .into_iter()
            .map(|one| OtherTold {
                manifest: one.manifest,
                verdict: one.verdict,
                mapped: one.mapped,
            })
            .collect(),
        mapped: plan.mapped,
        entries: plan.entries.into_iter().map(entry).collect(),
        diagnostics,
        account,
        documents: plan.documents,
    }
}

fn entry(entry: Entry) -> EntryTold {
    let Entry { kind, name, origin, fate, rules, .. } = entry;
    EntryTold { kind, name, origin, fate, rules }
}

struct Titles {
    source: String,
    target: String,
}

/// The spans of all places, by file and then by pointer and part.
type Spans = BTreeMap<Arc<str>, (usize, BTreeMap<(String, Part<'static>), Span>)>;

/// Which part of its place a diagnostic is about: the text or the line that one of its words names. One of the
/// area `front` that names no key is about the front matter, not about the body.
fn part(diagnostic: &Diagnostic) -> Part<'_> {
    let word = |wanted: &str| {
        diagnostic.words.iter().find(|(name, _)| name == wanted).map(|(_, word)| word.as_str())
    };
    let number = |wanted: &str| word(wanted).and_then(|word| word.parse().ok());
    match (word("text"), number("line")) {
        (Some(text), _) => Part::Text(text.into()),
        (None, Some(line)) => Part::Line(line, number("column").unwrap_or(1)),
        (None, None) => {
            let in_front = diagnostic.code.as_str().starts_with("front/");
            if in_front && diagnostic.origin.pointer.is_empty() { Part::Fence } else { Part::Whole }
        }
    }
}

fn spans(documents: &[Document], diagnostics: &[Diagnostic]) -> Spans {
    let mut by_file: BTreeMap<&str, Vec<Wanted<'_>>> = BTreeMap::new();
    for one in diagnostics {
        let at = Wanted { pointer: &one.origin.pointer, part: part(one) };
        by_file.entry(&one.origin.file).or_default().push(at);
        for also in &one.also {
            let at = Wanted { pointer: &also.pointer, part: Part::Whole };
            by_file.entry(&also.file).or_default().push(at);
        }
    }
    let mut spans = Spans::new();
    for (number, document) in documents.iter().enumerate() {
        let Some(wanted) = by_file.get(&*document.file) else { continue };
        let keys = wanted.iter().map(|one| (one.pointer.to_owned(), one.part.clone().owned()));
        spans.insert(document.file.clone(), (number, keys.zip(locate(document, wanted)).collect()));
    }
    spans
}

fn find<'s>(spans: &'s Spans, origin: &Origin, part: Part<'_>) -> Option<(usize, &'s Span)> {
    let (number, by_pointer) = spans.get(&origin.file)?;
    let span = by_pointer.get(&(origin.pointer.clone(), part.owned()))?;
    Some((*number, span))
}

fn in_words(mut one: Diagnostic, rulebook: &Rulebook, titles: &Titles, spans: &Spans) -> Told {
    for (name, title) in [("target", &titles.target), ("source", &titles.source)] {
        if !one.words.iter().any(|(known, _)| known == name) {
            one.words.push((name.to_owned(), title.clone()));
        }
    }
    let unknown = Page {
        severity: Severity::Error,
        loss: None,
        message: one.code.to_string(),
        label: None,
        help: None,
    };
    let page = rulebook.page(&one.code).unwrap_or(&unknown);
    let filled = |line: &str| veiled(&page::fill(line, &one.words)).into_owned();
    let fill = |line: &Option<String>| line.as_deref().map(filled);
    let at = find(spans, &one.origin, part(&one)).map(|(number, span)| (number, span.clone()));
    let place = |origin: &Origin| {
        let span = find(spans, origin, Part::Whole).map(|(_, span)| span);
        let (line, column) = span.map_or((1, 1), |span| (span.line, span.column));
        Place { file: origin.file.clone(), pointer: origin.pointer.clone(), line, column }
    };
    let span = at.as_ref().map(|(_, span)| span);
    Told {
        code: one.code.to_string(),
        severity: page.severity,
        // A page may tell of the same thing where nothing is lost by it.
        loss: one.loss.or(page.loss).filter(|loss| *loss == Loss::Cosmetic || one.fate.is_loss()),
        message: filled(&page.message),
        help: fill(&page.help),
        label: fill(&page.label),
        line: span.map_or(1, |span| span.line),
        column: span.map_or(1, |span| span.column),
        end_line: span.map_or(1, |span| span.end_line),
        end_column: span.map_or(1, |span| span.end_column),
        count: one.count(),
        also: one.also.iter().map(place).collect(),
        file: one.origin.file,
        pointer: one.origin.pointer,
        at,
        rule: one.rule,
    }
}
