//! `taskAssgin`: a task begins (draft §4.2).
//!
//! Read next: [`super::cancel`], [`super::report`], [`crate::tasks::life`].

use super::payload::{Held, Speaker};
use crate::access::unobtainable;
use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::agents::Room;
use crate::hosting::question::Question;
use crate::operation::Execution;
use crate::refusal::{Conflict, Field};
use crate::schemas::notice::Annotations;
use crate::tasks::awaited::Awaited;
use crate::tasks::loaded::Name;
use crate::tasks::message::Negotiated;
use crate::tasks::negotiate::exchange::{asked, committed};
use crate::tasks::reply::{complete, pending, take_answer};
use crate::tasks::request::{
    Routed, agreed_mode, checked, conditions, is_of_platform, of_platform, of_request,
    stated_patience,
};
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::agent::{Ask, Input};
use domain::content::Content;
use domain::context::{Body, DataParam, Exchange};
use domain::negotiation::{Kind, Negotiation, fits};
use domain::push::PushConfig;
use domain::reply::{Reply, Verdict};
use domain::task::{Command, Conditions, Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;
use store::PushChange;

/// What a task needs to be handed over.
pub(super) struct Handover<'e> {
    /// The data that go with it.
    data: Option<DataParam>,
    /// The executor's.
    room: Room<'e>,
}

impl Engine {
    pub(super) fn assign(
        &self,
        who: &Principal,
        mut routed: Routed,
        annotations: &mut Annotations,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let by = Speaker::publisher(&routed.from);
        let Held {
            content, observed, ..
        } = self.held(&mut routed.negotiate, by, annotations, now)?;
        annotations.about(content.payload.as_ref());
        let text = routed.negotiate.texts.join("\n");
        let asynchronous = agreed_mode(&routed.negotiate, &content)?;
        let mut conditions = conditions(&routed.negotiate, &content, &self.limits)?;
        let given = routed.negotiate.task.as_ref().map(checked).transpose()?;
        // Nobody else makes such identifiers as the platform does, and none is made twice but for a request that comes
        // twice.
        let may_be_known = given.is_some() || routed.negotiate.in_doubt();
        let new = || match routed.negotiate.key() {
            Some(key) => of_request(key),
            None => of_platform(now, self.tasks.shared.numbers.next()),
        };
        let id = given.unwrap_or_else(new);
        let names = names_of(&id, may_be_known, &conditions);
        let mut work = self.lock_with_all(&names, |work, names| {
            // Perhaps it was completed since.
            let known = may_be_known.then(|| work.known_task(&id));
            if let Some(Ok(Some(known))) = known
                && known.text != text
            {
                names.push(Name::Exchange(record_of(&known.id)));
            }
        });
        inherit_conversation(&work, &mut conditions)?;
        let task = Task::assigned(
            id.clone(),
            &routed.from,
            &routed.to,
            text,
            content,
            asynchronous,
            now,
        )
        .under(conditions);
        let key = record_of(&id);
        let patience = stated_patience(&routed.negotiate, &task.content)?;
        let (known, negotiated) = match may_be_known {
            true => (
                work.known_task(&id)?,
                work.known_negotiation(&id, Kind::Feasibility)?,
            ),
            false => (None, None),
        };
        if let Some(known) = known {
            if !is_same(&known, &task, patience) && !was_completed(&work, &known, &task, patience)?
            {
                // Nothing that could not begin at all is told that its identifier is in use.
                if known.from != who.name {
                    let executor = self.place_of(&routed)?;
                    self.check_assignment(&work, who, executor, &task, None)?;
                    self.room_to_publish(&routed.from).map(drop)?;
                    if let Some(push) = &routed.negotiate.push {
                        self.check_push(push)?;
                    }
                    self.handover(&work, executor, &task, now)?;
                }
                return Err(self.access.in_use(who, &id, &known.from, &known.to));
            }
            return Ok(self.same_reply_again(&mut work, &Awaited::Task(id), key, now));
        }
        let executor = self.place_of(&routed)?;
        self.check_assignment(&work, who, executor, &task, negotiated.as_deref())?;
        if routed.negotiate.task.is_some() && is_of_platform(&id) {
            return Err(unobtainable(&id));
        }
        // What was proposed and is not settled has its place already.
        let has_place = negotiated.is_some_and(|proposal| proposal.is_open());
        let room = || self.room_to_publish(&routed.from);
        let _room = (!has_place).then(room).transpose()?;
        let (from, to) = (&routed.from, &routed.to);
        let exchange = self.exchange(from, to, &routed.negotiate, &id, key, now);
        let question = routed.negotiate.question.take();
        let push = routed.negotiate.push.take();
        let push = push
            .map(|push| self.told_from_the_start(push, &task))
            .transpose()?;
        // What is lacking, or all that there must be before anything is staged.
        let handover = match question {
            Some(question) => Err(question),
            None => Ok(self.handover(&work, executor, &task, now)?),
        };
        let mut unit = UnitOfWork::asked_by(&routed.from, now);
        unit.observations.extend(observed);
        unit.pushes.extend(push);
        let task = work.create(task, &mut unit);
        match handover {
            Err(question) => self.ask_first(&mut work, &task, question, exchange, now, unit),
            Ok(handover) => Ok(self.hand_over(&mut work, handover, task, exchange, now, unit)),
        }
    }

    /// A configuration for pushing that comes with an assignment is told all of its task.
    fn told_from_the_start(&self, push: PushConfig, task: &Task) -> Result<PushChange, Refusal> {
        self.check_push(&push)?;
        Ok(PushChange::Keep(PushConfig {
            task: task.id.clone(),
            owner: task.from.clone(),
            since: 0,
            ..push
        }))
    }

    /// The publisher is asked for what the assignment lacks; the executor hears of it once that is
    /// said.
    pub(super) fn ask_first(
        &self,
        work: &mut Work<'_>,
        task: &Arc<Task>,
        question: Content,
        exchange: Exchange,
        now: Timestamp,
        mut unit: UnitOfWork,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let said = vec![question.clone()];
        let task = self.change(work, task, Command::AskFirst(question), now, &mut unit)?;
        let reply = complete(Reply::new(Verdict::InputRequired, said), &task);
        unit.respond(exchange, &reply, now);
        Ok(committed(self.commit(unit), reply))
    }

    /// Everything that must hold before anything happens.
    fn check_assignment(
        &self,
        work: &Work<'_>,
        who: &Principal,
        executor: usize,
        task: &Task,
        negotiated: Option<&Negotiation>,
    ) -> Result<(), Refusal> {
        let registration = self.registry.available(executor)?;
        let (own, others) = match negotiated {
            Some(negotiated) if negotiated.publisher == who.name => (Some(negotiated), None),
            others => (None, others),
        };
        if let Some(negotiated) = own {
            check_agreement(negotiated, task)?;
        }
        if let Some(parent) = &task.conditions.parent {
            self.check_part(work, &task.id, parent, &task.from)?;
        }
        let capability = &registration.profile.capability;
        if task.conditions.fulfillment_demanded && !capability.negotiates_fulfillment() {
            return Err(Refusal::unusable(
                Field::Fulfillment,
                format!("'{}' does not negotiate fulfillment", task.to),
            ));
        }
        if let Some(subscription) = &task.conditions.subscription {
            self.check_subscription(subscription)?;
        }
        if let Some(id) = &task.conditions.context {
            let record = work.exchange(id)?;
            record
                .filter(|e| e.from == task.from || e.to == task.from)
                .ok_or_else(|| not_there(Field::Context, id, &task.from))?;
        }
        let binds = |n: &&Negotiation| n.is_open() || n.agreement().is_some();
        match others.filter(binds) {
            Some(n) => Err(self.access.in_use(who, &task.id, &n.publisher, &n.executor)),
            None => Ok(()),
        }
    }

    /// What a task needs to be handed over to its executor, before anything is staged.
    ///
    /// # Errors
    /// [`InvalidInput::Unusable`] as of [`Engine::handed_over`];
    /// [`OverLimit::MailboxFull`](crate::refusal::OverLimit::MailboxFull) if the executor has no room.
    pub(super) fn handover(
        &self,
        work: &Work<'_>,
        executor: usize,
        task: &Task,
        now: Timestamp,
    ) -> Result<Handover<'_>, Refusal> {
        let data = self.handed_over(work, task, now)?;
        let room = self.room_with(executor)?;
        Ok(Handover { data, room })
    }

    /// The executor hears of a task that is staged and lacks nothing.
    pub(super) fn hand_over(
        &self,
        work: &mut Work<'_>,
        handover: Handover<'_>,
        task: Arc<Task>,
        exchange: Exchange,
        now: Timestamp,
        mut unit: UnitOfWork,
    ) -> Execution<Negotiated> {
        let Handover { data, room } = handover;
        let ask = Ask {
            verb: Verb::TaskAssign,
            task: Arc::clone(&task),
            from: task.from.clone(),
            content: task.content.clone(),
            alternatives: Vec::new(),
            alternative: None,
            round: 1,
            turn: None,
        };
        if let Some(data) = data {
            self.keep_data(data, &mut unit);
        }
        let to = room.index();
        if room.is_hosted() {
            let question = assignment(&task, &exchange);
            self.ask(room, question.clone(), ask, &mut unit);
            let patience = self.limits.patience_ms(task.asynchronous);
            let receiver = work.wait_for_answer(&question, exchange, patience, now, &mut unit);
            return asked(self.commit(unit), receiver);
        }
        // The answer is applied first, wherever it stands: the agent's other outputs are about a
        // task that it has already answered for.
        let mut outputs = self.step(to, Input::Asked(ask), now);
        let answer = take_answer(&mut outputs).unwrap_or_else(pending);
        let task = self.apply_answer(work, &task, &answer, now, &mut unit);
        let settled = task.status.is_terminal() || task.awaits.is_some();
        let waits = !task.asynchronous && !settled;
        let reply = complete(answer, &task);
        let receiver = if waits {
            let awaited = Awaited::Task(task.id.clone());
            Some(self.wait_for(work, awaited, exchange, now, &mut unit))
        } else {
            unit.respond(exchange, &reply, now);
            None
        };
        self.take_outputs(work, to, outputs, now, &mut unit);
        let ticket = self.commit(unit);
        match receiver {
            Some(receiver) => asked(ticket, receiver),
            None => committed(ticket, reply),
        }
    }

    /// The data that belong to an assignment, for both parties of the task to read from now on;
    /// none if it names none, or its executor may read them already.
    ///
    /// # Errors
    /// [`InvalidInput::Unusable`] if there is nothing that the publisher may read and give away.
    fn handed_over(
        &self,
        work: &Work<'_>,
        task: &Task,
        now: Timestamp,
    ) -> Result<Option<DataParam>, Refusal> {
        let Some(id) = &task.conditions.data else {
            return Ok(None);
        };
        let bad = |why: String| Refusal::unusable(Field::Data, why);
        let data = self.entry(work, id)?;
        let data = data.filter(|d| d.parties.contains(&task.from));
        let data = data.ok_or_else(|| not_there(Field::Data, id, &task.from))?;
        if matches!(&data.body, Body::Chunked(whole) if !whole.finished) {
            return Err(bad(format!("'{id}' is not finished")));
        }
        match data.task.is_none() && data.parties[0] == task.from {
            true => Ok(Some(DataParam {
                task: Some(task.id.clone()),
                parties: [task.from.clone(), task.to.clone()],
                changed_at: now.max(data.changed_at),
                ..data
            })),
            false if data.parties.contains(&task.to) => Ok(None),
            false => Err(bad(format!(
                "'{id}' belongs to another task, and '{}' may not read it",
                task.to
            ))),
        }
    }
}

/// What an assignment reads.
fn names_of(id: &TaskId, may_be_known: bool, conditions: &Conditions) -> Vec<Name> {
    let own = match may_be_known {
        true => Name::Holders(id.clone()),
        false => Name::Tree(id.clone()),
    };
    let parent = conditions.parent.clone();
    let whole = parent.clone().map(Name::Tree);
    let heir = parent.filter(|_| conditions.conversation.is_none());
    [own]
        .into_iter()
        .chain(whole)
        .chain(heir.map(Name::Task))
        .chain(conditions.context.clone().map(Name::Exchange))
        .chain(conditions.data.clone().map(Name::Data))
        .collect()
}

/// The identifier of the exchange that assigns a task.
fn record_of(task: &TaskId) -> String {
    format!("{task}/assign")
}

/// A part belongs to the conversation of its whole.
fn inherit_conversation(work: &Work<'_>, given: &mut Conditions) -> Result<(), Refusal> {
    if let (None, Some(parent)) = (&given.conversation, &given.parent) {
        let whole = work.known_task(parent)?;
        given.conversation = whole.map(|whole| whole.conversation().to_owned());
    }
    Ok(())
}

/// True if a task that was completed since was assigned by this message.
fn was_completed(
    work: &Work<'_>,
    known: &Task,
    again: &Task,
    patience: Option<i64>,
) -> Result<bool, Refusal> {
    let as_assigned = Task {
        text: again.text.clone(),
        content: again.content.clone(),
        ..known.clone()
    };
    if known.text == again.text || !is_same(&as_assigned, again, patience) {
        return Ok(false);
    }
    let record = work.exchange(&record_of(&known.id))?;
    Ok(record.is_some_and(|record| record.request == again.text))
}

fn not_there(field: Field, id: &str, from: &str) -> Refusal {
    Refusal::unusable(field, format!("there is no '{id}' that '{from}' may read"))
}

/// The question that an assignment is.
fn assignment(task: &Task, exchange: &Exchange) -> Question {
    Question {
        key: exchange.id.clone(),
        agent: task.to.clone(),
        task: task.id.clone(),
        verb: Verb::TaskAssign,
        from: task.from.clone(),
        turn: None,
        round: 1,
        offered: 0,
        reopens: false,
        answered: false,
        word: None,
    }
}

/// What was agreed on under the identifier binds its assignment (§5.3).
fn check_agreement(negotiated: &Negotiation, task: &Task) -> Result<(), Refusal> {
    let id = || task.id.clone();
    if negotiated.is_open() {
        return Err(Conflict::StillNegotiated { task: id() }.into());
    }
    let Some(agreement) = negotiated.agreement() else {
        return Ok(());
    };
    if negotiated.executor != task.to {
        return Err(Conflict::TaskExists { task: id() }.into());
    }
    fits(agreement, &task.content)
        .map_err(|misfit| Conflict::NotAsAgreed { task: id(), misfit }.into())
}

/// The same assignment, sent again. Where reports go may have changed since, and what the platform
/// sets where nothing is stated: how long its publisher's `patience` is.
fn is_same(known: &Task, task: &Task, patience: Option<i64>) -> bool {
    let conditions = |t: &Task| Conditions {
        subscription: None,
        answer_within_ms: patience.and(t.conditions.answer_within_ms),
        ..t.conditions.clone()
    };
    known.from == task.from
        && known.to == task.to
        && known.text == task.text
        && known.content == task.content
        && known.asynchronous == task.asynchronous
        && conditions(known) == conditions(task)
}
