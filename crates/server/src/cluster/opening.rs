//! How a session is introduced to the node that leads, and how it is saved on the channel.
//!
//! The forms only, which nodes of two versions may exchange. Read next: [`super::record`], which carries
//! them.

use super::record::Quiet;
use bindings::netconf::{SavedSession, SavedSubscription, SessionMark};
use domain::ems::Ems;
use domain::time::Timestamp;
use engine::Endpoint;
use netconf::framing::Framing;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Whose session it is, and what it is to go on as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Opening {
    /// The user.
    pub(super) user: String,
    /// The key that the user has shown, as OpenSSH writes it.
    pub(super) key: String,
    /// Where the client is connected from.
    pub(super) source: SocketAddr,
    /// Where it is connected to: `platform`, `agent NAME` or `ems NAME`.
    pub(super) endpoint: String,
    /// A random number for its connection.
    pub(super) connection: u64,
    /// How many bytes of the client came before those to come: they are answered.
    pub(super) answered: u64,
    /// What it is to go on as; none if it begins.
    pub(super) saved: Option<SavedForm>,
    /// How many of the bytes to come another leader was sent.
    pub(super) doubtful: u64,
    /// How many times it was introduced by now, to whomever.
    #[serde(default)]
    pub(super) attempt: u64,
}

/// A session that ended while nobody had it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SessionEnd {
    /// Its number.
    pub(super) id: u32,
    /// The user.
    pub(super) user: String,
    /// Where its client was connected from.
    pub(super) source: IpAddr,
}

/// A saved session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedForm {
    pub(super) id: u32,
    begun_ms: i64,
    framing: Option<FramingForm>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    locked: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subscription: Option<SubscriptionForm>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FramingForm {
    EndOfMessage,
    Chunked,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SubscriptionForm {
    /// None if it is the same as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    cursor: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replay_until: Option<u64>,
}

impl SavedForm {
    /// True if the log knows that it began.
    pub(super) fn is_in_log(&self) -> bool {
        self.framing.is_some()
    }

    /// The form of a session; with the request of its subscription unless `told` is that.
    fn of(saved: &SavedSession, told: Option<&Arc<str>>) -> Self {
        let untold = |request: &Arc<str>| (told != Some(request)).then(|| request.to_string());
        Self {
            id: saved.id,
            begun_ms: saved.begun.as_ms(),
            framing: saved.framing.map(|framing| match framing {
                Framing::EndOfMessage => FramingForm::EndOfMessage,
                Framing::Chunked => FramingForm::Chunked,
            }),
            locked: saved.locked,
            subscription: saved.subscription.as_ref().map(|it| SubscriptionForm {
                request: untold(&it.request),
                cursor: it.cursor,
                replay_until: it.replay_until,
            }),
        }
    }

    /// The session; none if the request of its subscription is lacking.
    pub(super) fn read(self) -> Option<SavedSession> {
        let subscription = match self.subscription {
            None => None,
            Some(it) => Some(SavedSubscription {
                request: it.request?.into(),
                cursor: it.cursor,
                replay_until: it.replay_until,
            }),
        };
        Some(SavedSession {
            id: self.id,
            begun: Timestamp::from_ms(self.begun_ms),
            framing: self.framing.map(|framing| match framing {
                FramingForm::EndOfMessage => Framing::EndOfMessage,
                FramingForm::Chunked => Framing::Chunked,
            }),
            locked: self.locked,
            subscription,
        })
    }
}

/// Leaves the request of a subscription out where it is the one told last.
#[derive(Debug, Default)]
pub(super) struct Marks {
    told: Option<Arc<str>>,
}

impl Marks {
    /// The form of a mark.
    pub(super) fn write(&mut self, mark: &SessionMark) -> Quiet<SavedForm> {
        let saved = mark.saved.as_ref();
        let form = saved.map(|it| SavedForm::of(it, self.told.as_ref()));
        let subscription = saved.and_then(|it| it.subscription.as_ref());
        self.told = subscription.map(|it| Arc::clone(&it.request));
        Quiet {
            answered: mark.answered,
            saved: form,
        }
    }

    /// Completes a form that was received.
    pub(super) fn read(&mut self, quiet: &mut Quiet<SavedForm>) {
        let subscription = quiet.saved.as_mut().and_then(|it| it.subscription.as_mut());
        match subscription.map(|it| &mut it.request) {
            Some(request @ None) => *request = self.told.as_deref().map(str::to_owned),
            request => self.told = request.and_then(|it| it.as_deref()).map(Arc::from),
        }
    }
}

/// An endpoint as it is written.
pub(super) fn endpoint_text(endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Platform => "platform".to_owned(),
        Endpoint::Agent(name) => format!("agent {name}"),
        Endpoint::Ems(ems) => format!("ems {}", ems.as_str()),
    }
}

/// The endpoint that is written; none if there is none.
pub(super) fn endpoint_of(text: &str) -> Option<Endpoint> {
    match text.split_once(' ') {
        None => (text == "platform").then_some(Endpoint::Platform),
        Some(("agent", name)) => Some(Endpoint::Agent(name.to_owned())),
        Some(("ems", name)) => Ems::parse(name).map(Endpoint::Ems),
        Some(_) => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn mark(request: Option<&str>, cursor: u64) -> SessionMark {
        SessionMark {
            answered: 7,
            saved: Some(SavedSession {
                id: 1 << 20,
                begun: Timestamp::from_ms(5),
                framing: Some(Framing::Chunked),
                locked: cursor == 2,
                subscription: request.map(|request| SavedSubscription {
                    request: request.into(),
                    cursor,
                    replay_until: Some(cursor + 1),
                }),
            }),
        }
    }

    #[test]
    fn a_request_is_told_once_and_known_always() {
        let (mut near, mut far) = (Marks::default(), Marks::default());
        let told = [
            (mark(None, 0), false),
            (mark(Some("<a/>"), 1), true),
            (mark(Some("<a/>"), 2), false),
            (mark(Some("<b/>"), 3), true),
            (mark(None, 4), false),
            (mark(Some("<b/>"), 5), true),
        ];
        for (mark, says_request) in told {
            let text = serde_json::to_string(&near.write(&mark)).unwrap();
            assert_eq!(text.contains("/>"), says_request, "{text}");
            let mut read: Quiet<SavedForm> = serde_json::from_str(&text).unwrap();
            far.read(&mut read);
            assert_eq!(read.answered, 7);
            assert_eq!(read.saved.unwrap().read(), mark.saved);
        }
    }

    #[test]
    fn endpoints_are_read_as_they_are_written() {
        let ems = Ems::parse("wireless").map(Endpoint::Ems).unwrap();
        for endpoint in [Endpoint::Platform, Endpoint::Agent("a b".to_owned()), ems] {
            assert_eq!(endpoint_of(&endpoint_text(&endpoint)), Some(endpoint));
        }
        for other in ["", "platform ", "agents x", "ems nothing"] {
            assert_eq!(endpoint_of(other), None);
        }
    }
}
