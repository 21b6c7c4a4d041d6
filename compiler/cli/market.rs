//! `plugc compile MARKETPLACE`: every entry gets an answer, and a bad one spoils no other.

use super::Unasked;
use super::compile::{Body, Format, Shared, Work};
use super::ordered::ordered;
use super::progress::Progress;
use crate::entry::{Entries, Outcome, Task, tasks};
use crate::ir::document::Document;
use crate::ir::market::Listing;
use crate::ir::path::RelPath;
use crate::ir::source::redacted;
use crate::market::{Lister, market};
use crate::report::json::{self, Summary};
use crate::report::market::{self as told, Claims, Losses, MarketTold};
use crate::report::told::{ListingTold, Report, Told};
use crate::rulebook::Rulebook;
use crate::source::Found;
use crate::standing::Seen;
use crate::survey::Wish;

/// Compiles a marketplace: what it is, its plugins in their order, and what they add up to.
pub(super) fn run(
    mut work: Work<'_>,
    path: &str,
    base: &Found,
    lister: Lister,
) -> Result<u8, Unasked> {
    let (mut told, jobs) = read(base, path, work.rulebook, work.wish, lister)?;
    let wanted = work.options.shard;
    let jobs = wanted.of(jobs);
    told.shard = (!wanted.is_whole()).then(|| wanted.to_string());
    let target = work.rulebook.target(&work.wish.to).map(|target| target.title.clone());
    if work.options.format == Format::Jsonl {
        let line = json::market_line(&told, &work.wish.to.to_string(), work.wish.form);
        work.output.put(&line)?;
    }
    let (mut claims, mut losses, mut texts) = (Claims::default(), Losses::default(), Vec::new());
    let shared = work.shared();
    let fetch = shared.options.fetch_entries;
    let entries = Entries { base, rulebook: shared.rulebook, how: shared.how, fetch };
    let one = |(task, mut words): Job| {
        let mut report = answer(shared, entries, &task, &mut words);
        words.add(&mut report, &told);
        shared.printed(report)
    };
    let apart = work.is_apart() || work.options.format == Format::Text;
    let progress = Progress::plugins(Some(jobs.len()), apart);
    ordered(jobs.into_iter(), one, |(report, text)| {
        progress.step();
        claims.add(&report, work.rulebook);
        losses.add(&report);
        match (work.options.format, work.count(shared.done(report, text))) {
            // The scorecard comes first.
            (Format::Text, Body::Text(text)) => texts.push(text),
            (_, body) => work.put(body)?,
        }
        Ok(!work.output.closed)
    })?;
    drop(progress);
    told.collisions = Some(claims.collisions());
    finish(work, told, &losses, &texts, &target.unwrap_or_default())
}

/// The report on an entry, from the cache if its files never change.
fn answer(
    shared: Shared<'_>,
    entries: Entries<'_>,
    task: &Task,
    words: &mut ListingWords,
) -> Report {
    let (path, content) = (task.path(), entries.content(task));
    let known = content.as_ref().and_then(|content| {
        let report = shared.answers.ask(content, Some(task), &path)?;
        Some((report, true, content.commit().filter(|_| task.is_elsewhere())))
    });
    let (report, looked, commit) = known.unwrap_or_else(|| {
        let Outcome { plan, whole, looked, commit } = entries.compile(task);
        let report = shared.told(&path, plan);
        if let Some(content) = content.filter(|_| whole) {
            shared.answers.keep(&content, Some(task), &report);
        }
        (report, looked, commit)
    });
    words.note(entries, task, looked.then(|| Seen::from(&report)), commit);
    report
}

fn finish(
    mut work: Work<'_>,
    told: MarketTold,
    losses: &Losses,
    texts: &[String],
    target: &str,
) -> Result<u8, Unasked> {
    let summary: Summary = work.summary;
    match work.options.format {
        Format::Text => {
            work.output.put(&told::scorecard(&told, summary, losses, target, work.style))?;
            for text in texts {
                work.output.put("\n")?;
                work.output.put(text)?;
            }
        }
        Format::Jsonl => {
            let line =
                json::summary_line(summary, &told, &work.wish.to.to_string(), work.wish.form);
            work.output.put(&line)?;
        }
        Format::Json | Format::Html => work.market = Some(told),
    }
    work.finish()
}

/// An entry to compile, and the words that there are for it already.
pub(super) type Job = (Task, ListingWords);

/// Reads a list of plugins: what there is to tell of it, and its entries.
pub(super) fn read(
    base: &Found,
    path: &str,
    rulebook: &Rulebook,
    wish: &Wish,
    lister: Lister,
) -> Result<(MarketTold, Vec<Job>), Unasked> {
    let root = base.snapshot(&RelPath::root());
    let Some(mut market) = market(root, rulebook, wish, lister) else {
        return Err(Unasked(format!("no list of plugins can be read from {path}")));
    };
    let tasks = tasks(&mut market, wish);
    let listings: Vec<&Listing> = tasks.iter().map(Task::listing).collect();
    let mut told = told::market(market, &listings, rulebook, &redacted(path));
    let words = std::mem::take(&mut told.listings);
    let words = words.into_iter().map(|(listing, faults)| ListingWords { listing, faults });
    Ok((told, tasks.into_iter().zip(words).collect()))
}

/// What a report says of an entry, beside what its plugin tells.
pub(super) struct ListingWords {
    listing: ListingTold,
    faults: Vec<Told>,
}

impl ListingWords {
    /// Notes what became of the entry.
    pub(super) fn note(
        &mut self,
        entries: Entries<'_>,
        task: &Task,
        seen: Option<Seen>,
        commit: Option<String>,
    ) {
        self.listing.reasons = entries.reasons(task, seen, commit.as_deref());
        self.listing.installs = self.listing.reasons.is_empty() && !task.is_broken();
        self.listing.commit = commit;
    }

    /// Puts what is wrong with the entry before what is told of the plugin.
    pub(super) fn add(self, report: &mut Report, market: &MarketTold) {
        // Where the entry is the manifest too, what is wrong with it was found twice.
        report.diagnostics.retain(|told| {
            let is_it = |fault: &Told| {
                (&fault.code, &fault.file, &fault.pointer)
                    == (&told.code, &told.file, &told.pointer)
            };
            told.count > 1 || !self.faults.iter().any(is_it)
        });
        let mut all = Vec::new();
        for mut fault in self.faults {
            if let Some((document, _)) = &mut fault.at
                && let Some(of) = market.documents.get(*document)
            {
                *document = report.documents.len();
                report.documents.push(of.part(Document::ROOT, |_| false));
            }
            all.push(fault);
        }
        all.append(&mut report.diagnostics);
        report.diagnostics = all;
        report.listing = Some(self.listing);
    }
}
