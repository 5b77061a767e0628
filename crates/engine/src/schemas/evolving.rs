//! Pools and lineages: what became of each payload's lesson, of each approval, of time.
//!
//! Knows the order: an observation is taken in, what changed becomes documents, and documents,
//! happenings and the mark of how far observations were taken in are one batch. What is in memory
//! is ahead of the store until that batch is durable; if it never is, everything is loaded again.
//! Read next: `kept`, the documents; [`super::learning`].

mod erasing;
mod kept;
mod retiring;

use super::changed::Changed;
use super::cohort::Cohort;
use super::company::Company;
use super::observation::{Lesson, Observed};
use super::published::{Imprint, Published};
use domain::notification::{SchemaChange, SchemaUpdate};
use domain::time::Timestamp;
use schema::catalogue::Catalogue;
use schema::evolution::{
    Activity, Evolution, EvolutionContext, EvolutionOutcome, EvolutionSettings, Fragment,
    KnownClients, Lineage, LineageCommand, LineageEvent, LineageRefusal, Observation,
};
use schema::patch::Patch;
use schema::semantics::Embedder;
use schema::template::Template;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Values of one key that wait to be judged, at most.
const SAMPLES_MAX: usize = 50;

/// A value of a patch key that waits to be judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Sample {
    pub(super) scenario: String,
    pub(super) client: String,
    pub(super) key_name: String,
    pub(super) value: Value,
    /// What was asked for; natural language of a user.
    pub(super) request: String,
}

/// Everything that evolves.
pub(super) struct Evolving {
    settings: EvolutionSettings,
    embedder: Option<Arc<dyn Embedder>>,
    /// The templates of the setup, and when they were made.
    given: Vec<Template>,
    made: Timestamp,
    pub(super) catalogue: Catalogue,
    pub(super) imprints: BTreeMap<String, Imprint>,
    pub(super) cohorts: BTreeMap<Cohort, Evolution>,
    acquaintances: KnownClients,
    pub(super) samples: BTreeMap<String, Sample>,
    next_sample: u64,
    company: Company,
    /// The observation that was taken in last: rows go only once that is durable.
    taken: u64,
    /// How many pictures were made.
    pictures: u64,
}

impl Evolving {
    /// What is published now, as requests see it.
    pub(super) fn picture(&self, now: Timestamp) -> Published {
        let lineages: Vec<&Lineage> = self.cohorts.values().map(Evolution::lineage).collect();
        Published::new(
            self.catalogue.clone(),
            self.imprints.clone(),
            &lineages,
            &self.settings,
            now,
        )
    }

    /// The next picture and its number.
    pub(super) fn numbered(&mut self, now: Timestamp) -> (u64, Published) {
        self.pictures += 1;
        (self.pictures, self.picture(now))
    }

    /// Says who is around now.
    pub(super) fn in_company_of(&mut self, company: Company) {
        self.company = company;
    }

    pub(super) fn settings(&self) -> &EvolutionSettings {
        &self.settings
    }

    /// Publishes a template; nothing if it is there already.
    ///
    /// # Errors
    /// [`schema::catalogue::PublishError`]; nothing has changed then.
    pub(super) fn publish(
        &mut self,
        template: Template,
        publisher: &str,
        now: Timestamp,
        changed: &mut Changed,
    ) -> Result<Arc<Template>, schema::catalogue::PublishError> {
        let template = self.catalogue.publish(template)?;
        if self.imprints.contains_key(&template.schema_id) {
            return Ok(template);
        }
        let imprint = Imprint::of(&template, publisher, now);
        changed
            .documents
            .push(kept::template(&template.schema_id, &imprint));
        self.imprints.insert(template.schema_id.clone(), imprint);
        changed.tell(SchemaUpdate {
            time: now,
            scenario: template.scenario.clone(),
            schema_id: template.schema_id.clone(),
            patch_id: None,
            client: None,
            change: SchemaChange::TemplatePublished,
            key_names: Vec::new(),
            principal: Some(publisher.to_owned()),
            reason: None,
        });
        Ok(template)
    }

    /// Takes observations in, in order, each once; the last of them, if there are any.
    pub(super) fn take_in(&mut self, rows: &[(u64, String)], changed: &mut Changed) -> Option<u64> {
        let last = rows.last().map(|(number, _)| *number)?;
        let fresh = rows.iter().filter(|(number, _)| *number > self.taken);
        // A row that cannot be read teaches nothing.
        let observed: Vec<Observed> = fresh.filter_map(|(_, row)| Observed::decode(row)).collect();
        observed.iter().for_each(|o| self.take(o, changed));
        self.taken = self.taken.max(last);
        Some(last)
    }

    fn take(&mut self, observed: &Observed, changed: &mut Changed) {
        if self.embedder.is_none() {
            return;
        }
        match &observed.lesson {
            Lesson::Delivered => self.delivered(observed, changed),
            Lesson::Wish(text) => {
                self.fragment(
                    &observed.scenario,
                    &observed.client,
                    text,
                    observed.at,
                    changed,
                );
            }
            Lesson::Payload {
                values,
                accepted,
                fragments,
                request,
            } => {
                let now = observed.at;
                self.acquaintances.met(&observed.client, *accepted, now);
                changed
                    .documents
                    .push(kept::acquaintances(&self.acquaintances));
                let seen = Observation {
                    client: Some(&observed.client),
                    payload: values,
                    accepted: *accepted,
                    now,
                };
                self.count(&observed.scenario, &seen, changed);
                if *accepted {
                    self.sample(observed, values, request, changed);
                }
                for fragment in fragments {
                    self.fragment(&observed.scenario, &observed.client, fragment, now, changed);
                }
            }
        }
    }

    /// A fragment, for everyone's pool and for the client's own.
    pub(super) fn fragment(
        &mut self,
        scenario: &str,
        client: &str,
        text: &str,
        now: Timestamp,
        changed: &mut Changed,
    ) {
        let Some(embedder) = self.embedder.clone() else {
            return;
        };
        let vector = embedder.embed(text);
        let mut cohorts = vec![None];
        if self.settings.parts.personal {
            cohorts.push(Some(client.to_owned()));
        }
        for cohort in cohorts {
            let cohort = (scenario.to_owned(), cohort);
            let sybil = &self.settings.gates.sybil;
            let source = self.acquaintances.source(Some(client), sybil, now);
            let fragment = Fragment {
                text,
                vector: &vector,
                source: &source,
            };
            let taken = self.with(&cohort, |evolution, means| {
                evolution.take(&fragment, means, now).unwrap_or_default()
            });
            if let Some(outcome) = taken {
                self.followed(&cohort, outcome, now, changed);
            }
        }
    }

    /// Lets time pass in every cohort.
    pub(super) fn tick(&mut self, now: Timestamp, changed: &mut Changed) {
        for cohort in self.cohorts.keys().cloned().collect::<Vec<_>>() {
            let outcome = self.with(&cohort, |evolution, means| evolution.tick(means, now));
            if let Some(outcome) = outcome {
                self.followed(&cohort, outcome, now, changed);
            }
        }
    }

    /// Decides and applies what people want of the patch's cohort; none if there is no such patch.
    pub(super) fn command(
        &mut self,
        patch_id: &str,
        command: &LineageCommand,
        now: Timestamp,
        changed: &mut Changed,
    ) -> Option<Result<(), LineageRefusal>> {
        let cohort = self.cohort_of(patch_id)?;
        let settings = self.settings.clone();
        let evolution = self.cohorts.get_mut(&cohort)?;
        let events = match evolution.command(command, &settings, now) {
            Ok(events) => events,
            Err(refusal) => return Some(Err(refusal)),
        };
        let outcome = EvolutionOutcome {
            events,
            ..EvolutionOutcome::default()
        };
        self.followed(&cohort, outcome, now, changed);
        Some(Ok(()))
    }

    /// Whether a patch is active.
    pub(super) fn is_active(&self, patch_id: &str) -> bool {
        let mut lineages = self.cohorts.values().map(Evolution::lineage);
        lineages.any(|lineage| lineage.patch_activity(patch_id) == Activity::Active)
    }

    /// The cohort in which a patch waits or is active.
    pub(super) fn cohort_of(&self, patch_id: &str) -> Option<Cohort> {
        let has = |evolution: &Evolution| {
            let lineage = evolution.lineage();
            lineage.pending().any(|p| p.patch.patch_id == patch_id)
                || lineage.patches().any(|p| p.patch_id == patch_id)
        };
        let found = self.cohorts.iter().find(|(_, evolution)| has(evolution));
        found.map(|(cohort, _)| cohort.clone())
    }

    /// Counts a judgement of a sample; false if there is no such sample.
    pub(super) fn judge(
        &mut self,
        sample_id: &str,
        matches: bool,
        now: Timestamp,
        changed: &mut Changed,
    ) -> bool {
        let Some(sample) = self.samples.remove(sample_id) else {
            return false;
        };
        for cohort in [None, Some(sample.client.clone())] {
            let cohort = (sample.scenario.clone(), cohort);
            if let Some(evolution) = self.cohorts.get_mut(&cohort) {
                evolution
                    .lineage_mut()
                    .judge(&sample.key_name, matches, now);
                changed
                    .documents
                    .push(kept::lineage(&cohort, evolution.lineage()));
            }
        }
        changed
            .documents
            .push(kept::samples(&self.samples, self.next_sample));
        true
    }

    /// A payload counts for everyone's keys and for the client's own.
    fn count(&mut self, scenario: &str, seen: &Observation<'_>, changed: &mut Changed) {
        for cohort in [None, seen.client.map(str::to_owned)] {
            let cohort = (scenario.to_owned(), cohort);
            let Some(evolution) = self.cohorts.get_mut(&cohort) else {
                continue;
            };
            if evolution.lineage().keys().len() > 0 {
                evolution.lineage_mut().observe(seen);
                changed
                    .documents
                    .push(kept::lineage(&cohort, evolution.lineage()));
            }
        }
    }

    /// A client was given the patches that there are.
    fn delivered(&mut self, observed: &Observed, changed: &mut Changed) {
        let settings = self.settings.clone();
        for cohort in [None, Some(observed.client.clone())] {
            let cohort = (observed.scenario.clone(), cohort);
            if let Some(evolution) = self.cohorts.get_mut(&cohort) {
                evolution
                    .lineage_mut()
                    .delivered(&observed.client, &settings);
                changed
                    .documents
                    .push(kept::lineage(&cohort, evolution.lineage()));
            }
        }
    }

    /// Keeps values of keys under evaluation, for people to judge.
    fn sample(
        &mut self,
        observed: &Observed,
        values: &serde_json::Map<String, Value>,
        request: &str,
        changed: &mut Changed,
    ) {
        let cohorts = [None, Some(observed.client.clone())];
        let lineages = cohorts
            .into_iter()
            .filter_map(|cohort| self.cohorts.get(&(observed.scenario.clone(), cohort)));
        let tracked = lineages.flat_map(|e| e.lineage().keys());
        let wanted: Vec<String> = tracked
            .map(|t| t.key.key_name.clone())
            .filter(|name| values.get(name).is_some_and(|v| !v.is_null()))
            .filter(|name| self.waiting(&observed.scenario, name) < SAMPLES_MAX)
            .collect();
        for key_name in &wanted {
            self.next_sample += 1;
            self.samples.insert(
                self.next_sample.to_string(),
                Sample {
                    scenario: observed.scenario.clone(),
                    client: observed.client.clone(),
                    value: values[key_name].clone(),
                    key_name: key_name.clone(),
                    request: request.to_owned(),
                },
            );
        }
        if !wanted.is_empty() {
            changed
                .documents
                .push(kept::samples(&self.samples, self.next_sample));
        }
    }

    fn waiting(&self, scenario: &str, key_name: &str) -> usize {
        let same = |s: &&Sample| s.scenario == scenario && s.key_name == key_name;
        self.samples.values().filter(same).count()
    }

    /// Works on a cohort, begun if it is new; none if its scenario is not served or nothing evolves.
    fn with<T>(
        &mut self,
        cohort: &Cohort,
        work: impl FnOnce(&mut Evolution, &EvolutionContext<'_>) -> T,
    ) -> Option<T> {
        let embedder = self.embedder.clone()?;
        let base = Template::clone(self.catalogue.newest(&cohort.0).ok()?);
        let everyones: Vec<Patch> = match &cohort.1 {
            None => Vec::new(),
            Some(_) => {
                let shared = self.cohorts.get(&(cohort.0.clone(), None));
                shared
                    .into_iter()
                    .flat_map(|e| e.lineage().patches().cloned())
                    .collect()
            }
        };
        if !self.cohorts.contains_key(cohort) {
            let begun = Evolution::new(base, cohort.1.clone(), &*embedder).ok()?;
            self.cohorts.insert(cohort.clone(), begun);
        }
        let evolution = self.cohorts.get_mut(cohort)?;
        let (clients, company, catalogue) = (&self.acquaintances, &self.company, &self.catalogue);
        let means = EvolutionContext {
            settings: &self.settings,
            embedder: &*embedder,
            screen: &|text| company.shown(text, clients),
            exposes: &|key| company.lets_do(&key.key_name, &cohort.0, catalogue),
            everyones: &everyones,
        };
        Some(work(evolution, &means))
    }

    /// What follows from what happened in a cohort: documents, happenings, a next version.
    fn followed(
        &mut self,
        cohort: &Cohort,
        outcome: EvolutionOutcome,
        now: Timestamp,
        changed: &mut Changed,
    ) {
        let Some(evolution) = self.cohorts.get(cohort) else {
            return;
        };
        changed
            .documents
            .extend(kept::evolution(cohort, evolution, &outcome));
        let base = evolution.lineage().base().clone();
        for event in &outcome.events {
            changed.happened(cohort, &base, event, now);
            if let LineageEvent::Published { base, .. } = event {
                self.next_version(base, now, changed);
            }
        }
    }

    /// Promoted keys make the next version; clients' own lineages stand on it from now on.
    fn next_version(&mut self, base: &Template, now: Timestamp, changed: &mut Changed) {
        if self
            .publish(base.clone(), "evolution", now, changed)
            .is_err()
        {
            return;
        }
        let (settings, scenario) = (self.settings.clone(), &base.scenario);
        let own = self.cohorts.iter_mut();
        for (cohort, evolution) in own.filter(|((s, client), _)| s == scenario && client.is_some())
        {
            let rebase = LineageCommand::Rebase { base: base.clone() };
            if evolution.command(&rebase, &settings, now).is_ok() {
                changed
                    .documents
                    .push(kept::lineage(cohort, evolution.lineage()));
            }
        }
    }
}
