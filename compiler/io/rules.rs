//! Rule files from a folder, for `--rules`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// The most rule files that are read.
const MOST: usize = 5_000;

/// The files below a folder by their path, `/` between its parts; what is no text or no rule is passed over.
pub fn read(root: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut open = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push((entry.path(), path));
            } else if kind.is_file() && is_rule(&path) && files.len() < MOST {
                files.insert(path, String::from_utf8_lossy(&fs::read(entry.path())?).into_owned());
            }
        }
    }
    Ok(files)
}

fn is_rule(path: &str) -> bool {
    match path.rsplit_once('.') {
        Some((_, "yaml")) => true,
        Some((_, "md")) => path.starts_with("diagnostics/"),
        _ => false,
    }
}
