//! What systems tell about files, each in its way.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::ir::snapshot::{Kind, Unreadable};

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
///
/// A pipe does not block, whatever lies there by now.
pub(crate) fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let unreadable = |error: io::Error| match kind_of_error(&error) {
        Kind::Denied => Unreadable::Denied,
        kind => Unreadable::NotAFile(kind),
    };
    let file = open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    match kind_of(&found) {
        Kind::File { size, .. } if size > limit => return Err(Unreadable::TooLarge(size)),
        Kind::File { .. } => {}
        kind => return Err(Unreadable::NotAFile(kind)),
    }
    // One byte more tells that it has grown.
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0) + 1);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    let size = bytes.len() as u64;
    if size > limit { Err(Unreadable::TooLarge(size)) } else { Ok(bytes) }
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
