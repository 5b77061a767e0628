//! What has reached an agent in here and was not taken yet: in order, and bounded.
//!
//! Pure data. Requests have so much room and no more, so that whoever asks beyond it is told so
//! before anything is recorded. Replies have the room that was reserved when their message was
//! sent; what the platform itself has to say, such as a cancellation, follows from tasks and is
//! never refused. Telemetry is gathered: where it is too much, the oldest makes room and is
//! counted, and what is on record makes room for nothing but what is. Read next: [`crate::hosting::instance`].

use crate::hosting::question::Question;
use domain::agent::Input;
use domain::telemetry::Token;
use domain::time::Timestamp;
use std::collections::{HashMap, VecDeque};

/// An input on its way to an agent.
#[derive(Debug)]
pub(crate) struct Envelope {
    /// Its place among all that was ever sent to agents in this run.
    pub(crate) number: u64,
    pub(crate) input: Input,
    /// What is on record until it has stepped on this, if anything is.
    pub(crate) question: Option<Question>,
    /// The commit that it rests on, while that is not on disk.
    pub(crate) after: Option<u64>,
    /// Since when it is on its way.
    pub(crate) since: Timestamp,
}

/// The mailbox of one agent.
#[derive(Debug)]
pub(crate) struct Mailbox {
    waiting: VecDeque<Envelope>,
    room: usize,
    telemetry_room: usize,
    requests: usize,
    /// Room for requests that was reserved and not used.
    promised: usize,
    telemetry: usize,
    dropped: u64,
    /// What of it was on record.
    forgotten: Vec<Question>,
    /// Replies and outcomes that were not brought yet, by the token of what they reply to.
    reserved: HashMap<Token, u32>,
    /// How many notices wait, by key.
    notices: HashMap<String, u32>,
}

impl Mailbox {
    /// One with room for so many requests and so much telemetry.
    pub(crate) fn new(room: usize, telemetry_room: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            room: room.max(1),
            telemetry_room: telemetry_room.max(1),
            requests: 0,
            promised: 0,
            telemetry: 0,
            dropped: 0,
            forgotten: Vec::new(),
            reserved: HashMap::new(),
            notices: HashMap::new(),
        }
    }

    /// How many requests it takes.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// True if one more request has room beside so many that stand elsewhere.
    pub(crate) fn has_room_beside(&self, elsewhere: usize) -> bool {
        self.requests + self.promised + elsewhere < self.room
    }

    /// Reserves room for a request.
    pub(crate) fn reserve_room(&mut self) {
        self.promised += 1;
    }

    /// Room that was reserved is used now, or never.
    pub(crate) fn give_room_back(&mut self) {
        self.promised -= 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many inputs wait, and since when the next of them does.
    pub(crate) fn waiting(&self) -> (usize, Option<Timestamp>) {
        let next = self.waiting.front().map(|next| next.since);
        (self.waiting.len(), next)
    }

    /// Takes an input in behind all others; telemetry if there is room, or something makes room for it.
    pub(crate) fn put(&mut self, envelope: Envelope) {
        let is_full = is_telemetry(&envelope) && self.telemetry >= self.telemetry_room;
        if is_full && !self.make_room(envelope.question.is_some()) {
            self.dropped += 1;
            return;
        }
        self.count(&envelope);
        self.waiting.push_back(envelope);
    }

    /// Takes an input in before all others.
    pub(crate) fn put_first(&mut self, envelope: Envelope) {
        self.count(&envelope);
        self.waiting.push_front(envelope);
    }

    /// The number of the next input; none while there is none, or the commit that it rests on is
    /// not on disk.
    pub(crate) fn next(&self) -> Option<u64> {
        let first = self.waiting.front()?;
        first.after.is_none().then_some(first.number)
    }

    /// Takes the next input out.
    pub(crate) fn take(&mut self) -> Option<Envelope> {
        self.next()?;
        let envelope = self.waiting.pop_front()?;
        self.discount(&envelope);
        Some(envelope)
    }

    /// What an input rests on is on disk.
    pub(crate) fn release(&mut self, number: u64) {
        // All stand in the order of their numbers but one that was put in before the others.
        let at = match self.waiting.front() {
            Some(first) if first.number == number => Ok(0),
            _ => self.waiting.binary_search_by_key(&number, |e| e.number),
        };
        if let Ok(at) = at {
            self.waiting[at].after = None;
        }
    }

    /// Takes out every input whose commit is not on disk but a briefing, which stands first; true if there is
    /// one.
    pub(crate) fn withdraw_unreleased(&mut self) -> bool {
        let is_briefing = |e: &Envelope| matches!(e.input, Input::Started(_));
        drop(self.extract(|e| e.after.is_some() && !is_briefing(e)));
        self.waiting.front().is_some_and(|e| e.after.is_some())
    }

    /// Puts another input into the place of the first; its number.
    pub(crate) fn replace_first(&mut self, input: Input) -> Option<u64> {
        let first = self.waiting.front_mut()?;
        first.input = input;
        Some(first.number)
    }

    /// Takes out every question that wants an answer, in their order.
    pub(crate) fn take_questions(&mut self) -> Vec<Question> {
        let asked = self.extract(|e| e.question.as_ref().is_some_and(Question::owes_answer));
        asked.into_iter().filter_map(|e| e.question).collect()
    }

    /// Takes out everything; of nothing in it is anybody told.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        (self.requests, self.telemetry) = (0, 0);
        self.notices.clear();
    }

    /// True if the notice with this key waits.
    pub(crate) fn has_notice(&self, key: &str) -> bool {
        self.notices.contains_key(key)
    }

    /// What is on record, in order.
    pub(crate) fn questions(&self) -> impl Iterator<Item = &Question> {
        self.waiting.iter().filter_map(|e| e.question.as_ref())
    }

    /// How much telemetry had to make room since this was asked last, and what of it was on record.
    pub(crate) fn take_dropped(&mut self) -> (u64, Vec<Question>) {
        let forgotten = std::mem::take(&mut self.forgotten);
        (std::mem::take(&mut self.dropped), forgotten)
    }

    /// Reserves room for what comes back under this token.
    pub(crate) fn reserve(&mut self, token: Token) {
        *self.reserved.entry(token).or_default() += 1;
    }

    /// Uses room that was reserved under this token; false if there is none.
    pub(crate) fn redeem(&mut self, token: Token) -> bool {
        let Some(left) = self.reserved.get_mut(&token) else {
            return false;
        };
        *left -= 1;
        if *left == 0 {
            self.reserved.remove(&token);
        }
        true
    }

    /// Whoever sent and set timers is no more: nothing is expected under any token, and what has come
    /// back already is taken out; what was to be stepped on with that.
    pub(crate) fn forget_replies(&mut self) -> Vec<Question> {
        self.reserved.clear();
        let moot = self.extract(comes_back);
        moot.into_iter().filter_map(|e| e.question).collect()
    }

    /// Takes out the envelopes that are `wanted`; they and the others keep their order.
    fn extract(&mut self, wanted: impl FnMut(&Envelope) -> bool) -> Vec<Envelope> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let (taken, left): (Vec<_>, Vec<_>) = waiting.partition(wanted);
        self.waiting = left.into();
        taken.iter().for_each(|e| self.discount(e));
        taken
    }

    /// The oldest telemetry makes room, and what is on record only for what is; false if there is none
    /// that does.
    fn make_room(&mut self, for_record: bool) -> bool {
        let plain = |e: &Envelope| is_telemetry(e) && e.question.is_none();
        let oldest = self.waiting.iter().position(plain);
        let oldest = oldest.or_else(|| self.waiting.iter().position(is_telemetry));
        let is_plain = |at: &usize| self.waiting[*at].question.is_none();
        let oldest = oldest.filter(|at| for_record || is_plain(at));
        let Some(envelope) = oldest.and_then(|at| self.waiting.remove(at)) else {
            return false;
        };
        self.discount(&envelope);
        self.dropped += 1;
        self.forgotten.extend(envelope.question);
        true
    }

    fn count(&mut self, envelope: &Envelope) {
        self.requests += usize::from(is_request(envelope));
        self.telemetry += usize::from(is_telemetry(envelope));
        if let Some(notice) = notice(envelope) {
            *self.notices.entry(notice.key.clone()).or_default() += 1;
        }
    }

    fn discount(&mut self, envelope: &Envelope) {
        self.requests -= usize::from(is_request(envelope));
        self.telemetry -= usize::from(is_telemetry(envelope));
        if let Some(notice) = notice(envelope)
            && let Some(waiting) = self.notices.get_mut(&notice.key)
        {
            *waiting -= 1;
            if *waiting == 0 {
                self.notices.remove(&notice.key);
            }
        }
    }
}

fn is_request(envelope: &Envelope) -> bool {
    envelope.question.as_ref().is_some_and(Question::is_request)
}

fn notice(envelope: &Envelope) -> Option<&Question> {
    envelope.question.as_ref().filter(|q| q.is_notice())
}

fn comes_back(envelope: &Envelope) -> bool {
    matches!(
        envelope.input,
        Input::Replied { .. } | Input::Acted { .. } | Input::Woken(_)
    )
}

fn is_telemetry(envelope: &Envelope) -> bool {
    matches!(envelope.input, Input::Telemetry(_))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::hosting::question::tests::question;
    use domain::telemetry::Telemetry;
    use domain::verb::Verb;

    fn telemetry(number: u64) -> Envelope {
        let answered = Telemetry::CustomerAnswered {
            ticket: number.to_string(),
            text: String::new(),
        };
        envelope(number, Input::Telemetry(answered), None)
    }

    fn asked(number: u64, verb: Verb) -> Envelope {
        let question = Some(question(&format!("t{number}"), verb));
        envelope(number, Input::Woken(number), question)
    }

    fn envelope(number: u64, input: Input, question: Option<Question>) -> Envelope {
        Envelope {
            number,
            input,
            question,
            after: None,
            since: Timestamp::from_ms(0),
        }
    }

    fn taken(mailbox: &mut Mailbox) -> Vec<u64> {
        std::iter::from_fn(|| mailbox.take().map(|e| e.number)).collect()
    }

    #[test]
    fn requests_have_so_much_room_and_cancellations_always_some() {
        let mut mailbox = Mailbox::new(2, 1);
        mailbox.put(asked(1, Verb::TaskAssign));
        assert!(mailbox.has_room_beside(0));
        mailbox.put(asked(2, Verb::FeasibilityNegotiate));
        assert!(!mailbox.has_room_beside(0));
        mailbox.put(asked(3, Verb::TaskCancel));
        assert_eq!(mailbox.take().unwrap().number, 1);
        assert!(mailbox.has_room_beside(0), "what was taken makes room");
        assert_eq!(taken(&mut mailbox), [2, 3]);
    }

    #[test]
    fn telemetry_makes_room_for_newer_and_for_nothing_else() {
        let mut mailbox = Mailbox::new(1, 2);
        mailbox.put(telemetry(1));
        mailbox.put(asked(2, Verb::TaskAssign));
        mailbox.put(telemetry(3));
        assert_eq!(mailbox.take_dropped(), (0, Vec::new()));
        mailbox.put(telemetry(4));
        mailbox.put(telemetry(5));
        assert_eq!(mailbox.take_dropped(), (2, Vec::new()));
        assert_eq!(mailbox.take_dropped(), (0, Vec::new()));
        assert_eq!(taken(&mut mailbox), [2, 4, 5]);
    }

    #[test]
    fn telemetry_on_record_makes_room_for_nothing_else() {
        let word = |number: u64| Envelope {
            question: Some(question(&number.to_string(), Verb::TaskResultNotify)),
            ..telemetry(number)
        };
        let mut mailbox = Mailbox::new(1, 2);
        mailbox.put(word(1));
        mailbox.put(telemetry(2));
        mailbox.put(word(3));
        mailbox.put(telemetry(4));
        assert_eq!(mailbox.take_dropped(), (2, Vec::new()), "2, and 4 itself");
        mailbox.put(word(5));
        let (dropped, forgotten) = mailbox.take_dropped();
        let keys: Vec<&str> = forgotten.iter().map(|it| it.key.as_str()).collect();
        assert_eq!((dropped, keys), (1, vec!["1/key"]));
        assert!(!mailbox.has_notice("1/key") && mailbox.has_notice("3/key"));
        assert_eq!(taken(&mut mailbox), [3, 5]);
    }

    #[test]
    fn what_is_not_on_disk_holds_back_what_stands_behind_it() {
        let mut mailbox = Mailbox::new(8, 8);
        for (number, after) in [(1, Some(7)), (2, None), (3, Some(8))] {
            let envelope = Envelope {
                after,
                ..telemetry(number)
            };
            mailbox.put(envelope);
        }
        assert_eq!(mailbox.next(), None);
        mailbox.release(1);
        assert_eq!(taken(&mut mailbox), [1, 2], "the order is kept");
        mailbox.withdraw_unreleased();
        mailbox.put(telemetry(4));
        assert_eq!(taken(&mut mailbox), [4]);
    }

    #[test]
    fn a_reply_has_the_room_of_its_message_once() {
        let mut mailbox = Mailbox::new(1, 1);
        mailbox.reserve(5);
        mailbox.reserve(5);
        assert!(mailbox.redeem(5) && mailbox.redeem(5));
        assert!(!mailbox.redeem(5) && !mailbox.redeem(6));
    }
}

#[cfg(test)]
mod orders;
