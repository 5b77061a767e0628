//! Notifications without a gap: a subscription that goes on where it was when the platform comes
//! back.
//!
//! The place in the log is the time of the last notification and how many of that time were seen;
//! a replay from there passes over those (RFC 5277 §2.1.1). Refuses to know what they tell. Read
//! next: [`super`], and `mcp`, which waits for the end of tasks so.

use crate::cli::{Common, Remote};
use crate::output::Failure;
use crate::remote::{AGENT, REGISTRY, connect, entries, get, pages, time, xml};
use domain::task::Status;
use domain::time::Timestamp;
use netconf::client::Notification;
use netconf::data::Node;
use netconf::names::namespace::{NETMOD_NOTIFICATION, NOTIFICATION};
use netconf::xml::Element;
use server::client::Client;
use std::time::{Duration, SystemTime};

const NEGOTIATION: &str = "urn:convoke:params:xml:ns:yang:convoke-negotiation";

/// How long it waits before it tries again, at first and at most.
const PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What comes of following.
pub(crate) enum Heard {
    /// A notification.
    Event(Notification),
    /// The session is lost.
    Lost(String),
    /// There is a session again, from where the one before ended.
    Back,
    /// What happened in between is no longer kept.
    Gap {
        /// The last that was seen.
        from: Timestamp,
        /// The first that is kept.
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
    /// Of a replay: how many notifications of the time of the place were seen before.
    skip: u64,
    /// Told next.
    gap: Option<Heard>,
}

/// Up to where the log was seen.
#[derive(Clone, Copy)]
struct Place {
    at: Timestamp,
    /// How many of that very instant.
    seen: u64,
}

impl<'a> Follower<'a> {
    /// Subscribes to what a filter lets through ([`of_task`], [`of_events`]), from an instant on or
    /// from now.
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
        take: impl FnMut(Element<'_>),
    ) -> Result<(), Failure> {
        let Some(client) = &mut self.client else {
            return Ok(());
        };
        let open = Status::ALL.into_iter().filter(|s| !s.is_terminal());
        let asked: Vec<(&str, &str)> = open.map(|s| ("status", s.as_str())).collect();
        pages(client, "get-tasks", &asked, take).await
    }

    /// The next that is heard.
    ///
    /// # Errors
    /// A failure if the platform is there and does not let the user follow.
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

    /// True unless it was seen before; the place moves on.
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

    /// Tries until there is a session again.
    async fn return_to_it(&mut self) -> Result<(), Failure> {
        let mut pause = PAUSE;
        loop {
            tokio::time::sleep(pause).await;
            match self.resume().await {
                Ok(()) => return Ok(()),
                Err(failure) if failure.is_unreachable() => {}
                Err(failure) => return Err(failure),
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
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

/// A filter that lets everything through, or what concerns a task.
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

/// A filter that lets through what is called so.
pub(crate) fn of_events(events: &[(&str, &str)]) -> String {
    let events = events.iter();
    let events = events.map(|(namespace, name)| Node::container(namespace, name));
    filter(&events.collect::<Vec<_>>())
}

fn filter(events: &[Node<'_>]) -> String {
    let events: String = events.iter().map(xml).collect();
    format!("<filter type=\"subtree\">{events}</filter>")
}

/// When the first entry happened that the platform still keeps.
async fn log_began(client: &mut Client) -> Result<Option<Timestamp>, Failure> {
    let retention = Node::container("", "retention");
    let filter = Node::container(REGISTRY, "registry").with(retention);
    let document = get(client, &filter).await?;
    let began = entries(&document, "retention").next();
    let began = began.map(|retention| time(retention, "log-began"));
    Ok(began.filter(|at| *at > Timestamp::default()))
}
