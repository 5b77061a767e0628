//! Gap-free notifications: a subscription that resumes when the platform comes back.
//!
//! The position in the log is the time of the last notification with the number of notifications of
//! that time that were seen; a replay from there skips those (RFC 5277 §2.1.1). Refuses to know
//! their content. Read next: [`super`], and `mcp`, which waits for the end of tasks by it.

use crate::cli::{Common, Remote};
use crate::output::Failure;
use crate::remote::{AGENT, REGISTRY, connect, entries, get, pages, time, xml};
use domain::retry::{Backoff, Retry};
use domain::task::Status;
use domain::time::Timestamp;
use netconf::client::Notification;
use netconf::data::Node;
use netconf::names::namespace::{NETMOD_NOTIFICATION, NOTIFICATION};
use netconf::xml::XmlElement;
use server::client::Client;
use std::time::{Duration, SystemTime};

const NEGOTIATION: &str = "urn:convoke:params:xml:ns:yang:convoke-negotiation";

/// The pauses between attempts to reach the platform.
const BACKOFF: Backoff = Backoff {
    first_ms: 250,
    longest_ms: 10_000,
};

/// An item of a subscription.
pub(crate) enum Heard {
    /// A notification.
    Event(Notification),
    /// The session is lost.
    Lost(String),
    /// The session is re-established, from where the one before ended.
    Back,
    /// Notifications in between were lost, as they are no longer kept.
    Gap {
        /// The instant of the last that was seen.
        from: Timestamp,
        /// The instant of the first that is kept.
        to: Timestamp,
    },
}

/// A subscription.
pub(crate) struct Follower<'a> {
    common: &'a Common,
    remote: &'a Remote,
    filter: String,
    client: Option<Client>,
    place: Place,
    /// In a replay: the number of notifications at the position's instant to skip.
    skip: u64,
    /// The gap to report next.
    gap: Option<Heard>,
}

/// A position in the log.
#[derive(Clone, Copy)]
struct Place {
    at: Timestamp,
    /// The number of notifications of that instant that were seen.
    seen: u64,
}

impl<'a> Follower<'a> {
    /// Subscribes to the notifications that a filter selects ([`of_task`], [`of_events`]), from an
    /// instant on or from now.
    pub(crate) async fn start(
        common: &'a Common,
        remote: &'a Remote,
        filter: String,
        since: Option<Timestamp>,
    ) -> Result<Self, Failure> {
        let now = || {
            let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            Timestamp::from_ms(since_1970.map_or(0, |d| d.as_millis() as i64))
        };
        let mut follower = Self {
            common,
            remote,
            filter,
            client: None,
            place: Place {
                at: since.unwrap_or_else(now),
                seen: 0,
            },
            skip: 0,
            gap: None,
        };
        let mut client = connect(common, remote).await?;
        subscribe(&mut client, &follower.filter, since).await?;
        follower.client = Some(client);
        Ok(follower)
    }

    /// Every task that is open now.
    pub(super) async fn open_tasks(
        &mut self,
        take: impl FnMut(XmlElement<'_>),
    ) -> Result<(), Failure> {
        let Some(client) = &mut self.client else {
            return Ok(());
        };
        let open = Status::ALL.into_iter().filter(|s| !s.is_terminal());
        let asked: Vec<(&str, &str)> = open.map(|s| ("status", s.as_str())).collect();
        pages(client, "get-tasks", &asked, take).await
    }

    /// The next item.
    ///
    /// # Errors
    /// A failure if the platform is reachable but does not permit the subscription.
    pub(crate) async fn next(&mut self) -> Result<Heard, Failure> {
        if let Some(gap) = self.gap.take() {
            return Ok(gap);
        }
        loop {
            let Some(client) = &mut self.client else {
                self.return_to_it().await?;
                return Ok(Heard::Back);
            };
            let notification = match client.notification().await {
                Ok(notification) => notification,
                Err(error) => {
                    self.client = None;
                    return Ok(Heard::Lost(error.to_string()));
                }
            };
            let event = notification.content();
            let mark = event.is_none_or(|e| e.is(NETMOD_NOTIFICATION, "replayComplete"));
            if !mark && self.is_new(&notification) {
                return Ok(Heard::Event(notification));
            }
        }
    }

    /// True unless it was seen before; advances the position.
    fn is_new(&mut self, notification: &Notification) -> bool {
        let at = Timestamp::parse(&notification.event_time).unwrap_or(self.place.at);
        if at != self.place.at {
            self.place = Place { at, seen: 0 };
            self.skip = 0;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        self.place.seen += 1;
        true
    }

    /// Retries until there is a session again.
    async fn return_to_it(&mut self) -> Result<(), Failure> {
        let mut retry = Retry::new(BACKOFF);
        loop {
            let pause_ms = retry.next_pause_ms();
            tokio::time::sleep(Duration::from_millis(pause_ms.into())).await;
            match self.resume().await {
                Ok(()) => return Ok(()),
                Err(failure) if failure.is_unreachable() => {}
                Err(failure) => return Err(failure),
            }
        }
    }

    async fn resume(&mut self) -> Result<(), Failure> {
        let mut client = connect(self.common, self.remote).await?;
        if let Some(began) = log_began(&mut client).await?.filter(|b| *b > self.place.at) {
            self.gap = Some(Heard::Gap {
                from: self.place.at,
                to: began,
            });
        }
        let from = self.place.at;
        self.skip = self.place.seen;
        subscribe(&mut client, &self.filter, Some(from)).await?;
        self.client = Some(client);
        Ok(())
    }
}

async fn subscribe(
    client: &mut Client,
    filter: &str,
    start: Option<Timestamp>,
) -> Result<(), Failure> {
    let start = start.map_or_else(String::new, |at| format!("<startTime>{at}</startTime>"));
    let rpc = format!(
        "<create-subscription xmlns=\"{NOTIFICATION}\">{filter}{start}</create-subscription>"
    );
    client.call(&rpc).await?;
    Ok(())
}

/// A filter for all notifications, or for those about a task.
pub(crate) fn of_task(task: Option<&str>) -> String {
    let Some(task) = task else {
        return String::new();
    };
    let of = |namespace, name| Node::container(namespace, name).leaf("task-id", task);
    filter(&[
        of(AGENT, "condition-notifications"),
        of(NEGOTIATION, "negotiation-update"),
    ])
}

/// A filter for notifications with these names.
pub(crate) fn of_events(events: &[(&str, &str)]) -> String {
    let events = events.iter();
    let events = events.map(|(namespace, name)| Node::container(namespace, name));
    filter(&events.collect::<Vec<_>>())
}

fn filter(events: &[Node<'_>]) -> String {
    let events: String = events.iter().map(xml).collect();
    format!("<filter type=\"subtree\">{events}</filter>")
}

/// The instant of the oldest entry that the platform still keeps.
async fn log_began(client: &mut Client) -> Result<Option<Timestamp>, Failure> {
    let retention = Node::container("", "retention");
    let filter = Node::container(REGISTRY, "registry").with(retention);
    let document = get(client, &filter).await?;
    let began = entries(&document, "retention").next();
    let began = began.map(|retention| time(retention, "log-began"));
    Ok(began.filter(|at| *at > Timestamp::default()))
}
