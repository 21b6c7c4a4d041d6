//! Expected files: compared, shown as a diff, or accepted anew with `BLESS=1`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;

/// The expected files that a test holds against what is.
pub struct Golden {
    bless: bool,
    held: BTreeSet<PathBuf>,
    wrong: Vec<String>,
}

impl Golden {
    /// Reads from the environment whether differences are accepted; never where `CI` is set.
    pub fn new() -> Golden {
        let in_ci = std::env::var_os("CI").is_some();
        let bless = std::env::var_os("BLESS").is_some();
        assert!(!(in_ci && bless), "goldens are not blessed where CI is set");
        Golden { bless, held: BTreeSet::new(), wrong: Vec::new() }
    }

    /// Holds a file to a text.
    pub fn hold(&mut self, path: &Path, text: &str) {
        self.held.insert(path.to_owned());
        let old = fs::read_to_string(path).unwrap_or_default();
        if old == text {
            return;
        }
        if self.bless {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            return;
        }
        let diff = TextDiff::from_lines(&old, text);
        let name = path.display().to_string();
        self.wrong.push(diff.unified_diff().header(&name, "now").to_string());
    }

    /// Reports files below a folder that nothing holds.
    pub fn nothing_else(&mut self, folder: &Path, known: &[&str]) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if known.contains(&name.as_str()) {
                continue;
            }
            if entry.path().is_dir() {
                self.nothing_else(&entry.path(), &[]);
            } else if !self.held.contains(&entry.path()) {
                self.wrong.push(format!("nothing writes {}", entry.path().display()));
            }
        }
    }

    /// Fails if something differs, and says how to accept it.
    pub fn finish(self) {
        assert!(
            self.wrong.is_empty(),
            "{}\n{} files differ; if that is right: BLESS=1 cargo test --test golden",
            self.wrong.join("\n"),
            self.wrong.len()
        );
    }
}
