//! `Url`: an address that git may be given, without credentials and without anything that it would take for an option.

use std::borrow::Cow;
use std::fmt;

/// The transports that are used. Others start programs, or are no transports at all.
const SCHEMES: &[&str] = &["https", "http", "ssh", "git", "file"];

/// What stands in the place of something secret.
const STARS: &str = "***";

/// The address of a repository: `https://…`, `ssh://…`, `git@host:path`, `file:///…`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Url(String);

/// Why a text is no address that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlFault {
    /// It holds a user with a password, or a token.
    Credentials,
    /// It is none of the forms.
    Malformed,
    /// Its transport is none of ours.
    Scheme,
}

impl fmt::Display for UrlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UrlFault::Credentials => "holds credentials",
            UrlFault::Malformed => "is no address of a repository",
            UrlFault::Scheme => "is none of `https`, `http`, `ssh`, `git` and `file`",
        })
    }
}

impl Url {
    /// The address that is written so.
    pub fn parse(text: &str) -> Result<Self, UrlFault> {
        if redacted(text) != text {
            return Err(UrlFault::Credentials);
        }
        let odd = |c: char| c.is_control() || c.is_whitespace() || "?#\\\"<>`".contains(c);
        if text.contains(odd) || text.starts_with('-') {
            return Err(UrlFault::Malformed);
        }
        let good = if let Some((scheme, rest)) = text.split_once("://") {
            if !SCHEMES.contains(&scheme) {
                return Err(UrlFault::Scheme);
            }
            is_place(scheme, rest)
        } else {
            is_short(text)
        };
        if good { Ok(Url(text.to_owned())) } else { Err(UrlFault::Malformed) }
    }

    /// How it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Does it name a place on this disk?
    pub fn is_file(&self) -> bool {
        self.0.starts_with("file://")
    }

    /// Is it reached by `ssh`?
    pub fn is_ssh(&self) -> bool {
        self.0.starts_with("ssh://") || !self.0.contains("://")
    }
}

/// A host, for `file` perhaps an empty one, and a path.
fn is_place(scheme: &str, rest: &str) -> bool {
    let Some((authority, path)) = rest.split_once('/') else { return false };
    let (user, host) = authority.split_once('@').unwrap_or(("", authority));
    let host = if host.starts_with('[') { host.trim_start_matches('[') } else { host };
    let is_user = user.is_empty() || scheme == "ssh" && is_word(user);
    let is_host = host.is_empty() && scheme == "file" || is_word(host);
    is_user && is_host && !path.is_empty()
}

/// `user@host:path`
fn is_short(text: &str) -> bool {
    let parts = text.split_once('@').and_then(|(user, rest)| Some((user, rest.split_once(':')?)));
    let Some((user, (host, path))) = parts else { return false };
    is_word(user) && is_word(host) && !host.contains('/') && !path.is_empty() && !is_option(path)
}

/// Something that no program takes for an option.
fn is_word(text: &str) -> bool {
    !text.is_empty() && !is_option(text) && !text.contains(['/', '@'])
}

fn is_option(text: &str) -> bool {
    text.starts_with('-')
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text with stars for the credentials of every address in it: users and passwords, and what follows a `?`.
///
/// A user alone is no secret where `ssh` asks for one; elsewhere it may as well be a token.
pub fn redacted(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        out.push_str(before);
        out.push_str("://");
        let end = after.find(|c: char| c.is_whitespace() || "'\"`".contains(c));
        let (address, behind) = after.split_at(end.unwrap_or(after.len()));
        let is_ssh = before.ends_with("ssh");
        let secret = secret_end(address, is_ssh);
        let shown = address.get(secret..).unwrap_or_default();
        if secret > 0 {
            out.push_str(STARS);
        }
        let (shown, query) =
            shown.split_once('?').map_or((shown, false), |(shown, _)| (shown, true));
        // What is shown may hold a further address.
        out.push_str(&redacted(shown));
        if query {
            out.push('?');
            out.push_str(STARS);
        }
        rest = behind;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A text of the same width, with a star for each byte of the users and passwords in its addresses.
pub fn veiled(text: &str) -> Cow<'_, str> {
    let is_secret = |at: usize| {
        let (before, after) = (text.get(..at)?, text.get(at + 3..)?);
        let end = after.find(|c: char| c.is_whitespace() || "'\"`".contains(c));
        let address = after.get(..end.unwrap_or(after.len()))?;
        let secret = secret_end(address, before.ends_with("ssh"));
        (secret > 0).then_some(at + 3..at + 3 + secret)
    };
    let secrets = text.match_indices("://").filter_map(|(at, _)| is_secret(at));
    let mut out = Cow::Borrowed(text);
    for secret in secrets {
        let stars = "*".repeat(secret.len());
        out.to_mut().replace_range(secret, &stars);
    }
    out
}

/// How much of an address, behind its `://`, is secret: up to the last `@` of its first part, or of all if a
/// password holds a slash.
fn secret_end(address: &str, is_ssh: bool) -> usize {
    let first = address.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some(at) = first.rfind('@') {
        let user = first.get(..at).unwrap_or_default();
        return if is_ssh && !user.contains(':') || user == STARS { 0 } else { at };
    }
    let is_port = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    match first.rsplit_once(':') {
        Some((host, port)) if !is_port(port) && !host.starts_with('[') => {
            address.rfind('@').unwrap_or(0)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_that_git_may_be_given() {
        for good in [
            "https://github.com/owner/repo",
            "https://host:8443/a/b.git",
            "http://127.0.0.1:80/x",
            "ssh://git@host/x",
            "ssh://host:22/~/x",
            "git://host/x",
            "file:///srv/x.git",
            "git@host:owner/repo.git",
            "https://[::1]:80/x",
        ] {
            assert_eq!(Url::parse(good).map(|url| url.to_string()), Ok(good.to_owned()), "{good}");
        }
        for (bad, fault) in [
            ("https://user:token@host/x", UrlFault::Credentials),
            ("https://token@host/x", UrlFault::Credentials),
            ("ssh://user:password@host/x", UrlFault::Credentials),
            ("https://user:pa/ss@host/x", UrlFault::Credentials),
            ("https://host/x?token=abc", UrlFault::Credentials),
            ("ext::sh -c true", UrlFault::Malformed),
            ("ext::true", UrlFault::Malformed),
            ("ftp://host/x", UrlFault::Scheme),
            ("--upload-pack=true", UrlFault::Malformed),
            ("ssh://-oProxyCommand=true/x", UrlFault::Malformed),
            ("git@-oProxyCommand=true:x", UrlFault::Malformed),
            ("git@host:--upload-pack=true", UrlFault::Malformed),
            ("https://host/a b", UrlFault::Malformed),
            ("https://host/a\nb", UrlFault::Malformed),
            ("https://host", UrlFault::Malformed),
            ("owner/repo", UrlFault::Malformed),
            ("", UrlFault::Malformed),
        ] {
            assert_eq!(Url::parse(bad), Err(fault), "{bad}");
        }
    }

    #[test]
    fn secrets_become_stars() {
        for (text, clean) in [
            ("cannot reach 'https://me:s3@host/x/': no", "cannot reach 'https://***@host/x/': no"),
            ("https://s3cret@host/x", "https://***@host/x"),
            ("ssh://git@host/x", "ssh://git@host/x"),
            ("ssh://git:s3@host/x", "ssh://***@host/x"),
            ("https://me:p@ss@host/x", "https://***@host/x"),
            ("https://me:p/ss@host/x", "https://***@host/x"),
            ("https://host/x?t=1#y and http://a:b@c/", "https://host/x?*** and http://***@c/"),
            ("https://host/https://a:b@c/", "https://host/https://***@c/"),
            ("https://host:80/x@y", "https://host:80/x@y"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(redacted(text), clean);
            assert_eq!(redacted(&redacted(text)), clean, "again");
            let veiled = veiled(text);
            assert_eq!(veiled.len(), text.len());
            assert!(!veiled.contains("s3") && !veiled.contains("a:b"), "{veiled}");
        }
    }
}
