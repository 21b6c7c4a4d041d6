//! Names: which every host takes, and the one that comes nearest to any other.

use deunicode::deunicode_char;

use super::super::evaluate::Val;
use super::{Builtin, Call};
use crate::ir::value::Type;

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "slug",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: slug,
        doc: "The nearest portable name, in Latin letters whatever the script; nothing for a blank text alone.",
    },
    Builtin {
        name: "is_portable_name",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: is_portable,
        doc: "Is it a name of 1 to 64 ASCII letters, digits, `.`, `_`, `-` that begins with a letter or digit?",
    },
];

/// The longest portable name, in bytes.
pub(super) const LONGEST: usize = 64;

pub(crate) fn is_portable_name(text: &str) -> bool {
    text.len() <= LONGEST
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

fn is_portable<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::flag(call.text(0).is_some_and(|text| is_portable_name(text.trim())))
}

fn slug<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    call.scalar_at(0).map_or(Val::Absent, |text| Val::text(portable_name(&text)))
}

/// A portable name for any text but a blank one, whose name is blank.
fn portable_name(text: &str) -> String {
    let text = text.trim();
    if is_portable_name(text) {
        return text.to_owned();
    }
    let mut name = slug_of(&latin(text));
    name.truncate(LONGEST);
    name.truncate(name.trim_end_matches(['-', '_']).len());
    if name.is_empty() && !text.is_empty() {
        // Nothing of it can be spelled.
        name = format!("x-{:08x}", fnv(text.bytes()));
    }
    name
}

/// The text in Latin letters. A letter of a script without capitals is spelled without them.
fn latin(text: &str) -> String {
    let spelled = |c: char| match deunicode_char(c) {
        _ if c.is_ascii() => c.to_string(),
        Some(spelled) if c.is_uppercase() => spelled.to_owned(),
        Some(spelled) => spelled.to_lowercase(),
        None => " ".to_owned(),
    };
    text.chars().map(spelled).collect()
}

/// Letters, digits, `_` and `-` stay; each run of others becomes one `-`; none stands at an end.
pub(super) fn slug_of(text: &str) -> String {
    let mut slug = String::new();
    let mut replaced = false;
    for c in text.trim().chars() {
        if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
            slug.push(c);
            replaced = false;
        } else if !slug.is_empty() && !replaced {
            slug.push('-');
            replaced = true;
        }
    }
    slug.trim_matches(['-', '_']).to_owned()
}

/// The hash FNV-1a, of 32 bits.
pub(super) fn fnv(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_spelled_in_latin_letters() {
        for (text, name) in [
            ("日本語", "ri-ben-yu"),
            ("Überblick", "Uberblick"),
            ("a b/c", "a-b-c"),
            ("v1.2", "v1.2"),
            ("_x_", "x"),
            ("", ""),
            (" ", ""),
            ("\u{e000}", "x-f2acb199"),
        ] {
            assert_eq!(portable_name(text), name, "{text}");
        }
        let long = format!("{} {}", "a".repeat(63), "b".repeat(9));
        assert_eq!(portable_name(&long), "a".repeat(63));
    }

    proptest! {
        #[test]
        fn it_is_portable_and_its_own_name(text in "\\PC*") {
            let name = portable_name(&text);
            prop_assert!(is_portable_name(&name) || text.trim().is_empty(), "{name}");
            prop_assert_eq!(portable_name(&name), name);
        }
    }
}
