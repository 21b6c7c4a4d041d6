//! Lists of plugins: which there is in a folder, what its entries say, and what the target makes of each as it stands.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::{Document, Frame, NodeId};
use crate::ir::fate::Fate;
use crate::ir::market::{Listing, Market, Place};
use crate::ir::origin::Origin;
use crate::ir::path::RelPath;
use crate::ir::plan::Plan;
use crate::ir::plugin::Capability;
use crate::ir::route::{Form, HostName, Route};
use crate::ir::snapshot::{Kind, Snapshot};
use crate::ir::source::Digest;
use crate::ir::value::Value;
use crate::pass;
use crate::pass::parse::Given;
use crate::report::locate::{Part, Span, Wanted, locate};
use crate::rulebook::Rulebook;
use crate::rulebook::lists::Lists;
use crate::survey::{Entry, Wish};

/// A file that lists plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lister {
    /// As whose list it is read.
    pub host: HostName,
    /// Where it lies, below the folder that it speaks of.
    pub file: RelPath,
}

/// The list that lies in a folder, if one does: where its host looks, or else where others keep such a list.
pub fn lister(snapshot: &mut Snapshot, rulebook: &Rulebook) -> Option<Lister> {
    let marks = rulebook.listers().flat_map(|one| {
        let host = HostName::parse(&one.host);
        one.marks.iter().map(move |file| Lister { host: host.clone(), file: file.clone() })
    });
    let elsewhere = rulebook.listers().flat_map(|one| {
        let host = HostName::parse(&one.host);
        let all = patterns(rulebook, &host).into_iter();
        let plain =
            all.filter_map(|path| RelPath::parse(&path).ok().filter(|_| !path.contains('*')));
        plain.map(move |file| Lister { host: host.clone(), file }).collect::<Vec<_>>()
    });
    let mut holds =
        |one: &Lister| !matches!(snapshot.kind(&one.file), Kind::Missing | Kind::Dangling);
    marks.chain(elsewhere).find(|one| holds(one))
}

fn patterns(rulebook: &Rulebook, host: &HostName) -> Vec<Arc<str>> {
    let lists = rulebook.source(host).and_then(|source| source.lists.as_ref());
    lists.map(|lists| lists.elsewhere.clone()).unwrap_or_default()
}

/// The list that a file is, by its path: the longest pattern that fits, and of those the one with the fewest wildcards.
pub fn named(path: &[&str], rulebook: &Rulebook) -> Option<Lister> {
    let mut best: Option<(usize, Reverse<usize>, HostName)> = None;
    for one in rulebook.listers() {
        let host = HostName::parse(&one.host);
        let marks = one.marks.iter().map(|mark| Arc::from(mark.as_str()));
        for pattern in marks.chain(patterns(rulebook, &host)) {
            let depth = pattern.split('/').count();
            let rank = (depth, Reverse(pattern.matches('*').count()), host.clone());
            let is_better =
                best.as_ref().is_none_or(|(most, stars, _)| (*most, *stars) < (rank.0, rank.1));
            if is_better && fits(&pattern, path) {
                best = Some(rank);
            }
        }
    }
    let (depth, _, host) = best?;
    let file = path.get(path.len().checked_sub(depth)?..)?.join("/");
    Some(Lister { host, file: RelPath::parse(&file).ok()? })
}

/// Does a path end as a pattern says?
fn fits(pattern: &str, path: &[&str]) -> bool {
    let depth = pattern.split('/').count();
    let end = path.len().checked_sub(depth).and_then(|start| path.get(start..));
    let glob = globset::GlobBuilder::new(pattern).literal_separator(true).build();
    end.zip(glob.ok()).is_some_and(|(end, glob)| glob.compile_matcher().is_match(end.join("/")))
}

/// Is there a plugin in the folder, whatever else there is?
pub fn is_plugin(snapshot: &mut Snapshot, rulebook: &Rulebook) -> bool {
    let mut holds = |mark: &RelPath| !matches!(snapshot.kind(mark), Kind::Missing | Kind::Dangling);
    rulebook.writers().any(|one| one.marks.iter().any(&mut holds))
}

/// Reads a list of plugins.
pub fn market(
    snapshot: Snapshot,
    rulebook: &Rulebook,
    wish: &Wish,
    lister: Lister,
) -> Option<Market> {
    let Lister { host: lister, file } = lister;
    let source = rulebook.source(&lister)?;
    let lists = source.lists.clone()?;
    // Its rules for entries speak of the list as it stands, in whatever form the plugins are wanted.
    let route = Route {
        source: lister.clone(),
        target: wish.to.clone(),
        form: Form::Normalised,
        platform: wish.platform,
    };
    let given = Given { entry: None, manifest: Some(&file) };
    let manifest = pass::parse::parse(snapshot, rulebook, &route, given);
    let plugin = pass::lift::lift(manifest, rulebook, &route);
    let capabilities = plugin.capabilities.clone();
    let mut plan = pass::lower::lower(plugin, rulebook, &route);
    if !source.marks.contains(&file) {
        let told = Diagnostic::new(Code::new("marketplace/read-as"), Origin::file(file.as_str()));
        plan.diagnostics.push(told.with("host", &source.title).fate(Fate::Exact));
    }
    let name = text(capabilities.first(), "name");
    let nodes = nodes(&plan, &lists);
    let broken = broken(&plan);
    let frames = frames(&plan, &nodes);
    let all = capabilities.into_iter().filter_map(|one| {
        let node = nodes.get(&one.origin.pointer)?;
        let mut document = plan.documents.first()?.part(*node, |_| true);
        document.frame = frames.get(&*one.origin.pointer).cloned();
        let document = Arc::new(document);
        let mut within = broken.range(one.origin.pointer.clone()..);
        let is_broken = within.next().is_some_and(|pointer| lies_in(pointer, &one.origin.pointer));
        let place = if is_broken { Place::Nowhere } else { place(&one) };
        Some(Listing {
            name: text(Some(&one), "name"),
            origin: one.origin.clone(),
            name_at: written(&one, &["name"]),
            place_at: written(&one, &["address", "path", "place"]),
            document,
            place,
            entry: one,
        })
    });
    let listings = all.collect();
    Some(Market {
        lister,
        host: HostName::parse(&lists.host),
        whole: lists.whole,
        name,
        listings,
        plan,
    })
}

/// The nodes of the entries, by their pointers.
fn nodes(plan: &Plan, lists: &Lists) -> BTreeMap<String, NodeId> {
    let Some(document) = plan.documents.first() else { return BTreeMap::new() };
    let list = document.get(Document::ROOT, &lists.entries);
    let all = list.into_iter().flat_map(|list| document.children(list));
    all.map(|node| (document.origin(node).pointer, node)).collect()
}

/// Where each of them lies in the text, found in one go.
fn frames<'n>(plan: &Plan, nodes: &'n BTreeMap<String, NodeId>) -> BTreeMap<&'n str, Frame> {
    let Some(document) = plan.documents.first() else { return BTreeMap::new() };
    let wanted: Vec<Wanted<'_>> =
        nodes.keys().map(|pointer| Wanted { pointer, part: Part::Whole }).collect();
    let spans = locate(document, &wanted).into_iter();
    let frames = spans.map(|span| {
        let Span { range, line, column, .. } = span;
        Frame { range, line, column }
    });
    nodes.keys().map(String::as_str).zip(frames).collect()
}

fn text(one: Option<&Capability>, field: &str) -> Option<String> {
    let text = one?.value(field).and_then(Value::as_text)?;
    (!text.is_empty()).then(|| text.to_owned())
}

/// Where the first of some fields is written that is written anywhere.
fn written(one: &Capability, fields: &[&str]) -> Origin {
    let mut all = fields.iter().filter_map(|field| one.field(field)?.origin.clone());
    all.next().unwrap_or_else(|| one.origin.clone())
}

/// What the list's own host cannot use is not looked for.
fn broken(plan: &Plan) -> BTreeSet<String> {
    let is_it = |told: &&Diagnostic| {
        let by_source = told.rule.as_ref().is_some_and(|rule| rule.starts_with("from/"));
        by_source && told.fate.is_loss()
    };
    let told = plan.diagnostics.iter().filter(is_it);
    told.flat_map(|told| std::iter::once(&told.origin).chain(&told.also))
        .map(|origin| origin.pointer.clone())
        .collect()
}

fn place(one: &Capability) -> Place {
    let field = |name: &str| text(Some(one), name);
    match field("place").as_deref() {
        Some("npm" | "command") => Place::Elsewhere,
        Some("folder") => field("path")
            .and_then(|path| RelPath::parse(&path).ok())
            .map_or(Place::Nowhere, Place::Folder),
        Some("git") => field("address").map_or(Place::Nowhere, |address| Place::Git {
            address,
            path: field("path").unwrap_or_default(),
            branch: field("branch"),
            commit: field("commit"),
        }),
        Some("archive") => {
            let digest = field("digest").map(|digest| Digest::parse(&digest));
            match (field("address"), digest) {
                (Some(address), None) => Place::Archive { address, digest: None },
                (Some(address), Some(Some(digest))) => {
                    Place::Archive { address, digest: Some(digest) }
                }
                _ => Place::Nowhere,
            }
        }
        _ => Place::Nowhere,
    }
}

/// Is the one pointer the other, or below it?
pub fn lies_in(pointer: &str, outer: &str) -> bool {
    pointer
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || outer.is_empty())
}

impl Market {
    /// What is asked of one of its plugins.
    pub fn wish(&self, listing: &Listing, wish: &Wish) -> Wish {
        let entry = Entry {
            host: self.host.clone(),
            whole: self.whole,
            document: listing.document.clone(),
        };
        Wish { entry: Some(entry), ..wish.clone() }
    }
}
