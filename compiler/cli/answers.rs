//! What was answered before about content that never changes, under the same rules.

use std::io::Write as _;
use std::sync::OnceLock;

use crate::entry::Task;
use crate::io::cache::{Cache, Kept, name, program};
use crate::ir::source::{Content, Identity};
use crate::report::stored;
use crate::report::text::clean;
use crate::report::told::Report;
use crate::survey::Wish;

/// Earlier answers.
pub(super) struct Answers {
    /// Whether any are asked for.
    wanted: bool,
    /// What the answer depends on, beside the content and the program.
    asked: String,
    /// Opened when the first content comes that never changes: folders on disk need none.
    cache: OnceLock<Option<Cache>>,
}

impl Answers {
    /// Answers to a wish under the rules of the program, and the overlay over them.
    pub(super) fn new(wanted: bool, wish: &Wish, account: bool, overlay: &str) -> Self {
        let from = wish.from.as_ref().map(ToString::to_string).unwrap_or_default();
        let (to, form, platform) = (wish.to.to_string(), wish.form.word(), wish.platform.word());
        let account = if account { "account" } else { "" };
        let asked = name(&[&from, &to, form, platform, account, overlay]);
        Answers { wanted, asked, cache: OnceLock::new() }
    }

    fn cache(&self) -> Option<&Cache> {
        let open = || Cache::open(None, &program()?);
        self.cache.get_or_init(|| open().filter(|_| self.wanted)).as_ref()
    }

    fn name(&self, content: &Content, task: Option<&Task>) -> String {
        let entry = task.map(Task::entry).unwrap_or_default();
        let (kind, id) = match &content.identity {
            Identity::Commit(commit) => ("commit", commit),
            Identity::Archive(digest) => ("archive", digest),
        };
        name(&[kind, id, content.folder.as_str(), &entry, &self.asked])
    }

    /// The report on what was compiled before, as if it had been read from `path`; of an entry as it stands in its
    /// list now.
    pub(super) fn ask(&self, content: &Content, task: Option<&Task>, path: &str) -> Option<Report> {
        let cache = self.cache()?;
        let kept = cache.get(&self.name(content, task));
        let list = task.map(|task| &*task.listing().document);
        let read = match &kept {
            Kept::Nothing => return None,
            Kept::Answer(bytes) => stored::read(bytes, list.map(|list| (&*list.file, &list.text))),
            Kept::Damaged => None,
        };
        if read.is_none() {
            let _unheard = writeln!(
                std::io::stderr().lock(),
                "note: what the cache has for {} is damaged; it is compiled anew",
                clean(path)
            );
        }
        read.map(|report| Report { path: path.to_owned(), ..report })
    }

    /// Keeps a report.
    pub(super) fn keep(&self, content: &Content, task: Option<&Task>, report: &Report) {
        if let Some(cache) = self.cache() {
            let list = task.map(|task| &*task.listing().document.file);
            cache.put(&self.name(content, task), &stored::write(report, list));
        }
    }
}
