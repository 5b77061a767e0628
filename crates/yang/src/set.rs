//! The YANG modules that a generation is made of, and their features.
//!
//! Knows the texts and the choice; does not parse them (that is [`crate::Generation::load`]). The
//! texts are embedded by `build.rs`.

use std::borrow::Cow;
use std::collections::BTreeMap;

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// The modules that Convoke implements, with the features that are on.
///
/// Of the features of ietf-netconf only `xpath` is served; datastores are
/// never written, so none of those for writing is on. ietf-netconf-nmda:
/// `with-defaults` is served, `origin` is not. ietf-alarms: alarms have a history
/// and are counted; nobody shelves, closes or correlates them here.
const IMPLEMENTED: &[(&str, &[&str])] = &[
    ("ietf-netconf", &["xpath"]),
    ("ietf-netconf-with-defaults", &[]),
    ("ietf-netconf-monitoring", &[]),
    ("ietf-netconf-notifications", &[]),
    ("ietf-netconf-nmda", &["with-defaults"]),
    ("ietf-netconf-acm", &[]),
    ("ietf-restconf", &[]),
    ("ietf-restconf-monitoring", &[]),
    ("notifications", &[]),
    ("nc-notifications", &[]),
    ("irtf-agent", &[]),
    ("convoke-deviations", &[]),
    ("convoke-negotiation", &[]),
    ("convoke-registry", &[]),
    ("convoke-data", &[]),
    ("convoke-audit", &[]),
    ("convoke-simulation", &[]),
    ("convoke-schema", &[]),
    ("convoke-usage", &[]),
    ("convoke-cluster", &[]),
    ("convoke-policy", &[]),
    ("ietf-alarms", &["alarm-history", "alarm-summary"]),
    ("ietf-network", &[]),
    ("ietf-network-topology", &[]),
    ("convoke-ems", &[]),
    ("convoke-ems-deviations", &[]),
];

/// Parts of irtf-agent's patterns as written in the module, and in the form that libyang gets; see
/// [`ModuleSet::texts`].
const QUICK: &[(&str, &str)] = &[(r"[\s\S]*##", r"(?s).*?##"), (r"\S+[\s\S]*", r"\S+.*")];

/// The text with its patterns in the form that libyang gets.
fn quick(text: &str) -> String {
    QUICK
        .iter()
        .fold(text.to_owned(), |text, (written, compiled)| {
            text.replace(written, compiled)
        })
}

/// A message of libyang with the patterns as written in the module.
pub(crate) fn as_written(message: &str) -> String {
    QUICK
        .iter()
        .fold(message.to_owned(), |text, (written, compiled)| {
            text.replace(compiled, written)
        })
}

/// A choice of YANG modules: texts, which of them are implemented, features.
///
/// A value, cheap to clone; adding a text never touches a generation that
/// was already loaded.
#[derive(Clone, Debug, Default)]
pub struct ModuleSet {
    texts: BTreeMap<String, Cow<'static, str>>,
    implemented: Vec<Implemented>,
}

/// One module to implement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Implemented {
    pub(crate) name: String,
    pub(crate) features: Vec<String>,
}

impl ModuleSet {
    /// An empty set: only the modules that libyang has built in (yang-library, datastores and the
    /// common types).
    pub fn empty() -> ModuleSet {
        ModuleSet::default()
    }

    /// The modules that Convoke serves: the draft's module, its companions, and the standard
    /// modules of a NETCONF server.
    pub fn convoke() -> ModuleSet {
        let texts = OURS
            .iter()
            .chain(STANDARD)
            .map(|(name, text)| ((*name).to_owned(), Cow::Borrowed(*text)))
            .collect();
        let implemented = IMPLEMENTED
            .iter()
            .map(|(name, features)| Implemented {
                name: (*name).to_owned(),
                features: features
                    .iter()
                    .map(|feature| (*feature).to_owned())
                    .collect(),
            })
            .collect();
        ModuleSet { texts, implemented }
    }

    /// This set with the module `name` implemented, all its features on, from
    /// `text`. A text of that name which the set already has is replaced.
    #[must_use]
    pub fn with_text(mut self, name: &str, text: impl Into<String>) -> ModuleSet {
        self.implemented.retain(|module| module.name != name);
        self.implemented.push(Implemented {
            name: name.to_owned(),
            features: vec!["*".to_owned()],
        });
        self.with_import(name, text)
    }

    /// This set with a text that other modules may import or include; the
    /// module is not implemented unless something needs it to be.
    #[must_use]
    pub fn with_import(mut self, name: &str, text: impl Into<String>) -> ModuleSet {
        self.texts.insert(name.to_owned(), Cow::Owned(text.into()));
        self
    }

    /// This set without the module `name`; the text stays for importers.
    #[must_use]
    pub fn without(mut self, name: &str) -> ModuleSet {
        self.implemented.retain(|module| module.name != name);
        self
    }

    /// The text of a module or submodule, if the set has it.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(Cow::as_ref)
    }

    /// The texts as given to libyang. They differ from those of [`ModuleSet::text`], which are
    /// served, in one respect: the patterns of our own irtf-agent are in PCRE2's dialect.
    ///
    /// `[\s\S]*##` makes PCRE2 run to the end of a value and come back byte by
    /// byte, and `[\s\S]` look up each character's class: 90 µs for a task of
    /// 600 bytes, seconds for megabytes. A lazy dot, which YANG does not have,
    /// takes the same values and finds the headings where they stand, near the
    /// beginning.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        self.texts.iter().map(|(name, text)| {
            let compiled = match text {
                Cow::Borrowed(text) if name == "irtf-agent" => Cow::Owned(quick(text)),
                _ => Cow::Borrowed(text.as_ref()),
            };
            (name.as_str(), compiled)
        })
    }

    pub(crate) fn implemented(&self) -> &[Implemented] {
        &self.implemented
    }
}
