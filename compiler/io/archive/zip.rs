//! `.zip`: entries stored or deflated, none of them encrypted.

use std::fs::File;
use std::io::{BufReader, Read};

use zip::ZipArchive;

use super::unpack::{LONGEST_LINK, Unpack};
use super::{broken, too_large};
use crate::ir::source::Fault;

/// The bits of a mode that say what something is.
const KIND: u32 = 0o170_000;

/// Puts what the archive holds into its place.
pub(super) fn read(file: File, unpack: &mut Unpack) -> Result<(), Fault> {
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|why| broken(&why))?;
    if archive.has_duplicate_names() {
        let twice = Fault::unreadable("source/archive-unsafe").with("path", "");
        return Err(twice.with("detail", "two of its entries have one name"));
    }
    if archive.len() > super::MOST_ENTRIES {
        return Err(too_large(format!("it has more than {} entries", super::MOST_ENTRIES)));
    }
    if archive.has_overlapping_entries().map_err(|why| broken(&why))? {
        let shared = Fault::unreadable("source/archive-unsafe").with("path", "");
        return Err(shared.with("detail", "two of its entries share their bytes"));
    }
    for number in 0..archive.len() {
        let raw = archive.by_index_raw(number).map_err(|why| broken(&why))?;
        if raw.encrypted() {
            let name = String::from_utf8_lossy(raw.name_raw()).into_owned();
            return Err(Fault::unreadable("source/archive-encrypted").with("path", name));
        }
        drop(raw);
        let entry = archive.by_index(number).map_err(|why| broken(&why))?;
        let (name, mode, size) =
            (entry.name_raw().to_vec(), entry.unix_mode().unwrap_or(0), entry.size());
        match mode & KIND {
            _ if name.ends_with(b"/") => unpack.folder(&name)?,
            0o040_000 => unpack.folder(&name)?,
            0o120_000 => {
                let mut target = Vec::new();
                let read = entry.take(LONGEST_LINK + 1).read_to_end(&mut target);
                read.map_err(|why| broken(&why))?;
                unpack.link(&name, &target)?;
            }
            0 | 0o100_000 => unpack.file(&name, mode & 0o111 != 0, size, entry)?,
            _ => unpack.special(&name)?,
        }
    }
    Ok(())
}
