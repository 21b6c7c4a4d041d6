//! From a file's bytes to its text, in whatever encoding they are.

use encoding_rs::{Encoding, GB18030, UTF_16BE, UTF_16LE};

/// The shortest file that is taken for UTF-16 without a byte-order mark.
const SHORTEST_UNMARKED: usize = 16;

/// A file's text, and what had to be done to get it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The text, without a byte-order mark; line ends are as they were.
    pub(crate) text: String,
    /// The codes of what there is to tell about the encoding.
    pub(crate) notes: Vec<&'static str>,
}

/// Decodes a file. Never fails: bad sequences become U+FFFD, with a note.
pub(crate) fn decode(mut bytes: Vec<u8>) -> Decoded {
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
        return utf8(bytes).unwrap_or_else(|bytes| lossy(&bytes));
    }
    if let Some(marked) = bytes.strip_prefix(b"\xFF\xFE") {
        return utf16(UTF_16LE, marked);
    }
    if let Some(marked) = bytes.strip_prefix(b"\xFE\xFF") {
        return utf16(UTF_16BE, marked);
    }
    if let Some(encoding) = unmarked_utf16(&bytes) {
        return utf16(encoding, &bytes);
    }
    utf8(bytes).unwrap_or_else(|bytes| gb18030(&bytes).unwrap_or_else(|| lossy(&bytes)))
}

fn utf8(bytes: Vec<u8>) -> Result<Decoded, Vec<u8>> {
    String::from_utf8(bytes)
        .map(|text| Decoded { text, notes: Vec::new() })
        .map_err(std::string::FromUtf8Error::into_bytes)
}

fn utf16(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    let mut notes = vec!["encoding/utf-16"];
    if has_errors {
        notes.push("encoding/invalid");
    }
    Decoded { text: text.into_owned(), notes }
}

fn gb18030(bytes: &[u8]) -> Option<Decoded> {
    let text = GB18030.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some(Decoded { text: text.into_owned(), notes: vec!["encoding/gb18030"] })
}

fn lossy(bytes: &[u8]) -> Decoded {
    Decoded { text: String::from_utf8_lossy(bytes).into_owned(), notes: vec!["encoding/invalid"] }
}

/// Mostly ASCII in UTF-16 has its NUL bytes on one parity; which one tells the byte order.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    if bytes.len() < SHORTEST_UNMARKED || memchr::memchr(0, bytes).is_none() {
        return None;
    }
    let nuls =
        |parity: usize| bytes.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (nuls(0), nuls(1));
    let (evens, odds) = (bytes.len().div_ceil(2), bytes.len() / 2);
    let is_many = |count: usize, of: usize| count * 100 >= of * 30;
    let is_few = |count: usize, of: usize| count * 100 <= of * 5;
    if is_many(odd, odds) && is_few(even, evens) {
        Some(UTF_16LE)
    } else if is_many(even, evens) && is_few(odd, odds) {
        Some(UTF_16BE)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(text: &str, notes: &[&'static str]) -> Decoded {
        Decoded { text: text.to_owned(), notes: notes.to_vec() }
    }

    fn units(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn takes_utf8_as_it_is() {
        assert_eq!(decode(b"a\r\nb".to_vec()), decoded("a\r\nb", &[]));
        assert_eq!(decode("\u{feff}ü".as_bytes().to_vec()), decoded("ü", &[]));
        assert_eq!(decode(Vec::new()), decoded("", &[]));
    }

    #[test]
    fn reads_utf16_with_and_without_a_mark() {
        let text = "{\"name\": \"ünï\"}";
        for bytes in [
            units(&format!("\u{feff}{text}"), u16::to_le_bytes),
            units(&format!("\u{feff}{text}"), u16::to_be_bytes),
            units(text, u16::to_le_bytes),
            units(text, u16::to_be_bytes),
        ] {
            assert_eq!(decode(bytes), decoded(text, &["encoding/utf-16"]));
        }
        assert_eq!(
            decode(b"\xFF\xFEa\0b".to_vec()),
            decoded("a\u{fffd}", &["encoding/utf-16", "encoding/invalid"])
        );
    }

    #[test]
    fn a_single_nul_makes_no_utf16() {
        assert_eq!(decode(b"a long enough text\0".to_vec()), decoded("a long enough text\0", &[]));
        assert_eq!(decode(b"a\0b\0".to_vec()), decoded("a\0b\0", &[]));
    }

    #[test]
    fn falls_back_to_gb18030_and_then_to_replacement() {
        assert_eq!(decode(b"\xD6\xD0\xCE\xC4".to_vec()), decoded("中文", &["encoding/gb18030"]));
        assert_eq!(decode(b"a\xFFb".to_vec()), decoded("a\u{fffd}b", &["encoding/invalid"]));
        assert_eq!(
            decode(b"\xEF\xBB\xBFa\xFF".to_vec()),
            decoded("a\u{fffd}", &["encoding/invalid"])
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let valid = std::str::from_utf8(&bytes).is_ok() && !bytes.contains(&0);
            prop_assert!(!valid || decode(bytes).notes.is_empty());
        }

        #[test]
        fn text_survives_utf16(text in "\\PC{0,40}") {
            let marked = format!("\u{feff}{text}");
            prop_assert_eq!(decode(units(&marked, u16::to_le_bytes)).text, text);
        }
    }
}
