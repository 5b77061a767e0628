//! What somebody else's network tells once: kept until whoever it is for has heard it.
//!
//! Whoever listens to the network keeps notes of how far it has heard, in words of its own, and brings
//! what it hears together with the note that says so: both are one commit. Agents in here hear it once that is on
//! disk. What a customer said is on record with it until the agent has stepped on it, and all that it sent then was
//! answered ([`crate::hosting::question`]), so it outlives a death in between; of anything else that the network tells once
//! there is the note alone. Read next: [`crate::hosting::redelivery`].

use crate::Engine;
use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::question::Question;
use crate::tasks::loaded::Name;
use domain::agent::Input;
use domain::telemetry::{CustomerWord, Telemetry};
use domain::time::Timestamp;
use std::collections::BTreeMap;
use store::{Document, ReadError};

/// The kind of the rows.
const ROWS: &str = "network";

/// What is noted of a network under a name; none to strike it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkNote {
    /// The name.
    pub name: String,
    /// What is noted.
    pub text: Option<String>,
}

/// What one agent is told.
#[derive(Clone, Debug)]
pub struct ToldOnce {
    /// Whom.
    pub agent: String,
    /// What.
    pub telemetry: Telemetry,
    /// By which it is known from all else that this agent is told.
    pub key: String,
}

impl Engine {
    /// What is noted of the network, by name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn network_notes(&self) -> Result<BTreeMap<String, String>, ReadError> {
        let rows = self.store.documents(ROWS)?.into_iter();
        Ok(rows.filter_map(|row| Some((row.name, row.body?))).collect())
    }

    /// Takes notes of the network down, and tells agents with the same commit. Unknown agents are ignored.
    pub fn told(&self, notes: Vec<NetworkNote>, told: Vec<ToldOnce>, now: Timestamp) {
        self.hosting.agents.note_time(now);
        self.recover_first();
        let mut elsewhere = Vec::new();
        let mut unit = UnitOfWork::default();
        {
            let _work = self.lock_with(&[Name::Places]);
            for NetworkNote { name, text } in notes {
                unit.documents.push(Document {
                    kind: ROWS.into(),
                    name,
                    body: text,
                });
            }
            for told in told {
                match self.hosted(&told.agent) {
                    Some(index) => self.tell_in_here(index, told, &mut unit),
                    None => elsewhere.push(told),
                }
            }
            drop(self.commit(unit));
        }
        for ToldOnce {
            agent, telemetry, ..
        } in elsewhere
        {
            self.deliver(&agent, Input::Telemetry(telemetry), now);
        }
        self.step_in_turn(now);
    }

    fn tell_in_here(&self, index: usize, told: ToldOnce, unit: &mut UnitOfWork) {
        let ToldOnce {
            agent,
            telemetry,
            key,
        } = told;
        // It hears nothing any more, and is told of nothing when the platform starts anew.
        if self.hosting.agents.lock(index).is_left_alone() {
            return;
        }
        let word = CustomerWord::of(&telemetry);
        let word = word.map(|word| Question::word(format!("{key} {agent}"), &agent, word));
        unit.documents.extend(word.as_ref().map(Question::row));
        self.post(index, Input::Telemetry(telemetry), word, unit);
    }

    /// What made room for newer is on record no more.
    pub(crate) fn forget(&self, forgotten: Vec<Question>) {
        if forgotten.is_empty() {
            return;
        }
        let mut unit = UnitOfWork::default();
        let struck = forgotten.iter().map(|it| Question::answered(&it.key));
        unit.documents.extend(struck);
        drop(self.commit(unit));
    }
}
