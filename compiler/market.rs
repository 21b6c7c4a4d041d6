//! Lists of plugins: which there is in a folder, what its entries say, and what the target makes of each as it stands.

use std::sync::Arc;

use crate::ir::document::{Document, NodeId};
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
use crate::rulebook::Rulebook;
use crate::rulebook::rules::Lists;
use crate::survey::{Entry, Wish};

/// The host whose list lies in a folder, if one does.
pub fn lister(snapshot: &mut Snapshot, rulebook: &Rulebook) -> Option<HostName> {
    let mut holds = |mark: &RelPath| !matches!(snapshot.kind(mark), Kind::Missing | Kind::Dangling);
    rulebook
        .listers()
        .find(|one| one.marks.iter().any(&mut holds))
        .map(|one| HostName::parse(&one.host))
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
    lister: HostName,
) -> Option<Market> {
    let lists = rulebook.source(&lister)?.lists.clone()?;
    // Its rules for entries speak of the list as it stands, in whatever form the plugins are wanted.
    let route = Route {
        source: lister.clone(),
        target: wish.to.clone(),
        form: Form::Normalised,
        platform: wish.platform,
    };
    let manifest = pass::parse::parse(snapshot, rulebook, &route, None);
    let plugin = pass::lift::lift(manifest, rulebook, &route);
    let capabilities = plugin.capabilities.clone();
    let plan = pass::lower::lower(plugin, rulebook, &route);
    let name = text(capabilities.first(), "name");
    let nodes = nodes(&plan, &lists);
    let all = capabilities.iter().zip(&plan.entries).filter_map(|(one, entry)| {
        let (_, node) = nodes.iter().find(|(pointer, _)| *pointer == one.origin.pointer)?;
        let document = Arc::new(plan.documents.first()?.part(*node, |_| true));
        let is_broken = is_broken(one, &plan);
        let place = if is_broken { Place::Nowhere } else { place(one) };
        Some(Listing {
            name: text(Some(one), "name"),
            origin: one.origin.clone(),
            name_at: written(one, &["name"]),
            place_at: written(one, &["address", "path", "place"]),
            document,
            place,
            installs: !is_broken && !entry.fate.is_loss(),
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
fn nodes(plan: &Plan, lists: &Lists) -> Vec<(String, NodeId)> {
    let Some(document) = plan.documents.first() else { return Vec::new() };
    let list = document.get(Document::ROOT, &lists.entries);
    let all = list.into_iter().flat_map(|list| document.children(list));
    all.map(|node| (document.origin(node).pointer, node)).collect()
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
fn is_broken(one: &Capability, plan: &Plan) -> bool {
    plan.diagnostics.iter().any(|told| {
        let by_source = told.rule.as_ref().is_some_and(|rule| rule.starts_with("from/"));
        by_source && told.fate.is_loss() && lies_in(&told.origin.pointer, &one.origin.pointer)
    })
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
