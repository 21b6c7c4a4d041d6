//! `.tar.gz`: entries with the long names of GNU tar and of POSIX, read by us so that no name grows without a limit.

use std::fs::File;
use std::io::{BufReader, Read};

use flate2::read::MultiGzDecoder;
use tar::{EntryType, PaxExtensions};

use super::unpack::Unpack;
use super::{MOST_UNPACKED, broken};
use crate::ir::source::Fault;

/// The longest list of properties, or name, that comes before an entry, in bytes.
const LONGEST_PROPERTIES: u64 = 64 * 1024;

/// The most bytes that are inflated: what may come out, and room for what stands between.
const MOST_INFLATED: u64 = MOST_UNPACKED + 64 * 1024 * 1024;

/// What was said in front of an entry, and holds for it alone.
#[derive(Default)]
struct Said {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
}

/// Puts what the archive holds into its place.
pub(super) fn read(file: File, unpack: &mut Unpack) -> Result<(), Fault> {
    // What is passed over has to be inflated too, so all of it together has an end.
    let inflated = MultiGzDecoder::new(BufReader::new(file)).take(MOST_INFLATED);
    let mut archive = tar::Archive::new(inflated);
    let mut said = Said::default();
    let entries = archive.entries().map_err(|why| broken(&why))?;
    // Raw entries: what stands in front of others comes as it is.
    for entry in entries.raw(true) {
        let mut entry = entry.map_err(|why| broken(&why))?;
        match entry.header().entry_type() {
            EntryType::GNULongName => said.path = Some(name(&mut entry)?),
            EntryType::GNULongLink => said.link = Some(name(&mut entry)?),
            EntryType::XHeader => properties(&mut said, &bytes(&mut entry)?)?,
            EntryType::XGlobalHeader => drop(bytes(&mut entry)?),
            _ => put(unpack, entry, std::mem::take(&mut said))?,
        }
    }
    Ok(())
}

fn put<R: Read>(unpack: &mut Unpack, entry: tar::Entry<'_, R>, said: Said) -> Result<(), Fault> {
    let size = entry.size();
    if said.size.is_some_and(|said| said != size) {
        return Err(broken(&"an entry says two sizes"));
    }
    let header = entry.header().clone();
    let name = said.path.unwrap_or_else(|| header.path_bytes().into_owned());
    let target = || {
        let own = header.link_name_bytes().map(std::borrow::Cow::into_owned);
        said.link.clone().or(own).unwrap_or_default()
    };
    let executable = header.mode().is_ok_and(|mode| mode & 0o111 != 0);
    match header.entry_type() {
        // Before there were folders in tar, a name ended so.
        EntryType::Regular if name.ends_with(b"/") => unpack.folder(&name),
        EntryType::Regular | EntryType::Continuous => unpack.file(&name, executable, size, entry),
        EntryType::Directory => unpack.folder(&name),
        EntryType::Symlink => unpack.link(&name, &target()),
        EntryType::Link => unpack.hard_link(&name, &target()),
        EntryType::GNUSparse => Err(broken(&"it holds a sparse file")),
        _ => unpack.special(&name),
    }
}

/// A long name, without the NUL at its end.
fn name(entry: &mut impl Read) -> Result<Vec<u8>, Fault> {
    let mut name = bytes(entry)?;
    if name.last() == Some(&0) {
        name.pop();
    }
    Ok(name)
}

fn bytes(entry: &mut impl Read) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let read = entry.take(LONGEST_PROPERTIES + 1).read_to_end(&mut bytes);
    read.map_err(|why| broken(&why))?;
    if bytes.len() as u64 > LONGEST_PROPERTIES {
        return Err(broken(&"what stands in front of an entry is too long"));
    }
    Ok(bytes)
}

fn properties(said: &mut Said, bytes: &[u8]) -> Result<(), Fault> {
    for property in PaxExtensions::new(bytes) {
        let property = property.map_err(|why| broken(&why))?;
        let value = || property.value_bytes().to_vec();
        match property.key_bytes() {
            b"path" => said.path = Some(value()),
            b"linkpath" => said.link = Some(value()),
            b"size" => {
                let size = property.value().ok().and_then(|size| size.parse().ok());
                said.size = Some(size.ok_or_else(|| broken(&"an entry's size is no number"))?);
            }
            key if key.starts_with(b"GNU.sparse") => {
                return Err(broken(&"it holds a sparse file"));
            }
            _ => {}
        }
    }
    Ok(())
}
