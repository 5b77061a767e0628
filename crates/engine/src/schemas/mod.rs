//! Schemas on the one road: what is published, what payloads are held to, and how schemas grow
//! (draft-zhou §3, §6.2, §7).
//!
//! ```text
//!  task-negotiate ──► published: Contract ──► canonical payload, or all violations at once
//!        │                  ▲
//!        ▼ same commit      │ a new picture whenever something changed
//!   observation row ──► evolving: pools, lineages ──► patches, next versions, happenings
//! ```
//!
//! - [`published`]: the picture that requests look at, never changed, swapped as a whole;
//! - [`observation`]: what a payload teaches, committed with the task that brought it; [`learning`]: that
//!   it is kept, and taken in later;
//! - [`evolving`]: pools and lineages; takes observations in, in order, each exactly once; `changed`: what
//!   came of that, to be committed; `company`: who is around, in `cohort`s; `document`: how it is kept; `setup`: what all begins with;
//! - [`answer`]: what is asked about schemas; [`utterance`]: among what words are read; [`governing`]: what administrators do to them;
//!   [`records`]: the tree `/schemas`; [`notice`]: what replies tell besides, and `delivered`: to
//!   whom it was told; `served`: the templates that are; [`naming`]: what names in rules name there.
//!
//! Requests never wait for evolution: embedding and clustering happen in [`crate::Engine::evolve`],
//! which the server calls. Read next: [`published`].

mod answer;
mod changed;
mod cohort;
mod company;
mod delivered;
mod document;
mod evolving;
mod governing;
mod learning;
mod naming;
pub(crate) mod notice;
mod observation;
pub(crate) mod operation;
mod published;
mod records;
mod served;
mod setup;
mod utterance;

pub(crate) use naming::NamedKey;
pub(crate) use observation::{Lesson, Observed};
pub(crate) use published::Checked;
pub use setup::{SchemaSetup, TypedForm};

use delivered::Delivered;
use domain::time::Timestamp;
use evolving::Evolving;
use published::Published;
use schema::contract::Unknown;
use schema::evolution::Parts;
use schema::render;
use schema::signature::SigningKey;
use schema::template::Template;
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use tokio::sync::Notify;

/// The schemas of an engine.
pub(crate) struct Schemas {
    /// The number of the picture, and it.
    published: RwLock<(u64, Arc<Published>)>,
    evolving: Mutex<Evolving>,
    unknown: Unknown,
    /// Whether payloads teach anything.
    pub(crate) learns: bool,
    /// Which parts of §6.2 are on.
    parts: Parts,
    delivered: Mutex<Delivered>,
    sealing: Option<SigningKey>,
    typed: Option<Arc<dyn TypedForm>>,
    changed: Notify,
}

impl Schemas {
    /// The schemas as the store knows them, and those of the setup that it does not.
    ///
    /// # Errors
    /// [`store::ReadError`] if what is kept cannot be read.
    pub(crate) fn open(setup: SchemaSetup, store: &store::Store) -> Result<Self, store::ReadError> {
        // Withdrawn keys are accepted until the first look at the clock says otherwise.
        let now = Timestamp::default();
        let evolving = Evolving::load(&setup, store)?;
        Ok(Self {
            published: RwLock::new((0, Arc::new(evolving.picture(now)))),
            evolving: Mutex::new(evolving),
            unknown: setup.unknown,
            parts: setup.settings.parts,
            delivered: Mutex::new(Delivered::load(store)?),
            learns: setup.embedder.is_some() && setup.settings.parts.pool,
            sealing: setup.sealing,
            typed: setup.typed,
            changed: Notify::new(),
        })
    }

    /// Whether any template is published; where none is, payloads are nobody's to check.
    pub(crate) fn is_in_use(&self) -> bool {
        self.published().catalogue().served().next().is_some()
    }

    /// What requests look at.
    pub(crate) fn published(&self) -> Arc<Published> {
        Arc::clone(&self.published.read().expect("no writer panics").1)
    }

    /// Swaps a picture in unless a later one is shown already, and wakes who serves templates if
    /// others are served now.
    fn show(&self, number: u64, picture: Published) {
        let mut shown = self.published.write().expect("no writer panics");
        if shown.0 >= number {
            return;
        }
        let others = shown.1.catalogue() != picture.catalogue();
        *shown = (number, Arc::new(picture));
        drop(shown);
        if others {
            self.changed.notify_one();
        }
    }

    /// What was decided and not stored is taken back: everything is loaded again.
    fn reload(&self, store: &store::Store, now: Timestamp) -> Result<(), store::ReadError> {
        let mut evolving = self.evolving();
        evolving.reload(store)?;
        let (number, picture) = evolving.numbered(now);
        self.show(number, picture);
        Ok(())
    }

    fn delivered(&self) -> MutexGuard<'_, Delivered> {
        self.delivered.lock().expect("no holder panics")
    }

    fn evolving(&self) -> MutexGuard<'_, Evolving> {
        self.evolving.lock().expect("no holder panics")
    }

    /// Resolves when other templates are served.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// The templates that are served, by identifier.
    pub(crate) fn served(&self) -> Vec<Arc<Template>> {
        self.published().catalogue().served().cloned().collect()
    }

    /// The YANG modules of the templates that are served: name and text.
    pub(crate) fn modules(&self) -> Vec<(String, String)> {
        let published = self.published();
        let served = published.catalogue().served();
        served
            .map(|t| {
                (
                    t.schema_id.clone(),
                    self.module(
                        t,
                        published
                            .imprint(&t.schema_id)
                            .map_or_else(Timestamp::default, |i| i.published),
                    ),
                )
            })
            .collect()
    }

    /// The YANG module of a template.
    fn module(&self, template: &Template, published: Timestamp) -> String {
        match &self.typed {
            Some(typed) => typed.module(template, published),
            None => render::yang::module(
                template,
                render::yang::Placement::Standalone,
                &template.language,
                &published.to_string()[..10],
            ),
        }
    }
}
