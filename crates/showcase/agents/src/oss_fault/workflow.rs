//! The messages of a case: what follows from replies, from news and from silence.
//!
//! A diagnosis has one task-id from its feasibility negotiation (`hypothesis`) to its judgement
//! (`judgement`). What is agreed there is what is assigned.
//!
//! Identifiers follow from what is to be done, so that an agent that was restarted says the same
//! again instead of ordering it twice: a task that exists already is asked how it is, taken up if
//! it is open, and followed by the next number if it has ended. Read next: [`super::case`] for the
//! states, [`super::repair`] for what follows a diagnosis.

use super::case::Phase;
use super::news::News;
use super::post::Purpose;
use super::{OssFault, Timer};
use crate::answers::{self, is_taken};
use crate::domain_agent::job::place_of;
use crate::payloads::Schema;
use crate::payloads::diagnosis::DiagnosisResult;
use crate::resource_copilot::manual::names;
use domain::agent::{Message, Output, Undelivered};
use domain::content::Content;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Status, TaskId};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;

/// The most sites named in the answer to a question.
const SITES_NAMED_MAX: usize = 12;
/// Seconds after which a task just assigned, of which nothing was heard, is asked how it is.
const FIRST_WORD_S: f64 = 30.0;
/// The same for a task under way.
const SILENCE_S: f64 = 3_600.0;

impl OssFault {
    pub(super) fn send(&mut self, purpose: Purpose, message: Message) -> Output {
        let token = self.context.token();
        self.post.sent(token, purpose, message.clone());
        Output::Send { token, message }
    }

    /// An identifier that follows from the work and its element, and was not used yet.
    pub(super) fn task_about(&mut self, work: &str, element: &str) -> TaskId {
        let alias = self.context.alias();
        let numbered = |n: u64| TaskId::new(format!("{alias}-{work}-{element}-{n}"));
        let fresh = (1..).map(numbered).find(|id| !self.known.contains(id));
        let fresh = fresh.expect("some number is free");
        self.known.insert(fresh.clone());
        fresh
    }

    pub(super) fn replied(
        &mut self,
        token: Token,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some((purpose, sent)) = self.post.replied(token) else {
            return Vec::new();
        };
        let verdict = reply.as_ref().map(|r| r.verdict).ok();
        let taken = !matches!(verdict, None | Some(Verdict::Refused));
        let exists = is_taken(&reply);
        match purpose {
            Purpose::Feasibility(case) | Purpose::Diagnosis(case) | Purpose::Ticket(case)
                if exists =>
            {
                vec![self.ask_state(case, sent.to, sent.task)]
            }
            Purpose::Feasibility(case) => match (verdict, &reply) {
                (Some(Verdict::Accepted | Verdict::Result), _) => self.assign(case, sent),
                (Some(Verdict::Offered), Ok(offer)) => self.choose(case, sent, offer, now),
                _ => self.declined(case, &sent, &why_not(&reply), now),
            },
            Purpose::Agreement(case, content) if taken => {
                let content = *content;
                self.assign(case, Message { content, ..sent })
            }
            Purpose::Diagnosis(case) | Purpose::Ticket(case) if taken => {
                vec![self.wake(Timer::Check(case, sent.task), now.plus_s(FIRST_WORD_S))]
            }
            Purpose::Agreement(case, _) | Purpose::Diagnosis(case) => {
                self.declined(case, &sent, &why_not(&reply), now)
            }
            Purpose::Ticket(case) => {
                let words = format!("The ticket was not taken: {}", why_not(&reply));
                self.escalate(case, words, now)
            }
            Purpose::State(case) => match &reply {
                Ok(reply) => self.state_told(case, &sent, reply, now),
                Err(_) => Vec::new(),
            },
            Purpose::Verification(case) => self.verified(case, reply.ok().as_ref(), now),
            Purpose::Standing(domain) if !taken => vec![Output::Note(format!(
                "Incidents of the {} domain are not reported: {}",
                domain.as_str(),
                why_not(&reply)
            ))],
            Purpose::Delegation(origin) => self.delegation_replied(&origin, &sent, &reply),
            Purpose::Delegated(_) => match reply.ok().and_then(|r| News::in_reply(&sent, &r)) {
                Some(news) => self.delegation_notified(&news),
                None => Vec::new(),
            },
            Purpose::Escalation(case) if !taken && !exists => {
                if let Some(case) = self.case(case) {
                    case.escalation = None;
                }
                let words = format!(
                    "Nobody keeps the ticket of case {case}: {}",
                    why_not(&reply)
                );
                vec![Output::Note(words)]
            }
            Purpose::Standing(_) | Purpose::Escalation(_) | Purpose::Word => Vec::new(),
        }
    }

    /// Nothing was heard of a task lately: it is asked how it is.
    pub(super) fn check(&mut self, number: u64, task: TaskId, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.case(number).filter(|c| c.holds(&task)) else {
            return Vec::new();
        };
        let verifying = matches!(case.phase, Phase::Verifying(_));
        let silent = !std::mem::replace(&mut case.heard, false) && !verifying;
        let executor = case.executor.clone();
        let again = Timer::Check(number, task.clone());
        let mut outputs = vec![self.wake(again, now.plus_s(SILENCE_S))];
        if silent {
            outputs.push(self.ask_state(number, executor, task));
        }
        outputs
    }

    fn ask_state(&mut self, number: u64, to: String, task: TaskId) -> Output {
        let content = Content::new(task.as_str(), "How is it?");
        let query = Message::new(to, Verb::TaskResultQuery, task, content);
        self.send(Purpose::State(number), query)
    }

    /// Takes in how a task is that nothing had been heard of.
    fn state_told(
        &mut self,
        number: u64,
        query: &Message,
        reply: &Reply,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(news) = News::in_reply(query, reply) else {
            return Vec::new();
        };
        let Some(case) = self.case(number).filter(|c| c.holds(&query.task)) else {
            return Vec::new();
        };
        if news.status.is_terminal() && !case.heard {
            // It served an earlier fault of the same element.
            return match case.phase {
                Phase::Repairing(_) => self.open_ticket(number, now),
                _ => {
                    case.asked.clear();
                    self.ask_feasibility(number, now)
                }
            };
        }
        if let Phase::Negotiating(task) = &case.phase {
            case.phase = Phase::Diagnosing(task.clone());
        }
        self.advance(number, &news, now)
    }

    pub(super) fn case_notified(&mut self, news: &News, now: Timestamp) -> Vec<Output> {
        match self.cases.iter().find(|c| c.holds(&news.task)) {
            Some(case) => self.advance(case.number, news, now),
            None => self.adopt(news, now),
        }
    }

    /// Goes on with a case after news of the task that it has in hand.
    fn advance(&mut self, number: u64, news: &News, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.heard = true;
        let offered = news.status == Status::Finished || news.awaits == Some(Awaits::Judgement);
        match (&case.phase, news.awaits) {
            (Phase::Diagnosing(_), _) if offered => {
                match DiagnosisResult::in_content(&news.content) {
                    Some(result) => self.judge(number, news, result, now),
                    None => self.unreadable(number, news, now),
                }
            }
            (Phase::Diagnosing(_), _) if news.is_bad_end() => self.next_hypothesis(number, now),
            (Phase::Repairing(_), _) if offered => self.repaired(number, news, now),
            (Phase::Diagnosing(_) | Phase::Repairing(_), Some(Awaits::Decision)) => {
                vec![self.decide(number, news)]
            }
            (Phase::Repairing(_) | Phase::Verifying(_), _) if news.is_bad_end() => {
                let words = &news.content.task_description;
                self.escalate(
                    number,
                    format!("the ticket is {}: {words}", news.status),
                    now,
                )
            }
            (Phase::Diagnosing(_) | Phase::Repairing(_), Some(Awaits::Answer)) => {
                self.answer_question(number, news, now)
            }
            _ => Vec::new(),
        }
    }

    /// An executor asks what it was not told: all that the case knows is said, once.
    fn answer_question(&mut self, number: u64, news: &News, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        if std::mem::replace(&mut case.answered, true) {
            let diagnosing = matches!(case.phase, Phase::Diagnosing(_));
            let mut outputs = vec![self.cancel(news, "No more is known")];
            outputs.extend(match diagnosing {
                true => self.ask_feasibility(number, now),
                false => self.escalate(number, format!("{} asks too much", news.from), now),
            });
            return outputs;
        }
        let current = case.current.clone();
        let known = case.root.clone().or(current.map(|s| (s.target, s.cause)));
        let Some((element, cause)) = known else {
            return Vec::new();
        };
        let sites = names(&case.sites, SITES_NAMED_MAX);
        let words = format!(
            "{element}, {}: a {cause} is suspected; out of service: {}",
            place_of(self.correlator.inventory(), &element),
            sites
        );
        let content = Content::new(element.as_str(), words).in_reply_to(Awaits::Answer);
        let verb = Verb::FulfillmentNegotiate;
        let message = Message::new(news.from.clone(), verb, news.task.clone(), content);
        vec![self.send(Purpose::Word, message)]
    }

    pub(super) fn cancel(&mut self, news: &News, why: &str) -> Output {
        let content = Content::new(news.task.as_str(), why);
        let (to, task) = (news.from.clone(), news.task.clone());
        self.send(
            Purpose::Word,
            Message::new(to, Verb::TaskCancel, task, content),
        )
    }
}

pub(super) fn why_not(reply: &Result<Reply, Undelivered>) -> String {
    match reply {
        Err(undelivered) => format!("{}: {}", undelivered.tag, undelivered.message),
        Ok(reply) => answers::why_not(reply),
    }
}
