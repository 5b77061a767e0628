//! The messages of a case up to its diagnosis: feasibility, assignment, judgement.
//!
//! A diagnosis has one task-id from its feasibility negotiation to its judgement. What is agreed
//! there is what is assigned. Each result is judged against what was expected and against the
//! topology: a confirmed cause must explain at least half of the sites that are out.
//!
//! Identifiers follow from what is to be done, so that an agent that was restarted says the same
//! again instead of ordering it twice: a task that exists already is asked how it is, taken up if
//! it is open, and followed by the next number if it has ended. Read next: [`super::case`] for the
//! states, [`super::repair`] for what follows a diagnosis.

use super::case::{FaultCase, HYPOTHESES_MAX, Phase};
use super::news::News;
use super::post::Purpose;
use super::{OssFault, Timer};
use crate::answers::{self, is_taken, with_points};
use crate::domain_agent::job::place_of;
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use crate::resource_copilot::manual::names;
use domain::agent::{Message, Output, Undelivered};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::ElementId;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Status, TaskId};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;

/// The most alternatives named in a diagnosis.
const ALTERNATIVES_MAX: usize = 4;
/// The most sites named in the answer to a question.
const SITES_NAMED_MAX: usize = 12;
/// Seconds after which a task just assigned, of which nothing was heard, is asked how it is.
const FIRST_WORD_S: f64 = 30.0;
/// The same for a task under way.
const SILENCE_S: f64 = 3_600.0;

const EXPECTED_OF_DIAGNOSIS: &str =
    "the root cause confirmed or excluded, with readings, place and proposal";

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

    fn declined(&mut self, case: u64, sent: &Message, why: &str, now: Timestamp) -> Vec<Output> {
        let mut outputs = vec![Output::Note(format!("{} declines: {why}", sent.to))];
        if self.case(case).is_some_and(|c| c.holds(&sent.task)) {
            outputs.extend(self.ask_feasibility(case, now));
        }
        outputs
    }

    /// Puts the next hypothesis to the test, or gives up.
    pub(super) fn next_hypothesis(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let gone = {
            let evidence = self.events.evidence(now);
            let stands = |k| evidence.alarms.contains_key(k);
            !case.explains.iter().any(stands)
        };
        let tried = case.tried.len();
        if gone && tried > 0 {
            return self.close(number, "its alarms have cleared by themselves", now);
        }
        let untried = self.untried(case);
        let Some(next) = untried
            .into_iter()
            .next()
            .filter(|_| tried < HYPOTHESES_MAX)
        else {
            return self.escalate(number, format!("{tried} hypotheses are refuted"), now);
        };
        self.suspect(number, next);
        self.ask_feasibility(number, now)
    }

    /// Sets what the case is held to be from now on.
    fn suspect(&mut self, number: u64, suspicion: Suspicion) {
        if let Some(case) = self.case(number) {
            case.tried.insert(suspicion.target.clone());
            case.current = Some(suspicion);
            case.asked.clear();
            case.rejected = false;
        }
    }

    /// Asks the next agent that could diagnose what is suspected; without one, another hypothesis
    /// has its turn.
    pub(super) fn ask_feasibility(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let Some(current) = case.current.clone() else {
            return Vec::new();
        };
        let domain = current.cause.domain();
        let next = {
            let layer = Layer::Resource;
            let mut able = self.context.colleagues(Diagnosis::ID, layer, Some(domain));
            let next = able.find(|name| !case.asked.contains(*name));
            next.map(str::to_owned)
        };
        let Some(to) = next else {
            let mut outputs = Vec::new();
            if case.asked.is_empty() {
                let words = format!("No agent diagnoses the {} domain", domain.as_str());
                outputs.push(Output::Note(words));
            }
            outputs.extend(self.next_hypothesis(number, now));
            return outputs;
        };
        let content = self.diagnosis_of(number, &current, now);
        let task = self.task_about("diagnosis", current.target.as_str());
        if let Some(case) = self.case(number) {
            case.asked.insert(to.clone());
            case.take_up(Phase::Negotiating(task.clone()), &to);
        }
        let message = Message::new(to, Verb::FeasibilityNegotiate, task, content);
        vec![self.send(Purpose::Feasibility(number), message)]
    }

    /// The order to diagnose a suspicion of a case.
    fn diagnosis_of(&mut self, number: u64, suspicion: &Suspicion, now: Timestamp) -> Content {
        let Some(case) = self.cases.iter().find(|c| c.number == number).cloned() else {
            return Content::default();
        };
        let Suspicion { target, cause } = suspicion;
        let same_domain = |s: &Suspicion| s.cause.domain() == cause.domain() && s.target != *target;
        let others = self.untried(&case).into_iter().filter(same_domain);
        let diagnosis = Diagnosis {
            suspicion: suspicion.clone(),
            alternatives: others.take(ALTERNATIVES_MAX).collect(),
            sites: case.sites.clone(),
            since: Some(self.since(&case, now)),
            incident_ids: case.incident_ids,
        };
        let words = format!(
            "Diagnose {target}: is it a {cause}? {} sites are out of service; measure it and what \
             is around it",
            case.sites.len()
        );
        Content::new(target.as_str(), words)
            .with_payload(diagnosis.to_payload())
            .expecting(EXPECTED_OF_DIAGNOSIS)
    }

    fn since(&mut self, case: &FaultCase, now: Timestamp) -> Timestamp {
        let evidence = self.events.evidence(now);
        let times = case.explains.iter().filter_map(|k| evidence.alarms.get(k));
        times.min().copied().unwrap_or(case.opened_at)
    }

    /// Something else is offered than was asked for: the first alternative that the case could be
    /// is taken; or else what the agent might rather do is proposed; or else it is refused.
    fn choose(&mut self, number: u64, sent: Message, offer: &Reply, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        if !case.holds(&sent.task) {
            return Vec::new();
        }
        let offered = |c: &Content| Diagnosis::in_content(c).map(|d| d.suspicion);
        let worth = |s: &Suspicion| {
            !case.tried.contains(&s.target) && self.doubt(case, &s.target, s.cause).is_none()
        };
        let mut alternatives = offer.content.iter().map(offered).enumerate();
        let chosen = alternatives.find_map(|(i, s)| Some((i, s.filter(worth)?)));
        let same_domain = |s: &Suspicion| {
            let current = case.current.as_ref();
            current.is_some_and(|c| c.cause.domain() == s.cause.domain())
        };
        let other = self.untried(case).into_iter().find(same_domain);
        let next_round = Message {
            round: sent.round + 1,
            ..sent.clone()
        };
        match (chosen, other) {
            (Some((i, suspicion)), _) => {
                let words = format!("Alternative {}: {}", i + 1, suspicion.target);
                let target = sent.content.target_object.clone();
                let content = Content::new(target, words).with_result(format!("accept {}", i + 1));
                let mut agreed = offer.content[i].clone();
                agreed.expected_response = Some(EXPECTED_OF_DIAGNOSIS.to_owned());
                self.suspect(number, suspicion);
                let purpose = Purpose::Agreement(number, Box::new(agreed));
                let message = Message {
                    content,
                    ..next_round
                };
                vec![self.send(purpose, message)]
            }
            (None, Some(other)) if sent.round == 1 => {
                self.suspect(number, other.clone());
                if let Some(case) = self.case(number) {
                    case.asked.insert(sent.to);
                }
                let content = self.diagnosis_of(number, &other, now);
                let message = Message {
                    content,
                    ..next_round
                };
                vec![self.send(Purpose::Feasibility(number), message)]
            }
            _ => {
                let points = ["nothing of it could have caused what is seen".to_owned()];
                let content = Content::new(sent.content.target_object.clone(), "No alternative")
                    .with_result(with_points("refuse", &points));
                let message = Message {
                    content,
                    ..next_round
                };
                let mut outputs = vec![self.send(Purpose::Word, message)];
                outputs.extend(self.declined(number, &sent, &points[0], now));
                outputs
            }
        }
    }

    /// Assigns what was agreed on.
    fn assign(&mut self, number: u64, agreed: Message) -> Vec<Output> {
        let Some(case) = self.case(number).filter(|c| c.holds(&agreed.task)) else {
            return Vec::new();
        };
        case.take_up(Phase::Diagnosing(agreed.task.clone()), &agreed.to);
        let message = Message::new(agreed.to, Verb::TaskAssign, agreed.task, agreed.content);
        vec![self.send(Purpose::Diagnosis(number), message)]
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

    /// A result that is none: nothing can be judged, so another agent has its turn.
    fn unreadable(&mut self, number: u64, news: &News, now: Timestamp) -> Vec<Output> {
        let points = [format!("the result is no {}", DiagnosisResult::ID)];
        let mut outputs = self.judgement(news, &with_points("reject", &points));
        outputs.push(self.cancel(news, "The result cannot be read"));
        outputs.extend(self.ask_feasibility(number, now));
        outputs
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

    /// Judges a diagnosis: accept and go on, or reject and have the alternatives looked at.
    fn judge(
        &mut self,
        number: u64,
        news: &News,
        result: DiagnosisResult,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let root = result.root_cause.clone().zip(result.cause);
        let root = root.filter(|_| result.confirmed);
        let doubt = match &root {
            Some((element, cause)) => self.doubt(case, element, *cause),
            None => Some("no cause is confirmed".to_owned()),
        };
        let mut unmet: Vec<String> = doubt.iter().cloned().collect();
        unmet.extend(gaps(&result));
        let rejected = case.rejected;
        let alternatives = self.alternatives_asked(number);
        let more_to_say = match doubt {
            Some(_) => !alternatives.is_empty(),
            None => !unmet.is_empty(),
        };
        if !rejected && more_to_say && news.awaits == Some(Awaits::Judgement) {
            let further = alternatives.iter().filter(|_| doubt.is_some());
            unmet.extend(further.clone().map(|a| format!("look at {a} as well")));
            if let Some(case) = self.case(number) {
                case.rejected = true;
                case.tried.extend(further.cloned());
            }
            return self.judgement(news, &with_points("reject", &unmet));
        }
        let mut outputs = self.judgement(news, "accept");
        if let (None, Some((element, cause))) = (&doubt, root) {
            outputs.extend(self.located(number, element, cause, result, now));
            return outputs;
        }
        // Nothing found is a proper answer too: the hypothesis is refuted and the task is done.
        outputs.push(Output::Note(format!(
            "Case {number}: the suspicion of {} is refuted, {}",
            result.target,
            doubt.unwrap_or_default()
        )));
        outputs.extend(self.next_hypothesis(number, now));
        outputs
    }

    /// The reason why a confirmed cause is not believed: it does not exist, cannot fail so, or is
    /// not what took out the sites of this case.
    fn doubt(&self, case: &FaultCase, element: &ElementId, cause: Cause) -> Option<String> {
        let Some(candidate) = self.correlator.of_element(element) else {
            return Some(format!("the inventory has no element {element}"));
        };
        let inventory = self.correlator.inventory();
        let kind = inventory.element(element).map(|e| e.kind);
        if candidate.cause.is_none() || kind != Some(cause.strikes()) {
            return Some(format!("{element} cannot have a {cause}"));
        }
        let explained = case.sites.intersection(&candidate.sites).count();
        (2 * explained < case.sites.len()).then(|| {
            format!(
                "{element} explains {explained} of {} sites out of service only",
                case.sites.len()
            )
        })
    }

    /// The alternatives named in the diagnosis under way that have not been tried.
    fn alternatives_asked(&self, number: u64) -> Vec<ElementId> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let Some(current) = &case.current else {
            return Vec::new();
        };
        let untried = self.untried(case);
        let same = untried
            .into_iter()
            .filter(|s| s.cause.domain() == current.cause.domain());
        same.take(ALTERNATIVES_MAX).map(|s| s.target).collect()
    }

    /// The word on a result, if one is waited for.
    pub(super) fn judgement(&mut self, news: &News, verdict: &str) -> Vec<Output> {
        if news.awaits != Some(Awaits::Judgement) {
            return Vec::new();
        }
        let target = news.content.target_object.as_str();
        let content = Content::new(target, "Judgement of the result").with_result(verdict);
        let content = content.in_reply_to(Awaits::Judgement);
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

/// The parts that a confirmed result lacks of what was expected.
fn gaps(result: &DiagnosisResult) -> Vec<String> {
    let lacks = [
        ("no readings are given", result.evidence.is_empty()),
        ("no place is given", result.location.is_empty()),
        ("nothing is proposed", result.proposal.is_empty()),
    ];
    let lacking = lacks
        .into_iter()
        .filter(|(_, lacks)| *lacks && result.confirmed);
    lacking.map(|(what, _)| what.to_owned()).collect()
}

pub(super) fn why_not(reply: &Result<Reply, Undelivered>) -> String {
    match reply {
        Err(undelivered) => format!("{}: {}", undelivered.tag, undelivered.message),
        Ok(reply) => answers::why_not(reply),
    }
}
