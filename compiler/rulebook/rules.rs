//! The checked rules of one host, as the passes read them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::expression::{Expression, Literal};
use super::lists::Lists;
use super::selector::Selector;
use super::template::Template;
use crate::ir::diagnostic::{Code, Loss};
use crate::ir::fate::Fate;
use crate::ir::path::RelPath;
use crate::ir::plan::How;

/// Tables by name: what `table.<name>` means in a rule. Sorted by name.
pub type Tables = Vec<(Arc<str>, Literal)>;

/// How files are looked for below a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Walk {
    /// A folder that holds this file is one component.
    pub folder: Option<Arc<str>>,
    /// Loose files with one of these extensions are components; upper and lower case are the same.
    pub files: Vec<Arc<str>>,
    /// How many levels are looked at; 1 is the folder itself.
    pub depth: usize,
    /// Entries that are passed over; a leading dot stands for every name with one.
    pub skip: Vec<Arc<str>>,
    /// Whether links are followed.
    pub links: bool,
    /// Whether the folder itself may be the component.
    pub itself: bool,
    /// Whether a component's folder must be called by a name that the host accepts.
    pub names: bool,
    /// Nothing is found unless this finds something.
    pub only_if: Option<Box<Walk>>,
}

/// Where a document lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Place {
    /// At a path.
    At(RelPath),
    /// Somewhere below a folder.
    Below(RelPath),
    /// Where a field of the manifest says.
    Field(Arc<[Arc<str>]>),
}

/// One way to find documents of a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key that a rule may set")]
pub struct Find {
    /// Its name among the role's.
    pub id: Arc<str>,
    /// Where to look.
    pub place: Place,
    /// Whether the field may hold a path.
    pub path: bool,
    /// Whether the field may hold the document itself.
    pub inline: bool,
    /// Key of an object in a list that holds the path. Where it may, a list holds only texts or only objects, and
    /// null, an empty text or an object without the key means the root.
    pub path_key: Option<Arc<str>>,
    /// The key that holds the path in each entry of a map.
    pub entries: Option<Arc<str>>,
    /// Whether a path may hold wildcards.
    pub glob: bool,
    /// Whether a path to a file is passed over.
    pub folders: bool,
    /// Whether the field may be a list of such.
    pub list: bool,
    /// Whether the field, when there, switches off what is found without it.
    pub replace: bool,
    /// How to look below a folder.
    pub walk: Option<Walk>,
    /// Under which condition over the manifest.
    pub when: Option<Expression>,
    /// What is told of a field of another type.
    pub otherwise: Option<Code>,
    /// What is told of a path where nothing lies.
    pub missing: Option<Code>,
    /// What is told of a convention that the field switched off.
    pub replaced: Option<Code>,
    /// What is told of a document found this way.
    pub diagnostic: Option<Code>,
}

/// The documents of one role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Role {
    /// The role, `hooks`.
    pub name: Arc<str>,
    /// Where to look, in order.
    pub finds: Vec<Find>,
}

/// Where in a document a lift begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Its name, `wrapped`.
    pub id: Arc<str>,
    /// The keys from the document's start.
    pub at: Selector,
    /// Under which condition over the document, `root`.
    pub when: Option<Expression>,
    /// Told where it is not how the host writes it.
    pub diagnostic: Option<Code>,
}

/// A shape of the nodes that become capabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Each {
    /// Its name.
    pub id: Arc<str>,
    /// Which nodes.
    pub at: Selector,
    /// Under which condition.
    pub when: Option<Expression>,
    /// Names for what the fields read.
    pub bind: Vec<(Arc<str>, Expression)>,
    /// Told where it is not how the host writes it; then the capability is at best adapted.
    pub diagnostic: Option<Code>,
}

/// A condition under which a node becomes no capability, or none like it wants to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Its name among its kin.
    pub id: Arc<str>,
    /// The condition.
    pub when: Expression,
    /// A list whose every element is looked at, as `it`.
    pub each: Option<Expression>,
    /// The field or node that the caret goes to.
    pub at: Option<Expression>,
    /// Words for the page's holes.
    pub with: Vec<(Arc<str>, Expression)>,
    /// How badly its place fares.
    pub fate: Fate,
    /// Overrides the page's kind of loss.
    pub loss: Option<Loss>,
    /// One diagnostic for all places of a file, or of a package.
    pub once: Once,
    /// Nothing of the package can be used.
    pub fatal: bool,
    /// What it tells.
    pub code: Code,
    /// Its full name, for reports.
    pub rule: Arc<str>,
}

/// How often a check speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Once {
    /// For each place.
    Each,
    /// Once a file, with all its places.
    File,
    /// Once a package, with all its places.
    Package,
}

/// Which of several capabilities with one key counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unique {
    /// Its name among its kin.
    pub id: Arc<str>,
    /// What must differ.
    pub by: Expression,
    /// Only those for which this holds are compared.
    pub when: Option<Expression>,
    /// Only those that differ in this from the one that counts are left out.
    pub across: Option<Expression>,
    /// If two of them differ in this, they contradict each other and the package is refused.
    pub same: Option<Expression>,
    /// What is told of a contradiction.
    pub conflict: Option<Code>,
    /// Two with one key are a mistake that makes the package unusable.
    pub fatal: bool,
    /// Whether the last one counts rather than the first.
    pub last: bool,
    /// What becomes of the others.
    pub fate: Fate,
    /// What is told of the others.
    pub code: Code,
    /// Its full name, for reports.
    pub rule: Arc<str>,
}

/// How one kind of capability is read: `rules/from/<host>/<file>.yaml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lift {
    /// Its full name, `from/claude/hook`.
    pub rule: Arc<str>,
    /// The kind it makes.
    pub kind: Arc<str>,
    /// The role of the documents it reads.
    pub role: Arc<str>,
    /// Where it begins in them.
    pub shapes: Vec<Shape>,
    /// Which nodes it takes.
    pub each: Vec<Each>,
    /// Which of them it leaves out; the first that matches.
    pub refuse: Vec<Check>,
    /// What it remarks on; all that match.
    pub checks: Vec<Check>,
    /// Which of several with one key counts.
    pub unique: Vec<Unique>,
    /// The fields and what they hold.
    pub fields: Vec<(Arc<str>, Expression)>,
    /// What is read to choose: exact.
    pub asked: Vec<Expression>,
    /// What is descriptive.
    pub metadata: Vec<Expression>,
    /// What the host does not act on, though it knows it.
    pub inert: Vec<Expression>,
}

/// A change at the target, with holes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StepRule {
    /// Copies a file or folder.
    Copy {
        /// What.
        from: Template,
        /// To where.
        to: Template,
        /// What stays behind: a list of paths below `from`.
        except: Option<Template>,
    },
    /// Writes a file.
    Write {
        /// Where.
        to: Template,
        /// What.
        text: Template,
    },
    /// Puts a value into a JSON file.
    Merge {
        /// The file.
        into: Template,
        /// The keys on the way.
        at: Vec<Template>,
        /// How.
        how: How,
        /// The value.
        value: Template,
    },
    /// Links the package.
    Link {
        /// To where.
        to: Template,
    },
}

/// One way to write a capability at the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Emit {
    /// Its name.
    pub id: Arc<str>,
    /// Under which condition; the last has none.
    pub when: Option<Expression>,
    /// How well it fits this way.
    pub fate: Fate,
    /// What is done.
    pub steps: Vec<StepRule>,
    /// The fields that the steps read, straight or through a name that `let:` gives.
    pub carries: Vec<Arc<str>>,
    /// Its full name, for reports.
    pub rule: Arc<str>,
}

/// How one kind of capability is written: `rules/to/<host>/<kind>.yaml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lower {
    /// Its full name, `to/reasonix/hook`.
    pub rule: Arc<str>,
    /// The kind.
    pub kind: Arc<str>,
    /// Names for what its rules ask several times.
    pub bind: Vec<(Arc<str>, Expression)>,
    /// What it remarks on; all that match.
    pub checks: Vec<Check>,
    /// How it is written; the first that matches.
    pub emit: Vec<Emit>,
    /// Fields that do not arrive, and what is told of each.
    pub lost: Vec<(Arc<str>, Check)>,
    /// Fields that are descriptive.
    pub metadata: Vec<Arc<str>>,
    /// Which of several with one key counts, over the whole plan.
    pub plan: Vec<Unique>,
}

/// A condition under which a host passes over a document: the source's over one of its own, or the target's importer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discard {
    /// The role of the documents.
    pub role: Arc<str>,
    /// The nodes that are looked at.
    pub each: Selector,
    /// The condition, in which the selector's names, `node` and `root` stand.
    pub check: Check,
}

/// What a target's importer reads of one source: `rules/to/<target>/reads/<source>.yaml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reads {
    /// The source.
    pub source: Arc<str>,
    /// The documents it looks at.
    pub documents: Vec<Role>,
    /// What it passes over.
    pub discards: Vec<Discard>,
    /// What is told, as found, of a document in a role that it does not read.
    pub ignored: Vec<(Arc<str>, Check)>,
    /// What only it reads.
    pub lifts: Vec<Lift>,
}

/// How a host's packages are read: `rules/from/<host>/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The host, with its version if it is an overlay.
    pub host: Arc<str>,
    /// What people call it.
    pub title: String,
    /// The files that show a package to be of this host.
    pub marks: Vec<RelPath>,
    /// A folder with components and no manifest is read as this host's.
    pub fallback: bool,
    /// Its packages are lists of plugins.
    pub lists: Option<Lists>,
    /// Where a single file given as SOURCE belongs, by its name.
    pub singles: Vec<(Arc<str>, RelPath)>,
    /// An unknown key is a fatal mistake, told under this code.
    pub strict: Option<Code>,
    /// Under which condition over the manifest it is that strict.
    pub strict_when: Option<Expression>,
    /// Keys are matched whatever their case, as this host does.
    pub any_case: bool,
    /// The documents.
    pub documents: Vec<Role>,
    /// The documents that it refuses, with all that is in them.
    pub discards: Vec<Discard>,
    /// The lifts, by name.
    pub lifts: Vec<Lift>,
    /// The tables.
    pub tables: Tables,
}

/// How a host's packages are written: `rules/to/<host>/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// The host, with its version if it is an overlay.
    pub host: Arc<str>,
    /// What people call it.
    pub title: String,
    /// Sources whose packages are this host's own: they need no conversion.
    pub native: Option<Arc<str>>,
    /// The order in which its importer looks for manifests.
    pub order: Vec<Arc<str>>,
    /// What is done for a package as a whole, normalised.
    pub package: Vec<StepRule>,
    /// What is done for a package as a whole, as found.
    pub as_found: Vec<StepRule>,
    /// The lowerings, by kind.
    pub lowers: Vec<Lower>,
    /// What its importer reads, by source.
    pub reads: Vec<Reads>,
    /// The tables.
    pub tables: Tables,
}
