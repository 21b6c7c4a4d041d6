//! Where a report goes: standard output or a file. A reader that went away is no error.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::Unasked;

/// The end of a report's way.
pub(super) struct Output {
    out: Box<dyn Write>,
    /// Nobody reads any more.
    pub(super) closed: bool,
}

impl Output {
    /// Standard output, or a file.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Unasked> {
        let out: Box<dyn Write> = match path {
            None => Box::new(io::BufWriter::new(io::stdout())),
            Some(path) => Box::new(io::BufWriter::new(
                crate::io::create(path)
                    .map_err(|error| Unasked(format!("--output {}: {error}", path.display())))?,
            )),
        };
        Ok(Output { out, closed: false })
    }

    /// Writes a part of the report.
    pub(super) fn put(&mut self, text: &str) -> Result<(), Unasked> {
        self.check(|out| out.write_all(text.as_bytes()))
    }

    /// Writes what is still held back.
    pub(super) fn flush(&mut self) -> Result<(), Unasked> {
        self.check(Write::flush)
    }

    fn check(
        &mut self,
        write: impl FnOnce(&mut Box<dyn Write>) -> io::Result<()>,
    ) -> Result<(), Unasked> {
        if self.closed {
            return Ok(());
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => {
                other.map_err(|error| Unasked(format!("the report cannot be written: {error}")))
            }
        }
    }
}
