//! `checked:` names a range of versions.

use serde_yaml::Value;

use super::{Book, Place};

/// All files that say what they were checked against.
pub(super) fn check(book: &Book<'_>) {
    for (path, tree) in book.trees.iter().filter(|(path, _)| path.ends_with(".yaml")) {
        let Some(value) = tree.get("checked") else { continue };
        let text = match value {
            Value::String(text) => text.as_str(),
            _ => "",
        };
        if !is_range(text) {
            let help = "a range is written as `\">=2.0, <3\"`";
            book.tell(&Place::file(path).at("checked"), format!("`{text}` is no range of versions"), Some(help.to_owned()));
        }
    }
}

/// Comparators between commas, in semver's spelling.
fn is_range(text: &str) -> bool {
    text.trim() == "*" || text.split(',').all(|one| is_comparator(one.trim()))
}

fn is_comparator(text: &str) -> bool {
    let operators = [">=", "<=", ">", "<", "=", "^", "~"];
    let version = operators.iter().find_map(|operator| text.strip_prefix(operator)).unwrap_or(text).trim();
    let core = version.split_once(['-', '+']).map_or(version, |(core, _)| core);
    let parts: Vec<&str> = core.split('.').collect();
    let is_whole = core.len() == version.len() || parts.len() == 3;
    is_whole && parts.len() <= 3 && parts.iter().enumerate().all(|(at, part)| is_part(part, at > 0))
}

fn is_part(part: &str, may_be_wild: bool) -> bool {
    let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
    is_number || (may_be_wild && matches!(part, "*" | "x" | "X"))
}

#[cfg(test)]
mod tests {
    use super::is_range;

    #[test]
    fn ranges_are_told_from_other_texts() {
        for good in [">=2.0, <3", "*", "1", "^1.2.3", "~1.2", "=1.2.3-rc.1", ">= 2", "1.*"] {
            assert!(is_range(good), "{good}");
        }
        for bad in ["", "two", ">=", "1.2.3.4", ">=2,", "01", "1-rc", "2 3"] {
            assert!(!is_range(bad), "{bad}");
        }
    }
}
