//! The log as an agent's own endpoint tells it: the tasks and negotiations that the agent executes.
//!
//! Who follows one agent is woken by that agent's entries alone, and passes over none of the others',
//! as long as they are in memory. Older ones come from the store, all of them, and whoever reads
//! looks at each. Read next: [`super::tellers`].

use crate::feed::Feed;
use crate::feed::stream::{Event, Stream, StreamError};
use domain::event::{Entry, Sequence};
use domain::time::Timestamp;
use std::sync::Arc;
use store::ReadError;
use tokio::sync::watch;

/// The log as the endpoint of one agent tells it.
pub(crate) struct FeedOfAgent {
    feed: Arc<Feed>,
    agent: String,
}

impl FeedOfAgent {
    pub(crate) fn new(feed: Arc<Feed>, agent: &str) -> Self {
        let agent = agent.to_owned();
        Self { feed, agent }
    }
}

impl Stream for FeedOfAgent {
    /// The last entry of the agent; of one that has told nothing yet, where the log ended when it
    /// was opened.
    fn last(&self) -> Sequence {
        let memory = self.feed.recent.memory.read().expect("no writer panics");
        let told = memory.tellers.of.get(&self.agent);
        told.map_or(memory.tellers.opened, |told| *told.last.borrow())
    }

    fn watch(&self) -> watch::Receiver<Sequence> {
        let mut memory = self.feed.recent.memory.write().expect("no writer panics");
        memory.tellers.told_by(&self.agent).last.subscribe()
    }

    fn began(&self) -> Option<Timestamp> {
        self.feed.began()
    }

    /// Entries of others are among those that have left memory.
    fn after(&self, cursor: Sequence, limit: usize) -> Result<Vec<Event>, StreamError> {
        let (gone, own): (Sequence, Vec<Arc<Entry>>) = {
            let memory = self.feed.recent.memory.read().expect("no writer panics");
            match memory.tellers.of.get(&self.agent) {
                Some(told) => {
                    let from = told.entries.partition_point(|e| e.sequence <= cursor);
                    let own = told.entries.iter().skip(from).take(limit);
                    (told.gone, own.cloned().collect())
                }
                None => (memory.tellers.opened, Vec::new()),
            }
        };
        let older = match cursor < gone {
            true => self.feed.after(cursor, limit)?,
            false => Vec::new(),
        };
        // A look that ends before it comes to what is in memory is all there is for now.
        let is_short = older.last().is_some_and(|last| last.sequence < gone);
        let own = own.into_iter().filter(|_| !is_short);
        let older = older.into_iter().filter(|e| e.sequence <= gone);
        let entries = older.chain(own).take(limit);
        Ok(entries.map(Event::Logged).collect())
    }

    /// Of what has left memory, the entries of others count, as each is looked at.
    fn behind(&self, cursor: Sequence) -> u64 {
        let memory = self.feed.recent.memory.read().expect("no writer panics");
        match memory.tellers.of.get(&self.agent) {
            Some(told) => {
                let seen = told.entries.partition_point(|e| e.sequence <= cursor);
                told.gone.saturating_sub(cursor) + (told.entries.len() - seen) as u64
            }
            None => memory.tellers.opened.saturating_sub(cursor),
        }
    }

    fn cursor_at(&self, time: Timestamp) -> Result<Sequence, ReadError> {
        self.feed.cursor_at(time)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::feed::recent::{RECENT, RECENT_BYTES, Recent};
    use crate::feed::tellers::teller;
    use domain::content::Content;
    use domain::event::LogEvent;
    use domain::notification::Notification;
    use domain::task::{Status, TaskId};
    use domain::verb::Verb;
    use store::{Batch, Options, Store};

    const AGENTS: [&str; 3] = ["busy", "rare", "silent"];

    /// Who tells the `number`th entry: the busy agent most, the rare one two early ones and one late. It
    /// says so many bytes.
    fn happening(number: usize, bytes: usize) -> LogEvent {
        let from = match number {
            7 | 9 | 5_900 => AGENTS[1],
            n if n % 10 == 3 => {
                return LogEvent::SessionStarted {
                    username: "operator".to_owned(),
                    session: 1,
                    source_host: String::new(),
                };
            }
            _ => AGENTS[0],
        };
        LogEvent::Task(Arc::new(Notification {
            time: Timestamp::from_ms(0),
            task: TaskId::new(format!("t-{number}")),
            from: from.to_owned(),
            to: "operator".to_owned(),
            verb: Verb::TaskResultNotify,
            asynchronous: true,
            status: Status::Processing,
            previous: None,
            start_time: Timestamp::from_ms(0),
            percent: 0,
            content: Content::new("x", "x".repeat(bytes)),
            awaits: None,
            data: None,
        }))
    }

    fn feed(recent: &Arc<Recent>) -> Arc<Feed> {
        let taken = Arc::clone(recent);
        let on_commit = move |committed: &[store::Committed]| {
            taken.push(committed.iter().flat_map(|c| c.entries.iter().cloned()));
        };
        let (store, recovered) = Store::open(Options::memory(), Box::new(on_commit)).unwrap();
        let recent = Arc::clone(recent);
        Arc::new(Feed::new(recent, store, recovered.last, None))
    }

    fn commit(feed: &Feed, numbers: std::ops::Range<usize>, bytes: usize) {
        let happenings = numbers.map(|n| (Timestamp::from_ms(0), happening(n, bytes)));
        let batch = Batch {
            happenings: happenings.collect(),
            ..Batch::default()
        };
        feed.store.commit(batch).wait().unwrap();
    }

    /// Every entry of the agent after the cursor, read to the end of the stream.
    fn own(stream: &dyn Stream, agent: &str, mut cursor: Sequence) -> Vec<Sequence> {
        let mut own = Vec::new();
        loop {
            let events = stream.after(cursor, 64).unwrap();
            let Some(last) = events.last() else {
                return own;
            };
            cursor = last.sequence();
            own.extend(events.iter().filter_map(|event| match event {
                Event::Logged(entry) => (teller(entry) == Some(agent)).then_some(entry.sequence),
                Event::Reported(_) => None,
            }));
        }
    }

    /// Of what an agent's endpoint tells nothing is missing, wherever one begins to read, and whether
    /// it is in memory or not; who follows another is not woken.
    #[test]
    fn an_agents_stream_tells_what_of_the_log_is_the_agents() {
        let recent = Arc::new(Recent::default());
        let feed = feed(&recent);
        let streams = AGENTS.map(|agent| FeedOfAgent::new(Arc::clone(&feed), agent));
        let mut watches = streams.each_ref().map(|stream| stream.watch());
        for until in [20, RECENT + 50, 6_000] {
            let from = feed.last() as usize;
            commit(&feed, from..until, 0);
            let woken = watches.each_mut().map(|watch| {
                let woken = watch.has_changed().unwrap();
                watch.mark_unchanged();
                woken
            });
            assert_eq!(woken, [true, until != RECENT + 50, false]);
            for (stream, agent) in streams.iter().zip(AGENTS) {
                for cursor in [0, 5, 8, 1_000, 5_000, 5_990] {
                    let expected = own(&*feed, agent, cursor);
                    assert_eq!(own(stream, agent, cursor), expected, "{agent} {cursor}");
                    assert!(expected.last().is_none_or(|last| *last == stream.last()));
                }
            }
        }
        // Nobody passes over what is others' in memory, and nobody is behind because of it.
        let busy = feed.after(5_990, 64).unwrap().into_iter();
        let busy = busy.filter(|entry| teller(entry) == Some(AGENTS[0]));
        let behind = streams.each_ref().map(|stream| stream.behind(5_990));
        assert_eq!(behind, [busy.count() as u64, 0, 0]);
        assert_eq!([5, 10].map(|cursor| streams[1].behind(cursor)), [5 + 1, 1]);
        assert_eq!(streams[1].after(10, 64).unwrap().len(), 1);
        assert_eq!(streams[2].last(), 0);
    }

    /// What is long leaves memory before its number does, and the newest stays whatever it says.
    #[test]
    fn what_is_in_memory_and_in_one_look_has_a_bound_in_bytes() {
        let recent = Arc::new(Recent::default());
        let feed = feed(&recent);
        let in_memory = || {
            let memory = recent.memory.read().unwrap();
            let bytes: usize = memory.entries.iter().map(|entry| entry.bytes()).sum();
            assert_eq!(memory.bytes, bytes);
            let told: usize = memory.tellers.of.values().map(|of| of.entries.len()).sum();
            assert!(told <= memory.entries.len());
            (memory.entries.len(), bytes)
        };
        commit(&feed, 0..200, 100_000);
        let (entries, bytes) = in_memory();
        assert!((30..60).contains(&entries), "{entries}");
        assert!(bytes <= RECENT_BYTES + 100_000, "{bytes}");
        let look = feed.after(0, 64).unwrap();
        assert!((2..12).contains(&look.len()), "{}", look.len());
        commit(&feed, 200..201, 2 * RECENT_BYTES);
        assert_eq!(feed.after(200, 64).unwrap().len(), 1);
        commit(&feed, 201..300, 10);
        assert_eq!(in_memory().0, 99);
        for (agent, count) in AGENTS.into_iter().zip([268, 2, 0]) {
            let stream = FeedOfAgent::new(Arc::clone(&feed), agent);
            let told = own(&stream, agent, 0);
            assert_eq!(told.len(), count, "{agent}");
            assert_eq!(told, own(&*feed, agent, 0));
        }
    }
}
