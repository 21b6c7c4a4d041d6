//! What systems tell about files, each in its way.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::ir::snapshot::{Kind, Uncopied, Unreadable};

/// What a file's metadata says it is; not for links.
pub(crate) fn kind_of(found: &Metadata) -> Kind {
    if found.is_file() {
        Kind::File { size: found.len(), executable: is_executable(found) }
    } else if found.is_dir() {
        Kind::Folder
    } else {
        Kind::Special
    }
}

#[cfg(unix)]
fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

/// What lies where the system gives an error instead of an answer.
pub(super) fn kind_of_error(error: &io::Error) -> Kind {
    match error.kind() {
        io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::InvalidFilename => Kind::Missing,
        _ if error.raw_os_error() == Some(LOOP) => Kind::Loop,
        _ => Kind::Denied,
    }
}

#[cfg(unix)]
const LOOP: i32 = libc::ELOOP;

/// `ERROR_CANT_RESOLVE_FILENAME`.
#[cfg(not(unix))]
const LOOP: i32 = 1921;

/// Does a name stay one part when it is put behind a folder? On Windows `C:` would replace the whole path,
/// and `a:b` would name a stream.
pub(super) fn is_one_part(name: &str) -> bool {
    !cfg!(windows) || !name.contains([':', '\\', '/'])
}

/// The bytes of a regular file whose last part is no link.
pub(crate) fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let (file, size, _) = open_regular(path)?;
    if size > limit {
        return Err(Unreadable::TooLarge(size));
    }
    // One byte more tells that it has grown.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    let size = bytes.len() as u64;
    if size > limit { Err(Unreadable::TooLarge(size)) } else { Ok(bytes) }
}

/// A regular file whose last part is no link, its size, and whether it may be executed.
///
/// A pipe does not block, whatever lies there by now.
pub(crate) fn open_regular(path: &Path) -> Result<(File, u64, bool), Unreadable> {
    let file = open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    match kind_of(&found) {
        Kind::File { size, executable } => Ok((file, size, executable)),
        kind => Err(Unreadable::NotAFile(kind)),
    }
}

/// Hands on all bytes, a few at a time.
pub(crate) fn stream(from: &mut dyn Read, into: &mut dyn Write) -> Result<(), Uncopied> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(|error| Uncopied::Unreadable(unreadable(error)))?,
        };
        match buffer.get(..read) {
            None | Some([]) => return Ok(()),
            Some(bytes) => into.write_all(bytes).map_err(Uncopied::Untaken)?,
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where an error is mapped")]
fn unreadable(error: io::Error) -> Unreadable {
    match kind_of_error(&error) {
        Kind::Denied => Unreadable::Denied,
        kind => Unreadable::NotAFile(kind),
    }
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(windows)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    /// `FILE_FLAG_OPEN_REPARSE_POINT`: a link itself is opened, and then is no regular file.
    const NO_FOLLOW: u32 = 0x0020_0000;
    OpenOptions::new().read(true).custom_flags(NO_FOLLOW).open(path)
}

#[cfg(not(any(unix, windows)))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
