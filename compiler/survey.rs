//! The survey: which of a folder's manifests is compiled, and what the others would have carried.

use std::sync::Arc;

use crate::compile;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::Document;
use crate::ir::fate::{Fate, Verdict};
use crate::ir::origin::Origin;
use crate::ir::plan::{Identity, Other, Plan};
use crate::ir::route::{Form, HostName, Platform, Route};
use crate::ir::snapshot::{Kind, Snapshot};
use crate::rulebook::Rulebook;

/// What is asked of a compilation, before it is known whose package it is.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The source host, if it is not to be found out.
    pub from: Option<HostName>,
    /// The target host.
    pub to: HostName,
    /// The form of the plan.
    pub form: Form,
    /// The platform of the target.
    pub platform: Platform,
    /// What a list of plugins says of it, and of whose plugins that is a list.
    pub entry: Option<Entry>,
}

/// An entry of a list of plugins.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Whose plugins it lists.
    pub host: HostName,
    /// It is the manifest where the package has none.
    pub whole: bool,
    /// What it says.
    pub document: Arc<Document>,
}

/// Compiles a package as the host it was written for; of several manifests one is chosen, never two merged.
pub fn survey(mut snapshot: Snapshot, rulebook: &Rulebook, wish: &Wish) -> Plan {
    let present = present(&mut snapshot, rulebook);
    let order = order(rulebook, wish, present);
    if let Some(from) = &wish.from {
        return compile_as(snapshot, rulebook, wish, from.clone(), &order);
    }
    let native = rulebook.target(&wish.to).and_then(|target| target.native.clone());
    let own = order.iter().position(|host| Some(host) == native.as_ref());
    match (order.as_slice(), own, wish.form) {
        ([], ..) => without_manifest(snapshot, rulebook, wish),
        (all, Some(own), _) => {
            compile_as(snapshot, rulebook, wish, own_name(all, own, wish), &order)
        }
        (all, None, Form::AsFound) => {
            compile_as(snapshot, rulebook, wish, own_name(all, 0, wish), &order)
        }
        (_, None, Form::Normalised) => the_fullest(snapshot, rulebook, wish, &order),
    }
}

/// A package of the target's own kind is read in the version that is asked for.
fn own_name(all: &[Arc<str>], at: usize, wish: &Wish) -> HostName {
    let name = all.get(at).map_or("", |host| host);
    let version = if wish.to.name == *name { wish.to.version.clone() } else { None };
    HostName { name: name.to_owned(), version }
}

/// The hosts whose manifest the folder holds.
fn present(snapshot: &mut Snapshot, rulebook: &Rulebook) -> Vec<Arc<str>> {
    let holds = |snapshot: &mut Snapshot, marks: &[crate::ir::path::RelPath]| {
        marks.iter().any(|mark| !matches!(snapshot.kind(mark), Kind::Missing | Kind::Dangling))
    };
    rulebook
        .writers()
        .filter(|one| holds(snapshot, &one.marks))
        .map(|one| one.host.clone())
        .collect()
}

/// In the order in which the target looks; hosts that it does not know come last, by name.
fn order(rulebook: &Rulebook, wish: &Wish, mut present: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let order = rulebook.target(&wish.to).map(|target| target.order.as_slice()).unwrap_or_default();
    present.sort_by_key(|host| {
        (order.iter().position(|known| known == host).unwrap_or(usize::MAX), host.clone())
    });
    present
}

fn route(wish: &Wish, source: HostName) -> Route {
    Route { source, target: wish.to.clone(), form: wish.form, platform: wish.platform }
}

/// Only the host whose plugins are listed acts on an entry.
fn compile_one(snapshot: Snapshot, rulebook: &Rulebook, wish: &Wish, host: HostName) -> Plan {
    let entry = wish.entry.as_ref().filter(|entry| entry.host == host);
    compile(snapshot, rulebook, &route(wish, host), entry.map(|entry| &*entry.document))
}

/// Compiles one manifest and says of the others what they would have carried.
fn compile_as(
    snapshot: Snapshot,
    rulebook: &Rulebook,
    wish: &Wish,
    host: HostName,
    all: &[Arc<str>],
) -> Plan {
    let mut others = Vec::new();
    let mut snapshot = snapshot;
    for other in all.iter().filter(|other| ***other != *host.name) {
        let plan = compile_one(snapshot, rulebook, wish, HostName::parse(other));
        others.push(in_short(other, &plan));
        snapshot = plan.snapshot;
    }
    let mut plan = compile_one(snapshot, rulebook, wish, host);
    plan.others = others;
    tell_others(&mut plan);
    plan
}

fn in_short(host: &str, plan: &Plan) -> Other {
    Other { manifest: host.to_owned(), verdict: plan.verdict, mapped: plan.mapped.clone() }
}

/// Of several manifests the one whose plan carries the most; of equals the one the target looks for first.
fn the_fullest(
    mut snapshot: Snapshot,
    rulebook: &Rulebook,
    wish: &Wish,
    order: &[Arc<str>],
) -> Plan {
    let mut best: Option<Plan> = None;
    let mut others = Vec::new();
    for host in order {
        let mut plan = compile_one(snapshot, rulebook, wish, HostName::parse(host));
        snapshot = std::mem::replace(&mut plan.snapshot, Snapshot::empty());
        match &mut best {
            Some(best) if plan.carried() > best.carried() => {
                let old = std::mem::replace(best, plan);
                others.push(in_short(&old.route.source.to_string(), &old));
            }
            Some(_) => others.push(in_short(host, &plan)),
            None => best = Some(plan),
        }
    }
    let Some(mut plan) = best else { return without_manifest(snapshot, rulebook, wish) };
    plan.snapshot = snapshot;
    plan.others = others;
    tell_others(&mut plan);
    plan
}

fn tell_others(plan: &mut Plan) {
    if plan.others.is_empty() {
        return;
    }
    let names: Vec<&str> = plan.others.iter().map(|other| other.manifest.as_str()).collect();
    let origin = plan
        .documents
        .first()
        .map_or_else(|| Origin::file(""), |one| Origin::file(one.file.clone()));
    let told = Diagnostic::new(Code::new("package/several-manifests"), origin)
        .with("chosen", plan.route.source.to_string())
        .with("others", names.join(", "))
        .fate(Fate::Exact);
    plan.diagnostics.push(told);
}

/// A folder of components without a manifest is read as the host that finds components by convention alone.
/// An entry of a list may stand in for one.
fn without_manifest(snapshot: Snapshot, rulebook: &Rulebook, wish: &Wish) -> Plan {
    if let Some(entry) = wish.entry.as_ref().filter(|entry| entry.whole) {
        let mut plan = compile_one(snapshot, rulebook, wish, entry.host.clone());
        plan.by_entry = true;
        return plan;
    }
    let mut hosts = rulebook.writers().map(|one| HostName::parse(&one.host));
    let fallback = hosts.find(|host| rulebook.source(host).is_some_and(|source| source.fallback));
    let Some(host) = fallback else { return nothing(snapshot, rulebook, wish) };
    if wish.form == Form::AsFound {
        return nothing(snapshot, rulebook, wish);
    }
    let title = rulebook.source(&host).map(|source| source.title.clone()).unwrap_or_default();
    let mut plan = compile_one(snapshot, rulebook, wish, host);
    if plan.carried() == 0 && plan.entries.is_empty() {
        return nothing(plan.snapshot, rulebook, wish);
    }
    let told =
        Diagnostic::new(Code::new("package/no-manifest"), Origin::file("")).with("source", title);
    plan.diagnostics.insert(0, told.fate(Fate::Adapted));
    plan
}

/// The plan for a folder that is no plugin.
pub fn nothing(snapshot: Snapshot, rulebook: &Rulebook, wish: &Wish) -> Plan {
    let marks: Vec<&str> = rulebook
        .writers()
        .flat_map(|one| one.marks.iter().map(crate::ir::path::RelPath::as_str))
        .collect();
    let told = Diagnostic::new(Code::new("package/not-a-plugin"), Origin::file(""))
        .with("files", marks.join(", "))
        .fate(Fate::Unsupported);
    Plan {
        route: route(wish, HostName::parse("")),
        identity: Identity::default(),
        entries: Vec::new(),
        steps: Vec::new(),
        account: Vec::new(),
        diagnostics: vec![told],
        mapped: rulebook.counted(),
        verdict: Verdict::None,
        others: Vec::new(),
        documents: Vec::new(),
        by_entry: false,
        snapshot,
    }
}
