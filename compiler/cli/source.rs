//! SOURCE on the command line: how it is fetched, and what is said of one that cannot be had.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use clap::Args;

use super::Unasked;
use crate::io::source::{Fetch, PATIENCE};
use crate::ir::source::{Fault, redacted};
use crate::report::text::clean;
use crate::rulebook::{Rulebook, page};

/// The options that say how repositories and archives are fetched.
#[derive(Args)]
pub(super) struct FetchOptions {
    /// Fetch nothing: use what is on disk and, pinned to a commit or by a digest, what was fetched before.
    #[arg(long)]
    offline: bool,
    /// How long a repository or an archive may take to come.
    #[arg(long, value_name = "SECONDS", default_value_t = PATIENCE.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

impl FetchOptions {
    /// How sources are fetched.
    pub(super) fn how(&self) -> Fetch {
        let limit = Duration::from_secs(self.timeout);
        Fetch { offline: self.offline, limit, store: None }
    }
}

/// The SOURCEs that standard input names, one a line; blank lines name nothing.
pub(super) fn lines() -> impl Iterator<Item = Result<String, Unasked>> + Send {
    // Whichever thread is free reads on, which a lock would not allow.
    let lines = BufReader::new(std::io::stdin()).split(b'\n').map(line);
    lines.filter(|line| !matches!(line, Ok(line) if line.trim().is_empty()))
}

/// A line as a name; bytes that are no text name nothing that is there, and get their answer like any other.
fn line(bytes: std::io::Result<Vec<u8>>) -> Result<String, Unasked> {
    let bytes = bytes.map_err(|error| Unasked(format!("standard input: {error}")))?;
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(&bytes);
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// A fault in words, with a caret below the text of the SOURCE where it points into it.
pub(super) fn unasked(fault: &Fault, text: &str, rulebook: &Rulebook) -> Unasked {
    let page = rulebook.page(&fault.code);
    let line = |text: &str| page::fill(text, &fault.words);
    let mut out =
        format!("{}: {}", fault.code, page.map(|page| line(&page.message)).unwrap_or_default());
    if let Some(range) = &fault.at {
        let blanks = " ".repeat(range.start);
        let carets = "^".repeat(range.len().max(1));
        // A line break would tear the text from its caret.
        let shown = clean(&redacted(text)).replace('\n', "\u{FFFD}");
        out = format!("{out}\n  {shown}\n  {blanks}{carets}");
    }
    if let Some(help) = page.and_then(|page| page.help.as_deref()) {
        out = format!("{out}\n  help: {}", line(help));
    }
    Unasked(out)
}
