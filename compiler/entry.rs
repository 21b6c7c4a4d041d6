//! One entry of a list of plugins, compiled.

use crate::io::source::Fetch;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::Document;
use crate::ir::fate::{Fate, Verdict};
use crate::ir::market::{Listing, Market, Place};
use crate::ir::path::RelPath;
use crate::ir::plan::Plan;
use crate::ir::route::HostName;
use crate::ir::snapshot::{Kind, Snapshot};
use crate::ir::source::web::Web;
use crate::ir::source::{Content, Fault, Identity, redacted};
use crate::report::told::ReasonTold;
use crate::rulebook::Rulebook;
use crate::source::{Found, open, packed, pinned, refused};
use crate::standing::{Seen, reasons};
use crate::survey::{Wish, survey};

/// An entry that is to be compiled.
pub struct Task {
    listing: Listing,
    wish: Wish,
    /// What its folder is, in the marketplace.
    kind: Kind,
    /// Whose list it stands in.
    lister: HostName,
}

/// What becomes of an entry.
pub struct Outcome {
    /// The plan of its plugin.
    pub plan: Plan,
    /// Everything that was asked for could be had.
    pub whole: bool,
    /// Its files were looked at.
    pub looked: bool,
    /// The commit that was read, where it lies in a repository of its own.
    pub commit: Option<String>,
}

impl Task {
    /// Where the files of the plugin are, in a form that may be shown.
    pub fn path(&self) -> String {
        match &self.listing.place {
            Place::Folder(path) => shown(path),
            Place::Git { .. } | Place::Archive { .. } => redacted(&self.address()).into_owned(),
            Place::Elsewhere | Place::Nowhere => {
                let name = self.listing.name.clone();
                name.unwrap_or_else(|| self.listing.origin.to_string())
            }
        }
    }

    /// The SOURCE that the plugin is, where that lies elsewhere.
    fn address(&self) -> String {
        match &self.listing.place {
            Place::Git { address, path, branch, commit } => {
                let at = commit.as_deref().or(branch.as_deref()).unwrap_or_default();
                let colon = if path.is_empty() { "" } else { ":" };
                format!("{address}#{at}{colon}{path}").trim_end_matches('#').to_owned()
            }
            Place::Archive { address, .. } => address.clone(),
            _ => String::new(),
        }
    }

    /// The entry.
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Can the list's own host make nothing of it?
    pub fn is_broken(&self) -> bool {
        self.listing.place == Place::Nowhere
    }

    /// Does the plugin lie in a repository of its own?
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.listing.place, Place::Git { .. })
    }

    /// What the entry says, and where: as long as that stays, so do the places in it, whatever else the list says.
    pub fn entry(&self) -> String {
        let Document { text, frame, .. } = &*self.listing.document;
        let (range, line) = match frame {
            Some(frame) => (frame.range.clone(), frame.line),
            None => (0..text.len(), 1),
        };
        let said = text.get(range.clone()).unwrap_or_default();
        format!("{}\n{}\n{line}\n{said}", self.listing.origin, range.start)
    }
}

/// What there is to do for a list, in the order of its entries.
pub fn tasks(market: &mut Market, wish: &Wish) -> Vec<Task> {
    let listings = std::mem::take(&mut market.listings).into_iter();
    let lister = market.lister.clone();
    let task = |listing: Listing| {
        let wish = market.wish(&listing, wish);
        // Links that lead out of the marketplace are not followed.
        let kind = match &listing.place {
            Place::Folder(path) => market.plan.snapshot.kind(path),
            _ => Kind::Missing,
        };
        Task { listing, wish, kind, lister: lister.clone() }
    };
    listings.map(task).collect()
}

/// How entries are compiled.
#[derive(Clone, Copy)]
pub struct Entries<'o> {
    /// Where the list lies.
    pub base: &'o Found,
    /// The rules.
    pub rulebook: &'o Rulebook,
    /// How repositories and archives are fetched.
    pub how: &'o Fetch,
    /// Whether those that lie in other repositories and in archives are fetched.
    pub fetch: bool,
}

impl Entries<'_> {
    /// What the files of an entry are known by for ever, if that is known before they are looked at.
    pub fn content(&self, task: &Task) -> Option<Content> {
        match &task.listing.place {
            Place::Folder(path) if task.kind == Kind::Folder => {
                let base = self.base.content()?;
                let folder = base.folder.join(path.as_str()).ok()?;
                Some(Content { identity: base.identity.clone(), folder })
            }
            Place::Git { .. } if self.fetch => pinned(&task.address()),
            Place::Archive { address, digest: Some(digest) } if self.fetch => {
                Web::parse(address).ok()?;
                let identity = Identity::Archive(digest.to_string());
                Some(Content { identity, folder: RelPath::root() })
            }
            _ => None,
        }
    }

    /// What keeps the target from installing an entry from the list as it stands; nothing if it installs it, or if the
    /// list's own host has no use for it.
    pub fn reasons(
        &self,
        task: &Task,
        seen: Option<Seen>,
        commit: Option<&str>,
    ) -> Vec<ReasonTold> {
        if task.is_broken() {
            return Vec::new();
        }
        reasons(&task.listing, &task.lister, seen, commit, (self.rulebook, &task.wish))
    }

    /// Compiles one entry; whatever is wrong with it is said in its plan.
    pub fn compile(&self, task: &Task) -> Outcome {
        let Task { listing: one, wish, kind, .. } = task;
        let (mut commit, mut whole, mut looked) = (None, true, true);
        let plan = match (&one.place, self.fetched(task)) {
            (_, Some(Ok(found))) => {
                let plan = found.plan(self.rulebook, wish);
                commit = found.content().and_then(Content::commit);
                whole = found.is_whole();
                plan
            }
            (_, Some(Err(fault))) => {
                (whole, looked) = (false, false);
                self.unfetched(task, fault)
            }
            (Place::Folder(path), _) => {
                let plan = self.folder(one, path, kind, wish);
                whole = self.base.is_whole();
                plan
            }
            (Place::Git { address, .. } | Place::Archive { address, .. }, _) => {
                looked = false;
                let told = tell(one, "marketplace/not-fetched");
                self.alone(wish, told.with("address", redacted(address)))
            }
            (Place::Elsewhere | Place::Nowhere, _) => {
                looked = false;
                let mut plan = survey(Snapshot::empty(), self.rulebook, wish);
                plan.diagnostics.clear();
                plan.verdict = Verdict::None;
                plan
            }
        };
        Outcome { plan: named(plan, one), whole, looked, commit }
    }

    /// What lies elsewhere and is to be fetched.
    fn fetched(&self, task: &Task) -> Option<Result<Found, Fault>> {
        match &task.listing.place {
            Place::Git { .. } if self.fetch => Some(open(&task.address(), self.rulebook, self.how)),
            Place::Archive { address, digest } if self.fetch => {
                Some(packed(address, digest.as_ref(), self.how))
            }
            _ => None,
        }
    }

    /// Says at the address why nothing came from there, unless showing the line would show what is secret in it.
    fn unfetched(&self, task: &Task, fault: Fault) -> Plan {
        let mut plan = refused(fault, self.rulebook, &task.wish);
        let address = task.address();
        if redacted(&address) == address {
            for told in &mut plan.diagnostics {
                told.origin = task.listing.place_at.clone();
            }
        }
        plan
    }

    fn folder(&self, one: &Listing, path: &RelPath, kind: &Kind, wish: &Wish) -> Plan {
        if *kind != Kind::Folder {
            let told = tell(one, "marketplace/not-found").with("path", shown(path));
            return self.alone(wish, told);
        }
        let mut plan = survey(self.base.snapshot(path), self.rulebook, wish);
        if plan.by_entry && plan.entries.len() <= 1 && plan.carried() == 0 {
            let told = tell(one, "marketplace/empty").with("path", shown(path));
            plan.diagnostics.push(told);
        }
        plan
    }

    /// Where the files are not looked at, only the words of the entry itself are judged.
    fn alone(&self, wish: &Wish, told: Diagnostic) -> Plan {
        let mut plan = survey(Snapshot::empty(), self.rulebook, wish);
        plan.diagnostics.retain(|one| one.code.as_str() != "package/not-a-plugin");
        plan.diagnostics.push(told);
        if plan.verdict == Verdict::Full {
            plan.verdict = Verdict::Partial;
        }
        plan
    }
}

/// A folder of the marketplace as people write it.
fn shown(path: &RelPath) -> String {
    if path.is_root() { ".".to_owned() } else { path.to_string() }
}

fn tell(one: &Listing, code: &str) -> Diagnostic {
    Diagnostic::new(Code::new(code), one.place_at.clone()).fate(Fate::Unsupported)
}

/// Notes that the plugin has another name than its entry, and lets reports show the entry.
fn named(mut plan: Plan, one: &Listing) -> Plan {
    let inner = plan.identity.name.clone();
    if let (Some(name), Some(inner)) = (&one.name, inner)
        && *name != inner
        && !plan.by_entry
    {
        let told = Diagnostic::new(Code::new("marketplace/name-differs"), one.name_at.clone());
        plan.diagnostics.push(told.with("inner", inner).with("name", name).fate(Fate::Exact));
    }
    if plan.identity.name.is_none() {
        plan.identity.name.clone_from(&one.name);
    }
    if !plan.documents.iter().any(|document| document.file == one.document.file) {
        plan.documents.push(one.document.part(Document::ROOT, |_| false));
    }
    plan
}
