//! A subscription under way (RFC 5277): what it has to send, and what waits for it.
//!
//! Replay and live delivery are one loop: a cursor in the stream of the endpoint, which is the log or
//! what a management system tells. What the principal may not receive, and what the filter does not
//! select, is passed over. Nothing is queued for a subscriber; what waits for it is counted in the
//! stream when somebody asks ([`Backlog`]). Whether an XPath that is more than a path selects an event
//! is found out beside the session, a group of events at a time. Read next: [`super::event`], which
//! writes the messages.

use super::platform::Platform;
use super::request_context::RequestContext;
use super::session_schema::SessionSchema;
use super::subscribers::{Listed, Subscribing};
use super::{event, search};
use crate::background::{Abandoned, Later, later};
use ::netconf::filter::Selection;
use ::netconf::xpath::{EvaluationError, Expression};
use domain::access::Principal;
use domain::event::{LogEvent, Sequence};
use domain::time::Timestamp;
use engine::{Endpoint, Event, Refusal, Stream, StreamError};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tokio::sync::watch;

/// How many events are read from the stream at a time.
const ENTRIES: usize = 64;

/// How many of these groups one look at the backlog takes up: a filter may be dear to evaluate.
const GROUPS_A_LOOK: usize = 64;

/// How many groups one step takes up: between two steps others have their turn.
const GROUPS_A_STEP: usize = 16;

/// When a search is tried again for which there was no room, in milliseconds.
const SEARCH_AGAIN_MS: u64 = 100;

/// When a subscriber looks again for whom nothing was among the newest events, in milliseconds: however
/// many there are who are told nothing, they are not woken at each event.
const LOOK_AGAIN_MS: u64 = 20;

/// Why a subscription cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubscriptionError {
    #[error("the stream cannot be read: {0}")]
    Stream(#[from] StreamError),
    #[error("the filter of the subscription costs too much: {0}")]
    Filter(EvaluationError),
}

/// A subscription under way.
pub(super) struct Subscription {
    stream: Arc<dyn Stream>,
    cursor: Sequence,
    /// The last event that was there when it was made.
    since: Sequence,
    /// What waits after the cursor, as far as it was counted: up to and with this event.
    counted: (Sequence, Backlog),
    filter: Option<EventFilter>,
    /// The end of the replay: entries up to here were there when it began.
    replay_until: Option<Sequence>,
    stop: Option<Timestamp>,
    session_schema: Arc<SessionSchema>,
    endpoint: Endpoint,
    session: u32,
    /// Its place in the list of all, once it is under way.
    listed: Option<Listed>,
    /// The events after the cursor that an XPath is asked about.
    search: Option<Search>,
    /// It looks again after so many milliseconds, and not at the next event.
    rest_ms: Option<u64>,
    /// The request that asked for it, if another process may go on with it.
    request: Option<Arc<str>>,
}

/// Which events are wanted.
pub(super) enum EventFilter {
    Selection(Selection),
    XPath(Arc<Expression>),
}

/// Which events of a group an XPath selects.
struct Search {
    events: Vec<Event>,
    selected: Selected,
}

enum Selected {
    Pending(Later<Verdicts>),
    Known(Result<Verdicts, Abandoned>),
}

/// One for each event.
type Verdicts = Result<Vec<bool>, EvaluationError>;

/// The next group of events.
enum Group {
    /// Each with whether the filter selects it, where that is known.
    Events(Vec<(Event, Option<bool>)>),
    /// There is none, now.
    None,
    /// It is being searched, or waits for that.
    Waiting,
}

/// A message of the subscription.
pub(crate) struct Told {
    /// The place in the stream of the event that it tells; none of a mark.
    pub(crate) sequence: Option<Sequence>,
    /// The whole `<notification>`.
    pub(crate) message: Arc<[u8]>,
}

impl Told {
    fn mark(message: Vec<u8>) -> Self {
        Self {
            sequence: None,
            message: message.into(),
        }
    }
}

/// What the subscription has to send next.
pub(crate) struct Due {
    pub(crate) messages: Vec<Told>,
    /// True if the subscription is over: `notificationComplete` was the last message.
    pub(crate) over: bool,
    /// True if there is more to look at, after others had their turn.
    pub(crate) more: bool,
}

/// What waits for a subscriber: the events that it is due, that were committed since it subscribed,
/// and that were not handed to its transport.
///
/// What a replay still has to bring does not wait: it was there before the subscriber was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// How many.
    pub events: u64,
    /// How long their messages are together, in bytes without framing.
    pub bytes: u64,
}

impl Backlog {
    /// True if it is larger than `limit` in one of the two.
    pub fn exceeds(&self, limit: &Backlog) -> bool {
        self.events > limit.events || self.bytes > limit.bytes
    }
}

impl Subscription {
    /// A subscription of the session that asks: from `start` on, or from now; until `stop`, if it is
    /// to end by itself.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub(super) fn begin(
        cx: &RequestContext<'_>,
        filter: Option<EventFilter>,
        start: Option<Timestamp>,
        stop: Option<Timestamp>,
    ) -> Result<Self, Refusal> {
        let stream = cx.platform.engine.stream(cx.endpoint);
        let last = stream.last();
        Ok(Self {
            cursor: start.map_or(Ok(last), |start| stream.cursor_at(start))?,
            stream,
            since: last,
            counted: (last, Backlog::default()),
            filter,
            replay_until: start.map(|_| last),
            stop,
            session_schema: Arc::clone(cx.session_schema),
            endpoint: cx.endpoint.clone(),
            session: cx.info.id,
            listed: None,
            search: None,
            rest_ms: None,
            request: None,
        })
    }

    /// The same subscription from behind an event that was told before, which is no replay: what comes
    /// next is what that one was followed by. Of one that is not there yet it is what was committed since
    /// the subscription: where the log ends is not told.
    pub(super) fn resume_after(&mut self, sequence: Sequence) {
        self.cursor = sequence.min(self.since);
        self.replay_until = None;
    }

    /// The same subscription as it was at `cursor` in another process, in the middle of its replay or
    /// behind it.
    pub(super) fn go_on(&mut self, cursor: Sequence, replay_until: Option<Sequence>) {
        self.cursor = cursor;
        self.replay_until = replay_until;
        self.since = replay_until.unwrap_or(cursor);
        self.counted = (cursor.max(self.since), Backlog::default());
    }

    /// It is under way from now on, and in the list of all, as one of this user.
    pub(super) fn enter(&mut self, platform: &Platform, user: &str, now: Timestamp) {
        self.listed = Some(platform.subscribers.enter(&Subscribing {
            session: self.session,
            user,
            endpoint: &self.endpoint,
            stream: &self.stream,
            cursor: self.cursor,
            now,
        }));
    }

    /// The last event that was told or passed over, and the last one of its replay.
    pub(super) fn place(&self) -> (Sequence, Option<Sequence>) {
        (self.cursor, self.replay_until)
    }

    /// Where it was asked for.
    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The request that asked for it, if it is kept.
    pub(super) fn request(&self) -> Option<&Arc<str>> {
        self.request.as_ref()
    }

    pub(super) fn set_request(&mut self, request: Arc<str>) {
        self.request = Some(request);
    }

    /// A watch of the stream, to wait for more.
    pub(super) fn watch(&self) -> watch::Receiver<Sequence> {
        self.stream.watch()
    }

    /// The instant at which the subscription ends by itself.
    pub(super) fn stop(&self) -> Option<Timestamp> {
        self.stop
    }

    /// What is to be sent now, at most about `bytes` of it; empty if the stream has nothing more, or
    /// if a search is under way.
    pub(super) fn due(
        &mut self,
        platform: &Platform,
        who: &Principal,
        now: Timestamp,
        bytes: usize,
    ) -> Result<Due, SubscriptionError> {
        let mut due = Due {
            messages: Vec::new(),
            over: false,
            more: false,
        };
        let mut size = 0;
        let mut groups = 0;
        let mut waiting = false;
        let began = self.cursor;
        self.rest_ms = None;
        while size < bytes && !due.over {
            if groups == GROUPS_A_STEP {
                due.more = true;
                break;
            }
            groups += 1;
            let events = match self.group(platform, who)? {
                Group::Events(events) => events,
                Group::None => break,
                Group::Waiting => {
                    waiting = true;
                    break;
                }
            };
            for (told, selected) in &events {
                if self.stop.is_some_and(|stop| told.time() > stop) {
                    due.over = true;
                    break;
                }
                self.cursor = told.sequence();
                if self.is_late(told) {
                    continue;
                }
                if !self.is_permitted(platform, who, told) {
                    platform.totals.denied_notifications.fetch_add(1, Relaxed);
                } else if selected.unwrap_or_else(|| self.selects(told)) {
                    let message = self.message(platform, told);
                    size += message.len();
                    due.messages.push(Told {
                        sequence: Some(told.sequence()),
                        message,
                    });
                }
                if self.replay_until == Some(told.sequence()) {
                    self.end_replay(now, &mut due);
                }
                if size >= bytes {
                    break;
                }
            }
        }
        if self.cursor > began {
            self.counted = (self.cursor.max(self.since), Backlog::default());
        }
        if self.replay_until.is_some_and(|until| until <= self.cursor) {
            self.end_replay(now, &mut due);
        }
        due.over |= self.replay_until.is_none()
            && self.stop.is_some_and(|stop| stop <= now)
            && size < bytes
            && !waiting
            && !due.more;
        if due.over {
            if self.replay_until.is_some() {
                self.end_replay(now, &mut due);
            }
            due.messages
                .push(Told::mark(event::notification_complete(now)));
        }
        if let Some(listed) = &self.listed {
            listed.moved(self.cursor, due.messages.len());
        }
        if self.cursor > began && due.messages.is_empty() && !due.more && !waiting {
            self.rest_ms = Some(LOOK_AGAIN_MS);
        }
        Ok(due)
    }

    /// The events after the cursor, at most 64 of them.
    fn group(&mut self, platform: &Platform, who: &Principal) -> Result<Group, SubscriptionError> {
        let Search { events, selected } = match self.search.take() {
            Some(search) => search,
            None => {
                let events = self.stream.after(self.cursor, ENTRIES)?;
                if events.is_empty() {
                    return Ok(Group::None);
                }
                let Some(EventFilter::XPath(expression)) = &self.filter else {
                    let each = events.into_iter().map(|event| (event, None));
                    return Ok(Group::Events(each.collect()));
                };
                match self.begin_search(platform, who, events, Arc::clone(expression)) {
                    Some(search) => search,
                    None => {
                        self.rest_ms = Some(SEARCH_AGAIN_MS);
                        return Ok(Group::Waiting);
                    }
                }
            }
        };
        let known = match selected {
            Selected::Known(known) => known,
            Selected::Pending(mut pending) => match pending.now() {
                Some(known) => known,
                None => {
                    let selected = Selected::Pending(pending);
                    self.search = Some(Search { events, selected });
                    return Ok(Group::Waiting);
                }
            },
        };
        match known {
            Ok(Ok(verdicts)) => {
                let verdicts = verdicts.into_iter().map(Some);
                Ok(Group::Events(events.into_iter().zip(verdicts).collect()))
            }
            Ok(Err(EvaluationError::Cancelled)) | Err(Abandoned) => {
                // Its time was over before its turn came: the same group is searched again.
                self.rest_ms = Some(SEARCH_AGAIN_MS);
                Ok(Group::Waiting)
            }
            Ok(Err(cause)) => Err(SubscriptionError::Filter(cause)),
        }
    }

    /// Begins to search these events beside the session; none if there is no room for one more search.
    fn begin_search(
        &self,
        platform: &Platform,
        who: &Principal,
        events: Vec<Event>,
        expression: Arc<Expression>,
    ) -> Option<Search> {
        // Nothing is searched that the principal may not receive.
        let permitted = |told: &Event| self.is_permitted(platform, who, told);
        let texts: Vec<_> = events
            .iter()
            .map(|told| permitted(told).then(|| event::document(told)))
            .collect();
        let session_schema = Arc::clone(&self.session_schema);
        let selected = later(&*platform.background, &who.name, move |over| {
            let select = |text| search::selects_event(&expression, text, &session_schema, over);
            let each = texts.into_iter().map(|text| text.map_or(Ok(false), select));
            each.collect::<Verdicts>()
        });
        Some(Search {
            events,
            selected: Selected::Pending(selected.ok()?),
        })
    }

    /// Resolves when a search under way has ended.
    pub(super) async fn searched(&mut self) {
        match &mut self.search {
            Some(Search {
                selected: selected @ Selected::Pending(_),
                ..
            }) => {
                if let Selected::Pending(pending) = selected {
                    let known = pending.await;
                    *selected = Selected::Known(known);
                }
            }
            _ => std::future::pending().await,
        }
    }

    /// After how many milliseconds it looks again, whatever comes until then: there was no room for a
    /// search, or nothing for the subscriber among the newest events.
    pub(super) fn rest_ms(&self) -> Option<u64> {
        self.rest_ms
    }

    /// True if the next event is what it waits for: it does not rest, and nothing is being searched.
    pub(super) fn is_woken_by_events(&self) -> bool {
        self.rest_ms.is_none() && self.search.is_none()
    }

    /// What waits for the subscriber, as far as this look and those before it came. Each event is
    /// looked at once, and none when there is more than `limit` already. Where an XPath selects, it
    /// is not asked, and every event that the subscriber may receive counts.
    pub(super) fn backlog(
        &mut self,
        platform: &Platform,
        who: &Principal,
        limit: &Backlog,
    ) -> Result<Backlog, StreamError> {
        let (mut counted, mut backlog) = self.counted;
        for _ in 0..GROUPS_A_LOOK {
            let events = self.stream.after(counted, ENTRIES)?;
            if events.is_empty() || backlog.exceeds(limit) {
                break;
            }
            for told in &events {
                counted = told.sequence();
                if self.stop.is_some_and(|stop| told.time() > stop) || self.is_late(told) {
                    continue;
                }
                if self.is_permitted(platform, who, told) && self.selects(told) {
                    backlog.events += 1;
                    backlog.bytes += self.message(platform, told).len() as u64;
                }
            }
        }
        self.counted = (counted, backlog);
        Ok(backlog)
    }

    /// True for what nobody is told and nobody is denied: records of the audit trail, and the start of
    /// this very session, met live, which happened before the subscription and may merely have been
    /// committed after it.
    fn is_late(&self, event: &Event) -> bool {
        if let Event::Logged(entry) = event
            && matches!(entry.happening, LogEvent::Audit(_))
        {
            return true;
        }
        let own = matches!(event, Event::Logged(entry) if matches!(
            &entry.happening,
            LogEvent::SessionStarted { session, .. } if *session == self.session
        ));
        own && self.replay_until.is_none()
    }

    fn end_replay(&mut self, now: Timestamp, due: &mut Due) {
        self.replay_until = None;
        due.messages.push(Told::mark(event::replay_complete(now)));
    }

    fn is_permitted(&self, platform: &Platform, who: &Principal, told: &Event) -> bool {
        platform.engine.receives(who, &self.endpoint, told)
    }

    /// Whether the filter selects the event, as far as that is known without a search.
    fn selects(&self, told: &Event) -> bool {
        match &self.filter {
            None | Some(EventFilter::XPath(_)) => true,
            Some(EventFilter::Selection(selection)) => event::is_selected(told, selection),
        }
    }

    /// RFC 5277 §3.6: a filter decides which events are sent, not which parts of them.
    fn message(&self, platform: &Platform, told: &Event) -> Arc<[u8]> {
        platform.encoded(&self.endpoint, told.sequence(), || event::encode(told))
    }
}
