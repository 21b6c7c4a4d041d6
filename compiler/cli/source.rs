//! SOURCE: a folder, or a single file that is offered where its host would look for it.

use std::path::Path;

use crate::io::folder::Folder;
use crate::io::single::Single;
use crate::ir::route::HostName;
use crate::ir::snapshot::Snapshot;
use crate::rulebook::Rulebook;

/// What a SOURCE is.
pub(super) enum Source {
    /// Something to compile; a single file may say whose it is.
    Files(Snapshot, Option<HostName>),
    /// Nothing is there.
    Missing,
    /// Something that no plugin can be read from.
    Other,
}

/// Opens a SOURCE.
pub(super) fn open(text: &str, rulebook: &Rulebook) -> Source {
    let path = Path::new(if text.is_empty() { "." } else { text });
    match crate::io::what_is(path) {
        crate::io::What::Folder => match Folder::open(path) {
            Ok(folder) => Source::Files(Snapshot::new(Box::new(folder)), None),
            Err(_) => Source::Other,
        },
        crate::io::What::File => single(path, rulebook),
        crate::io::What::Missing => Source::Missing,
        crate::io::What::Other => Source::Other,
    }
}

/// A single file is read as the host that knows its name; the one that needs no manifest is asked first.
fn single(path: &Path, rulebook: &Rulebook) -> Source {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hosts = rulebook
        .index
        .sources
        .iter()
        .map(|(host, ..)| HostName::parse(host))
        .filter(|host| host.version.is_none());
    let mut found: Vec<_> = hosts
        .filter_map(|host| {
            let source = rulebook.source(&host)?;
            let (_, place) = source.singles.iter().find(|(known, _)| **known == *name)?;
            Some((!source.fallback, host, place.clone()))
        })
        .collect();
    found.sort();
    let Some((_, host, place)) = found.into_iter().next() else { return Source::Other };
    match Single::open(path, place) {
        Ok(single) => Source::Files(Snapshot::new(Box::new(single)), Some(host)),
        Err(_) => Source::Other,
    }
}
