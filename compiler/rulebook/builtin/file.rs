//! What is known of the file that a rule looks at, and of the files around it.

use super::super::evaluate::{Scope, Val};
use super::{Builtin, Call};
use crate::ir::document::{Document, Front, Key, Kind as NodeKind};
use crate::ir::manifest::{NodeRef, View};
use crate::ir::path::RelPath;
use crate::ir::snapshot::Kind;
use crate::ir::value::{Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "is_file",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: true,
        run: is_file,
        doc: "Is there a file at the path?",
    },
    Builtin {
        name: "is_folder",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: true,
        run: is_folder,
        doc: "Is there a folder at the path?",
    },
    Builtin {
        name: "leaves_root",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: true,
        run: leaves_root,
        doc: "Is the path absolute, does it climb out of the package, or lead out of it by a link?",
    },
    Builtin {
        name: "nested",
        takes: &[Type::Any, Type::Texts],
        optional: 0,
        gives: Type::Map,
        files: false,
        run: nested,
        doc: "Of a `file`, which of the keys stand inside of maps in its front matter so that a reader that knows no maps takes them for its own.",
    },
];

/// The facts that `file.<name>` can name, with their types.
pub const FACTS: [(&str, Type); 17] = [
    ("path", Type::Path),
    ("name", Type::Text),
    ("stem", Type::Text),
    ("folder", Type::Text),
    ("below", Type::Text),
    ("component", Type::Path),
    ("root", Type::Text),
    ("place", Type::Text),
    ("loose", Type::Flag),
    ("repaired", Type::Flag),
    ("depth", Type::Number),
    ("inline", Type::Flag),
    ("key", Type::Text),
    ("named", Type::Flag),
    ("link", Type::Flag),
    ("front", Type::Text),
    ("body", Type::Body),
];

/// A fact of a document in its role.
pub fn fact<'a>(scope: &Scope<'a>, view: &'a View, name: &str) -> Val<'a> {
    let document = scope.document(view.start);
    let file = document.map_or("", |document| &document.file);
    let path = || RelPath::parse(file).unwrap_or_default();
    match name {
        "path" => Val::own(Value::Path(path())),
        "name" => Val::text(path().name()),
        "stem" => Val::text(path().stem()),
        "folder" => Val::text(path().parent().unwrap_or_default().name()),
        "below" => Val::text(below(&path(), &view.root)),
        "component" => Val::own(Value::Path(view.path.clone())),
        "root" => Val::text(view.root.as_str()),
        "place" => {
            let place = view.path.below(&view.root).filter(|place| !place.is_empty());
            Val::text(place.unwrap_or(view.path.name()))
        }
        "loose" => Val::flag(view.loose),
        "repaired" => Val::flag(document.is_some_and(|document| document.repaired)),
        "depth" => Val::own(Value::Number(i64::try_from(view.depth).unwrap_or(i64::MAX))),
        "inline" => Val::flag(view.inline),
        "key" => view.entry.map_or(Val::Absent, Val::Key),
        "named" => Val::flag(view.named),
        "link" => Val::flag(view.link),
        "front" => Val::text(document.map_or("none", |document| document.front.word())),
        "body" => {
            let whole = NodeRef { node: Document::WHOLE, ..view.start };
            scope.notes.borrow_mut().reads.push(whole);
            document.and_then(|document| document.body_text()).map_or(Val::Absent, Val::text)
        }
        _ => Val::Absent,
    }
}

/// The path below the folder it was looked for in, without its extension.
fn below(path: &RelPath, root: &RelPath) -> String {
    let below = path.below(root).filter(|below| !below.is_empty()).unwrap_or(path.name());
    match below.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && !extension.contains('/') => stem.to_owned(),
        _ => below.to_owned(),
    }
}

fn kind_at(call: &Call<'_, '_>) -> Option<Kind> {
    let path = RelPath::parse(&call.text(0)?).ok()?;
    Some(call.scope.snapshot.borrow_mut().kind(&path))
}

fn is_file<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::flag(matches!(kind_at(call), Some(Kind::File { .. })))
}

fn is_folder<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::flag(matches!(kind_at(call), Some(Kind::Folder)))
}

fn leaves_root<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(text) = call.text(0) else { return Val::flag(false) };
    Val::flag(RelPath::parse(&text).is_err() || matches!(kind_at(call), Some(Kind::Outside)))
}

/// Goes by the order of the lines: of several values under one key the last one counts, however deep it lies.
fn nested<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(&Val::View(view)) = call.args.first() else { return Val::Absent };
    let scope = call.scope;
    let Some(document) = scope.document(view.start).filter(|one| one.front == Front::Valid) else {
        return Val::Absent;
    };
    let mut told = Vec::new();
    for key in call.texts(1) {
        let (mut own, mut last) = (None, None);
        let mut open = vec![Document::ROOT];
        while let Some(node) = open.pop() {
            if matches!(document.kind(node), NodeKind::Map) {
                let at = open.len();
                open.extend(document.children(node));
                if let Some(new) = open.get_mut(at..) {
                    new.reverse();
                }
                continue;
            }
            let is_it =
                matches!(document.key(node), Key::Name(name) if name.trim().to_lowercase() == key);
            if !is_it {
                continue;
            }
            let text = scope.say(&Val::Node(NodeRef { node, ..view.start }));
            if !text.trim().is_empty() {
                if document.parent(node) == Some(Document::ROOT) {
                    own = Some(text.clone());
                }
                last = Some((node, text));
            }
        }
        if let Some((node, text)) = last.filter(|(_, text)| own.as_ref() != Some(text)) {
            scope.notes.borrow_mut().reads.push(NodeRef { node, ..view.start });
            told.push((key, Value::Text(text)));
        }
    }
    if told.is_empty() { Val::Absent } else { Val::own(Value::Map(told)) }
}
