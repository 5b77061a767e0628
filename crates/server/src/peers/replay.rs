//! The position in a peer's notifications from which the next session replays them.
//!
//! A replay begins with the instant of what was received last, so that of that instant some events
//! come again (RFC 5277 §2.1.1): these are told apart by their text. Read next: `connection`.

use domain::time::Timestamp;
use netconf::client::Notification;

/// The events received last: a replay begins with their instant.
#[derive(Default)]
pub(super) struct ReplayPosition {
    /// The instant; empty if nothing was received yet.
    time: String,
    events: Vec<String>,
    /// The events that the replay under way is expected to repeat.
    again: Vec<String>,
}

impl ReplayPosition {
    /// Begins a replay; returns its first instant, which is `start` if nothing was received yet.
    pub(super) fn begin(&mut self, start: Timestamp) -> String {
        self.again.clone_from(&self.events);
        match self.time.as_str() {
            "" => start.to_string(),
            time => time.to_owned(),
        }
    }

    /// False if the event is a replayed one that was received in the previous session.
    pub(super) fn is_new(&mut self, received: &Notification) -> bool {
        let Self {
            time,
            events,
            again,
        } = self;
        if *time != received.event_time {
            time.clone_from(&received.event_time);
            events.clear();
            again.clear();
        }
        let raw = received.raw();
        if let Some(place) = again.iter().position(|event| event == raw) {
            again.remove(place);
            return false;
        }
        events.push(raw.to_owned());
        true
    }
}
