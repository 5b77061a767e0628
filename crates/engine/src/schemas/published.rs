//! What is published, as requests see it: templates with their patches, ready to check payloads.
//!
//! Made anew whenever something changed, and never changed itself, so that a request works with one
//! picture from beginning to end. Read next: [`super::evolving`], which makes it.

use crate::Refusal;
use crate::refusal::InvalidInput;
use crate::schemas::operation::SchemaRecord;
use domain::content::Payload;
use domain::negotiation::Side;
use domain::time::Timestamp;
use schema::canonical;
use schema::catalogue::{Catalogue, UnknownSchema};
use schema::contract::{Contract, Tolerated, Unknown};
use schema::evolution::{EvolutionSettings, Lineage, effective};
use schema::lint::TemplateOrigin;
use schema::patch::Patch;
use schema::read;
use schema::template::{SCHEMA_UPDATE_SUGGESTION, Template};
use schema::write;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Who published a template, and when.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Imprint {
    pub(super) publisher: String,
    pub(super) published: Timestamp,
    /// All of it, in every language: what is sealed.
    pub(super) authored: Value,
    pub(super) hash: String,
}

impl Imprint {
    pub(super) fn of(template: &Template, publisher: &str, published: Timestamp) -> Self {
        let authored = write::authored(template);
        let hash = canonical::hash(&authored);
        Self {
            publisher: publisher.to_owned(),
            published,
            hash: canonical::hex(&hash),
            authored,
        }
    }
}

/// A template as it is served: with the patches of everyone, or of one client as well.
#[derive(Clone, Debug)]
pub(super) struct Served {
    pub(super) template: Arc<Template>,
    pub(super) contract: Arc<Contract>,
}

/// One picture of what is published.
#[derive(Debug)]
pub(crate) struct Published {
    catalogue: Catalogue,
    imprints: BTreeMap<String, Imprint>,
    everyones: BTreeMap<String, Served>,
    /// By schema and client.
    own: BTreeMap<(String, String), Served>,
    /// Scenarios with keys under evaluation: each of their payloads counts (§6.2.3).
    watched: BTreeSet<String>,
    /// Patches that clients may use: everyone's by scenario, then those of one client.
    patches: BTreeMap<(String, Option<String>), Vec<Patch>>,
    /// What the tree `/schemas` tells of templates, once somebody has asked.
    pub(super) told: OnceLock<Arc<[SchemaRecord]>>,
}

/// A payload that keeps to its schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checked {
    /// Its scenario.
    pub(crate) scenario: String,
    /// In its canonical form.
    pub(crate) payload: Payload,
    /// The fragments of `other` that say something, normalised and untrusted.
    pub(crate) fragments: Vec<String>,
    /// What was taken, but should be mended.
    pub(crate) warnings: Vec<String>,
    /// Whether it counts for keys under evaluation.
    pub(crate) watched: bool,
}

impl Published {
    pub(super) fn new(
        catalogue: Catalogue,
        imprints: BTreeMap<String, Imprint>,
        lineages: &[&Lineage],
        settings: &EvolutionSettings,
        now: Timestamp,
    ) -> Self {
        let mut published = Self {
            everyones: BTreeMap::new(),
            own: BTreeMap::new(),
            watched: BTreeSet::new(),
            patches: BTreeMap::new(),
            told: OnceLock::new(),
            imprints,
            catalogue,
        };
        let everyone = lineages.iter().filter(|l| l.cohort().is_none());
        let everyone: BTreeMap<&str, &Lineage> =
            everyone.map(|l| (l.base().scenario.as_str(), *l)).collect();
        let templates: Vec<Arc<Template>> = published.catalogue.served().cloned().collect();
        for template in templates {
            let lineage = everyone.get(template.scenario.as_str()).copied();
            published.serve(&template, lineage, settings, now);
        }
        // Of a scenario that is not offered any more nothing is told.
        for lineage in lineages {
            if published
                .catalogue
                .template(&lineage.base().schema_id)
                .is_err()
            {
                continue;
            }
            published.watch(
                lineage,
                everyone.get(lineage.base().scenario.as_str()).copied(),
                settings,
                now,
            );
        }
        published
    }

    /// A template as everyone sees it.
    fn serve(
        &mut self,
        template: &Arc<Template>,
        lineage: Option<&Lineage>,
        settings: &EvolutionSettings,
        now: Timestamp,
    ) {
        let patched = match lineage.filter(|l| l.base().schema_id == template.schema_id) {
            Some(lineage) => Arc::new(lineage.current()),
            None => Arc::clone(template),
        };
        let tolerated = lineage.map_or_else(Vec::new, |l| l.tolerated(&patched, settings, now));
        self.everyones
            .insert(template.schema_id.clone(), served(patched, &tolerated));
    }

    /// What a lineage adds: patches to tell of, keys to count, and a client's own view.
    fn watch(
        &mut self,
        lineage: &Lineage,
        everyones: Option<&Lineage>,
        settings: &EvolutionSettings,
        now: Timestamp,
    ) {
        let base = lineage.base();
        let cohort = lineage.cohort().map(str::to_owned);
        if lineage.keys().len() > 0 {
            self.watched.insert(base.scenario.clone());
        }
        let patches: Vec<Patch> = lineage.patches().cloned().collect();
        if let (Some(client), false) = (&cohort, lineage.keys().len() == 0) {
            let shared = everyones.map_or_else(|| base.clone(), Lineage::current);
            let own = Arc::new(effective(&shared, &patches));
            let mut tolerated = lineage.tolerated(&own, settings, now);
            tolerated.extend(everyones.map_or_else(Vec::new, |l| l.tolerated(&own, settings, now)));
            let key = (base.schema_id.clone(), client.clone());
            self.own.insert(key, served(own, &tolerated));
        }
        self.patches
            .insert((base.scenario.clone(), cohort), patches);
    }

    pub(super) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The templates as everyone sees them, those of results included.
    pub(super) fn templates(&self) -> impl Iterator<Item = &Template> {
        self.everyones.values().map(|served| &*served.template)
    }

    pub(super) fn imprint(&self, schema_id: &str) -> Option<&Imprint> {
        self.imprints.get(schema_id)
    }

    /// A template as a client sees it.
    pub(super) fn of(&self, schema_id: &str, client: &str) -> Result<&Served, UnknownSchema> {
        let own = self.own.get(&(schema_id.to_owned(), client.to_owned()));
        match own.or_else(|| self.everyones.get(schema_id)) {
            Some(served) => Ok(served),
            None => Err(self
                .catalogue
                .template(schema_id)
                .err()
                .unwrap_or(UnknownSchema {
                    schema_id: schema_id.to_owned(),
                    current: None,
                })),
        }
    }

    /// The patches of a scenario that a client may use: everyone's, then its own.
    pub(super) fn patches(&self, scenario: &str, client: &str) -> impl Iterator<Item = &Patch> {
        let of = |cohort: Option<String>| {
            let found = self.patches.get(&(scenario.to_owned(), cohort));
            found.into_iter().flatten()
        };
        of(None).chain(of(Some(client.to_owned())))
    }

    /// Whether payloads of a scenario count.
    pub(super) fn watches(&self, scenario: &str) -> bool {
        self.watched.contains(scenario)
    }

    /// The templates that take no payloads any more.
    pub(super) fn retired(&self) -> impl Iterator<Item = Template> {
        let gone = |id: &&String| self.catalogue.template(id).is_err();
        let imprints = self.imprints.iter().filter(move |(id, _)| gone(id));
        let read =
            imprints.map(|(_, imprint)| read::template(&imprint.authored, TemplateOrigin::Own));
        // Each was read when it was published.
        read.filter_map(|reading| Some(reading.ok()?.template))
    }

    /// Whether a patch called so is in use.
    pub(super) fn has_patch(&self, patch_id: &str) -> bool {
        let mut patches = self.patches.values().flatten();
        patches.any(|patch| patch.patch_id == patch_id)
    }

    /// Whether payloads under a template are results.
    pub(super) fn is_of_results(&self, schema_id: &str) -> bool {
        let mut served = self.catalogue.served();
        served.any(|t| t.response_schema_id.as_deref() == Some(schema_id))
    }

    /// Checks a payload that a client sent from one side of a task. What an executor says may
    /// always have a suggestion for the schema beside its keys.
    ///
    /// # Errors
    /// [`NotFound`](crate::refusal::NotFound) of the schema, and [`InvalidInput::Payload`] with everything
    /// that is wrong.
    pub(crate) fn check(
        &self,
        client: &str,
        payload: &Payload,
        unknown: Unknown,
        of: Side,
    ) -> Result<Checked, Refusal> {
        let served = self.of(&payload.schema_id, client)?;
        let scenario = served.template.scenario.clone();
        let mut values = payload.values.clone();
        let suggested = match of {
            Side::Executor => values.remove(SCHEMA_UPDATE_SUGGESTION),
            Side::Publisher => None,
        };
        let accepted = served.contract.accept(values, unknown);
        let mut accepted = accepted.map_err(|violations| InvalidInput::Payload {
            schema_id: payload.schema_id.clone(),
            alternative: None,
            violations,
        })?;
        let fragments = accepted.meaningful().into_iter();
        let fragments = fragments.map(|f| f.untrusted().to_owned()).collect();
        let mut warnings: Vec<String> = accepted.warnings.iter().map(ToString::to_string).collect();
        match suggested.map(readable) {
            Some(Ok(suggestion)) => {
                let name = SCHEMA_UPDATE_SUGGESTION.to_owned();
                accepted.values.insert(name, suggestion);
            }
            Some(Err(why)) => warnings.push(why),
            None => {}
        }
        Ok(Checked {
            fragments,
            warnings,
            watched: self.watches(&scenario),
            payload: Payload {
                schema_id: payload.schema_id.clone(),
                values: accepted.values,
            },
            scenario,
        })
    }
}

/// A suggestion as it came, if it is one: a patch, or the short form of Figure 9.
fn readable(suggestion: Value) -> Result<Value, String> {
    match read::suggestion(&suggestion, TemplateOrigin::Peer) {
        Ok(_) => Ok(suggestion),
        Err(_) => Err(format!(
            "/{SCHEMA_UPDATE_SUGGESTION}: this is no suggestion; it was dropped"
        )),
    }
}

/// A template compiled; what is published was compiled when it was published.
fn served(template: Arc<Template>, tolerated: &[Tolerated]) -> Served {
    let contract = Contract::new(&template).and_then(|c| c.tolerating(tolerated));
    Served {
        contract: Arc::new(contract.expect("lint let none through that does not compile")),
        template,
    }
}
