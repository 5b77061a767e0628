//! The network of the runtime, when it is managed elsewhere.
//!
//! What the tasks of the systems bring becomes telemetry for hosted agents, and for the platform's
//! own management systems, so that agents outside see the same; actions go out as orders, and their
//! outcomes come back by number (`actions`). What a system may not tell is left out (`entitled`), and what it
//! tells once is kept with how far it was heard (`once`). Read next: [`super::desk`], [`super::queue`].

mod actions;
mod entitled;
mod once;

use self::entitled::{Strangers, news_of_period};
use super::desk::{Asker, Desk, Reported, Sender};
use super::episode::Recurrence;
use super::event::{ManagedEvent, Once};
use super::position::{KeptPosition, ToldAt};
use super::queue::TelemetryQueue;
use super::survey::Survey;
use super::system::{ACTIONS, Brought, Order, System, SystemEvent};
use super::tickets::Tickets;
use super::workers::Orders;
use crate::post::Post;
use crate::runtime::{Around, Network};
use crate::shares::Shares;
use crate::story::StoryEvent;
use bindings::netconf::manager::{AlarmBook, SystemClock, SystemReport};
use domain::agent::Input;
use domain::ems::Ems;
use domain::inventory::{Domain, ElementId, Inventory};
use domain::telemetry::{Action, FieldReport, Outcome, Performance, Telemetry, Ticket, Token};
use domain::time::Timestamp;
use engine::{ActWanted, Engine};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The most events that are handled at a time; in between others have their turn.
const AT_ONCE: usize = 256;
/// The most that is told of one system at a time of what waits; in between others have their turn.
const TOLD_AT_ONCE: usize = 64;

/// One system as the network knows it.
struct Managed {
    system: Arc<System>,
    orders: mpsc::Sender<Order>,
    book: AlarmBook,
    clock: SystemClock,
    /// The end of the last period that was told.
    figures_until: Timestamp,
    /// Reports on what belongs to others.
    strays: Recurrence,
    /// The elements of no inventory that alarms were on.
    strangers: Strangers,
    /// What waits for its share of the room that agents have.
    queue: TelemetryQueue,
    /// What had no room in it.
    left_out: Recurrence,
    /// How far it was heard of what is told once; none if it never was.
    kept: Option<KeptPosition>,
}

/// A network that is managed elsewhere.
pub struct ManagedNetwork {
    systems: Vec<Managed>,
    events: mpsc::Receiver<SystemEvent>,
    waiting: VecDeque<SystemEvent>,
    posts: BTreeMap<String, Post>,
    inventory: Arc<Inventory>,
    /// The number of the system that each element belongs to.
    owners: BTreeMap<ElementId, usize>,
    desk: Desk,
    tickets: Tickets,
    /// False if it is not known how far systems were heard, though it may be on record.
    notes_are_read: bool,
    /// The tasks end with it.
    _tasks: JoinSet<()>,
}

impl ManagedNetwork {
    /// The network that was surveyed, for agents with these posts at an engine: what that knows of how far
    /// the systems were heard before, they go on from.
    pub fn new(survey: Survey, posts: BTreeMap<String, Post>, engine: &Engine) -> Self {
        let Survey {
            systems,
            events,
            mut tasks,
            inventory,
            owners,
        } = survey;
        let notes = once::notes(engine);
        let notes_are_read = notes.is_some();
        let notes = notes.unwrap_or_default();
        let desk = Desk::after(once::dispatches(&notes, &systems));
        let managed = systems.into_iter().map(|system| {
            let kept = once::kept(&notes, &system.plan.name);
            system.kept.send_replace(Some(kept.clone()));
            let (orders, taken) = mpsc::channel(ACTIONS);
            let taken: Orders = Arc::new(tokio::sync::Mutex::new(taken));
            for _ in 0..system.plan.sessions {
                let work = super::workers::work(Arc::clone(&system), Arc::clone(&taken));
                tasks.spawn(work);
            }
            let strays = "reports on what is not the system's are left out";
            let left_out = "telemetry is left out, as more waits than there is room for";
            Managed {
                strays: Recurrence::new(&system.plan.name, strays),
                strangers: Strangers::default(),
                queue: TelemetryQueue::default(),
                left_out: Recurrence::new(&system.plan.name, left_out),
                system,
                orders,
                book: AlarmBook::default(),
                clock: SystemClock::default(),
                figures_until: Timestamp::default(),
                kept,
            }
        });
        Self {
            systems: managed.collect(),
            events,
            waiting: VecDeque::new(),
            posts,
            inventory,
            owners,
            desk,
            tickets: Tickets::default(),
            notes_are_read,
            _tasks: tasks,
        }
    }

    /// Takes in what a task has brought.
    fn take(&mut self, event: SystemEvent, now: Timestamp) -> Vec<ManagedEvent> {
        let SystemEvent { system, at, what } = event;
        let managed = &mut self.systems[system];
        match what {
            Brought::Listening => vec![ManagedEvent::Listening(system, at)],
            Brought::Report {
                time,
                live,
                mark,
                report,
            } => {
                if let (true, Some(time)) = (live, time) {
                    managed.clock.heard(time, at);
                }
                let is_once = once::is_told_once(&report);
                let happened = self.report(system, report, at);
                if !is_once {
                    return happened;
                }
                let time = time.unwrap_or(at);
                let at = ToldAt { time, mark };
                let once = |event| ManagedEvent::Once(Once { system, at }, Box::new(event));
                happened.into_iter().map(once).collect()
            }
            Brought::Alarms { began, list } => {
                let (plan, learnt) = (&managed.system.plan, managed.system.learnt());
                let (names, clock) = (&learnt.read.names, &managed.clock);
                let alarms =
                    managed
                        .book
                        .take_list(list, names, &plan.types, clock, (began, at.max(now)));
                let domain = plan.defaults.domain;
                let told = |alarm| ManagedEvent::Told(domain, Telemetry::Alarm(alarm));
                alarms.into_iter().map(told).collect()
            }
            Brought::Figures { counted, figures } => {
                let ours = |at| managed.clock.ours(Some(at), now);
                let figures = match counted {
                    true => figures,
                    false => Performance {
                        from: ours(figures.from),
                        until: ours(figures.until),
                        ..figures
                    },
                };
                let Some(figures) = news_of_period(figures, managed.figures_until, now) else {
                    return Vec::new();
                };
                managed.figures_until = figures.until;
                let domain = managed.system.plan.defaults.domain;
                let told = Telemetry::Performance(Arc::new(figures));
                vec![ManagedEvent::Told(domain, told)]
            }
            Brought::Done { number, reply } => self.done(system, number, reply, now),
        }
    }

    fn report(&mut self, system: usize, report: SystemReport, at: Timestamp) -> Vec<ManagedEvent> {
        let managed = &mut self.systems[system];
        let plan = &managed.system.plan;
        let told = |domain, telemetry| vec![ManagedEvent::Told(domain, telemetry)];
        match report {
            SystemReport::Alarm(alarm) => {
                let learnt = managed.system.learnt();
                let (names, clock) = (&learnt.read.names, &managed.clock);
                let heard = managed.book.hear(alarm, names, &plan.types, clock, at);
                let domain = plan.defaults.domain;
                heard.map_or_else(Vec::new, |alarm| told(domain, Telemetry::Alarm(alarm)))
            }
            // Customers and engineers speak through the systems that are configured for them, and
            // through no other.
            SystemReport::Field(_)
            | SystemReport::Complaint(_)
            | SystemReport::Ticket(_)
            | SystemReport::CustomerAnswered { .. }
                if !matches!(
                    managed.system.plan.defaults.domain,
                    Domain::Service | Domain::Business
                ) =>
            {
                Vec::new()
            }
            SystemReport::Field(report) => match self.desk.reported(system, report, at) {
                Reported::To(to, report) => vec![field(to, report)],
                Reported::Kept => vec![ManagedEvent::Kept],
                Reported::Nobody => Vec::new(),
            },
            SystemReport::Ticket(Ticket { ticket, .. })
            | SystemReport::CustomerAnswered { ticket, .. }
                if !self.tickets.speaks(system, &ticket) =>
            {
                managed.strays.happened(&ticket);
                Vec::new()
            }
            SystemReport::Complaint(mut complaint) => {
                complaint.time = managed.clock.ours(Some(complaint.time), at);
                told(Domain::Service, Telemetry::Complaint(complaint))
            }
            SystemReport::Ticket(mut ticket) => {
                ticket.time = managed.clock.ours(Some(ticket.time), at);
                told(Domain::Business, Telemetry::Ticket(ticket))
            }
            SystemReport::CustomerAnswered { ticket, text } => told(
                Domain::Business,
                Telemetry::CustomerAnswered { ticket, text },
            ),
            SystemReport::Period
            | SystemReport::ReplayComplete
            | SystemReport::Complete
            | SystemReport::Unreadable
            | SystemReport::Other => Vec::new(),
        }
    }

    /// What may be told at once of what happened at a system. The rest waits for its turn, or is not
    /// the system's to tell.
    fn pass(
        &mut self,
        system: usize,
        happened: ManagedEvent,
        now: Timestamp,
    ) -> Option<ManagedEvent> {
        // Whoever asked waits for the outcome.
        if matches!(happened, ManagedEvent::Outcome(..)) {
            return Some(happened);
        }
        let own = self.own(system, happened)?;
        let managed = &mut self.systems[system];
        let (told, has_room) = managed.queue.pass(own, now);
        if !has_room {
            managed.left_out.happened("that which waited longest");
        }
        told
    }

    /// What waited and may be told by now, a few of each system.
    fn due(&mut self, now: Timestamp) -> Vec<ManagedEvent> {
        let mut due = Vec::new();
        for managed in &mut self.systems {
            let next = std::iter::from_fn(|| managed.queue.next(now));
            due.extend(next.take(TOLD_AT_ONCE));
        }
        due
    }

    fn hearers(&self, domain: Domain) -> impl Iterator<Item = (&String, &Post)> {
        let posts = self.posts.iter();
        posts.filter(move |(_, post)| post.hears.contains(&domain))
    }

    /// Shows telemetry of a domain to whoever looks on, the platform's own management systems among them;
    /// what each agent hears of it.
    fn show<'a>(
        &'a self,
        domain: Domain,
        telemetry: &Telemetry,
        around: &mut Around<'_>,
    ) -> Vec<(&'a String, Telemetry)> {
        let now = around.now();
        match telemetry {
            Telemetry::Alarm(alarm) => around.tell(StoryEvent::Alarm(alarm.clone())),
            Telemetry::Complaint(told) => around.tell(StoryEvent::Complaint(told.clone())),
            Telemetry::Ticket(ticket) => around.tell(StoryEvent::Ticket(ticket.clone())),
            _ => {}
        }
        let ems = Ems::of_domain(domain);
        around.engine().observed(ems, telemetry, now);
        let shares = Shares::new(telemetry, &self.inventory);
        let hearers = self.hearers(domain);
        let heard = hearers.filter_map(|(name, post)| Some((name, shares.heard_by(post)?)));
        heard.collect()
    }

    fn tell(&self, domain: Domain, telemetry: &Telemetry, around: &mut Around<'_>) {
        for (name, share) in self.show(domain, telemetry, around) {
            around.deliver(name, Input::Telemetry(share));
        }
    }
}

fn field(to: Sender, report: FieldReport) -> ManagedEvent {
    match to.is_hosted {
        true => ManagedEvent::Field(to.name, report),
        false => ManagedEvent::CallersField(report),
    }
}

impl Network for ManagedNetwork {
    type Event = ManagedEvent;

    fn is_managed(&self) -> bool {
        true
    }

    async fn stirred(&mut self) {
        if !self.waiting.is_empty() {
            return;
        }
        match self.events.recv().await {
            Some(event) => self.waiting.push_back(event),
            None => std::future::pending().await,
        }
    }

    fn next_event_at(&self) -> Option<Timestamp> {
        let queues = self.systems.iter().map(|managed| &managed.queue);
        queues.filter_map(TelemetryQueue::next_at).min()
    }

    fn advance(&mut self, now: Timestamp) -> Vec<ManagedEvent> {
        self.desk.forget_heard(now);
        let mut news = self.due(now);
        for _ in 0..AT_ONCE {
            let event = self.waiting.pop_front();
            let Some(event) = event.or_else(|| self.events.try_recv().ok()) else {
                break;
            };
            let system = event.system;
            for happened in self.take(event, now) {
                news.extend(self.pass(system, happened, now));
            }
        }
        news
    }

    fn deliver(&mut self, event: ManagedEvent, around: &mut Around<'_>) {
        match event {
            ManagedEvent::Told(domain, telemetry) => self.tell(domain, &telemetry, around),
            ManagedEvent::Field(name, report) => {
                around.tell(StoryEvent::Field(report.clone()));
                around.deliver(&name, Input::Telemetry(Telemetry::Field(report)));
            }
            ManagedEvent::CallersField(report) => {
                let (now, report) = (around.now(), Telemetry::Field(report));
                around.engine().observed(Ems::Customer, &report, now);
            }
            // It is noted, and nothing more.
            ManagedEvent::Kept => {}
            ManagedEvent::Once(once, event) => self.deliver_once(once, *event, around),
            ManagedEvent::Listening(system, since) => self.is_heard_since(system, since, around),
            ManagedEvent::Outcome(name, token, outcome) => {
                // Who hears that an engineer is out knows it in another life as well.
                self.note_dispatches(around);
                around.tell(StoryEvent::Outcome {
                    agent: around.alias(&name),
                    outcome: outcome.clone(),
                });
                around.deliver(&name, Input::Acted { token, outcome });
            }
        }
    }

    fn serve(&mut self, around: &mut Around<'_>) {
        let now = around.now();
        self.note_dispatches(around);
        for wanted in around.engine().acts_wanted() {
            let ActWanted {
                by,
                province,
                ems,
                action,
                answer,
            } = wanted;
            around.tell(StoryEvent::Acted {
                agent: around.alias(&by),
                action: action.clone(),
            });
            let name = by.clone();
            let asker = Asker::Caller { name, answer };
            for event in self.begin(&by, &ems.permit(province), None, action, asker, now) {
                self.deliver(event, around);
            }
        }
    }

    fn act(&mut self, agent: &str, token: Token, action: Action, around: &mut Around<'_>) {
        let permit = self.posts.get(agent).map(|post| post.permit.clone());
        let Some(permit) = permit else {
            let outcome = Outcome::Impossible("it has no post on this network".to_owned());
            return around.deliver(agent, Input::Acted { token, outcome });
        };
        let name = agent.to_owned();
        let asker = Asker::Agent { name, token };
        let now = around.now();
        for event in self.begin(agent, &permit, Some(token), action, asker, now) {
            self.deliver(event, around);
        }
    }

    fn expire(&mut self, _: Timestamp) {}
}
