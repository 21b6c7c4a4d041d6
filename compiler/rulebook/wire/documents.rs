//! `documents:`, where the documents of a host lie, and `lists:`, what its entries are if it lists plugins.

use super::super::cursor::Cursor;
use super::super::lists::{Beside, Lists};
use super::super::rules::{Find, Place, Role, Walk};

/// The `documents:` of a host or of a reader.
pub fn roles(at: &Cursor<'_>) -> Vec<Role> {
    at.map("documents")
        .into_iter()
        .map(|(name, list)| Role {
            name,
            finds: list
                .items()
                .iter()
                .enumerate()
                .map(|(number, cursor)| find(cursor, number))
                .collect(),
        })
        .collect()
}

fn find(at: &Cursor<'_>, number: usize) -> Find {
    at.only(&[
        "id",
        "at",
        "below",
        "field",
        "as",
        "path-key",
        "entries",
        "glob",
        "folders",
        "list",
        "combine",
        "walk",
        "when",
        "else",
        "missing",
        "replaced",
        "diagnostic",
    ]);
    let place = match (at.get("at"), at.get("below"), at.get("field")) {
        (Some(path), None, None) => Place::At(path.path()),
        (None, Some(path), None) => Place::Below(path.path()),
        (None, None, Some(field)) => {
            let text = field.text().unwrap_or_default();
            Place::Field(text.split('.').skip(1).map(Into::into).collect())
        }
        _ => {
            at.fault("a document is found by exactly one of `at`, `below`, `field`");
            Place::At(crate::ir::path::RelPath::root())
        }
    };
    let reads = at.texts("as");
    for word in reads.iter().filter(|word| !matches!(&***word, "path" | "inline")) {
        at.fault_with(format!("`{word}` is no way to read a field"), "`path` or `inline`");
    }
    let combine = at.maybe("combine");
    if let Some(word) =
        combine.as_deref().filter(|word| !matches!(*word, "add" | "merge" | "replace"))
    {
        at.fault_with(format!("`{word}` is no way to combine"), "`add`, `merge` or `replace`");
    }
    let has = |word: &str| reads.iter().any(|known| **known == *word);
    Find {
        id: at.maybe("id").unwrap_or_else(|| number.to_string()).into(),
        path: has("path") || !matches!(place, Place::Field(_)),
        inline: has("inline"),
        place,
        path_key: at.maybe("path-key").map(Into::into),
        entries: at.maybe("entries").map(Into::into),
        glob: at.flag("glob"),
        folders: at.flag("folders"),
        list: at.flag("list"),
        replace: combine.as_deref() == Some("replace"),
        walk: at.get("walk").map(|cursor| walk(&cursor)),
        when: at.when("when"),
        otherwise: at.code("else"),
        missing: at.code("missing"),
        replaced: at.code("replaced"),
        diagnostic: at.code("diagnostic"),
    }
}

fn walk(at: &Cursor<'_>) -> Walk {
    at.only(&["folder", "files", "depth", "skip", "links", "itself", "names", "only-if"]);
    Walk {
        folder: at.maybe("folder").map(Into::into),
        files: at.texts("files"),
        depth: at.maybe("depth").map_or(usize::MAX, |text| {
            text.parse().unwrap_or_else(|_| {
                at.fault("`depth` is a number of levels");
                1
            })
        }),
        skip: at.texts("skip"),
        links: at.flag("links"),
        itself: at.flag("itself"),
        names: at.flag("names"),
        only_if: at.get("only-if").map(|inner| Box::new(walk(&inner))),
    }
}

/// The `lists:` of a host.
pub fn lists(at: &Cursor<'_>) -> Lists {
    at.only(&[
        "host",
        "elsewhere",
        "entries",
        "whole",
        "beside",
        "said",
        "strict",
        "inline",
        "listing",
        "ignored",
    ]);
    Lists {
        host: at.need("host").into(),
        elsewhere: at.texts("elsewhere"),
        entries: at.need("entries").into(),
        whole: at.flag("whole"),
        beside: at.map("beside").into_iter().map(|(name, how)| (name, beside(&how))).collect(),
        said: at.texts("said"),
        strict: at.maybe("strict").map(Into::into),
        inline: at.texts("inline"),
        listing: at.texts("listing"),
        ignored: at.texts("ignored"),
    }
}

fn beside(at: &Cursor<'_>) -> Beside {
    match at.text().as_deref() {
        Some("append") => Beside::Append,
        Some("replace-by-key") => Beside::ReplaceByKey,
        _ => {
            at.fault_with("that is no way to combine", "`append` or `replace-by-key`");
            Beside::Append
        }
    }
}
