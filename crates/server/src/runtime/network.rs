//! The network that hosted agents work on: the trait that a runtime needs.
//!
//! Simulated, real, or none at all, which is what `()` stands for. Read next: [`super::Runtime`].

use super::alias;
use crate::clock::Clock;
use crate::story::{Listener, StoryEntry, StoryEvent};
use domain::agent::Input;
use domain::notification::Notification;
use domain::telemetry::{Action, Outcome, Token};
use domain::time::Timestamp;
use engine::Engine;
use std::collections::BTreeMap;

/// The surroundings of a network, which it may use during a call.
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

    /// Reports an event to the listener.
    pub fn tell(&mut self, happened: StoryEvent) {
        let at = self.now();
        (self.listener)(&StoryEntry { at, happened });
    }

    /// Delivers an input to a hosted agent, now.
    pub fn deliver(&self, agent: &str, input: Input) {
        self.engine.deliver(agent, input, self.now());
    }
}

/// A network that sends telemetry to hosted agents and takes their actions.
pub trait Network: Send {
    /// An event in it, before it is reported.
    type Event;

    /// True if there is a network to be managed: its management systems are served then.
    fn is_managed(&self) -> bool;

    /// True if faults can be injected into it: [`Self::serve`] carries out requests for them then.
    fn takes_faults(&self) -> bool {
        false
    }

    /// True if somebody knows the truth about it: [`Self::serve`] answers questions about that then.
    fn has_referee(&self) -> bool {
        false
    }

    /// Completes when there is something to advance to at once; never, if all of its events are
    /// known by [`Self::next_event_at`]. May be dropped before.
    fn stirred(&mut self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }

    /// The time of the next spontaneous event.
    fn next_event_at(&self) -> Option<Timestamp>;

    /// Advances to `now`; returns the events, in order.
    fn advance(&mut self, now: Timestamp) -> Vec<Self::Event>;

    /// Reports one event to the agents and management systems concerned.
    fn deliver(&mut self, event: Self::Event, around: &mut Around<'_>);

    /// Carries out the pending requests of operators and management systems in the engine.
    fn serve(&mut self, around: &mut Around<'_>);

    /// Begins an action of a hosted agent; its outcome is delivered under the token, at once or later.
    fn act(&mut self, agent: &str, token: Token, action: Action, around: &mut Around<'_>);

    /// Notes that an agent was notified of a task.
    fn notified(&mut self, _: &Notification) {}

    /// Answers requests that have waited too long by `now`.
    fn expire(&mut self, now: Timestamp);

    /// Notes that all consequences of this instant are handled.
    fn settled(&mut self, _: Timestamp) {}

    /// Drops records that only the referee of a story needs, as this may run for months.
    fn forget(&mut self) {}
}

/// No network: it has no events, and takes no actions.
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
