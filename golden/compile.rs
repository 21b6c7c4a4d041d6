//! Cases: a small plugin each, and what every route makes of it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use plugc::ir::manifest::NodeRef;
use plugc::ir::plan::Plan;
use plugc::ir::route::{Form, HostName, Platform, Route};
use plugc::ir::snapshot::Snapshot;
use plugc::report::text::{self, Style};
use plugc::report::told;
use plugc::rulebook::Rulebook;
use plugc::survey::{Wish, survey};
use serde_json::{Value, json};

use crate::bless::Golden;
use crate::market;

/// A folder below `golden/compile/<source>/`.
#[derive(Clone)]
pub struct Case {
    pub folder: PathBuf,
    /// The source host its folder is named after.
    pub source: String,
    /// What `case.yaml` says: a source to insist on, a single file as SOURCE.
    pub from: Option<String>,
    pub single: Option<String>,
}

/// One way to compile a case, by the name of its folder: `reasonix@1.as-found.windows`.
pub struct Way {
    pub name: String,
    pub to: HostName,
    pub form: Form,
    pub platform: Platform,
}

impl Way {
    pub fn parse(name: &str) -> Way {
        let mut parts = name.split('.');
        let to = HostName::parse(parts.next().unwrap_or_default());
        let (mut form, mut platform) = (Form::Normalised, Platform::Posix);
        for part in parts {
            match part {
                "as-found" => form = Form::AsFound,
                "windows" => platform = Platform::Windows,
                other => panic!("`{other}` is no part of a route's name"),
            }
        }
        Way { name: name.to_owned(), to, form, platform }
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/compile")
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    all.sort();
    all
}

/// Every case, in order.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for source in sorted(&root()).into_iter().filter(|path| path.is_dir()) {
        for folder in sorted(&source).into_iter().filter(|path| path.is_dir()) {
            let options: Value = fs::read_to_string(folder.join("case.yaml"))
                .map(|text| serde_yaml::from_str(&text).expect("case.yaml is YAML"))
                .unwrap_or_default();
            let option = |name: &str| options.get(name).and_then(Value::as_str).map(str::to_owned);
            let name = source.file_name().unwrap().to_string_lossy().into_owned();
            cases.push(Case {
                folder,
                source: name,
                from: option("from"),
                single: option("single"),
            });
        }
    }
    cases
}

impl Case {
    /// The routes it has full goldens for; a new case gets the two of the first target.
    pub fn ways(&self) -> Vec<Way> {
        let names = sorted(&self.folder).into_iter().filter(|path| path.is_dir());
        let names = names.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
        let ways: Vec<Way> =
            names.filter(|name| name != "plugin").map(|name| Way::parse(&name)).collect();
        if ways.is_empty() {
            return vec![Way::parse("reasonix"), Way::parse("reasonix.as-found")];
        }
        ways
    }

    pub fn snapshot(&self, rulebook: &Rulebook) -> Snapshot {
        let root = self.folder.join("plugin");
        match &self.single {
            None => Snapshot::new(Box::new(plugc::io::folder::Folder::open(&root).unwrap())),
            Some(name) => {
                let host = HostName::parse(&self.source);
                let singles = &rulebook.source(&host).unwrap().singles;
                let place = singles.iter().find(|(known, _)| **known == **name).unwrap().1.clone();
                let single = plugc::io::single::Single::open(&root.join(name), place).unwrap();
                Snapshot::new(Box::new(single))
            }
        }
    }

    pub fn plan(&self, rulebook: &Rulebook, way: &Way) -> Plan {
        let from = self.from.as_deref().map(HostName::parse);
        let wish =
            Wish { from, to: way.to.clone(), form: way.form, platform: way.platform, entry: None };
        survey(self.snapshot(rulebook), rulebook, &wish)
    }

    fn short(&self) -> String {
        let folder = self.folder.file_name().unwrap().to_string_lossy().into_owned();
        format!("{}/{folder}", self.source)
    }

    /// The plugin as its source reads it.
    fn ir(&self, rulebook: &Rulebook) -> String {
        let source = HostName::parse(self.from.as_deref().unwrap_or(&self.source));
        let route = Route {
            source,
            target: HostName::parse("nobody"),
            form: Form::Normalised,
            platform: Platform::Posix,
        };
        let manifest = plugc::pass::parse::parse(
            self.snapshot(rulebook),
            rulebook,
            &route,
            plugc::pass::parse::Given::default(),
        );
        let plugin = plugc::pass::lift::lift(manifest, rulebook, &route);
        let told: Vec<String> =
            plugin.diagnostics.iter().map(|one| format!("{} {}", one.code, one.origin)).collect();
        pretty(
            &json!({ "host": plugin.host.to_string(), "capabilities": plugin.capabilities, "diagnostics": told }),
        )
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// A plan in full: what is done, how well it fits, and the books.
pub fn plan_json(plan: &Plan) -> String {
    let place = |at: &NodeRef| plan.documents[at.document as usize].origin(at.node).to_string();
    let account: Vec<Value> =
        plan.account.iter().map(|(at, fate)| json!(format!("{fate} {}", place(at)))).collect();
    let told: Vec<Value> = plan
        .diagnostics
        .iter()
        .map(|one| json!({ "code": one.code, "fate": one.fate, "origin": one.origin.to_string(), "words": one.words, "also": one.also, "loss": one.loss, "rule": one.rule }))
        .collect();
    pretty(&json!({
        "source": plan.route.source.to_string(), "name": plan.identity.name, "version": plan.identity.version,
        "verdict": plan.verdict, "mapped": plan.mapped.iter().filter(|(_, count)| *count > 0).collect::<Vec<_>>(),
        "others": plan.others.iter().map(|one| json!({ "manifest": one.manifest, "verdict": one.verdict })).collect::<Vec<_>>(),
        "steps": plan.steps, "entries": plan.entries, "diagnostics": told, "account": account,
    }))
}

/// One line for a route that a case has no full golden for.
fn line(plan: &Plan) -> String {
    let mut rules: Vec<&str> =
        plan.entries.iter().flat_map(|entry| entry.rules.iter().map(|rule| &**rule)).collect();
    rules.sort_unstable();
    rules.dedup();
    let mut codes: Vec<&str> = plan.diagnostics.iter().map(|one| one.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    format!("{}; rules {}; codes {}", plan.verdict.word(), rules.join(" "), codes.join(" "))
}

/// What a case means under a rulebook, whatever words it is told in.
pub fn meaning<'c>(case: &'c Case, rulebook: &'c Rulebook) -> impl Iterator<Item = String> + 'c {
    let ways = case.ways().into_iter().map(|way| plan_json(&case.plan(rulebook, &way)));
    let list = market::is_list(case, rulebook).then(|| market::meaning(case, rulebook));
    std::iter::once_with(|| case.ir(rulebook)).chain(ways).chain(list)
}

/// Everything that a case is held to, by file.
pub fn outcome(case: &Case, rulebook: &Rulebook) -> Vec<(PathBuf, String)> {
    let mut files = vec![(case.folder.join("ir.json"), case.ir(rulebook))];
    let ways = case.ways();
    for way in &ways {
        let plan = case.plan(rulebook, way);
        files.push((case.folder.join(&way.name).join("plan.json"), plan_json(&plan)));
        let report = told::tell(plan, rulebook, &case.short(), false);
        let style = Style { verbose: true, ..Style::default() };
        files.push((case.folder.join(&way.name).join("report.txt"), text::plugin(&report, style)));
    }
    let mut others = String::new();
    for (target, _) in &rulebook.index.targets {
        if !ways.iter().any(|way| way.to.to_string() == **target) {
            let way = Way::parse(target);
            let _ = writeln!(others, "{target}: {}", line(&case.plan(rulebook, &way)));
        }
    }
    files.push((case.folder.join("others.txt"), others));
    files
}

#[test]
fn every_case_is_as_its_goldens_say() {
    let rulebook = plugc::builtin::rulebook();
    let mut golden = Golden::new();
    for case in cases() {
        for (path, text) in outcome(&case, &rulebook) {
            golden.hold(&path, &text);
        }
        let others: &[&str] = if market::is_list(&case, &rulebook) { &market::FILES } else { &[] };
        golden.nothing_else(&case.folder, &[&["plugin", "case.yaml"], others].concat());
    }
    golden.finish();
}
