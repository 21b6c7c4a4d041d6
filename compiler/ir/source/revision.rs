//! `Revision`: the name of a branch, a tag or a commit.

use std::fmt;

/// The name of a branch or tag, or the id of a commit. git takes it for nothing else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(String);

/// Why a text is no name of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevisionFault(&'static str);

impl fmt::Display for RevisionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Revision {
    /// The revision that is called so, by the rules of `git check-ref-format`.
    pub fn parse(text: &str) -> Result<Self, RevisionFault> {
        let odd = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
        let is_bad_part = |part: &str| part.is_empty() || part.starts_with('.') || has_lock(part);
        let fault = if text.is_empty() {
            Some("is empty")
        } else if text.starts_with('-') {
            Some("begins with `-`, as options do")
        } else if text.contains(odd) || text.contains("..") || text.contains("@{") || text == "@" {
            Some("holds what no branch, tag or commit holds")
        } else if text.split('/').any(is_bad_part) || text.ends_with('.') {
            Some("has a part that no branch or tag has")
        } else {
            None
        };
        match fault {
            Some(fault) => Err(RevisionFault(fault)),
            None => Ok(Revision(text.to_owned())),
        }
    }

    /// The id, if it is that of a commit, written in full.
    pub fn commit(&self) -> Option<String> {
        let is_id =
            matches!(self.0.len(), 40 | 64) && self.0.chars().all(|c| c.is_ascii_hexdigit());
        is_id.then(|| self.0.to_ascii_lowercase())
    }

    /// How it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Does a part end as git's own lock files do?
fn has_lock(part: &str) -> bool {
    part.strip_suffix(".lock").is_some()
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_git_allows() {
        for good in ["main", "a/b/c", "v1.0", "refs/heads/x", "HEAD", "größe", "a@b", "a-b"] {
            assert!(Revision::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "-x",
            "--upload-pack=x",
            "a..b",
            "a b",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
            "@",
            "a@{1}",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a.",
            "a\nb",
        ] {
            assert!(Revision::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_commit_is_written_in_full() {
        let commit = |text: &str| Revision::parse(text).unwrap().commit();
        let id = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(commit(&id.to_uppercase()).as_deref(), Some(id));
        assert_eq!((commit("0123456"), commit("main")), (None, None));
    }
}
