//! Plans become packages in the target's own form, each in a folder of its own, with the report beside them.
//!
//! Whoever has plans hands them over one by one; where the files go is the sink's affair.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::io::apply::{Mark, Sink, Untaken};
use crate::io::staged::{Fault, package};
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::Document;
use crate::ir::fate::{Fate, Verdict};
use crate::ir::origin::Origin;
use crate::ir::package::Package;
use crate::ir::path::RelPath;
use crate::ir::plan::{How, Plan, Step};
use crate::ir::snapshot::{Kind, Snapshot, Unreadable};

/// How a folder that was written here is known again.
pub const MARK: Mark = Mark {
    file: ".plugc-convert",
    line: "written by `plugc convert`, whose next run replaces all of it:",
    report: "report.json",
    format: "\"format\": \"plugc/report/",
};

/// The key below which a package says what it is called.
const NAME: &str = "name";

/// Writes packages, and remembers which names are taken.
pub struct Converter {
    /// By the name in small letters, as many disks know no others: who has it.
    taken: BTreeMap<String, String>,
    /// What lies in the folder, beside the report and the mark.
    entries: BTreeSet<String>,
}

impl Default for Converter {
    fn default() -> Self {
        Converter::new()
    }
}

impl Converter {
    /// One that has written nothing yet.
    pub fn new() -> Self {
        let own = [MARK.file, MARK.report].map(|file| (file.to_owned(), file.to_owned()));
        Converter { taken: BTreeMap::from(own), entries: BTreeSet::new() }
    }

    /// Keeps a name for a text that will lie beside the packages. It is kept before any package comes.
    pub fn reserve(&mut self, file: &str) {
        self.taken.insert(file.to_lowercase(), file.to_owned());
    }

    /// Writes the package that a plan makes, and gives its folder. What is lost by that is told in the plan, and a plan
    /// whose package is not written has verdict none.
    ///
    /// `path` is the plugin's SOURCE, in a form that may be shown.
    pub fn plugin(
        &mut self,
        path: &str,
        plan: &mut Plan,
        sink: &mut dyn Sink,
    ) -> io::Result<Option<RelPath>> {
        if plan.verdict == Verdict::None {
            return Ok(None);
        }
        let (folder, package) = match self.planned(plan) {
            Ok(planned) => planned,
            Err(told) => return Ok(bar(plan, *told)),
        };
        match sink.package(&folder, &package, &mut plan.snapshot) {
            Ok(()) => {}
            Err(Untaken::Unwritten(error)) => return Err(error),
            Err(Untaken::Unreadable(file, why)) => {
                let told = told("convert/file-unreadable", Origin::file(file.as_str()));
                let told = told.with("path", file.as_str()).with("detail", unreadable(&why));
                return Ok(bar(plan, told));
            }
        }
        tell_left_out(plan, &package.left_out);
        tell_alike(plan, &package);
        self.taken.insert(folder.as_str().to_lowercase(), path.to_owned());
        self.entries.insert(folder.as_str().to_owned());
        Ok(Some(folder))
    }

    /// Writes the report, further texts under names that were reserved, and the mark.
    pub fn end(
        &mut self,
        report: &str,
        texts: &[(&str, &str)],
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        for (file, text) in texts {
            sink.text(&RelPath::root().child(file), text)?;
            self.entries.insert((*file).to_owned());
        }
        let entries = self.entries.iter().map(|entry| format!("{entry}\n"));
        let mark = format!("{}\n{}", MARK.line, entries.collect::<String>());
        sink.text(&RelPath::root().child(MARK.report), report)?;
        sink.text(&RelPath::root().child(MARK.file), &mark)
    }

    /// Where a package goes and what is in it, or why there is none.
    fn planned(&self, plan: &mut Plan) -> Result<(RelPath, Package), Box<Diagnostic>> {
        let name = name(plan).unwrap_or_default().to_owned();
        let conflict = |plan: &Plan, detail: String| {
            Box::new(told("convert/steps-conflict", place_of_name(plan)).with("detail", detail))
        };
        let folder = RelPath::root().child(&name);
        let is_plain = RelPath::parse(&name).as_ref() == Ok(&folder)
            && folder.parts().count() == 1
            && !name.contains(|c: char| c.is_control() || c == '/');
        if !is_plain {
            return Err(conflict(plan, format!("`{name}` is no name for a folder")));
        }
        if let Some(other) = self.taken.get(&name.to_lowercase()) {
            let told = told("convert/name-taken", place_of_name(plan));
            return Err(Box::new(told.with("name", name).with("other", other)));
        }
        match package(plan) {
            Ok(_) if plan.snapshot.is_exhausted() => {
                Err(Box::new(told("package/too-many-files", Origin::file(""))))
            }
            Ok(package) => Ok((folder, package)),
            Err(fault) => Err(conflict(plan, fault_in_words(&fault))),
        }
    }
}

/// What the package is called at the target: what it says there itself, be it another name than it had.
fn name(plan: &Plan) -> Option<&str> {
    let steps = plan.steps.iter().chain(plan.entries.iter().flat_map(|entry| &entry.steps));
    let mut said = steps.filter_map(|step| match step {
        Step::Merge { at, how: How::Set, value, .. } if *at == [NAME] => value.as_str(),
        _ => None,
    });
    said.next_back().or(plan.identity.name.as_deref())
}

/// Where the package says its name, or else its first document.
fn place_of_name(plan: &Plan) -> Origin {
    let named = plan.entries.iter().filter_map(|entry| {
        let document = plan.documents.iter().find(|one| one.file == entry.origin.file)?;
        Some(document.origin(document.get(Document::ROOT, NAME)?))
    });
    let says_name = |step: &Step| matches!(step, Step::Merge { at, .. } if *at == [NAME]);
    let is_named = plan.entries.iter().any(|entry| entry.steps.iter().any(says_name));
    let first = || plan.documents.first().map(|one| Origin::file(one.file.clone()));
    let mut named = named.filter(|_| is_named);
    named.next().or_else(first).unwrap_or_else(|| Origin::file(""))
}

fn told(code: &str, origin: Origin) -> Diagnostic {
    Diagnostic::new(Code::new(code), origin).fate(Fate::Unsupported)
}

/// Makes of a plan one whose package is not written: nothing arrives.
fn bar(plan: &mut Plan, told: Diagnostic) -> Option<RelPath> {
    plan.diagnostics.push(told);
    plan.verdict = Verdict::None;
    plan.steps.clear();
    for (_, count) in &mut plan.mapped {
        *count = 0;
    }
    for entry in plan.entries.iter_mut().filter(|entry| entry.fate.arrives()) {
        entry.fate = Fate::Unsupported;
        entry.steps.clear();
    }
    for (_, fate) in plan.account.iter_mut().filter(|(_, fate)| fate.arrives()) {
        *fate = Fate::Unsupported;
    }
    plan.snapshot = Snapshot::empty();
    None
}

/// One diagnostic for all links that were not followed, one for each other thing that was passed over.
fn tell_left_out(plan: &mut Plan, left_out: &[(RelPath, Kind)]) {
    let is_link = |kind: &Kind| matches!(kind, Kind::Outside | Kind::Dangling | Kind::Loop);
    let mut links = left_out.iter().filter(|(_, kind)| is_link(kind)).map(|(path, _)| path);
    if let Some(first) = links.next() {
        let told = told("convert/link-left-out", Origin::file(first.as_str()));
        let also = links.map(|path| Origin::file(path.as_str())).collect();
        plan.diagnostics.push(Diagnostic { also, ..told.with("path", first.as_str()) });
    }
    for (path, kind) in left_out.iter().filter(|(_, kind)| !is_link(kind)) {
        let told = told("convert/file-left-out", Origin::file(path.as_str()));
        plan.diagnostics.push(told.with("path", path.as_str()).with("detail", kind_in_words(kind)));
    }
    if !left_out.is_empty() {
        plan.verdict = Verdict::Partial;
    }
}

/// One diagnostic for all files of a package that many disks take for one.
fn tell_alike(plan: &mut Plan, package: &Package) {
    let mut seen: BTreeMap<String, &RelPath> = BTreeMap::new();
    let mut alike = Vec::new();
    for path in package.files.keys() {
        if let Some(other) = seen.insert(path.as_str().to_lowercase(), path) {
            alike.push((other, path));
        }
    }
    let mut alike = alike.into_iter();
    if let Some((other, path)) = alike.next() {
        let told =
            Diagnostic::new(Code::new("convert/case-collision"), Origin::file(path.as_str()));
        let told = told.with("path", path.as_str()).with("other", other.as_str());
        let also = alike.map(|(_, path)| Origin::file(path.as_str())).collect();
        plan.diagnostics.push(Diagnostic { also, ..told.fate(Fate::Adapted) });
    }
}

fn unreadable(why: &Unreadable) -> String {
    match why {
        Unreadable::TooLarge(size) => format!("it has {size} bytes"),
        Unreadable::NotAFile(kind) => kind_in_words(kind).to_owned(),
        Unreadable::Denied => kind_in_words(&Kind::Denied).to_owned(),
    }
}

fn kind_in_words(kind: &Kind) -> &'static str {
    match kind {
        Kind::File { .. } => "it is a file",
        Kind::Folder => "it is a folder",
        Kind::Missing => "it is not there",
        Kind::Dangling => "the link leads to nothing",
        Kind::Outside => "the link leads out of the package",
        Kind::Loop => "the link leads back to itself",
        Kind::Special => "it is no regular file, or its name is no text",
        Kind::Denied => "the system does not let us read it",
    }
}

fn fault_in_words(fault: &Fault) -> String {
    match fault {
        Fault::Unreadable(path, why) => format!("`{path}`: {}", unreadable(why)),
        Fault::Leaves(path) => format!("`{path}` leaves the package"),
        Fault::Conflict(at) => format!("two things are to stand at `{at}`"),
    }
}
