//! The network that hosted agents work on: what a runtime asks of it.
//!
//! Simulated, real, or none at all, which is what `()` stands for. Read next: [`super::Runtime`].

use super::alias;
use crate::clock::Clock;
use crate::story::{Happened, Listener, Told};
use domain::agent::Input;
use domain::notification::Notification;
use domain::telemetry::{Action, Outcome, Token};
use domain::time::Timestamp;
use engine::Engine;
use std::collections::BTreeMap;

/// Everything around a network that it may use while it is asked something.
pub struct Around<'a> {
    pub(super) engine: &'a Engine,
    pub(super) clock: &'a Clock,
    pub(super) aliases: &'a BTreeMap<String, String>,
    pub(super) listener: &'a mut Listener,
}

impl Around<'_> {
    /// The engine of the platform.
    pub fn engine(&self) -> &Engine {
        self.engine
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The short name of an agent, or its name where it has none.
    pub fn alias(&self, name: &str) -> String {
        alias(self.aliases, name)
    }

    /// Tells whoever listens.
    pub fn tell(&mut self, happened: Happened) {
        let at = self.now();
        (self.listener)(&Told { at, happened });
    }

    /// Gives a hosted agent something to step on, now.
    pub fn deliver(&self, agent: &str, input: Input) {
        self.engine.deliver(agent, input, self.now());
    }
}

/// A network that hosted agents hear of and act on.
pub trait Network: Send {
    /// Something that happens in it, before anybody has heard of it.
    type Event;

    /// True if there is one to be managed: its faults and management systems are served then.
    fn is_managed(&self) -> bool;

    /// When something happens in it by itself next.
    fn next_event_at(&self) -> Option<Timestamp>;

    /// Everything that happens up to `now`, in its order.
    fn advance(&mut self, now: Timestamp) -> Vec<Self::Event>;

    /// Tells one event to the agents and management systems that are to hear of it.
    fn deliver(&mut self, event: Self::Event, around: &mut Around<'_>);

    /// Does what people and management systems want of it, as the engine has it noted.
    fn serve(&mut self, around: &mut Around<'_>);

    /// Begins an action of a hosted agent; its outcome is delivered under the token, at once or later.
    fn act(&mut self, agent: &str, token: Token, action: Action, around: &mut Around<'_>);

    /// Hears that an agent was told of a task.
    fn notified(&mut self, _: &Notification) {}

    /// Answers those who have waited too long by `now`.
    fn expire(&mut self, now: Timestamp);

    /// Hears that all that follows from this instant is done.
    fn settled(&mut self, _: Timestamp) {}

    /// Forgets what only the referee of a story would want to know: this may go on for months.
    fn forget(&mut self) {}
}

/// No network: nothing happens in it, and nothing can be done to it.
impl Network for () {
    type Event = ();

    fn is_managed(&self) -> bool {
        false
    }

    fn next_event_at(&self) -> Option<Timestamp> {
        None
    }

    fn advance(&mut self, _: Timestamp) -> Vec<()> {
        Vec::new()
    }

    fn deliver(&mut self, (): (), _: &mut Around<'_>) {}

    fn serve(&mut self, _: &mut Around<'_>) {}

    fn act(&mut self, agent: &str, token: Token, _: Action, around: &mut Around<'_>) {
        let outcome = Outcome::Impossible("there is no network".to_owned());
        around.deliver(agent, Input::Acted { token, outcome });
    }

    fn expire(&mut self, _: Timestamp) {}
}
