//! Rule files as a rulebook: every mistake in all of them is noted.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_yaml::Value;

use super::cursor::Cursor;
use super::expression::Literal;
use super::fault::Fault;
use super::rules::{Emit, Reads, Source, Tables, Target};
use super::{Index, Known, Pages, Rules, check, overlay, page, wire};

/// Rule files by their path below `rules/`.
pub type Files = BTreeMap<String, String>;

/// Reads rule files, perhaps with others laid over them. The faults are those of the whole; with none the rules run.
pub fn load(base: &Files, over: Option<&Files>) -> (Rules, Vec<Fault>) {
    let faults = RefCell::new(Vec::new());
    let mut trees = parse(base, &faults);
    if let Some(over) = over {
        for (path, tree) in parse(over, &faults) {
            match trees.get_mut(&path) {
                Some(base) if !path.starts_with("diagnostics/") => overlay::merge(base, tree),
                _ => {
                    trees.insert(path, tree);
                }
            }
        }
    }
    let rules = Loader { trees: &trees, faults: &faults }.rules(base, over);
    let mut all = faults.into_inner();
    all.extend(check::check(&rules, &trees, over));
    all.sort();
    // A version repeats the mistakes of what it lies over.
    all.dedup();
    (rules, all)
}

fn parse(files: &Files, faults: &RefCell<Vec<Fault>>) -> BTreeMap<String, Value> {
    let mut trees = BTreeMap::new();
    for (path, text) in files {
        let yaml = if is_page(path) {
            if let Some((head, _)) = page::split(text) {
                head
            } else {
                tell(
                    faults,
                    path,
                    "a page begins with front matter between two lines of `---`".to_owned(),
                );
                continue;
            }
        } else if has_extension(path, "yaml") {
            text
        } else {
            continue;
        };
        match serde_yaml::from_str::<Value>(yaml) {
            Ok(tree) => {
                trees.insert(path.clone(), tree);
            }
            Err(error) => tell(faults, path, format!("not YAML: {error}")),
        }
    }
    trees
}

fn tell(faults: &RefCell<Vec<Fault>>, file: &str, message: String) {
    faults.borrow_mut().push(Fault {
        file: file.to_owned(),
        pointer: String::new(),
        inside: 0,
        message,
        help: None,
    });
}

fn has_extension(path: &str, wanted: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension == wanted)
}

pub(super) fn is_page(path: &str) -> bool {
    path.starts_with("diagnostics/") && has_extension(path, "md")
}

struct Loader<'y> {
    trees: &'y BTreeMap<String, Value>,
    faults: &'y RefCell<Vec<Fault>>,
}

impl<'y> Loader<'y> {
    fn rules(&self, base: &Files, over: Option<&Files>) -> Rules {
        let mut index = Index::default();
        for (path, at) in self.below("schema/") {
            match path {
                "events" | "tools" | "handlers" | "contracts" | "placeholders" => {
                    let names = at.pairs().into_iter().map(|(name, _)| name).collect();
                    index.names.push((path.into(), names));
                }
                kind => index.schemas.push(wire::schema(&at, kind)),
            }
        }
        let sources: Vec<Source> =
            self.hosts("from").iter().map(|host| self.source(host)).collect();
        let mut targets: Vec<Target> =
            self.hosts("to").iter().map(|host| self.target(host)).collect();
        for lower in targets.iter_mut().flat_map(|target| &mut target.lowers) {
            let called = index.schemas.iter().find(|schema| schema.kind == lower.kind);
            let called = called.map_or("", |schema| &schema.called);
            for emit in &mut lower.emit {
                emit.carries = Emit::carried(&emit.steps, &lower.bind, called);
            }
        }
        index.sources = sources
            .iter()
            .map(|one| Known {
                host: one.host.clone(),
                title: one.title.clone(),
                marks: one.marks.clone(),
                lists: one.lists.is_some(),
            })
            .collect();
        index.targets = targets.iter().map(|one| (one.host.clone(), one.title.clone())).collect();
        let mut pages = Pages::default();
        for (path, at) in self.below("diagnostics/en/") {
            pages.heads.push((path.into(), page::head(&at)));
        }
        pages.heads.sort_by(|(a, _), (b, _)| a.cmp(b));
        let texts = base.iter().chain(over.into_iter().flatten()).filter(|(path, _)| is_page(path));
        let prose: BTreeMap<&String, &String> = texts.collect();
        pages.prose = prose
            .into_iter()
            .filter_map(|(path, text)| Some((code_of(path)?.into(), text.clone())))
            .collect();
        Rules { index, sources, targets, pages }
    }

    /// The files below a folder, by their path without extension.
    fn below(&self, folder: &str) -> Vec<(&'y str, Cursor<'y>)> {
        self.trees
            .range(folder.to_owned()..)
            .take_while(|(path, _)| path.starts_with(folder))
            .filter_map(|(path, tree)| {
                let name = path.strip_prefix(folder)?.rsplit_once('.')?.0;
                Some((name, Cursor::new(tree, path, self.faults)))
            })
            .collect()
    }

    /// The hosts on one side, versions as `name@version` behind them.
    fn hosts(&self, side: &str) -> Vec<String> {
        let mut hosts: Vec<String> = Vec::new();
        for (path, _) in self.below(&format!("{side}/")) {
            let mut parts = path.split('/');
            let (Some(name), next) = (parts.next(), parts.next()) else { continue };
            let host = match next.and_then(|part| part.strip_prefix('@')) {
                Some(version) => format!("{name}@{version}"),
                None => name.to_owned(),
            };
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        hosts.sort();
        hosts
    }

    /// The files of a host; those of a version laid over those without one.
    fn files(&self, side: &str, host: &str) -> BTreeMap<&'y str, (&'y str, Value)> {
        let (name, version) =
            host.split_once('@').map_or((host, None), |(name, version)| (name, Some(version)));
        let base = format!("{side}/{name}/");
        let mut files: BTreeMap<&'y str, (&'y str, Value)> = BTreeMap::new();
        for (path, tree) in
            self.trees.range(base.clone()..).take_while(|(path, _)| path.starts_with(&base))
        {
            let Some(short) = path.strip_prefix(&base).and_then(|rest| rest.strip_suffix(".yaml"))
            else {
                continue;
            };
            if !short.starts_with('@') {
                files.insert(short, (path, tree.clone()));
            }
        }
        if let Some(version) = version {
            let over = format!("{base}@{version}/");
            for (path, tree) in
                self.trees.range(over.clone()..).take_while(|(path, _)| path.starts_with(&over))
            {
                let Some(short) =
                    path.strip_prefix(&over).and_then(|rest| rest.strip_suffix(".yaml"))
                else {
                    continue;
                };
                match files.get_mut(short) {
                    Some((_, base)) => overlay::merge(base, tree.clone()),
                    None => {
                        files.insert(short, (path, tree.clone()));
                    }
                }
            }
        }
        files
    }

    fn source(&self, host: &str) -> Source {
        let files = self.files("from", host);
        let at =
            |short: &str| files.get(short).map(|(path, tree)| Cursor::new(tree, path, self.faults));
        let mut tables = Tables::new();
        let mut lifts = Vec::new();
        for (short, (path, tree)) in &files {
            let cursor = Cursor::new(tree, path, self.faults);
            if tree.get("lift").is_some() {
                lifts.push(wire::lift(&cursor, &format!("from/{host}/{short}")));
                add(&mut tables, cursor.get("table"));
            } else if *short != "host" {
                add(&mut tables, Some(cursor));
            }
        }
        let empty = Value::Null;
        let missing = Cursor::new(&empty, "from", self.faults);
        let head = at("host").unwrap_or(missing);
        head.only(&[
            "name",
            "reference",
            "marks",
            "checked",
            "fallback",
            "singles",
            "lists",
            "strict",
            "strict-when",
            "any-case",
            "documents",
            "discards",
            "lifts",
        ]);
        let order = head.texts("lifts");
        lifts.sort_by_key(|lift| {
            order
                .iter()
                .position(|name| lift.rule.ends_with(&format!("/{name}")))
                .unwrap_or(usize::MAX)
        });
        Source {
            host: host.into(),
            title: head.need("name"),
            marks: head.list("marks").iter().map(Cursor::path).collect(),
            fallback: head.flag("fallback"),
            singles: head
                .map("singles")
                .into_iter()
                .map(|(name, cursor)| (name, cursor.path()))
                .collect(),
            lists: head.get("lists").map(|cursor| wire::lists(&cursor)),
            strict: head.code("strict"),
            strict_when: head.when("strict-when"),
            any_case: head.flag("any-case"),
            documents: wire::roles(&head),
            discards: wire::discards(&head, &format!("from/{host}/host")),
            lifts,
            tables,
        }
    }

    fn target(&self, host: &str) -> Target {
        let files = self.files("to", host);
        let mut tables = Tables::new();
        let (mut lowers, mut reads): (Vec<_>, Vec<Reads>) = (Vec::new(), Vec::new());
        for (short, (path, tree)) in &files {
            let cursor = Cursor::new(tree, path, self.faults);
            if let Some(source) = short.strip_prefix("reads/") {
                reads.push(wire::reads(&cursor, &format!("to/{host}/{short}"), source));
            } else if tree.get("lower").is_some() {
                lowers.push(wire::lower(&cursor, &format!("to/{host}/{short}")));
                add(&mut tables, cursor.get("table"));
            } else if *short != "host" {
                add(&mut tables, Some(cursor));
            }
        }
        let empty = Value::Null;
        let missing = Cursor::new(&empty, "to", self.faults);
        let head =
            files.get("host").map_or(missing, |(path, tree)| Cursor::new(tree, path, self.faults));
        head.only(&[
            "name",
            "reference",
            "checked",
            "native",
            "order",
            "package",
            "as-found",
            "kinds",
        ]);
        let order = head.texts("kinds");
        lowers.sort_by_key(|lower| {
            order.iter().position(|kind| *kind == lower.kind).unwrap_or(usize::MAX)
        });
        Target {
            host: host.into(),
            title: head.need("name"),
            native: head.maybe("native").map(Into::into),
            order: head.texts("order"),
            package: wire::steps(&head.list("package")),
            as_found: wire::steps(&head.list("as-found")),
            lowers,
            reads,
            tables,
        }
    }
}

fn add(tables: &mut Tables, at: Option<Cursor<'_>>) {
    let Some(at) = at else { return };
    for (name, table) in wire::tables(&at) {
        if tables.iter().any(|(known, _): &(Arc<str>, Literal)| *known == name) {
            at.fault(format!("there is another table `{name}`"));
        }
        tables.push((name, table));
    }
}

/// The code that a page's path is.
pub(super) fn code_of(path: &str) -> Option<&str> {
    path.strip_prefix("diagnostics/en/")?.strip_suffix(".md")
}
