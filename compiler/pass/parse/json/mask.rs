//! Blanks out of a JSON text what JSON does not know, so that every other byte keeps its place.

use std::ops::Range;

/// A text of the same length, and what is masked in it.
pub(super) struct Masked {
    /// The text; what was masked is blank.
    pub(super) text: String,
    has_comments: bool,
    has_commas: bool,
    has_surrogates: bool,
}

impl Masked {
    /// The codes of what was masked.
    pub(super) fn codes(&self) -> impl Iterator<Item = &'static str> {
        [
            (self.has_comments, "json/comments"),
            (self.has_commas, "json/trailing-comma"),
            (self.has_surrogates, "json/lone-surrogate"),
        ]
        .into_iter()
        .filter_map(|(is_there, code)| is_there.then_some(code))
    }
}

/// Masks comments and trailing commas outside of texts, and lone surrogates inside; nothing if there are none.
pub(super) fn mask(text: &str) -> Option<Masked> {
    let mut masker = Masker::new(text);
    while let Some(byte) = masker.byte(0) {
        match (byte, masker.byte(1)) {
            (b'"', _) => masker.pass_text(),
            (b'/', Some(b'/')) => masker.mask_line_comment(),
            (b'/', Some(b'*')) => masker.mask_block_comment(),
            _ => masker.pass(byte),
        }
    }
    let Masker { bytes, has_comments, has_commas, has_surrogates, .. } = masker;
    // Only whole comments and ASCII characters were replaced, so it is still UTF-8.
    let text = String::from_utf8(bytes).ok()?;
    (has_comments || has_commas || has_surrogates).then_some(Masked {
        text,
        has_comments,
        has_commas,
        has_surrogates,
    })
}

struct Masker {
    bytes: Vec<u8>,
    at: usize,
    /// The last byte that is neither blank nor in a comment.
    last: u8,
    /// Where `last` is, if it is a comma that follows a value.
    comma: Option<usize>,
    has_comments: bool,
    has_commas: bool,
    has_surrogates: bool,
}

impl Masker {
    fn new(text: &str) -> Self {
        Masker {
            bytes: text.as_bytes().to_vec(),
            at: 0,
            last: 0,
            comma: None,
            has_comments: false,
            has_commas: false,
            has_surrogates: false,
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn pass(&mut self, byte: u8) {
        if !byte.is_ascii_whitespace() {
            self.pass_comma(byte);
            self.last = byte;
        }
        self.at += 1;
    }

    fn pass_comma(&mut self, byte: u8) {
        let before = self.comma.take();
        match byte {
            b',' if !matches!(self.last, 0 | b'[' | b'{' | b',' | b':') => {
                self.comma = Some(self.at);
            }
            b']' | b'}' => {
                if let Some(comma) = before {
                    self.blank(comma..comma + 1);
                    self.has_commas = true;
                }
            }
            _ => {}
        }
    }

    fn pass_text(&mut self) {
        self.pass(b'"');
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\\' => self.pass_escape(),
                _ => self.at += 1,
            }
            if byte == b'"' {
                return;
            }
        }
    }

    fn pass_escape(&mut self) {
        match (self.unit(0), self.unit(6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => self.at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                if let Some(digits) = self.bytes.get_mut(self.at + 2..self.at + 6) {
                    digits.copy_from_slice(b"fffd");
                }
                self.has_surrogates = true;
                self.at += 6;
            }
            _ => self.at += 2,
        }
    }

    /// The UTF-16 unit that is escaped so many bytes ahead.
    fn unit(&self, ahead: usize) -> Option<u16> {
        let digits = self.bytes.get(self.at + ahead..self.at + ahead + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |unit, &digit| {
            let digit = char::from(digit).to_digit(16)?;
            Some(unit << 4 | u16::try_from(digit).ok()?)
        })
    }

    fn mask_line_comment(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |length| self.at + length);
        self.mask_comment(end);
    }

    fn mask_block_comment(&mut self) {
        let rest = self.bytes.get(self.at + 2..).unwrap_or_default();
        match memchr::memmem::find(rest, b"*/") {
            Some(length) => self.mask_comment(self.at + 2 + length + 2),
            // One that is never closed is a mistake. No later one is closed either.
            None => self.at = self.bytes.len(),
        }
    }

    fn mask_comment(&mut self, end: usize) {
        self.blank(self.at..end);
        self.has_comments = true;
        self.at = end;
    }

    /// Line ends stay, so that lines can be counted.
    fn blank(&mut self, range: Range<usize>) {
        for byte in self.bytes.get_mut(range).unwrap_or_default() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
}
