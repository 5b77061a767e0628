//! What schemas learn from: payloads, wishes, and that a client was told of patches (draft-zhou §6.2).
//!
//! It is kept as it comes and taken in behind the road: embedding and clustering take their time. Read next:
//! [`super::observation`], [`super::evolving`].

use super::Schemas;
use super::changed::Changed;
use super::company::Company;
use super::observation::{Lesson, Observed};
use super::published::Published;
use crate::access::exec;
use crate::operation::{Call, Cost, ENTRY_BYTES, Execution, Operation};
use crate::refusal::Field;
use crate::schemas::operation::RequestCapabilityExtension;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::content::Payload;
use domain::time::Timestamp;
use schema::other::Fragment;
use schema::template::Template;
use store::{Batch, Ticket};

/// Observations taken in by one batch.
const AT_ONCE: usize = 256;

impl Engine {
    /// An explicit request for a capability feeds the pool as `other` does.
    fn extend(
        &self,
        who: &Principal,
        scenario: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<Execution<()>, Refusal> {
        if !self.schemas.learns {
            return Err(schema::evolution::LineageRefusal::Off.into());
        }
        if text.chars().nth(Lesson::WISH_MOST).is_some() {
            return Err(Refusal::unusable(
                Field::Text,
                format!("1 to {} characters", Lesson::WISH_MOST),
            ));
        }
        let published = self.schemas.published();
        let template = published.catalogue().newest(scenario)?;
        let fragment = Fragment::new(text).filter(Fragment::meaningful);
        let fragment = fragment
            .ok_or_else(|| Refusal::unusable(Field::Text, "nothing can be learnt from it"))?;
        let observed = Observed {
            scenario: template.scenario.clone(),
            client: who.name.clone(),
            at: now,
            lesson: Lesson::Wish(fragment.untrusted().to_owned()),
        };
        let ticket = self.observe(&observed);
        Ok(Execution::committed(ticket, ()))
    }

    /// Takes in what payloads taught since the last time, lets time pass, and has standing rules look at the patches
    /// that wait; how many observations were taken in. Requests do not wait for it. Call it every few seconds, one
    /// call at a time.
    ///
    /// # Errors
    /// [`Refusal`] if the store fails; what was not durable is taken in again by the next call.
    pub async fn evolve(&self, now: Timestamp) -> Result<usize, Refusal> {
        let taken = self.take_in_observations(now).await?;
        self.rules_look_at_patches(now).await;
        Ok(taken)
    }

    async fn take_in_observations(&self, now: Timestamp) -> Result<usize, Refusal> {
        let mut taken = 0;
        loop {
            let rows = self.store.observations(AT_ONCE)?;
            let (count, mut changed) = (rows.len(), Changed::default());
            let (last, number, picture) = {
                let mut evolving = self.schemas.evolving();
                evolving.in_company_of(self.company());
                let last = evolving.take_in(&rows, &mut changed);
                if count < AT_ONCE {
                    evolving.tick(now, &mut changed);
                }
                let (number, picture) = evolving.numbered(now);
                (last, number, picture)
            };
            if changed.is_empty() && last.is_none() {
                return Ok(taken);
            }
            let stored = self
                .store
                .commit(Batch {
                    observed: last,
                    ..changed.into_batch()
                })
                .await;
            if let Err(cause) = stored {
                self.schemas.reload(&self.store, now)?;
                return Err(cause.into());
            }
            self.schemas.show(number, picture);
            taken += count;
            if count < AT_ONCE {
                return Ok(taken);
            }
        }
    }

    /// The agents that are here, and what they do.
    fn company(&self) -> Company {
        let registrations = self.registry.directory.all();
        let profiles = registrations.iter().map(|r| &r.profile);
        let skills = profiles.clone().flat_map(|p| &p.skills);
        Company::new(
            profiles.map(|p| p.name.as_str()),
            skills.map(|s| s.name.as_str()),
        )
    }

    /// A client was given patches, if there are any.
    pub(super) fn told_of_patches(
        &self,
        who: &Principal,
        published: &Published,
        template: &Template,
        now: Timestamp,
    ) {
        if published
            .patches(&template.scenario, &who.name)
            .next()
            .is_some()
        {
            let observed = Observed {
                scenario: template.scenario.clone(),
                client: who.name.clone(),
                at: now,
                lesson: Lesson::Delivered,
            };
            drop(self.observe(&observed));
        }
    }

    /// Keeps what was observed until it is taken in.
    pub(crate) fn observe(&self, observed: &Observed) -> Ticket {
        self.store.commit(Batch {
            observations: vec![observed.encode()],
            ..Batch::default()
        })
    }
}

impl Schemas {
    /// What a refused payload teaches, if anything.
    pub(crate) fn refused(
        &self,
        client: &str,
        payload: &Payload,
        request: &str,
        now: Timestamp,
    ) -> Option<Observed> {
        let published = self.published();
        let scenario = &published
            .of(&payload.schema_id, client)
            .ok()?
            .template
            .scenario;
        published.watches(scenario).then(|| Observed {
            scenario: scenario.clone(),
            client: client.to_owned(),
            at: now,
            lesson: Lesson::Payload {
                values: payload.values.clone(),
                accepted: false,
                fragments: Vec::new(),
                request: request.to_owned(),
            },
        })
    }
}

impl Operation for RequestCapabilityExtension {
    type Output = ();

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec(
            "convoke-schema",
            "request-capability-extension",
            false,
        ))
    }

    fn cost(&self) -> Option<Cost> {
        Some(Cost::of_new(ENTRY_BYTES + self.text.len() as u64))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        call.engine
            .extend(call.who, &self.scenario, &self.text, call.now)
    }
}
