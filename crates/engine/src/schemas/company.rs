//! Who is around: whom descriptions must not name, and what is done here already (draft-zhou §7).
//!
//! Read next: [`super::evolving`].

use schema::catalogue::{Catalogue, canonical_scenario};
use schema::evolution::KnownClients;
use schema::other;
use std::collections::BTreeSet;

/// Characters of a fragment that a description may show.
const SHOWN_MAX: usize = 80;

/// Who is around: what is public of the platform, and so neither secret nor new.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Company {
    /// The names of the agents, which everybody may read in the registry.
    agents: BTreeSet<String>,
    /// What the agents do: the names of their skills, as keys would be called.
    skills: BTreeSet<String>,
}

impl Company {
    /// Agents and their skills, by name.
    pub(super) fn new<'a>(
        agents: impl Iterator<Item = &'a str>,
        skills: impl Iterator<Item = &'a str>,
    ) -> Self {
        Self {
            agents: agents.map(str::to_owned).collect(),
            skills: skills.map(canonical_scenario).collect(),
        }
    }

    /// Whether a key is called like something else that is done here: serving it in this scenario
    /// would let its clients ask for that by this road.
    pub(super) fn lets_do(&self, key_name: &str, scenario: &str, catalogue: &Catalogue) -> bool {
        let words: BTreeSet<&str> = key_name.split('_').collect();
        let named = |name: &str| name.split('_').all(|word| words.contains(word));
        let mut others = catalogue
            .served()
            .map(|template| template.scenario.as_str());
        others.any(|other| other != scenario && named(other))
            || self
                .skills
                .iter()
                .any(|skill| skill != scenario && named(skill))
    }

    /// What of a fragment a description may show: nothing that says whose it is.
    pub(super) fn shown(&self, text: &str, clients: &KnownClients) -> Option<String> {
        let lower = text.to_lowercase();
        let names = clients.names().filter(|name| !self.agents.contains(*name));
        let names: Vec<&str> = names
            .filter(|name| lower.contains(&name.to_lowercase()))
            .collect();
        other::Fragment::new(text)?.screened(SHOWN_MAX, &names)
    }
}
