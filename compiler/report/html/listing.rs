//! A plugin in its marketplace: whether the target installs it as the list stands, and if not, why.

use std::fmt::Write as _;

use super::escape::escape;
use super::section::help;
use crate::ir::fate::Verdict;
use crate::report::told::{ListingTold, Report};

/// What stands before the answer; a search for both finds the plugins of one answer.
pub(super) const AS_IT_STANDS: &str = "as it stands: ";

/// The answer in a word, and how that is judged.
pub(super) fn stands(installs: bool) -> (&'static str, &'static str) {
    if installs { ("yes", "full") } else { ("no", "none") }
}

/// What is seen while the section is folded.
pub(super) fn mark(report: &Report) -> &'static str {
    match &report.listing {
        Some(listing) if !listing.installs => {
            " <span class=\"verdict none\">not installed as it stands</span>"
        }
        _ => "",
    }
}

/// What the marketplace says of a plugin, and what becomes of that.
pub(super) fn facts(report: &Report) -> String {
    let Some(listing) = &report.listing else { return String::new() };
    let (word, class) = stands(listing.installs);
    let mut out = format!(
        "<dt>installed</dt><dd>from the marketplace {AS_IT_STANDS}<span class=\"verdict {class}\">{word}</span>{}</dd>\n\
         <dt>entry</dt><dd><code><bdi>{}</bdi></code>",
        untold(report, listing).map(|why| format!(", {why}")).unwrap_or_default(),
        escape(&listing.origin.to_string()),
    );
    if let Some(other) = listing.name.as_ref().filter(|name| report.name.as_ref() != Some(name)) {
        let _ = write!(out, ", as <bdi>{}</bdi>", escape(other));
    }
    out.push_str("</dd>\n");
    if let Some(commit) = &listing.commit {
        let _ = writeln!(out, "<dt>commit</dt><dd><code>{}</code></dd>", escape(commit));
    }
    out
}

/// Why a plugin is not installed where no rule tells it: its entry may stand, but what lies there does not fit it.
fn untold(report: &Report, listing: &ListingTold) -> Option<&'static str> {
    if listing.installs || !listing.reasons.is_empty() {
        return None;
    }
    Some(if report.verdict == Verdict::None {
        "nothing of it arrives"
    } else if report.manifest.as_deref() == Some("entry") {
        "it has no manifest of its own"
    } else if report.name != listing.name {
        "its manifest calls it otherwise"
    } else {
        "its entry cannot be used"
    })
}

/// Why the target does not install it, and what would make it so.
pub(super) fn reasons(report: &Report) -> String {
    let mut out = String::new();
    for reason in report.listing.iter().flat_map(|listing| &listing.reasons) {
        let _ = writeln!(
            out,
            "<article class=\"none\">\n<p><code class=\"code\">{}</code> \
             <span class=\"loss none\">not installed</span> <bdi>{}</bdi></p>",
            escape(&reason.code),
            escape(&reason.message)
        );
        help(&mut out, reason.help.as_deref());
        out.push_str("</article>\n");
    }
    out
}
