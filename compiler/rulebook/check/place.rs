//! `Place`: where in the rule files something is written, found again from its rule's name.

use std::collections::BTreeMap;

use serde_yaml::Value;

use crate::ir::origin::push_step;

/// Rule files as YAML trees, by their path below `rules/`.
pub type Trees = BTreeMap<String, Value>;

/// Keys, ids and numbers on the way to a value, in one of several files: an overlay's goes before its base's.
#[derive(Clone, Debug)]
pub(super) struct Place {
    files: Vec<String>,
    steps: Vec<String>,
}

/// What a place leads to: the file, the pointer as far as it leads, and the value there.
pub(super) struct Spot<'t> {
    pub(super) file: String,
    pub(super) pointer: String,
    pub(super) value: Option<&'t Value>,
    missed: usize,
}

impl Place {
    /// A whole file.
    pub(super) fn file(path: impl Into<String>) -> Self {
        Place { files: vec![path.into()], steps: Vec::new() }
    }

    /// The file of a rule: `to/reasonix@1/hook` may be written in the version's file or in the one below it.
    pub(super) fn rule(name: &str) -> Self {
        let parts: Vec<&str> = name.split('/').collect();
        let [side, host, rest @ ..] = parts.as_slice() else { return Place::file(name) };
        let (short, steps) = match rest {
            ["reads", source, lift @ ..] if !lift.is_empty() => {
                (format!("reads/{source}"), vec!["lift".to_owned(), lift.join("/")])
            }
            _ => (rest.join("/"), Vec::new()),
        };
        let (host, version) =
            host.split_once('@').map_or((*host, None), |(host, version)| (host, Some(version)));
        let over = version.map(|version| format!("{side}/{host}/@{version}/{short}.yaml"));
        Place {
            files: over.into_iter().chain([format!("{side}/{host}/{short}.yaml")]).collect(),
            steps,
        }
    }

    /// The `host.yaml` of a host.
    pub(super) fn host(side: &str, host: &str) -> Self {
        Place::rule(&format!("{side}/{host}/host"))
    }

    /// One step further: a key, the id of an entry, or a number.
    #[expect(clippy::needless_pass_by_value, reason = "a number, a key or a name alike")]
    pub(super) fn at(&self, step: impl ToString) -> Self {
        let mut place = self.clone();
        place.steps.push(step.to_string());
        place
    }

    /// The place in the files that there are.
    pub(super) fn find<'t>(&self, trees: &'t Trees) -> Spot<'t> {
        let spots = self.files.iter().filter_map(|file| Some(self.follow(file, trees.get(file)?)));
        spots.min_by_key(|spot| spot.missed).unwrap_or_else(|| Spot {
            file: self.files.last().cloned().unwrap_or_default(),
            pointer: String::new(),
            value: None,
            missed: 0,
        })
    }

    fn follow<'t>(&self, file: &str, tree: &'t Value) -> Spot<'t> {
        let (mut pointer, mut value) = (String::new(), tree);
        for (at, step) in self.steps.iter().enumerate() {
            let Some((key, next)) = child(value, step) else {
                let missed = self.steps.len() - at;
                return Spot { file: file.to_owned(), pointer, value: None, missed };
            };
            push_step(&mut pointer, &key);
            value = next;
        }
        Spot { file: file.to_owned(), pointer, value: Some(value), missed: 0 }
    }
}

fn child<'t>(value: &'t Value, step: &str) -> Option<(String, &'t Value)> {
    match value {
        Value::Mapping(map) => map.get(step).map(|next| (step.to_owned(), next)),
        Value::Sequence(list) => {
            let by_id =
                list.iter().position(|entry| entry.get("id").and_then(Value::as_str) == Some(step));
            let at = by_id.or_else(|| step.parse().ok())?;
            list.get(at).map(|next| (at.to_string(), next))
        }
        _ => None,
    }
}
