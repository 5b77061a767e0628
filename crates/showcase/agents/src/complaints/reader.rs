//! Reading a complaint: from words in English or Chinese to what they say.
//!
//! [`ComplaintReader`] is the place where somebody else's understanding may be put; [`PlainReader`] works by
//! word lists, the towns of the inventory and the calendar alone, forgives typing errors, and says
//! nothing of what the words do not say. Times are taken as UTC. Refuses to know what is behind a
//! complaint. Read next: [`matter`], [`place`], [`when`] and
//! `stated_time`, a time as it was said.

mod chinese_time;
mod english_time;
pub mod matter;
mod place;
mod stated_time;
mod tokens;
pub mod when;

use domain::inventory::Inventory;
use domain::time::Timestamp;
use matter::{OtherMatter, ReadSymptom};
use schema::semantics::ParseFailure;
use schema::steps::{Effort, GivenUp, ReadingBudget};
use when::TimeSpan;

/// The content of a complaint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComplaintReading {
    /// The symptom; none if it is not said, or not about the network.
    pub symptom: Option<ReadSymptom>,
    /// The subject instead of the network.
    pub outside: Option<OtherMatter>,
    /// The town where it happened, as the inventory calls it.
    pub place: Option<String>,
    /// The town to which the vehicle had moved from elsewhere when it happened.
    pub moved_to: Option<String>,
    /// The time at which it happened.
    pub when: Option<TimeSpan>,
    /// The vehicle identification number.
    pub vehicle: Option<String>,
}

impl ComplaintReading {
    /// This, and what `later` says besides: an answer to a question adds, and corrects.
    pub fn completed_by(self, later: ComplaintReading) -> ComplaintReading {
        ComplaintReading {
            // An answer that says nothing of symptoms may well use such words.
            symptom: self.symptom.or(later.symptom),
            outside: self.outside.or(later.outside),
            place: later.place.or(self.place),
            moved_to: later.moved_to.or(self.moved_to),
            when: later.when.or(self.when),
            vehicle: later.vehicle.or(self.vehicle),
        }
    }
}

/// Somebody who reads complaints.
pub trait ComplaintReader: Send {
    /// Reads a text that was written at an instant, in the network of this inventory.
    ///
    /// # Errors
    /// [`ParseFailure`] if the text is more work than is done for one, or the reader cannot work.
    fn read(
        &self,
        inventory: &Inventory,
        text: &str,
        written: Timestamp,
    ) -> Result<ComplaintReading, ParseFailure>;
}

/// The reader without a model.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainReader;

impl PlainReader {
    /// The same as part of some work: it takes as many steps as the text is long, times a constant of the
    /// word lists and the inventory.
    ///
    /// # Errors
    /// [`GivenUp`]: it is more work than it may be.
    pub fn read_within(
        &self,
        inventory: &Inventory,
        text: &str,
        written: Timestamp,
        work: &ReadingBudget<'_>,
    ) -> Result<ComplaintReading, GivenUp> {
        work.take(text.len());
        work.may_go_on()?;
        let (vehicle, rest) = tokens::vehicle(text, work);
        let places = place::read(inventory, &rest, work)?;
        let outside = matter::outside(&rest, work)?;
        let symptom = matter::symptom(&rest, work)?;
        let when = when::read(&rest, written, work);
        work.may_go_on()?;
        Ok(ComplaintReading {
            symptom: symptom.filter(|_| outside.is_none()),
            outside,
            place: places.happened,
            moved_to: places.moved_to,
            when,
            vehicle,
        })
    }
}

impl ComplaintReader for PlainReader {
    /// # Errors
    /// [`FailureKind::TooMuch`](schema::semantics::FailureKind::TooMuch) beyond
    /// [`STEPS_MOST`](schema::steps::STEPS_MOST).
    fn read(
        &self,
        inventory: &Inventory,
        text: &str,
        written: Timestamp,
    ) -> Result<ComplaintReading, ParseFailure> {
        // Whoever hosts an agent waits for each of its steps: the limit alone ends a reading.
        let work = ReadingBudget::within(Effort::until(&|| false));
        let read = self.read_within(inventory, text, written, &work);
        read.map_err(|why| ParseFailure::given_up(why, "complaints"))
    }
}

/// True if a text is written in Chinese.
pub fn is_chinese(text: &str) -> bool {
    text.chars().any(language::script::is_cjk)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod linear;
#[cfg(test)]
pub(crate) mod tests;
