//! Small rule sets, each with one mistake.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::load::{self, Files};
use super::super::page;
use super::{Trees, check};

/// A small set of rules without a mistake but that some diagnostics of Rust's have no page.
fn small() -> Files {
    let files = [
        ("schema/events.yaml", "stop: A turn ends.\nstart: A turn begins.\n"),
        (
            "schema/plugin.yaml",
            "doc: The package.\nidentity: true\nfields:\n  name: { type: text, doc: Its name., optional: true }\n",
        ),
        (
            "schema/hook.yaml",
            "doc: A hook.\nnamed-by: event\nfields:\n  event: { type: event, doc: When. }\n  run: { type: command, doc: What., optional: true }\n  wait: { type: duration, doc: How long., optional: true }\n",
        ),
        (
            "from/one/host.yaml",
            "name: One\nchecked: \">=1\"\nmarks: [one.json]\ndocuments:\n  manifest:\n    - { id: file, at: one.json }\n",
        ),
        (
            "from/one/plugin.yaml",
            "lift: plugin\ndocuments: manifest\neach:\n  - { id: whole, at: \"\" }\nfields:\n  name: text(root.name)\n",
        ),
        ("from/one/events.yaml", "events: { Stop: stop }\n"),
        (
            "from/one/hook.yaml",
            "lift: hook\ndocuments: manifest\neach:\n  - { id: grouped, at: \"hooks.{event}[{item}]\" }\nrefuse:\n  - { id: unknown, when: \"not known(table.events, event)\", at: event, with: { event: event } }\nfields:\n  event: lookup(table.events, event)\n  run: command(item.command)\n  wait: seconds(item.timeout)\n",
        ),
        ("to/two/host.yaml", "name: Two\norder: [one]\n"),
        ("to/two/plugin.yaml", "lower: plugin\nemit:\n  - { id: nothing }\nmetadata: [name]\n"),
        (
            "to/two/hook.yaml",
            "lower: hook\nlet:\n  run: hook.run\nchecks:\n  - { id: stops, when: \"hook.event == 'stop'\", at: hook.event, fate: partial }\nemit:\n  - id: exec\n    when: hook.run is exec\n    steps:\n      - merge: { into: two.json, at: [hooks, \"${hook.event}\"], append: { program: \"${run.program}\", wait: \"${millis(hook.wait)}\" } }\n  - id: rest\n    steps:\n      - merge: { into: two.json, at: [hooks, \"${hook.event}\"], append: { script: \"${run.script}\", wait: \"${millis(hook.wait)}\" } }\n",
        ),
        ("diagnostics/en/hook/unknown.md", PAGE),
        ("diagnostics/en/hook/stops.md", PAGE),
    ];
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

const PAGE: &str = "---\nseverity: warning\nmessage: it is so\n---\n## What happened\nThis.\n\n## Why it matters\nThat.\n\n## What to do\nIt.\n";

fn trees(files: &Files) -> Trees {
    let yaml = |text: &str| serde_yaml::from_str(text).ok();
    let tree = |(path, text): (&String, &String)| {
        let text =
            if load::is_page(path) { page::split(text).map(|(head, _)| head)? } else { text };
        Some((path.clone(), yaml(text)?))
    };
    files.iter().filter_map(tree).collect::<BTreeMap<_, _>>()
}

/// The mistakes of a rule set, but for pages that Rust's own diagnostics lack.
fn faults(files: &Files) -> Vec<String> {
    let (rules, _) = load::load(files, None);
    let found = check(&rules, &trees(files), None);
    let is_own = |text: &String| !(text.starts_with("diagnostics/") && text.contains("no page"));
    found.iter().map(ToString::to_string).filter(is_own).collect()
}

/// The mistakes that come of writing something else in one file.
fn changed(file: &str, from: &str, to: &str) -> Vec<String> {
    let mut files = small();
    let text = files.get_mut(file).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    *text = text.replace(from, to);
    faults(&files)
}

#[test]
fn good_rules_have_no_mistake() {
    assert_eq!(faults(&small()), Vec::<String>::new());
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of mistakes")]
fn each_mistake_is_found_at_its_place() {
    let hook = "to/two/hook.yaml";
    for (file, from, to, wanted) in [
        (hook, "'stop'", "'stopp'", "to/two/hook.yaml#/checks/0/when: `stopp` is no event"),
        (
            hook,
            "hook.event ==",
            "hoook.event ==",
            "to/two/hook.yaml#/checks/0/when: `hoook` is bound to nothing here",
        ),
        (hook, "is exec", "is exek", "to/two/hook.yaml#/emit/0/when: `exek` is no shape of this"),
        (
            hook,
            "millis(hook.wait)",
            "milis(hook.wait)",
            "to/two/hook.yaml#/emit/0/steps/0/merge/append/wait: there is no function `milis`",
        ),
        (
            hook,
            "millis(hook.wait)",
            "millis(hook.run)",
            "to/two/hook.yaml#/emit/0/steps/0/merge/append/wait: argument 1 of `millis` is a duration, and this is a command",
        ),
        (
            hook,
            "    when: hook.run is exec\n",
            "",
            "to/two/hook.yaml#/emit/1: `rest` can never be reached",
        ),
        (
            hook,
            "script: \"${run.script}\", wait: \"${millis(hook.wait)}\"",
            "script: \"${run.script}\"",
            "to/two/hook.yaml#/emit: `hook.wait` does not arrive by `rest`",
        ),
        (
            "from/one/hook.yaml",
            "table.events",
            "table.event",
            "from/one/hook.yaml#/fields/event: there is no table `event`",
        ),
        (
            "from/one/events.yaml",
            "Stop: stop",
            "Stop: halt",
            "from/one/events.yaml#/events/Stop: `halt` is no neutral event",
        ),
        (
            "from/one/hook.yaml",
            "  wait:",
            "  waits:",
            "from/one/hook.yaml#/fields/waits: `hook` has no field `waits`",
        ),
        (
            "from/one/host.yaml",
            ">=1",
            "soon",
            "from/one/host.yaml#/checked: `soon` is no range of versions",
        ),
        (
            "diagnostics/en/hook/stops.md",
            "it is so",
            "it is ${so}",
            "to/two/hook.yaml#/checks/0: `hook/stops` has a hole `${so}` that nothing fills here",
        ),
        (
            "diagnostics/en/hook/stops.md",
            "warning",
            "note",
            "diagnostics/en/hook/stops.md#/severity: a note, though something is lost where `to/two/hook.yaml` raises it",
        ),
        (
            "diagnostics/en/hook/stops.md",
            "That.",
            "",
            "diagnostics/en/hook/stops.md: nothing stands under `## Why it matters`",
        ),
    ] {
        let found = changed(file, from, to);
        assert!(found.iter().any(|one| one == wanted), "{wanted}\nfound: {found:#?}");
    }
}

#[test]
fn conditions_imply_each_other_over_presence_equality_membership_and_shape() {
    use super::super::grammar::expression;
    use super::logic::is_possible;
    let tables = vec![];
    let is_reached = |later: &str, earlier: &[&str]| {
        let earlier: Vec<_> = earlier.iter().map(|text| expression(text).unwrap()).collect();
        is_possible(Some(&expression(later).unwrap()), &earlier.iter().collect::<Vec<_>>(), &tables)
    };
    for (later, earlier) in [
        ("a == 'x'", vec!["a in ['x', 'y']"]),
        ("a == 'x' and f(b)", vec!["f(b)"]),
        ("a is exec", vec!["present(a)"]),
        ("a == 'x'", vec!["a != 'y'"]),
        ("present(a)", vec!["a == 'x'", "a != 'x'"]),
        ("b", vec!["form == 'as-found'", "form == 'normalised'"]),
        ("a is exec and a is script", vec![]),
        ("a in ['x', 'y']", vec!["a == 'x'", "a == 'y'"]),
    ] {
        assert!(!is_reached(later, &earlier), "{later} behind {earlier:?}");
    }
    for (later, earlier) in [
        ("a in ['x', 'y']", vec!["a == 'x'"]),
        ("not a == 'x'", vec!["a != 'x'"]),
        ("b", vec!["a == 'x'", "a != 'x'"]),
        ("a is exec", vec!["a is script"]),
        ("f(b)", vec!["f(a)"]),
    ] {
        assert!(is_reached(later, &earlier), "{later} behind {earlier:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Whatever is written in the rule files, there is an answer.
    #[test]
    fn no_rule_files_make_it_panic(at in 0usize..10_000, cut in 0usize..40, put in "[a-z:{}\\[\\]'\"$ ,.\n-]{0,12}", other in 0usize..12, from in 0usize..2_000) {
        let mut files = small();
        let paths: Vec<String> = files.keys().cloned().collect();
        let path = paths[at % paths.len()].clone();
        let donor: String = files[&paths[other % paths.len()]].chars().skip(from % 300).take(cut).collect();
        let text: Vec<char> = files[&path].chars().collect();
        let start = at % (text.len() + 1);
        let end = (start + cut).min(text.len());
        let changed = [text[..start].iter().collect::<String>(), put, donor, text[end..].iter().collect()].concat();
        files.insert(path, changed);
        faults(&files);
    }
}
