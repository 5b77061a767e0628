//! Schemas of a running platform: the shipped templates, their seal, the places of typed payloads,
//! and learning.
//!
//! Knows the place of payloads in the YANG model and the clock; schemas are defined in `schema`,
//! and evolve in `engine`. Read next: [`crate::host`].

use crate::clock::Clock;
use crate::config::SchemaSettings;
use crate::ssh::PrivateKey;
use bindings::netconf::Platform;
use domain::time::Timestamp;
use engine::{SchemaSetup, TypedForm};
use russh::keys::known_hosts::known_host_keys_path;
use schema::language::Language;
use schema::render::yang::{Placement, module};
use schema::shipped;
use schema::signature::{SigningKey, VerifyingKey};
use schema::template::Template;
use semantics::backend::Unavailable;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tracing::{error, info, warn};
use yang::{Generation, LoadError, ModuleSet};

/// The namespace in which templates are published.
pub const NAMESPACE: &str = "convoke";

/// The date of the shipped templates: the revision of their YANG modules.
const MADE: &str = "2026-11-22T00:00:00Z";

/// The interval at which observations are taken in.
const LEARNING: Duration = Duration::from_secs(2);

/// Typed payloads in the input of `task-negotiate`.
struct InTaskNegotiate;

impl TypedForm for InTaskNegotiate {
    fn module(&self, template: &Template, published: Timestamp) -> String {
        let placement = Placement::Augment {
            module: "irtf-agent",
            prefix: "agtask",
            path: "/agtask:task-negotiate/agtask:input",
            input: true,
        };
        let date = &published.to_string()[..10];
        module(template, placement, &Language::english(), date)
    }

    fn trial(&self, modules: &[(String, String)]) -> Result<(), String> {
        generation(modules)
            .map(drop)
            .map_err(|cause| cause.to_string())
    }
}

/// The generation of Convoke's modules and those of these templates.
///
/// # Errors
/// [`LoadError`] if they do not fit together.
pub fn generation(modules: &[(String, String)]) -> Result<Arc<Generation>, LoadError> {
    let set = ModuleSet::convoke();
    let set = modules
        .iter()
        .fold(set, |set, (name, text)| set.with_text(name, text.clone()));
    Generation::load(&set)
}

/// The modules of the templates that ship: name and text.
pub fn shipped_modules() -> Vec<(String, String)> {
    let setup = fixed();
    let module = |t: &Template| (t.schema_id.clone(), InTaskNegotiate.module(t, setup.made));
    setup.templates.iter().map(module).collect()
}

/// The schemas of a platform that keeps its state in a folder: sealed with its host key, evolving
/// by the settings.
///
/// # Errors
/// [`Unavailable`] if the embedder that they name cannot be started.
pub(crate) fn evolving(
    settings: &SchemaSettings,
    host: &PrivateKey,
) -> Result<SchemaSetup, Unavailable> {
    sealed(settings, sealing(host))
}

/// The same without a folder: sealed with the Ed25519 key derived from this seed.
///
/// # Errors
/// [`Unavailable`] as of a platform with a folder.
pub fn evolving_in_memory(
    settings: &SchemaSettings,
    seed: &[u8; 32],
) -> Result<SchemaSetup, Unavailable> {
    sealed(settings, Some(SigningKey::from_bytes(seed)))
}

fn sealed(
    settings: &SchemaSettings,
    sealing: Option<SigningKey>,
) -> Result<SchemaSetup, Unavailable> {
    let embedder = match settings.evolves() {
        true => Some(Arc::from(settings.embedder()?.begin()?)),
        false => None,
    };
    Ok(SchemaSetup {
        settings: settings.evolution(),
        unknown: settings.unknown(),
        embedder,
        sealing,
        ..fixed()
    })
}

/// The shipped schemas, without evolution.
pub fn fixed() -> SchemaSetup {
    SchemaSetup {
        namespace: NAMESPACE.to_owned(),
        made: Timestamp::parse(MADE).expect("a date and time with zone"),
        typed: Some(Arc::new(InTaskNegotiate)),
        ..SchemaSetup::fixed(shipped::shipped())
    }
}

/// The host key for sealing templates; none if it is not Ed25519.
fn sealing(host: &PrivateKey) -> Option<SigningKey> {
    let pair = host.key_data().ed25519()?;
    Some(SigningKey::from_bytes(&pair.private.to_bytes()))
}

/// The key in a `known_hosts` file for an address, for checking seals; none if there is none, or it
/// is not Ed25519.
pub fn known_key(known_hosts: &Path, address: &str) -> Option<VerifyingKey> {
    let (host, port) = address.rsplit_once(':')?;
    let keys = known_host_keys_path(host, port.parse().ok()?, known_hosts).ok()?;
    let mut ed25519 = keys.iter().filter_map(|(_, key)| key.key_data().ed25519());
    VerifyingKey::from_bytes(&ed25519.next()?.0).ok()
}

/// Takes in observations, and serves the modules of new templates, until it is aborted.
pub(crate) fn learn(platform: Arc<Platform>, clock: Arc<Clock>) -> JoinHandle<()> {
    tokio::spawn(async move {
        let engine = Arc::clone(platform.engine());
        loop {
            match engine.evolve(clock.now()).await {
                Ok(0) => {}
                Ok(taken) => info!(
                    schema.observations = taken,
                    "{taken} observations were taken in"
                ),
                Err(cause) => warn!("what payloads teach was not taken in: {cause}"),
            }
            tokio::select! {
                () = tokio::time::sleep(LEARNING) => {}
                () = engine.schemas_changed() => announce(&platform),
            }
        }
    })
}

/// Serves the modules of the present templates.
fn announce(platform: &Platform) {
    match generation(&platform.engine().schema_modules()) {
        Ok(generation) => platform.swap_generation(generation),
        Err(cause) => error!("the schemas cannot be announced: {cause}"),
    }
}
