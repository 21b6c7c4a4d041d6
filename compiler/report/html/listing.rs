//! A plugin in its marketplace: whether the target installs it as the list stands, and if not, why.

use std::fmt::Write as _;

use super::escape::escape;
use super::section::help;
use crate::report::told::Report;

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
        "<dt>installed</dt><dd>from the marketplace {AS_IT_STANDS}<span class=\"verdict {class}\">{word}</span></dd>\n\
         <dt>entry</dt><dd><code><bdi>{}</bdi></code>",
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The report on a plugin that is listed as `x`.
    fn report(name: &str, manifest: &str, verdict: &str, listing: &str) -> Report {
        let text = format!(
            "{{ \"path\": \"p\", \"name\": \"{name}\", \"manifest\": \"{manifest}\", \"verdict\": \"{verdict}\", \
             \"mapped\": {{}}, \"entries\": [], \"diagnostics\": [], \
             \"listing\": {{ \"origin\": \"m.json#/plugins/0\", \"name\": \"x\", {listing} }} }}"
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_commit_and_the_name_of_the_entry_are_told_as_text() {
        let facts = facts(&report("y", "m", "full", "\"installs\": true, \"commit\": \"<0>\""));
        assert!(
            facts.contains("as it stands: <span class=\"verdict full\">yes</span></dd>"),
            "{facts}"
        );
        assert!(facts.contains("<bdi>m.json#/plugins/0</bdi></code>, as <bdi>x</bdi>"), "{facts}");
        assert!(facts.contains("<dt>commit</dt><dd><code>&lt;0&gt;</code></dd>"), "{facts}");
    }

    #[test]
    fn reasons_are_told_as_text() {
        let told = "\"installs\": false, \"reasons\": [{ \"code\": \"a/b\", \"message\": \"<m>\", \"help\": \"<h>\" }]";
        let told = report("x", "entry", "none", told);
        assert!(facts(&told).contains("no</span></dd>"));
        let told = reasons(&told);
        assert!(
            told.contains("<bdi>&lt;m&gt;</bdi>") && told.contains("<bdi>&lt;h&gt;</bdi>"),
            "{told}"
        );
    }
}
