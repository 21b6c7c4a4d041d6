//! One entry of a list of plugins, compiled.

use crate::io::source::Fetch;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::Document;
use crate::ir::fate::{Fate, Verdict};
use crate::ir::market::{Listing, Market, Place};
use crate::ir::path::RelPath;
use crate::ir::plan::Plan;
use crate::ir::snapshot::{Kind, Snapshot};
use crate::ir::source::redacted;
use crate::rulebook::Rulebook;
use crate::source::{Found, open, refused};
use crate::survey::{Wish, survey};

/// An entry that is to be compiled.
pub struct Task {
    listing: Listing,
    wish: Wish,
    /// What its folder is, in the marketplace.
    kind: Kind,
}

/// What becomes of an entry.
pub struct Outcome {
    /// Where its files are, in a form that may be shown.
    pub path: String,
    /// The plan of its plugin.
    pub plan: Plan,
    /// Whether the target installs it from the marketplace as it stands.
    pub installs: bool,
    /// The commit that was read, where it lies in a repository.
    pub commit: Option<String>,
}

/// What there is to do for a list, in the order of its entries.
pub fn tasks(market: &mut Market, wish: &Wish) -> Vec<Task> {
    let listings = market.listings.clone().into_iter();
    let task = |listing: Listing| {
        let wish = market.wish(&listing, wish);
        // Links that lead out of the marketplace are not followed.
        let kind = match &listing.place {
            Place::Folder(path) => market.plan.snapshot.kind(path),
            _ => Kind::Missing,
        };
        Task { listing, wish, kind }
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
    /// How repositories are fetched.
    pub how: &'o Fetch,
    /// Whether those that lie in other repositories are fetched.
    pub fetch: bool,
}

impl Entries<'_> {
    /// Compiles one entry; whatever is wrong with it is said in its plan.
    pub fn compile(&self, task: Task) -> Outcome {
        let Task { listing: one, wish, kind } = task;
        let is_read = match one.place {
            Place::Folder(_) => true,
            Place::Git { .. } => self.fetch,
            _ => false,
        };
        let mut commit = None;
        let (path, plan) = match &one.place {
            Place::Folder(path) => self.folder(&one, path, &kind, &wish),
            Place::Git { address, path, branch, commit: pin } if self.fetch => {
                let at = pin.as_deref().or(branch.as_deref()).unwrap_or_default();
                let colon = if path.is_empty() { "" } else { ":" };
                let text = format!("{address}#{at}{colon}{path}");
                let plan = match open(text.trim_end_matches('#'), self.rulebook, self.how) {
                    Ok(found) => {
                        commit = found.commit().map(str::to_owned);
                        found.plan(self.rulebook, &wish)
                    }
                    Err(fault) => refused(fault, self.rulebook, &wish),
                };
                (redacted(text.trim_end_matches('#')).into_owned(), plan)
            }
            Place::Git { address, .. } | Place::Archive { address, .. } => {
                let address = redacted(address).into_owned();
                let told = tell(&one, "marketplace/not-fetched").with("address", &*address);
                (address, self.alone(&wish, told))
            }
            Place::Elsewhere | Place::Nowhere => {
                let mut plan = survey(Snapshot::empty(), self.rulebook, &wish);
                plan.diagnostics.clear();
                plan.verdict = Verdict::None;
                (one.name.clone().unwrap_or_else(|| one.origin.to_string()), plan)
            }
        };
        // The target wants a manifest that carries something under the name of the entry.
        let fits =
            !plan.by_entry && plan.verdict != Verdict::None && plan.identity.name == one.name;
        Outcome {
            path,
            plan: named(plan, &one),
            installs: one.installs && (fits || !is_read),
            commit,
        }
    }

    fn folder(&self, one: &Listing, path: &RelPath, kind: &Kind, wish: &Wish) -> (String, Plan) {
        if *kind != Kind::Folder {
            let told = tell(one, "marketplace/not-found").with("path", path.as_str());
            return (path.to_string(), self.alone(wish, told));
        }
        let mut plan = survey(self.base.snapshot(path), self.rulebook, wish);
        if plan.by_entry && plan.entries.len() <= 1 && plan.carried() == 0 {
            let told = tell(one, "marketplace/empty").with("path", path.as_str());
            plan.diagnostics.push(told);
        }
        (if path.is_root() { ".".to_owned() } else { path.to_string() }, plan)
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
