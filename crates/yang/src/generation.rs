//! A generation: one immutable compilation of a set of YANG modules.
//!
//! Holds the announced modules and the schema nodes. Checking documents is in `check.rs`, XPath in
//! `select.rs`, yang-library in `library.rs`. A generation never changes; a schema that evolves
//! gets a new one beside it, and the old one goes when its last `Arc` does.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use base16ct::lower::encode_string;
use sha2::{Digest, Sha256};
use yang_rs::context::Context;
use yang_rs::schema::SchemaModule;

use crate::error::LoadError;
use crate::ffi;
use crate::library;
use crate::module::{Conformance, Module};
use crate::node::{self, SchemaNode};
use crate::set::ModuleSet;

/// Modules that libyang builds in for itself: containers for its annotations, and schema mount, of
/// which nothing is served here. They are not announced: some are in no RFC's form, others not
/// offered.
const INTERNAL: &[&str] = &["yang", "default", "ietf-yang-schema-mount"];

/// An immutable compilation of a module set; share it as `Arc<Generation>`.
///
/// All methods take `&self` and may run on any number of threads at once.
pub struct Generation {
    pub(crate) context: Context,
    modules: Vec<Module>,
    texts: BTreeMap<(String, String), String>,
    nodes: Vec<SchemaNode>,
    structures: Vec<SchemaNode>,
    /// Places in `nodes`, by path.
    by_path: HashMap<String, usize>,
    instance_paths: BTreeSet<String>,
    /// The identities derived from each identity, directly or indirectly, as (module, name).
    derived: BTreeMap<Identity, BTreeSet<Identity>>,
    content_id: String,
    library: String,
    state: String,
}

/// Module and name.
type Identity = (String, String);

impl fmt::Debug for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generation")
            .field("content_id", &self.content_id)
            .field("modules", &self.modules.len())
            .finish_non_exhaustive()
    }
}

impl Generation {
    /// Compiles the set. Takes some 30 ms of CPU for [`ModuleSet::convoke`];
    /// call it off the hot path. Other generations are never touched.
    ///
    /// # Errors
    /// [`LoadError`] if a text is not valid YANG, a module is missing, or the
    /// modules do not fit together.
    pub fn load(set: &ModuleSet) -> Result<Arc<Generation>, LoadError> {
        let context = ffi::load(set)?;
        let mut modules = Vec::new();
        let mut texts = BTreeMap::new();
        let mut derived = BTreeMap::new();
        for module in context.modules(false) {
            if INTERNAL.contains(&module.name()) {
                continue;
            }
            let described = describe(&module);
            collect_texts(set, &module, &described, &mut texts);
            for (name, below) in ffi::identities(&module) {
                derived.insert((described.name.clone(), name), below);
            }
            modules.push(described);
        }
        modules.sort_by(|a, b| (&a.name, &a.revision).cmp(&(&b.name, &b.revision)));
        let nodes = node::walk(&context, INTERNAL);
        // Of several nodes of a path the first counts, so the last one is put in first.
        let places = nodes.iter().enumerate().rev();
        let by_path = places.map(|(place, node)| (node.path.clone(), place));
        let content_id = content_id(&modules, &texts);
        Ok(Arc::new(Generation {
            library: library::yang_library(&modules, &content_id),
            state: library::modules_state(&modules, &content_id),
            by_path: by_path.collect(),
            instance_paths: nodes.iter().map(SchemaNode::instance_path).collect(),
            derived: transitive(&derived),
            structures: node::structures(&context, INTERNAL),
            context,
            modules,
            texts,
            nodes,
            content_id,
        }))
    }

    /// The announced modules, by name.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The announced module of that name; of several revisions the implemented
    /// one, else the latest.
    pub fn module(&self, name: &str) -> Option<&Module> {
        let mut named = self.modules.iter().filter(|module| module.name == name);
        let last = named.next_back()?;
        Some(named.find(|module| module.is_implemented()).unwrap_or(last))
    }

    /// The YANG text of an announced module or submodule, for `get-schema`
    /// (RFC 6022 §3.1): as written for those of the set, as libyang prints
    /// them for those it has built in. With `None` the revision is the one
    /// announced; if several are, there is no answer.
    pub fn schema(&self, name: &str, revision: Option<&str>) -> Option<&str> {
        let mut found = self.texts.iter().filter(|((named, dated), _)| {
            named == name && revision.is_none_or(|revision| revision == dated)
        });
        let (_, text) = found.next()?;
        found.next().is_none().then_some(text.as_str())
    }

    /// (name, revision) of everything that [`Generation::schema`] answers.
    pub fn schemas(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts
            .keys()
            .map(|(name, revision)| (name.as_str(), revision.as_str()))
    }

    /// Identifies the set of modules, features and texts: equal sets give
    /// equal ids, across restarts too (RFC 8525 `content-id`).
    pub fn content_id(&self) -> &str {
        &self.content_id
    }

    /// The module capabilities of `<hello>`: every YANG 1 module with its
    /// revision, features and deviations (RFC 6020 §5.6.4). YANG 1.1 modules
    /// are announced in yang-library only (RFC 7950 §5.6.4).
    pub fn capabilities(&self) -> Vec<String> {
        self.modules
            .iter()
            .filter(|module| !module.yang_1_1)
            .map(library::capability)
            .collect()
    }

    /// The yang-library capability of `<hello>` (RFC 8526 §2).
    pub fn yang_library_capability(&self) -> String {
        let revision = self
            .module("ietf-yang-library")
            .map_or("2019-01-04", |module| &module.revision);
        format!(
            "urn:ietf:params:netconf:capability:yang-library:1.1?revision={revision}&content-id={}",
            self.content_id
        )
    }

    /// `<yang-library>` of RFC 8525: one module set, one schema, the
    /// datastores running and operational.
    pub fn yang_library_xml(&self) -> &str {
        &self.library
    }

    /// `<modules-state>`, the older form of RFC 7895; deprecated, for clients that know no other.
    pub fn modules_state_xml(&self) -> &str {
        &self.state
    }

    /// Every schema node, depth first, modules by name: data, then rpcs with
    /// input and output, then notifications.
    pub fn schema_nodes(&self) -> &[SchemaNode] {
        &self.nodes
    }

    /// The node at a path as in [`SchemaNode::path`].
    pub fn schema_node(&self, path: &str) -> Option<&SchemaNode> {
        self.by_path.get(path).map(|place| &self.nodes[*place])
    }

    /// True if a path as libyang writes it, without predicates, is that of a node.
    pub(crate) fn has_instance_path(&self, path: &str) -> bool {
        self.instance_paths.contains(path)
    }

    /// The paths of all nodes as libyang writes them, without predicates.
    pub(crate) fn instance_paths(&self) -> impl Iterator<Item = &str> {
        self.instance_paths.iter().map(String::as_str)
    }

    /// The nodes of structures (RFC 8791) in the same order: each is a container at the root, with what other
    /// modules augment it by.
    pub fn structure_nodes(&self) -> &[SchemaNode] {
        &self.structures
    }

    /// The rpcs, in the order of [`Generation::schema_nodes`].
    pub fn rpcs(&self) -> impl Iterator<Item = &SchemaNode> {
        self.nodes
            .iter()
            .filter(|node| node.kind == node::Kind::Rpc)
    }

    /// The notifications, likewise.
    pub fn notifications(&self) -> impl Iterator<Item = &SchemaNode> {
        self.nodes
            .iter()
            .filter(|node| node.kind == node::Kind::Notification)
    }

    /// True if an identity is derived from another, directly or indirectly, and is not that one
    /// itself (RFC 7950 §10.4.1). Each is given as module and name.
    pub fn is_derived(&self, identity: (&str, &str), base: (&str, &str)) -> bool {
        let owned = |(module, name): (&str, &str)| (module.to_owned(), name.to_owned());
        let below = self.derived.get(&owned(base));
        below.is_some_and(|below| below.contains(&owned(identity)))
    }

    /// The namespace of an announced module.
    pub fn namespace_of(&self, module: &str) -> Option<&str> {
        self.module(module).map(|module| module.namespace.as_str())
    }

    /// The announced module that has this namespace.
    pub fn module_of(&self, namespace: &str) -> Option<&str> {
        self.modules
            .iter()
            .find(|module| module.namespace == namespace)
            .map(|module| module.name.as_str())
    }
}

fn describe(module: &SchemaModule<'_>) -> Module {
    Module {
        name: module.name().to_owned(),
        revision: module.revision().unwrap_or_default().to_owned(),
        namespace: module.namespace().to_owned(),
        prefix: module.prefix().to_owned(),
        yang_1_1: ffi::is_yang_1_1(module),
        features: if module.is_implemented() {
            ffi::enabled_features(module)
        } else {
            Vec::new()
        },
        deviations: ffi::deviated_by(module),
        submodules: ffi::submodules(module),
        conformance: if module.is_implemented() {
            Conformance::Implement
        } else {
            Conformance::Import
        },
    }
}

/// Notes the texts of a module and its submodules under (name, revision).
fn collect_texts(
    set: &ModuleSet,
    module: &SchemaModule<'_>,
    described: &Module,
    texts: &mut BTreeMap<(String, String), String>,
) {
    // A text of the set counts only in the revision that was really loaded:
    // libyang prefers its own, newer common types.
    let own = set
        .text(&described.name)
        .filter(|text| has_revision(text, &described.revision))
        .map(str::to_owned);
    if let Some(text) = own.or_else(|| ffi::printed(module)) {
        texts.insert((described.name.clone(), described.revision.clone()), text);
    }
    for (name, revision) in &described.submodules {
        if let Some(text) = set.text(name) {
            texts.insert((name.clone(), revision.clone()), text.to_owned());
        }
    }
}

/// The identities derived from each, directly or indirectly, from those derived directly. YANG has
/// no circles (§7.18.2).
fn transitive(
    direct: &BTreeMap<Identity, Vec<Identity>>,
) -> BTreeMap<Identity, BTreeSet<Identity>> {
    let all = direct.iter().map(|(base, below)| {
        let (mut found, mut open) = (BTreeSet::new(), below.clone());
        while let Some(identity) = open.pop() {
            open.extend(direct.get(&identity).into_iter().flatten().cloned());
            found.insert(identity);
        }
        (base.clone(), found)
    });
    all.collect()
}

/// True if the text has that `revision` statement; an empty revision always is.
fn has_revision(text: &str, revision: &str) -> bool {
    let mut lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("revision"));
    revision.is_empty()
        || lines.any(|rest| {
            rest.trim_start()
                .trim_start_matches('"')
                .starts_with(revision)
        })
}

/// 32 hexadecimal digits of the SHA-256 over modules, features and texts.
fn content_id(modules: &[Module], texts: &BTreeMap<(String, String), String>) -> String {
    let mut digest = Sha256::new();
    for module in modules {
        digest.update(format!(
            "{}@{} {:?} {:?}\n",
            module.name, module.revision, module.features, module.conformance
        ));
    }
    for ((name, revision), text) in texts {
        digest.update(format!("{name}@{revision} {}\n", text.len()));
        digest.update(text);
    }
    encode_string(&digest.finalize()[..16])
}

#[cfg(test)]
mod tests;
