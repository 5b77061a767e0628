//! What must hold, computed from what was asked, answered and told.
//!
//! The log is folded as it grows; each law compares the fold with what readers see, with what was
//! promised, or with what agents wrote down. None of the engine's own rules is called. Read next:
//! [`crate::record`], the laws about records.

use crate::behaviour::Book;
use crate::everything::{read, tasks};
use crate::platform::{ANSWER_WITHIN_MS, KEPT_MS, ROUNDS};
use crate::trial::Asked;
use crate::verdict::{Broken, Lie, Tally};
use domain::content::Content;
use domain::event::{LogEvent, Sequence};
use domain::negotiation::{Kind, Side, Stance, State, Turn};
use domain::notification::{NegotiationUpdate, Notification};
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Status, Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::query::NegotiationsOf;
use engine::{Engine, Limits, Refusal, StoreFailure};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// A task as the log tells it.
#[derive(Clone, Copy)]
struct Told {
    status: Status,
    awaits: Option<Awaits>,
    answer_by: Option<Timestamp>,
    changes: u64,
}

/// A negotiation as the log tells it.
#[derive(Default)]
pub struct Talk {
    pub publisher: String,
    pub executor: String,
    pub state: Option<State>,
    pub turns: Vec<Turn>,
    opened: u32,
    agreed_once: bool,
    changed_at: Timestamp,
}

impl Talk {
    fn is_open(&self) -> bool {
        self.state == Some(State::Open)
    }

    fn round(&self) -> u32 {
        self.turns.last().map_or(0, |t| t.round)
    }

    /// A round holds one turn of each side, as long as nobody ended it.
    fn round_of_next(&self, by: Side) -> u32 {
        let last = self.round();
        let spoke = self.turns.iter().any(|t| t.round == last && t.by == by);
        last + u32::from(!self.is_open() || spoke)
    }

    fn has_the_word(&self, side: Side) -> bool {
        self.is_open() && self.turns.last().is_some_and(|t| t.by != side)
    }

    /// The alternative that was accepted, of the last offer.
    fn agreed(&self) -> Option<&Content> {
        let accepted = self
            .turns
            .last()
            .filter(|_| self.state == Some(State::Agreed))?;
        let offers = |t: &&Turn| t.speech.stance == Stance::Offer;
        let offer = self.turns.iter().rev().find(offers)?;
        let chosen = accepted.speech.alternative.unwrap_or(1) as usize;
        offer.speech.contents.get(chosen - 1)
    }
}

/// What was agreed on before a task, and between whom.
pub struct Agreed {
    pub publisher: String,
    pub executor: String,
    pub description: String,
}

pub struct Laws {
    pub lie: Option<Lie>,
    pub tally: Tally,
    book: Arc<Mutex<Book>>,
    cursor: Sequence,
    time: Timestamp,
    told: BTreeMap<TaskId, Told>,
    pub talks: BTreeMap<(TaskId, Kind), Talk>,
    known: BTreeMap<TaskId, Arc<Task>>,
    /// What was said in a turn, by what makes each request unlike the others.
    spoken: BTreeSet<String>,
    /// When the platform started last: whoever owes an answer has a little time from there.
    pub started: Timestamp,
}

type Checked = Result<(), Broken>;

fn broken(law: &'static str, why: impl Into<String>) -> Checked {
    Err(Broken::new(law, why))
}

/// What makes a request unlike every other.
pub fn mark(asked: &Asked) -> Option<String> {
    let content = Content::parse(asked.negotiate.texts.iter().map(String::as_str)).ok()?;
    let lines = content.environmental_information?;
    lines.lines().next().map(str::to_owned)
}

impl Laws {
    pub fn new(book: Arc<Mutex<Book>>, lie: Option<Lie>) -> Self {
        Self {
            lie,
            tally: Tally::default(),
            book,
            cursor: 0,
            time: Timestamp::default(),
            told: BTreeMap::new(),
            talks: BTreeMap::new(),
            known: BTreeMap::new(),
            spoken: BTreeSet::new(),
            started: Timestamp::default(),
        }
    }

    pub fn tasks(&self, wanted: impl Fn(&Task) -> bool) -> Vec<Arc<Task>> {
        self.known.values().filter(|t| wanted(t)).cloned().collect()
    }

    /// Feasibilities in which this side has the word: task, publisher, executor.
    pub fn open_negotiations(
        &self,
        side: Side,
        executor: impl Fn(&str) -> bool,
    ) -> Vec<(TaskId, String, String)> {
        let open = self.talks.iter().filter(|((_, kind), talk)| {
            *kind == Kind::Feasibility && talk.has_the_word(side) && executor(&talk.executor)
        });
        open.map(|((task, _), t)| (task.clone(), t.publisher.clone(), t.executor.clone()))
            .collect()
    }

    pub fn round_of_next(&self, task: &TaskId, kind: Kind, side: Side) -> u32 {
        let talk = self.talks.get(&(task.clone(), kind));
        talk.map_or(1, |talk| talk.round_of_next(side))
    }

    /// What a task waits for, as far as anybody can see.
    pub fn awaits(&self, task: &TaskId) -> Option<Awaits> {
        self.known.get(task).and_then(|t| t.awaits)
    }

    /// The round that a message would be of.
    pub fn round_now(&self, task: &TaskId, verb: Verb, side: Side) -> u32 {
        let awaits = self.awaits(task);
        let kind = match (verb, awaits) {
            (Verb::FeasibilityNegotiate, _) => Kind::Feasibility,
            (_, Some(Awaits::Judgement)) => Kind::Result,
            _ => Kind::Fulfillment,
        };
        self.round_of_next(task, kind, side)
    }

    pub fn side_of(&self, task: &TaskId, who: &str) -> Side {
        let known = self.known.get(task).map(|t| t.to.as_str());
        let talk = self.talks.get(&(task.clone(), Kind::Feasibility));
        match known.or(talk.map(|t| t.executor.as_str())) == Some(who) {
            true => Side::Executor,
            false => Side::Publisher,
        }
    }

    pub fn agreed(&self, task: &TaskId) -> Option<Agreed> {
        let talk = self.talks.get(&(task.clone(), Kind::Feasibility))?;
        Some(Agreed {
            publisher: talk.publisher.clone(),
            executor: talk.executor.clone(),
            description: talk.agreed()?.task_description.clone(),
        })
    }

    pub fn negotiated(&self) -> BTreeSet<TaskId> {
        self.talks.keys().map(|(task, _)| task.clone()).collect()
    }

    /// An answer is heard: what was asked before is answered alike.
    pub fn heard(
        &mut self,
        asked: Option<&mut Asked>,
        outcome: Result<Option<Reply>, Refusal>,
    ) -> Checked {
        if let Err(Refusal::Failed(StoreFailure::Broken { .. } | StoreFailure::Full)) = outcome {
            return broken(
                "no failure is ours",
                format!("{outcome:?} to {:?}", asked.map(|a| &a.negotiate)),
            );
        }
        let Some(asked) = asked else { return Ok(()) };
        match outcome {
            Err(_) if asked.meddles => {
                asked.refused = true;
                self.tally.note("meddlers refused");
            }
            Ok(_) if asked.meddles => {
                return broken(
                    "who is no party has no say",
                    format!("{:?}", asked.negotiate),
                );
            }
            Err(refusal) => {
                asked.refused = true;
                if asked.reply.is_some() && asked.is_repeatable() {
                    let why = format!("{:?} refused now: {refusal}", asked.negotiate);
                    return broken("what is asked twice is answered alike", why);
                }
            }
            Ok(Some(mut reply)) => match &asked.reply {
                None => asked.reply = Some(reply),
                Some(first) => {
                    if self.lie == Some(Lie::OtherReply) {
                        reply.reasons.clear();
                        reply.task = None;
                    }
                    if first.verdict == Verdict::Pending
                        && reply.verdict != Verdict::Pending
                        && (&first.task, first.round) == (&reply.task, reply.round)
                    {
                        // What was pending has its answer now, and keeps it.
                        self.tally.note("answered after pending");
                        asked.reply = Some(reply);
                    } else if asked.is_repeatable() && *first != reply {
                        let why = format!("{:?}\nfirst {first:?}\nthen {reply:?}", asked.negotiate);
                        return broken("what is asked twice is answered alike", why);
                    }
                }
            },
            Ok(None) => {
                return broken("a request gets a reply", "it got something else".to_owned());
            }
        }
        Ok(())
    }

    /// Everything on disk is looked at, right after the deadlines of `now`.
    pub fn look(&mut self, engine: &Engine, asked: &[Asked], now: Timestamp) -> Checked {
        let seen: BTreeMap<TaskId, Arc<Task>> = tasks(engine, "operator")
            .into_iter()
            .map(|task| (task.id.clone(), task))
            .collect();
        self.check_history(&seen)?;
        let mut entries = engine.feed().after(self.cursor, usize::MAX >> 1).unwrap();
        if self.lie == Some(Lie::LogGap) && entries.len() > 1 {
            entries.remove(0);
        }
        for entry in entries {
            if entry.sequence != self.cursor + 1 || entry.time < self.time {
                return broken(
                    "the log has no gap and its times never fall",
                    format!("{entry:?} behind {}", self.cursor),
                );
            }
            (self.cursor, self.time) = (entry.sequence, entry.time);
            match &entry.happening {
                LogEvent::Task(change) => self.task_changed(change, &seen, asked)?,
                LogEvent::Negotiation(update) => self.talk_changed(update, &seen)?,
                _ => {}
            }
        }
        self.check_told(&seen)?;
        self.check_parts(&seen)?;
        self.check_silence(&seen, now)?;
        self.known = seen;
        self.check_runs()?;
        let open = self
            .known
            .values()
            .filter(|t| !t.status.is_terminal())
            .count();
        let counts = (engine.counts().tasks, engine.counts().open);
        match counts == (self.known.len() as u64, open as u64) {
            true => Ok(()),
            false => broken(
                "tasks are counted",
                format!("{counts:?} but {} and {open}", self.known.len()),
            ),
        }
    }

    /// What has ended stays as it is, and nothing goes back.
    fn check_history(&self, seen: &BTreeMap<TaskId, Arc<Task>>) -> Checked {
        for (id, before) in &self.known {
            let Some(task) = seen.get(id) else {
                return broken("what was acknowledged is there", format!("{id} is gone"));
            };
            let mut after = Task::clone(task);
            if self.lie == Some(Lie::LeftTerminal) && before.status == Status::Cancelled {
                (after.status, after.version) = (Status::Processing, after.version + 1);
            }
            if before.status.is_terminal() && **before != after {
                return broken(
                    "a terminal state is never left",
                    format!("{before:?} became {after:?}"),
                );
            }
            if after.version < before.version
                || (after.version == before.version && **before != after)
            {
                return broken("versions only grow", format!("{before:?} became {after:?}"));
            }
        }
        Ok(())
    }

    fn task_changed(
        &mut self,
        change: &Notification,
        seen: &BTreeMap<TaskId, Arc<Task>>,
        asked: &[Asked],
    ) -> Checked {
        let id = &change.task;
        let Some(task) = seen.get(id) else {
            return broken(
                "the log explains every state",
                format!("{id} is told of and not there"),
            );
        };
        let mut status = change.status;
        match self.lie {
            Some(Lie::Unjudged) if change.awaits == Some(Awaits::Judgement) => {
                status = Status::Finished
            }
            Some(Lie::SilentlyFinished) if status == Status::Unconfirmed => {
                status = Status::Finished
            }
            _ => {}
        }
        let before = self.told.get(id).copied();
        if before.map(|t| t.status) != change.previous {
            return broken(
                "the log explains every state",
                format!(
                    "{id} was {:?}, not {:?}",
                    before.map(|t| t.status),
                    change.previous
                ),
            );
        }
        if change.previous.is_some_and(Status::is_terminal) {
            return broken("a terminal state is never left", format!("{change:?}"));
        }
        let awaited = before.and_then(|t| t.awaits);
        match status {
            Status::Finished => {
                self.check_finish(task, awaited, asked)?;
                self.tally.note("finished");
            }
            Status::Unconfirmed => {
                let late = before
                    .and_then(|t| t.answer_by)
                    .is_some_and(|by| change.time >= by);
                if awaited != Some(Awaits::Judgement) || !late {
                    return broken(
                        "only silence on a result is unconfirmed",
                        format!("{change:?}"),
                    );
                }
                self.tally.note("unconfirmed");
            }
            Status::Cancelled => self.tally.note("cancelled"),
            _ => {}
        }
        if change.data.is_some() && task.conditions.fulfillment_demanded {
            let talk = self.talks.get(&(id.clone(), Kind::Fulfillment));
            if !talk.is_some_and(|t| t.agreed_once) {
                return broken(
                    "where fulfillment is demanded no result comes without it",
                    format!("{change:?}"),
                );
            }
            self.tally.note("demanded and negotiated");
        }
        let held = before.is_some_and(|t| t.status == Status::Blocked) && task.result.is_some();
        if held && change.data.is_some() && change.status != Status::Blocked {
            self.tally.note("released");
        }
        let within = task.conditions.answer_within_ms.unwrap_or(ANSWER_WITHIN_MS);
        // A subscription is no news to what is awaited.
        let goes_on = awaited.is_some() && awaited == change.awaits;
        let answer_by = match goes_on {
            true => before.and_then(|t| t.answer_by),
            false => change.awaits.map(|_| change.time + within),
        };
        let changes = before.map_or(0, |t| t.changes) + 1;
        let told = Told {
            status: change.status,
            awaits: change.awaits,
            answer_by,
            changes,
        };
        self.told.insert(id.clone(), told);
        Ok(())
    }

    /// Only acceptance finishes what was expected; nothing finishes before its parts.
    fn check_finish(&mut self, task: &Task, awaited: Option<Awaits>, asked: &[Asked]) -> Checked {
        if task.content.expected_response.is_some() {
            let accepted = asked.iter().any(|a| {
                a.negotiate.verb == Verb::FulfillmentNegotiate
                    && a.negotiate.task.as_ref() == Some(&task.id)
                    && (a.who == task.from || a.who == "operator")
                    && a.negotiate
                        .texts
                        .iter()
                        .any(|t| t.contains("## result\naccept"))
            });
            let talk = self.talks.get(&(task.id.clone(), Kind::Result));
            let agreed = talk.is_some_and(|t| t.state == Some(State::Agreed));
            if awaited != Some(Awaits::Judgement) || !accepted || !agreed {
                return broken(
                    "only acceptance finishes what was expected",
                    format!("{} finished", task.id),
                );
            }
            self.tally.note("judged");
        }
        let parts = self
            .known
            .values()
            .filter(|t| t.conditions.parent.as_ref() == Some(&task.id));
        let open = parts.filter(|p| {
            self.told
                .get(&p.id)
                .is_some_and(|t| !t.status.is_terminal())
        });
        match open.map(|p| p.id.clone()).next() {
            Some(part) => broken(
                "what is finished had no open part",
                format!("{} before {part}", task.id),
            ),
            None => Ok(()),
        }
    }

    fn talk_changed(
        &mut self,
        update: &NegotiationUpdate,
        seen: &BTreeMap<TaskId, Arc<Task>>,
    ) -> Checked {
        let key = (update.task.clone(), update.kind);
        let stated = seen
            .get(&update.task)
            .filter(|_| update.kind != Kind::Feasibility);
        let limit = match stated.map_or(0, |t| t.conditions.round_limit) {
            0 => ROUNDS,
            stated => stated,
        };
        let talk = self.talks.entry(key).or_default();
        let same = talk.publisher == update.publisher && talk.executor == update.executor;
        if talk.state.is_none() || (!same && update.task.as_str().contains("/n") && !talk.is_open())
        {
            *talk = Talk {
                publisher: update.publisher.clone(),
                executor: update.executor.clone(),
                ..Talk::default()
            };
        } else if !same {
            return broken("a negotiation keeps its sides", format!("{update:?}"));
        }
        match &update.turn {
            None if talk.is_open() && matches!(update.state, State::Expired | State::Withdrawn) => {
            }
            None => {
                return broken(
                    "the log explains every state",
                    format!("{update:?} after {:?}", talk.state),
                );
            }
            Some(turn) => {
                let mut turn = turn.clone();
                if self.lie == Some(Lie::TwiceInARow) && talk.is_open() {
                    turn.by = turn.by.other();
                }
                if let Some(why) = talk.misplaced(update.kind, &turn, update.state, limit) {
                    return broken(
                        "sides alternate and rounds are bounded",
                        format!("{why}: {update:?}"),
                    );
                }
                if !talk.is_open() {
                    talk.opened = turn.round;
                }
                let said = turn
                    .speech
                    .contents
                    .iter()
                    .filter_map(|c| c.environmental_information.clone());
                self.spoken.extend(said);
                talk.turns.push(turn);
                self.tally.note("turns");
            }
        }
        if update.state == State::Exhausted {
            self.tally.note("exhausted");
        }
        talk.agreed_once |= update.state == State::Agreed;
        (talk.state, talk.changed_at) = (Some(update.state), update.time);
        Ok(())
    }

    /// The fold of the log is what readers see.
    fn check_told(&self, seen: &BTreeMap<TaskId, Arc<Task>>) -> Checked {
        for (id, task) in seen {
            let told = self.told.get(id).map(|t| (t.status, t.awaits, t.changes));
            if told != Some((task.status, task.awaits, task.version)) {
                return broken(
                    "the log explains every state",
                    format!("{task:?} is told as {told:?}"),
                );
            }
        }
        Ok(())
    }

    /// Parts live as long as their whole; a result is held for open parts only.
    fn check_parts(&self, seen: &BTreeMap<TaskId, Arc<Task>>) -> Checked {
        let mut open_parts: BTreeMap<&TaskId, u32> = BTreeMap::new();
        for task in seen.values() {
            let Some(parent) = &task.conditions.parent else {
                continue;
            };
            let ended = task.status.is_terminal() && self.lie != Some(Lie::OpenPart);
            if !ended {
                *open_parts.entry(parent).or_default() += 1;
            }
            let whole = seen.get(parent).is_some_and(|w| w.status.is_terminal());
            if whole && !ended {
                return broken(
                    "what has ended has no open part",
                    format!("{} of {parent}", task.id),
                );
            }
        }
        for task in seen.values() {
            let held = task.status == Status::Blocked && task.result.is_some();
            let forgotten = self.lie == Some(Lie::StillHeld) && task.status == Status::Finished;
            if (held || forgotten) && !open_parts.contains_key(&task.id) {
                return broken("a held result is released", format!("{}", task.id));
            }
        }
        Ok(())
    }

    /// Whoever is silent too long has ended what waited for him.
    fn check_silence(&self, seen: &BTreeMap<TaskId, Arc<Task>>, now: Timestamp) -> Checked {
        for task in seen.values() {
            let asleep = self.lie == Some(Lie::Overslept) && task.status == Status::Failed;
            if task.status.is_terminal() && !asleep {
                continue;
            }
            let within = task.conditions.answer_within_ms;
            let due = match task.awaits {
                Some(_) => {
                    let answer_by = self.told.get(&task.id).and_then(|t| t.answer_by);
                    answer_by.map(|by| self.granted(by, within.unwrap_or(ANSWER_WITHIN_MS)))
                }
                None => task.conditions.deadline,
            };
            if due.is_some_and(|due| due <= now) {
                return broken("time ends what is late", format!("{task:?} at {now}"));
            }
        }
        for ((task, kind), talk) in &self.talks {
            let within = if task.as_str().contains("/n") {
                300_000
            } else {
                ANSWER_WITHIN_MS
            };
            let due = self.granted(talk.changed_at + within, within);
            let late = talk.is_open() && due <= now;
            if late && *kind == Kind::Feasibility {
                return broken(
                    "time ends what is late",
                    format!("the {kind} of {task} at {now}"),
                );
            }
        }
        Ok(())
    }

    /// When silence ends what had to be answered within so many milliseconds.
    fn granted(&self, due: Timestamp, within: i64) -> Timestamp {
        let grace = Limits::default().answer_grace_ms;
        due.max(self.started + within.min(grace))
    }

    /// What was asked twice was done once.
    fn check_runs(&self) -> Checked {
        let book = self.book.lock().unwrap();
        for (id, times) in &book.assigned {
            if *times != 1 || !self.known.contains_key(id) {
                return broken(
                    "what is asked twice is done once",
                    format!("{id} was run {times} times"),
                );
            }
        }
        match book.turns.iter().find(|(_, times)| **times > 1) {
            Some((turn, times)) => broken(
                "what is asked twice is done once",
                format!("{turn:?}: {times} times"),
            ),
            None => Ok(()),
        }
    }

    /// What was answered is on disk, as it was answered.
    pub fn check_promises(&mut self, all: &mut [Asked]) -> Checked {
        for asked in all.iter_mut().filter(|a| !a.forgotten && a.reply.is_some()) {
            let (Some(id), Some(mark)) = (asked.negotiate.task.clone(), mark(asked)) else {
                continue;
            };
            let spoken = self.spoken.contains(&mark);
            match asked.negotiate.verb {
                Verb::TaskAssign => {
                    let text = asked.negotiate.texts.join("\n");
                    let known = self.known.get(&id);
                    if !known.is_some_and(|t| t.from == asked.who && t.text == text) {
                        return broken(
                            "what was acknowledged is there",
                            format!("{id}: {known:?}, not {text}"),
                        );
                    }
                    self.check_agreement(&id)?;
                    if !asked.is_counted {
                        self.tally.note("tasks");
                        if asked.negotiate.parent.is_some() {
                            self.tally.note("parts");
                        }
                        asked.is_counted = true;
                    }
                }
                Verb::FeasibilityNegotiate if !spoken => {
                    return broken(
                        "what was acknowledged is there",
                        format!("{:?}", asked.negotiate),
                    );
                }
                Verb::FulfillmentNegotiate => asked.is_turn |= spoken,
                _ => {}
            }
            asked.is_turn |= asked.negotiate.verb == Verb::FeasibilityNegotiate;
        }
        Ok(())
    }

    /// What was agreed on before binds the assignment.
    fn check_agreement(&mut self, id: &TaskId) -> Checked {
        let (Some(agreed), Some(task)) = (self.agreed(id), self.known.get(id)) else {
            return Ok(());
        };
        let found = &task.content.task_description;
        let same = agreed.description == *found && self.lie != Some(Lie::Departed);
        if !same || agreed.publisher != task.from || agreed.executor != task.to {
            return broken(
                "an agreement binds",
                format!(
                    "{id}: '{}' was agreed, '{found}' is assigned",
                    agreed.description
                ),
            );
        }
        self.tally.note("agreements binding");
        Ok(())
    }

    /// The platform died: agents forget what was never promised. What they were asked about these
    /// tasks they will be asked again, for their answers were lost.
    pub fn died(&mut self, asked_again: &BTreeSet<TaskId>) {
        let mut book = self.book.lock().unwrap();
        let lost = |id: &TaskId| asked_again.contains(id);
        book.assigned
            .retain(|id, _| self.known.contains_key(id) && !lost(id));
        book.turns.retain(|(task, kind, round, _), _| {
            if lost(task) {
                return false;
            }
            let talk = self.talks.get(&(task.clone(), *kind));
            talk.is_some_and(|t| {
                t.turns
                    .iter()
                    .any(|t| t.round == *round && t.by == Side::Publisher)
            })
        });
    }

    /// Only what is old and has ended was removed; what is gone is forgotten.
    pub fn trimmed(
        &mut self,
        engine: &Engine,
        count: u64,
        all: &mut [Asked],
        now: Timestamp,
    ) -> Checked {
        let law = "only what is old and has ended is removed";
        let left: BTreeSet<TaskId> = tasks(engine, "operator")
            .iter()
            .map(|t| t.id.clone())
            .collect();
        let gone: Vec<_> = self
            .known
            .keys()
            .filter(|id| !left.contains(id))
            .cloned()
            .collect();
        if gone.len() as u64 != count {
            return broken(law, format!("{count} removed, {gone:?} gone"));
        }
        for id in &gone {
            let task = self.known.remove(id).unwrap();
            if !task.status.is_terminal() || task.changed_at + KEPT_MS > now {
                return broken(law, format!("{task:?} at {now}"));
            }
            self.told.remove(id);
            self.book.lock().unwrap().assigned.remove(id);
            self.tally.note("trimmed");
        }
        let mut silent = Vec::new();
        for (key, talk) in &self.talks {
            let rows = read(engine, "operator", NegotiationsOf(Some(key.0.clone())));
            if rows.iter().any(|n| n.kind == key.1) {
                continue;
            }
            if !gone.contains(&key.0) && (talk.is_open() || talk.changed_at + KEPT_MS > now) {
                return broken(law, format!("{key:?} at {now}"));
            }
            silent.push(key.clone());
        }
        for key in silent {
            self.talks.remove(&key);
            self.book
                .lock()
                .unwrap()
                .turns
                .retain(|(task, kind, ..), _| (task, kind) != (&key.0, &key.1));
        }
        for asked in all.iter_mut() {
            let about = asked.negotiate.task.as_ref();
            let loose =
                about.is_none_or(|id| !self.known.contains_key(id)) && asked.sent + KEPT_MS <= now;
            asked.forgotten |= loose || about.is_some_and(|id| gone.contains(id));
        }
        Ok(())
    }
}

impl Talk {
    /// Why a turn is out of place, if it is.
    fn misplaced(&self, kind: Kind, turn: &Turn, state: State, limit: u32) -> Option<&'static str> {
        let last = self.turns.last();
        let stance = turn.speech.stance;
        if turn.round != self.round_of_next(turn.by) {
            return Some("it is another round");
        }
        if self.is_open() && last.is_some_and(|t| t.by == turn.by) {
            return Some("the same side spoke before");
        }
        if !self.is_open() && stance != Stance::Offer {
            return Some("it begins with no offer");
        }
        let opened = if self.is_open() {
            self.opened
        } else {
            turn.round
        };
        if turn.round - opened + 1 > limit {
            return Some("there are too many rounds");
        }
        let judged = kind == Kind::Result && turn.by == Side::Publisher && stance == Stance::Offer;
        let follows = match stance {
            Stance::Offer => matches!(state, State::Open | State::Exhausted) && !judged,
            Stance::Accept => {
                let offered = last.filter(|t| t.speech.stance == Stance::Offer);
                let offered = offered.map_or(0, |t| t.speech.contents.len());
                let chosen = turn.speech.alternative.map_or(1, |n| n as usize);
                let clear = turn.speech.alternative.is_some() || offered == 1;
                state == State::Agreed && clear && (1..=offered).contains(&chosen)
            }
            Stance::Refuse => matches!(state, State::Refused | State::Open | State::Exhausted),
        };
        (!follows).then_some("its state does not follow")
    }
}
