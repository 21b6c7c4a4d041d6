//! `Digest`: the SHA-256 that bytes are to have.

use std::fmt;

/// A SHA-256 in small hexadecimal digits, so that it is also the name of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest(String);

impl Digest {
    /// The one that is written so.
    pub fn parse(text: &str) -> Option<Self> {
        let is_one = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| Digest(text.to_ascii_lowercase()))
    }

    /// How it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_sixty_four_digits() {
        let text = "0123456789abcdef".repeat(4);
        assert_eq!(Digest::parse(&text.to_uppercase()).unwrap().as_str(), text);
        let long = format!("{text}0");
        for bad in ["", "../x", text.get(1..).unwrap(), &long, &text.replace('f', "g")] {
            assert_eq!(Digest::parse(bad), None, "{bad}");
        }
    }
}
