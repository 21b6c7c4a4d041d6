//! `checked:` names a range of versions.

use serde_yaml::Value;

use super::{Book, Place};

/// All files that say what they were checked against.
pub(super) fn check(book: &Book<'_>) {
    for (path, tree) in book.trees {
        let Some(value) = tree.get("checked") else { continue };
        let text = match value {
            Value::String(text) => text.as_str(),
            _ => "",
        };
        if semver::VersionReq::parse(text).is_err() {
            let help = "a range is written as `\">=2.0, <3\"`";
            book.tell(
                &Place::file(path).at("checked"),
                format!("`{text}` is no range of versions"),
                Some(help.to_owned()),
            );
        }
    }
}
