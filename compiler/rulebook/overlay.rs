//! Overlays: one set of rule files laid over another, entry by entry.
//!
//! The same id, table row or key replaces in place; a new id goes before the default, the last entry without a
//! condition; `remove: [id]` deletes an entry or a row; a page is replaced whole.

use serde_yaml::Value;

/// Lays `over` on `base`.
pub fn merge(base: &mut Value, mut over: Value) {
    if let Some(Value::Sequence(gone)) = over.as_mapping_mut().and_then(|map| map.remove("remove"))
    {
        for id in gone.iter().filter_map(Value::as_str) {
            remove(base, id);
        }
    }
    lay(base, over);
}

fn lay(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Mapping(base), Value::Mapping(over)) => {
            for (key, value) in over {
                match base.get_mut(&key) {
                    Some(old) => lay(old, value),
                    None => {
                        base.insert(key, value);
                    }
                }
            }
        }
        (Value::Sequence(base), Value::Sequence(over))
            if over.iter().chain(base.iter()).all(is_entry) =>
        {
            for entry in over {
                put(base, entry);
            }
        }
        (base, over) => *base = over,
    }
}

fn is_entry(value: &Value) -> bool {
    value.get("id").is_some()
}

fn put(base: &mut Vec<Value>, entry: Value) {
    if let Some(old) = base.iter_mut().find(|old| old.get("id") == entry.get("id")) {
        *old = entry;
        return;
    }
    let ends_in_default =
        base.last().is_some_and(|last| last.get("when").is_none() && last.get("steps").is_some());
    base.insert(base.len() - usize::from(ends_in_default), entry);
}

/// Takes out every entry with this id, and every row with this key.
fn remove(value: &mut Value, id: &str) {
    match value {
        Value::Mapping(map) => {
            map.remove(id);
            for (_, inner) in map.iter_mut() {
                remove(inner, id);
            }
        }
        Value::Sequence(list) => {
            list.retain(|entry| entry.get("id").and_then(Value::as_str) != Some(id));
            for inner in list.iter_mut() {
                remove(inner, id);
            }
        }
        _ => {}
    }
}
