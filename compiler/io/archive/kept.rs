//! Archives from the web, and the store of those that a digest was given for: each under its digest.

use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::Path;
use std::time::Duration;

use super::super::download::download;
use super::super::source::{Fetch, unusable};
use super::{Archive, Packed, broken, copied, taken, zip};
use crate::ir::source::web::Web;
use crate::ir::source::{Digest, Fault};

/// What a killed run left half written goes after so long.
const STALE: Duration = Duration::from_hours(24);

/// The `.zip` that is known by its digest, from the store or else from the web; or whatever comes from there today.
pub(in crate::io) fn open(
    from: &Web,
    digest: Option<&Digest>,
    how: &Fetch,
) -> Result<Archive, Fault> {
    let packed = match digest {
        Some(digest) => pinned(from, digest, how)?,
        None => fetched(from, &"it has no `sha256`, so whatever is there now", how)?,
    };
    Archive::read(packed, zip::read)
}

fn pinned(from: &Web, digest: &Digest, how: &Fetch) -> Result<Packed, Fault> {
    let folder = how.kept("archives")?;
    let place = folder.join(format!("{digest}.zip"));
    // What was damaged there is as good as nothing, and makes room.
    let kept = File::open(&place).ok().and_then(|file| taken(file).ok());
    if let Some(packed) = kept.filter(|packed| packed.sha256 == digest.as_str()) {
        return Ok(packed);
    }
    let mut packed = fetched(from, &format!("the archive `{digest}`"), how)?;
    if packed.sha256 != digest.as_str() {
        let differs = Fault::absent("source/digest-differs").with("url", from);
        return Err(differs.with("wanted", digest).with("found", packed.sha256));
    }
    put(&mut packed.file, &folder, &place).map_err(|why| unusable(&place, &why))?;
    Ok(packed)
}

fn fetched(from: &Web, missing: &dyn std::fmt::Display, how: &Fetch) -> Result<Packed, Fault> {
    if how.offline {
        return Err(Fault::absent("source/offline").with("url", from).with("missing", missing));
    }
    let mut file = download(from, how)?;
    file.rewind().map_err(|why| broken(&why))?;
    let sha256 = copied(&file, io::sink())?;
    file.rewind().map_err(|why| broken(&why))?;
    Ok(Packed { file, sha256 })
}

/// Puts an archive into the store. It takes its place only when it is whole.
fn put(file: &mut File, folder: &Path, place: &Path) -> io::Result<()> {
    clear(folder);
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    io::copy(file, &mut new)?;
    new.persist(place)?;
    file.rewind()
}

/// Removes what killed runs left half written.
fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_whole = entry.path().extension().is_some_and(|end| end == "zip");
        let changed = entry.metadata().and_then(|found| found.modified());
        if !is_whole && changed.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > STALE)) {
            let _gone = fs::remove_file(entry.path());
        }
    }
}
