//! The rules, as checked data: what hosts write, what they read, and what is told about it.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::ir::diagnostic::Code;
use crate::ir::path::RelPath;
use crate::ir::route::HostName;
use lists::Lists;

pub mod builtin;
pub mod carried;
pub mod check;
pub mod codes;
pub mod cursor;
pub mod evaluate;
pub mod expression;
pub mod fault;
pub mod fill;
pub mod grammar;
pub mod judge;
pub mod lists;
pub mod load;
pub mod overlay;
pub mod page;
pub mod rules;
pub mod schema;
pub mod selector;
pub mod template;
pub mod walk;
pub mod wire;

use page::Page;
use rules::{Source, Target};
use schema::Schema;

/// What every route needs: the schemas, the neutral names, and which hosts there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// The schemas, by kind.
    pub schemas: Vec<Schema>,
    /// The neutral names: of events, tools, handlers, contracts, placeholders.
    pub names: Vec<(Arc<str>, Vec<Arc<str>>)>,
    /// The source hosts.
    pub sources: Vec<Known>,
    /// The target hosts: name, title.
    pub targets: Vec<(Arc<str>, String)>,
}

/// What is known of a source host before its rules are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// Its name, with its version if it is an overlay.
    pub host: Arc<str>,
    /// What people call it.
    pub title: String,
    /// The files that show a folder to be of this host.
    pub marks: Vec<RelPath>,
    /// Its packages are lists of plugins.
    pub lists: bool,
}

/// The pages of the diagnostics, by code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pages {
    /// What reports print.
    pub heads: Vec<(Arc<str>, Page)>,
    /// The whole files, for `explain`.
    pub prose: Vec<(Arc<str>, String)>,
}

/// All rules, loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// What every route needs.
    pub index: Index,
    /// The source hosts.
    pub sources: Vec<Source>,
    /// The target hosts.
    pub targets: Vec<Target>,
    /// The pages.
    pub pages: Pages,
}

/// The parts of a digest by name: `index`, `pages`, `prose`, `from/claude`, `to/reasonix@1`.
pub type Sections = &'static [(&'static str, &'static [u8])];

impl Rules {
    /// The rules as a digest's sections: what the build writes and [`Rulebook::digested`] reads.
    pub fn digest(&self) -> Vec<(String, Vec<u8>)> {
        let mut sections = vec![
            ("index".to_owned(), pack(&self.index)),
            ("pages".to_owned(), pack(&self.pages.heads)),
            ("prose".to_owned(), pack(&self.pages.prose)),
        ];
        sections.extend(self.sources.iter().map(|one| (format!("from/{}", one.host), pack(one))));
        sections.extend(self.targets.iter().map(|one| (format!("to/{}", one.host), pack(one))));
        sections
    }
}

fn pack<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap_or_default()
}

fn unpack<T: DeserializeOwned>(sections: Sections, name: &str) -> Option<T> {
    let (_, bytes) = sections.iter().find(|(known, _)| *known == name)?;
    postcard::from_bytes(bytes).ok()
}

/// A part of the rulebook that is read when it is first asked for.
struct Lazy<T> {
    name: Arc<str>,
    value: OnceLock<Option<T>>,
}

impl<T> Lazy<T> {
    fn waiting(name: Arc<str>) -> Self {
        Lazy { name, value: OnceLock::new() }
    }

    fn ready(name: Arc<str>, value: T) -> Self {
        Lazy { name, value: OnceLock::from(Some(value)) }
    }
}

/// All rules; of a digest only those that were asked for.
pub struct Rulebook {
    /// What every route needs.
    pub index: Index,
    sections: Sections,
    sources: Vec<Lazy<Source>>,
    targets: Vec<Lazy<Target>>,
    heads: OnceLock<Vec<(Arc<str>, Page)>>,
    prose: OnceLock<Vec<(Arc<str>, String)>>,
}

impl Rulebook {
    /// The rules of a digest.
    pub fn digested(sections: Sections) -> Self {
        let index: Index = unpack(sections, "index").unwrap_or_default();
        Rulebook {
            sources: index.sources.iter().map(|one| Lazy::waiting(one.host.clone())).collect(),
            targets: index.targets.iter().map(|(name, _)| Lazy::waiting(name.clone())).collect(),
            index,
            sections,
            heads: OnceLock::new(),
            prose: OnceLock::new(),
        }
    }

    /// Rules that were loaded from files.
    pub fn loaded(rules: Rules) -> Self {
        Rulebook {
            index: rules.index,
            sections: &[],
            sources: rules
                .sources
                .into_iter()
                .map(|one| Lazy::ready(one.host.clone(), one))
                .collect(),
            targets: rules
                .targets
                .into_iter()
                .map(|one| Lazy::ready(one.host.clone(), one))
                .collect(),
            heads: OnceLock::from(rules.pages.heads),
            prose: OnceLock::from(rules.pages.prose),
        }
    }

    /// The hosts that write plugins, without their versions.
    pub fn writers(&self) -> impl Iterator<Item = &Known> {
        self.index.sources.iter().filter(|one| !one.lists && !one.host.contains('@'))
    }

    /// The hosts whose packages are lists of plugins.
    pub fn listers(&self) -> impl Iterator<Item = &Known> {
        self.index.sources.iter().filter(|one| one.lists)
    }

    /// How entries of lists combine with the plugins of a host.
    pub fn lists(&self, host: &str) -> Option<&Lists> {
        let of = |one: &Known| self.source(&HostName::parse(&one.host))?.lists.as_ref();
        self.listers().filter_map(of).find(|lists| *lists.host == *host)
    }

    /// How a host's packages are read.
    pub fn source(&self, host: &HostName) -> Option<&Source> {
        let name = host.to_string();
        let lazy = self.sources.iter().find(|lazy| *lazy.name == *name)?;
        lazy.value.get_or_init(|| unpack(self.sections, &format!("from/{name}"))).as_ref()
    }

    /// How a host's packages are written.
    pub fn target(&self, host: &HostName) -> Option<&Target> {
        let name = host.to_string();
        let lazy = self.targets.iter().find(|lazy| *lazy.name == *name)?;
        lazy.value.get_or_init(|| unpack(self.sections, &format!("to/{name}"))).as_ref()
    }

    /// The shape of a kind.
    pub fn schema(&self, kind: &str) -> Option<&Schema> {
        self.index.schemas.iter().find(|schema| *schema.kind == *kind)
    }

    /// The words under which reports count, each with nothing counted.
    pub fn counted(&self) -> Vec<(Arc<str>, usize)> {
        let mut words: Vec<(Arc<str>, usize)> = Vec::new();
        for schema in &self.index.schemas {
            let word = schema.counted_as.as_ref();
            words.extend(
                word.filter(|word| !words.iter().any(|(known, _)| known == *word))
                    .map(|word| (word.clone(), 0)),
            );
        }
        words
    }

    fn heads(&self) -> &[(Arc<str>, Page)] {
        self.heads.get_or_init(|| unpack(self.sections, "pages").unwrap_or_default())
    }

    /// What a diagnostic tells.
    pub fn page(&self, code: &Code) -> Option<&Page> {
        let heads = self.heads();
        let at = heads.binary_search_by(|(known, _)| (**known).cmp(code.as_str())).ok()?;
        heads.get(at).map(|(_, page)| page)
    }

    /// The codes there are, sorted.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.heads().iter().map(|(code, _)| &**code)
    }

    /// The whole page of a diagnostic.
    pub fn prose(&self, code: &str) -> Option<&str> {
        let prose = self.prose.get_or_init(|| unpack(self.sections, "prose").unwrap_or_default());
        prose.iter().find(|(known, _)| **known == *code).map(|(_, text)| text.as_str())
    }
}
