//! `lower`: capabilities become a plan, by the target's rules.

use std::cell::RefCell;
use std::sync::Arc;

use crate::ir::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::document::Document;
use crate::ir::fate::{Fate, Verdict};
use crate::ir::manifest::NodeRef;
use crate::ir::plan::{Entry, Identity, Plan, Step};
use crate::ir::plugin::{Capability, Plugin};
use crate::ir::route::{Form, Route};
use crate::ir::snapshot::Snapshot;
use crate::ir::value::Value;
use crate::rulebook::Rulebook;
use crate::rulebook::evaluate::{Scope, Val};
use crate::rulebook::rules::Target;

/// Lowers a plugin along a route.
pub fn lower(plugin: Plugin, rulebook: &Rulebook, route: &Route) -> Plan {
    let Plugin { capabilities, documents, ledger, diagnostics, snapshot, fatal, .. } = plugin;
    let snapshot = RefCell::new(snapshot);
    let identity = identity(&capabilities, rulebook);
    let target = rulebook.target(&route.target);
    let native = target.and_then(|target| target.native.as_deref()) == Some(&*route.source.name);
    let is_refused = fatal && diagnostics.iter().any(|one| one.fatal);
    let mut done = Done { diagnostics, fatal, ..Done::default() };
    let mut steps = Vec::new();
    if let Some(target) = target {
        let work = Work {
            rulebook,
            identity: identified(&capabilities, rulebook),
            target,
            route,
            documents: &documents,
            snapshot: &snapshot,
            capabilities: &capabilities,
        };
        work.all(&mut done);
        steps = work.package();
    }
    let account = account(&documents, ledger, &done);
    let Done { diagnostics, outcomes, fatal } = done;
    let mut diagnostics = diagnostics.into_vec();
    if is_refused {
        diagnostics.retain(|one| one.fatal || is_unreadable(&documents, one));
    }
    let entries: Vec<Entry> = outcomes.into_iter().map(|outcome| outcome.entry).collect();
    let mapped = mapped(&entries, rulebook);
    let carries = mapped.iter().any(|(_, count)| *count > 0);
    let lost = entries.iter().any(|entry| entry.fate.is_loss())
        || account.iter().any(|(_, fate)| fate.is_loss())
        || diagnostics.iter().any(|diagnostic| diagnostic.fate.is_loss());
    let verdict = match () {
        () if fatal || (!carries && !native) => Verdict::None,
        () if lost => Verdict::Partial,
        () => Verdict::Full,
    };
    Plan {
        by_entry: false,
        route: route.clone(),
        identity,
        entries,
        steps,
        account,
        diagnostics,
        mapped,
        verdict,
        others: Vec::new(),
        documents,
        snapshot: snapshot.into_inner(),
    }
}

/// Does it say why something could not be read? Of a package that its own host refuses nothing else is of use.
fn is_unreadable(documents: &[Document], one: &Diagnostic) -> bool {
    documents.iter().any(|document| !document.readable && document.file == one.origin.file)
}

mod account;
mod entry;
mod settle;

use account::account;
use entry::step;

/// What has come of the capabilities so far.
#[derive(Default)]
struct Done {
    outcomes: Vec<Outcome>,
    diagnostics: Diagnostics,
    fatal: bool,
}

/// What has come of one capability: its entry, and how its fields and their elements fare.
struct Outcome {
    entry: Entry,
    fields: Vec<Fate>,
    parts: Vec<(NodeRef, Fate)>,
}

struct Work<'a> {
    rulebook: &'a Rulebook,
    target: &'a Target,
    route: &'a Route,
    documents: &'a [Document],
    snapshot: &'a RefCell<Snapshot>,
    capabilities: &'a [Capability],
    /// Which of them says what the package is.
    identity: Option<&'a Capability>,
}

/// The capability that says what the package is.
fn identified<'c>(capabilities: &'c [Capability], rulebook: &Rulebook) -> Option<&'c Capability> {
    let is_it = |one: &&Capability| rulebook.schema(&one.kind).is_some_and(|one| one.identity);
    capabilities.iter().find(is_it)
}

fn identity(capabilities: &[Capability], rulebook: &Rulebook) -> Identity {
    let Some(one) = identified(capabilities, rulebook) else { return Identity::default() };
    let text = |name: &str| one.value(name).and_then(Value::as_text).map(str::to_owned);
    Identity { name: text("name"), version: text("version") }
}

fn mapped(entries: &[Entry], rulebook: &Rulebook) -> Vec<(Arc<str>, usize)> {
    let mut mapped = rulebook.counted();
    for entry in entries.iter().filter(|entry| entry.fate.arrives()) {
        let word = rulebook.schema(&entry.kind).and_then(|schema| schema.counted_as.as_ref());
        if let Some((_, count)) = mapped.iter_mut().find(|(known, _)| Some(known) == word) {
            *count += 1;
        }
    }
    mapped
}

impl<'a> Work<'a> {
    fn scope(&self) -> Scope<'a> {
        let mut scope = Scope::new(self.documents, &self.target.tables, self.snapshot);
        scope.bind("form", Val::text(self.route.form.word()));
        scope.bind("platform", Val::text(self.route.platform.word()));
        if let Some(one) = self.identity {
            scope.bind("plugin", Val::Capability(one));
        }
        scope
    }

    fn package(&self) -> Vec<Step> {
        let rules = if self.route.form == Form::AsFound {
            &self.target.as_found
        } else {
            &self.target.package
        };
        let scope = self.scope();
        rules.iter().filter_map(|rule| step(&scope, rule)).collect()
    }

    fn all(&self, done: &mut Done) {
        for capability in self.capabilities {
            let outcome = self.one(capability, &mut done.diagnostics, &mut done.fatal);
            done.outcomes.push(outcome);
        }
        for lower in &self.target.lowers {
            for unique in &lower.plan {
                self.unique(lower, unique, done);
            }
        }
        if done.fatal {
            for outcome in &mut done.outcomes {
                outcome.entry.fate = outcome.entry.fate.max(Fate::Unsupported);
                outcome.entry.steps.clear();
            }
        }
    }
}
