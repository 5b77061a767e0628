//! The energy-saving agent: cells sleep while nobody misses them (draft §2.2).
//!
//! - [`forecast`]: how busy each sector will be; [`policy`]: who sleeps, and how deeply;
//! - [`meter`]: what was saved; [`target`]: what of that is spare; [`reach`]: what can be saved at all;
//!   [`negotiation`]: what it answers to those who want cells awake, or more saved than can be;
//! - [`tasks`]: the tasks in force, and what their publishers are told.
//!
//! What it may do comes from a standing task (`activate`), as the service-intent agent gives it: the
//! target and the bounds; without one every cell is awake. A task that wants cells awake (`suspend`,
//! `adjust`) holds them until it is cancelled or its time is over; then the policy decides again, so
//! that nothing has to be remembered or put back. How cells are is read from each period's counters:
//! what was lost, by restart or on the way, is put right with the next. Read next: [`policy`].

pub mod forecast;
pub mod meter;
mod negotiation;
pub mod policy;
mod reach;
mod target;
pub mod tasks;

use crate::alarms::ActiveAlarms;
use crate::answers::accepted_if;
use crate::context::{AgentContext, TaskExecutor};
use crate::payloads::Schema;
use crate::payloads::saving::{SavingAction, SavingOrder, SavingResult, SavingStatus};
use crate::radio::Radio;
use crate::radio::energy::can;
use domain::agent::{Ask, Briefing, Input, Output, Progress};
use domain::content::Content;
use domain::inventory::{ElementId, ElementKind};
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use domain::telemetry::{Action, AlarmType, Outcome, Performance, Saving, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use forecast::Forecast;
use meter::EnergyMeter;
use policy::{Bounds, Outlook};
use std::collections::{BTreeMap, BTreeSet};
use tasks::is_hold;

/// Seconds after which an action whose end nobody told is taken for lost.
const ACTION_LOST_S: f64 = 900.0;
/// Seconds after which what a cell could not do is tried again.
const UNABLE_S: f64 = 7_200.0;
/// The most cells that are set one by one after a command for many failed.
const ONE_BY_ONE_MAX: usize = 48;
/// Reports of a standing task: one in so many periods.
const REPORT_EACH: u64 = 4;

/// A task in force: save, within these bounds.
#[derive(Clone, Debug)]
struct Standing {
    task: TaskId,
    from: String,
    area: String,
    /// The cells of its area; none for all.
    cells: Option<BTreeSet<ElementId>>,
    bounds: Bounds,
}

/// A task that holds cells awake.
#[derive(Clone, Debug)]
struct Hold {
    order: SavingOrder,
    until: Timestamp,
    /// The power that waking its cells costs while it lasts, in kW.
    costs_kw: f64,
    /// True once its publisher was told that all of them are awake.
    told: bool,
}

#[derive(Clone, Debug)]
enum Timer {
    /// A hold's time is over.
    Over(TaskId),
    /// The cells of a hold should be awake.
    Awake(TaskId),
}

/// A command on its way to cells.
#[derive(Clone, Debug)]
struct Command {
    cells: BTreeSet<ElementId>,
    saving: Saving,
    since: Timestamp,
}

/// The energy-saving agent.
#[derive(Debug)]
pub struct EnergySaving {
    context: AgentContext,
    radio: Radio,
    forecast: Forecast,
    meter: EnergyMeter,
    alarms: ActiveAlarms,
    standing: Vec<Standing>,
    holds: BTreeMap<TaskId, Hold>,
    /// Orders to save that wait for their publishers' word on what was offered instead.
    undecided: BTreeSet<TaskId>,
    timers: BTreeMap<Token, Timer>,
    commands: BTreeMap<Token, Command>,
    /// By cell: the newest command to it that has not ended. The newest holds.
    on_its_way: BTreeMap<ElementId, Token>,
    /// The state of cells, as told last.
    state: BTreeMap<ElementId, Saving>,
    /// The states that cells turned out not to be able to take, and since when.
    unable: BTreeMap<(ElementId, Saving), Timestamp>,
    periods: u64,
}

impl TaskExecutor for EnergySaving {
    fn start(briefing: Briefing, now: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let mut agent = Self {
            context: AgentContext::open(&briefing, now),
            radio: Radio::new(briefing.inventory.clone()),
            forecast: Forecast::default(),
            meter: EnergyMeter::default(),
            alarms: ActiveAlarms::default(),
            standing: Vec::new(),
            holds: BTreeMap::new(),
            undecided: BTreeSet::new(),
            timers: BTreeMap::new(),
            commands: BTreeMap::new(),
            on_its_way: BTreeMap::new(),
            state: BTreeMap::new(),
            unable: BTreeMap::new(),
            periods: 0,
        };
        let open = briefing.open.iter();
        let outputs = open.flat_map(|task| agent.resume(task, now)).collect();
        (agent, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Telemetry(Telemetry::Performance(performance)) => {
                self.counted(&performance, now)
            }
            Input::Telemetry(Telemetry::Alarm(alarm)) => {
                self.alarms.take(&alarm);
                Vec::new()
            }
            Input::Acted { token, outcome } => self.acted(token, outcome, now),
            Input::Woken(token) => self.woken(token, now),
            _ => Vec::new(),
        }
    }

    fn feasible(&self, content: &Content) -> Reply {
        accepted_if(self.understand(content))
    }

    fn proposed(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let reply = match self.understand(&ask.content) {
            Ok(order) if is_hold(order.action) => self.can_suspend(&order, &ask.content, now),
            Ok(order) if order.action == SavingAction::Activate => {
                self.can_activate(&order, &ask.content, now)
            }
            Ok(_) => Reply::accepted(),
            Err(reply) => reply,
        };
        (reply, Vec::new())
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let order = match self.understand(&ask.content) {
            Ok(order) => order,
            Err(reply) => return (reply, Vec::new()),
        };
        match order.action {
            SavingAction::Activate => {
                let outputs = self.take_on(&ask.task, &order, &ask.content, now);
                (Reply::accepted(), outputs)
            }
            SavingAction::Suspend | SavingAction::Adjust => {
                let outputs = self.hold(&ask.task, order, now);
                (Reply::accepted(), outputs)
            }
            SavingAction::Resume => self.resumed(&order, &ask.from, now),
        }
    }

    fn decided(&mut self, ask: &Ask, agreed: bool, now: Timestamp) -> Vec<Output> {
        if !self.undecided.remove(&ask.task.id) {
            return Vec::new();
        }
        let offered = ask.task.plan.as_ref().filter(|_| agreed);
        let order = offered.and_then(|plan| self.understand(plan).ok());
        match order {
            Some(order) => self.activate(&ask.task, &order, now),
            None => {
                let target = ask.task.content.target_object.as_str();
                let words = "So much cannot be saved, and less is not wanted";
                let failed = Progress::Failed(Content::new(target, words));
                vec![Output::report(&ask.task.id, failed)]
            }
        }
    }

    /// Another order in the place of one that is out of reach.
    fn planned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        if !self.undecided.contains(&ask.task.id) {
            let words = "it is in force: assign another task, which takes its place";
            let target = &ask.task.content.target_object;
            return (Reply::refused("no-other-plan", target, words), Vec::new());
        }
        let order = match self.understand(&ask.content) {
            Ok(order) if order.action == SavingAction::Activate => order,
            Ok(_) => {
                let words = "an order to save stays one";
                return (Reply::refused("other-task", "action", words), Vec::new());
            }
            Err(reply) => return (reply, Vec::new()),
        };
        let reply = self.can_activate(&order, &ask.content, now);
        if reply.verdict != Verdict::Accepted {
            return (reply, Vec::new());
        }
        self.undecided.remove(&ask.task.id);
        (reply, self.activate(&ask.task, &order, now))
    }

    fn stopped(&mut self, task: &TaskId, now: Timestamp) -> Vec<Output> {
        self.undecided.remove(task);
        let was = self.standing.len();
        self.standing.retain(|s| s.task != *task);
        match self.holds.remove(task).is_some() || self.standing.len() != was {
            true => self.decide(now),
            false => Vec::new(),
        }
    }
}

impl EnergySaving {
    fn woken(&mut self, token: Token, now: Timestamp) -> Vec<Output> {
        match self.timers.remove(&token) {
            Some(Timer::Over(task)) => {
                if self.holds.get(&task).is_none_or(|h| h.until > now) {
                    return Vec::new();
                }
                let why = "Its time is over: energy saving resumes".to_owned();
                let mut outputs: Vec<Output> = self.release(&task, why, now).into_iter().collect();
                outputs.extend(self.decide(now));
                outputs
            }
            Some(Timer::Awake(task)) => {
                let mut outputs = self.decide(now);
                outputs.extend(self.tell_awake(&task, now));
                outputs
            }
            None => Vec::new(),
        }
    }

    fn counted(&mut self, performance: &Performance, now: Timestamp) -> Vec<Output> {
        if performance.cells.is_empty() {
            return Vec::new();
        }
        self.periods += 1;
        self.forecast.learn(&self.radio, performance);
        self.meter.count(&self.radio, performance);
        self.commands
            .retain(|_, c| now.seconds_since(c.since) < ACTION_LOST_S);
        self.on_its_way
            .retain(|_, token| self.commands.contains_key(token));
        for (id, cell) in &performance.cells {
            if !self.on_its_way.contains_key(id) {
                self.state.insert(id.clone(), cell.saving);
            }
        }
        let mut outputs = self.decide(now);
        let waiting: Vec<TaskId> = self.holds.keys().cloned().collect();
        for task in waiting {
            outputs.extend(self.tell_awake(&task, now));
        }
        if self.periods.is_multiple_of(REPORT_EACH) {
            let day = self.meter.day();
            let words = format!(
                "{:.1} kWh taken where {:.1} kWh would have been without saving",
                day.taken_kwh, day.baseline_kwh
            );
            let told = self.standing.iter().map(|s| {
                let beyond = self.beyond_in_words(s, now);
                let words = match &beyond {
                    Some(beyond) => format!("{words}; {beyond}"),
                    None => words.clone(),
                };
                self.working_because(&s.task, &s.area, words, beyond, now)
            });
            outputs.extend(told.collect::<Vec<Output>>());
        }
        outputs
    }

    fn working(&self, task: &TaskId, area: &str, words: String, now: Timestamp) -> Output {
        self.working_because(task, area, words, None, now)
    }

    /// The same, with a reason why it goes as it does.
    fn working_because(
        &self,
        task: &TaskId,
        area: &str,
        words: String,
        reason: Option<String>,
        now: Timestamp,
    ) -> Output {
        let mut result = self.result(SavingStatus::Active, area, now);
        result.reason = reason.or(result.reason);
        let content = Content::new(area, words).with_payload(result.to_payload());
        let percent = 0;
        Output::report(task, Progress::Working { percent, content })
    }

    fn result(&self, status: SavingStatus, area: &str, now: Timestamp) -> SavingResult {
        let day = self.meter.day();
        let cells = self.cells_of_area(area);
        let saves = |c: &&ElementId| self.state.get(*c).is_some_and(|s| *s != Saving::Off);
        let edges = cells.iter().filter_map(|c| self.forecast.cell(c));
        let edges = edges
            .filter(|c| c.users > 0.5)
            .map(|c| c.edge_throughput_mbps);
        SavingResult {
            status,
            area: area.to_owned(),
            cells_saving: Some(cells.iter().filter(saves).count() as u64),
            cells_total: Some(cells.len() as u64),
            saving_percent: Some(day.percent().clamp(-100.0, 100.0)),
            energy_kwh: Some(day.taken_kwh.max(0.0)),
            baseline_kwh: Some(day.baseline_kwh.max(0.0)),
            throughput_mbps: edges.min_by(f64::total_cmp).map(|e| e.max(0.0)),
            effective_at: Some(now),
            reason: self.lowered_in_words(),
        }
    }

    /// The bounds in force for a cell: those of the newest standing task that is about it.
    fn bounds_of(&self, cell: &ElementId) -> Option<Bounds> {
        let about = |s: &&Standing| s.cells.as_ref().is_none_or(|c| c.contains(cell));
        self.standing.iter().rev().find(about).map(|s| s.bounds)
    }

    /// The bounds of the newest standing task.
    fn bounds(&self) -> Option<Bounds> {
        self.standing.last().map(|s| s.bounds)
    }

    /// The cells that tasks hold awake.
    fn held(&self) -> BTreeSet<ElementId> {
        let cells = self.holds.values().flat_map(|h| &h.order.cells);
        cells.cloned().collect()
    }

    /// True if a cell sleeps, as far as anybody told, or is on its way to.
    fn sleeps(&self, cell: &ElementId) -> bool {
        let state = self.commanded(cell);
        let state = state.or_else(|| self.state.get(cell).copied());
        state.is_some_and(|s| !s.serves())
    }

    /// The state that a cell was commanded to take, as long as the command has not ended.
    fn commanded(&self, cell: &ElementId) -> Option<Saving> {
        let token = self.on_its_way.get(cell)?;
        self.commands.get(token).map(|c| c.saving)
    }

    fn lives_on_battery(&self, cell: &ElementId) -> bool {
        let site = self.radio.site_of(cell);
        self.alarms
            .on(site)
            .any(|(t, _)| matches!(t, AlarmType::MainsFailure | AlarmType::BatteryLow))
    }

    fn sites_on_battery(&self) -> BTreeSet<ElementId> {
        let on = |t: &AlarmType| matches!(t, AlarmType::MainsFailure | AlarmType::BatteryLow);
        let inventory = self.radio.inventory();
        let is_site = |e: &ElementId| {
            let kind = inventory.element(e).map(|e| e.kind);
            kind == Some(ElementKind::Site)
        };
        let standing = self.alarms.standing();
        let weak = standing.filter(|((e, t), _)| on(t) && is_site(e));
        weak.map(|((e, _), _)| e.clone()).collect()
    }

    /// True if a cell cannot be commanded: its site does not answer.
    fn is_out(&self, cell: &ElementId) -> bool {
        self.alarms.site_is_out(self.radio.site_of(cell))
    }

    /// Commands every cell that is not as it should be.
    fn decide(&mut self, now: Timestamp) -> Vec<Output> {
        let (held, on_battery) = (self.held(), self.sites_on_battery());
        let outlook = Outlook {
            radio: &self.radio,
            forecast: &self.forecast,
            held: &held,
            on_battery: &on_battery,
            bounds: self.bounds(),
            now,
        };
        let mut wanted: BTreeMap<Saving, BTreeSet<ElementId>> = BTreeMap::new();
        // Both are in the order of cells: one is walked beside the other.
        let mut states = self.state.iter().peekable();
        for (id, cell) in &self.radio.inventory().cells {
            while states.next_if(|(other, _)| *other < id).is_some() {}
            let known = states.next_if(|(other, _)| *other == id);
            let known = known.map(|(_, saving)| *saving);
            // Of a cell that was never heard of only this is known: held, it must be awake.
            let Some(current) = known.or(held.contains(id).then_some(Saving::DeepSleep)) else {
                continue;
            };
            let bounds = self.bounds_of(id);
            let saving = Outlook { bounds, ..outlook }.wanted(id, cell, current);
            if saving == current || self.commanded(id) == Some(saving) {
                continue;
            }
            let tried = self.unable.get(&(id.clone(), saving));
            let able = tried.is_none_or(|at| now.seconds_since(*at) > UNABLE_S);
            if able && !self.is_out(id) {
                wanted.entry(saving).or_default().insert(id.clone());
            }
        }
        let commands = wanted.into_iter();
        commands
            .map(|(saving, cells)| self.command(cells, saving, now))
            .collect()
    }

    fn command(&mut self, cells: BTreeSet<ElementId>, saving: Saving, now: Timestamp) -> Output {
        let token = self.context.token();
        let newest = cells.iter().map(|c| (c.clone(), token));
        self.on_its_way.extend(newest);
        let since = now;
        self.commands.insert(
            token,
            Command {
                cells: cells.clone(),
                saving,
                since,
            },
        );
        let action = Action::SetSaving { cells, saving };
        Output::Act { token, action }
    }

    fn acted(&mut self, token: Token, outcome: Outcome, now: Timestamp) -> Vec<Output> {
        let Some(mut command) = self.commands.remove(&token) else {
            return Vec::new();
        };
        let on_its_way = &mut self.on_its_way;
        command.cells.retain(|c| on_its_way.get(c) == Some(&token));
        for cell in &command.cells {
            on_its_way.remove(cell);
        }
        match outcome {
            Outcome::Done => {
                for cell in &command.cells {
                    self.state.insert(cell.clone(), command.saving);
                }
                let waiting: Vec<TaskId> = self.holds.keys().cloned().collect();
                let told = waiting.iter().flat_map(|t| self.tell_awake_now(t, now));
                told.collect()
            }
            Outcome::Impossible(why) => self.impossible(command, &why, now),
            _ => Vec::new(),
        }
    }

    /// A command for many may fail because of one: they are tried one by one.
    fn impossible(&mut self, command: Command, why: &str, now: Timestamp) -> Vec<Output> {
        if command.cells.len() > 1 {
            let cells: Vec<ElementId> = command.cells.into_iter().take(ONE_BY_ONE_MAX).collect();
            let alone = cells.into_iter().map(|cell| BTreeSet::from([cell]));
            return alone
                .map(|cells| self.command(cells, command.saving, now))
                .collect();
        }
        let Some(cell) = command.cells.into_iter().next() else {
            return Vec::new();
        };
        let unit = self.radio.cell(&cell).map(|c| c.radio_unit);
        let ours = unit.is_some_and(|u| can(u, command.saving));
        if !command.saving.serves() || !ours {
            self.unable.insert((cell.clone(), command.saving), now);
        }
        let saving = command.saving.as_str();
        vec![Output::Note(format!(
            "{cell} cannot be set to {saving}: {why}"
        ))]
    }
}

#[cfg(test)]
mod tests;
