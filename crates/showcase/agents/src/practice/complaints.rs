//! Complaints of companies, read by people: the desk of the home province first.
//!
//! A person reads a ticket and says what is plainly not the network's; a town of another province has
//! the ticket forwarded, where it is read again. What lacks place, time or vehicle is asked for, once.
//! A vehicle goes to the second line, which looks it up in the signalling records
//! ([`super::second_line`]). People read as well as the agents' own reader: who reads worse was no fair
//! yardstick.

use super::durations::{PracticeDurations, PracticeStep};
use super::journal::{ComplaintRecord, RecordedBoundary};
use super::second_line::{Records, SecondLine};
use super::shift::{Shift, takes_s};
use super::{Matter, Matters};
use crate::alarms::ActiveAlarms;
use crate::complaints::reader::matter::OtherMatter;
use crate::complaints::reader::{ComplaintReader, ComplaintReading, PlainReader};
use domain::agent::Output;
use domain::inventory::Inventory;
use domain::telemetry::{Action, Outcome, Ticket};
use domain::time::{SeededRng, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The hours at which the desks are manned.
const HOURS: (i64, i64) = (8, 18);
/// The customer is waited for so long, in seconds.
const ANSWER_LONGEST_S: f64 = 86_400.0;

/// The next step about a complaint.
#[derive(Clone, Debug, PartialEq)]
pub enum ComplaintStep {
    /// It has been read by the desk of this province.
    Read(String),
    /// It arrives at the desk of this province.
    Arrive(String),
    /// The second line has taken it up: the records are asked for.
    LookUp,
    /// The records of a province have come.
    Traced,
    /// The customer has not answered.
    GiveUp,
}

/// The desks of the provinces.
#[derive(Clone, Debug)]
pub struct Desks {
    inventory: Arc<Inventory>,
    durations: PracticeDurations,
    homes: BTreeMap<String, String>,
    shifts: BTreeMap<String, Shift>,
    tickets: Vec<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    ticket: Ticket,
    text: String,
    desk: String,
    asked: bool,
    /// What the second line has of the records so far.
    records: Option<Records>,
}

impl Desks {
    /// A desk for each province, whose people take so long.
    pub fn new(
        inventory: Arc<Inventory>,
        durations: PracticeDurations,
        homes: BTreeMap<String, String>,
    ) -> Self {
        let provinces = inventory.provinces.values();
        let shifts = provinces.map(|p| (p.clone(), Shift::office(HOURS)));
        Self {
            shifts: shifts.collect(),
            inventory,
            durations,
            homes,
            tickets: Vec::new(),
        }
    }

    fn home(&self, from: &str) -> String {
        let first = || self.shifts.keys().next().cloned();
        let known = self.homes.get(from).cloned();
        known.or_else(first).unwrap_or_default()
    }

    /// Takes the records of one province down; true once those of all have come.
    pub(super) fn traced(&mut self, number: usize, outcome: Outcome) -> bool {
        let provinces: BTreeSet<&String> = self.inventory.provinces.values().collect();
        let records = &mut self.tickets[number].records;
        records.get_or_insert_default().take(outcome) >= provinces.len()
    }

    /// What the words of a ticket say.
    fn account(&self, number: usize) -> ComplaintReading {
        let open = &self.tickets[number];
        let read = PlainReader.read(&self.inventory, &open.text, open.ticket.time);
        read.unwrap_or_default()
    }

    fn province_of(&self, account: &ComplaintReading) -> Option<String> {
        let town = account.place.as_ref()?;
        self.inventory.provinces.get(town).cloned()
    }
}

/// The desks at an instant.
pub(super) struct AtWork<'a> {
    pub(super) desks: &'a mut Desks,
    pub(super) alarms: [&'a ActiveAlarms; 2],
    pub(super) second_line: &'a SecondLine,
    pub(super) matters: &'a mut Matters,
    pub(super) journal: &'a mut Vec<ComplaintRecord>,
    pub(super) now: Timestamp,
    pub(super) rng: &'a mut SeededRng,
}

impl AtWork<'_> {
    pub(super) fn ticket(&mut self, ticket: Ticket) -> Vec<Output> {
        let desk = self.desks.home(&ticket.from);
        self.journal.push(ComplaintRecord {
            ticket: ticket.ticket.clone(),
            at: self.now,
            read_at: None,
            forwarded_at: None,
            questions: 0,
            boundary: None,
            replied_at: None,
        });
        self.desks.tickets.push(Open {
            text: ticket.text.clone(),
            ticket,
            desk: desk.clone(),
            asked: false,
            records: None,
        });
        let number = self.desks.tickets.len() - 1;
        self.read(number, desk, PracticeStep::Read)
    }

    fn read(&mut self, number: usize, desk: String, stage: PracticeStep) -> Vec<Output> {
        let step = ComplaintStep::Read(desk.clone());
        self.work(number, desk, stage, step)
    }

    /// Has the desk of a province work on a ticket; the step follows when it is done.
    fn work(
        &mut self,
        number: usize,
        desk: String,
        stage: PracticeStep,
        then: ComplaintStep,
    ) -> Vec<Output> {
        let seconds = takes_s(self.desks.durations.of(stage), self.rng);
        let shift = self.desks.shifts.entry(desk);
        let shift = shift.or_insert_with(|| Shift::office(HOURS));
        let at = shift.work(self.now, seconds);
        vec![self.matters.wake(Matter::Complaint(number, then), at)]
    }

    pub(super) fn answered(&mut self, ticket: &str, text: &str) -> Vec<Output> {
        let mut open = self.desks.tickets.iter_mut().enumerate();
        let Some((number, found)) = open.find(|(_, o)| o.ticket.ticket == ticket) else {
            return Vec::new();
        };
        if self.journal[number].replied_at.is_some() {
            return Vec::new();
        }
        found.text = format!("{} {text}", found.text);
        let desk = found.desk.clone();
        self.read(number, desk, PracticeStep::ReadAgain)
    }

    pub(super) fn turn_to(&mut self, number: usize, step: ComplaintStep) -> Vec<Output> {
        if self.journal[number].replied_at.is_some() {
            return Vec::new();
        }
        match step {
            ComplaintStep::Read(desk) => self.have_read(number, desk),
            ComplaintStep::Arrive(desk) => {
                self.journal[number].forwarded_at = Some(self.now);
                self.desks.tickets[number].desk.clone_from(&desk);
                self.read(number, desk, PracticeStep::Read)
            }
            ComplaintStep::LookUp => self.look_up(number),
            ComplaintStep::Traced => Vec::new(),
            // Nobody answers: what the words said must do.
            ComplaintStep::GiveUp => self.decide(number),
        }
    }

    fn have_read(&mut self, number: usize, desk: String) -> Vec<Output> {
        self.journal[number].read_at.get_or_insert(self.now);
        let account = self.desks.account(number);
        let lacks = account.place.is_none() || account.when.is_none() || account.vehicle.is_none();
        let elsewhere = self
            .desks
            .province_of(&account)
            .filter(|there| *there != desk);
        let forwarded = self.journal[number].forwarded_at.is_some();
        match (account.outside, elsewhere) {
            (Some(OtherMatter::Modem), _) => vec![self.reply(number, RecordedBoundary::Customer)],
            (Some(_), _) => vec![self.reply(number, RecordedBoundary::Outside)],
            (None, Some(there)) if !forwarded => {
                let forward = self.desks.durations.of(PracticeStep::Forward);
                let at = self.now.plus_s(takes_s(forward, self.rng));
                let matter = Matter::Complaint(number, ComplaintStep::Arrive(there));
                vec![self.matters.wake(matter, at)]
            }
            (None, _) if lacks && !self.desks.tickets[number].asked => self.ask(number),
            (None, _) => self.decide(number),
        }
    }

    /// With all that the customer will say: a vehicle is looked up, a town is looked at.
    fn decide(&mut self, number: usize) -> Vec<Output> {
        let account = self.desks.account(number);
        if account.vehicle.is_some() {
            let desk = self.desks.tickets[number].desk.clone();
            return self.work(number, desk, PracticeStep::LookUp, ComplaintStep::LookUp);
        }
        let town = self.desks.province_of(&account);
        let boundary = town.map_or(RecordedBoundary::Unclear, RecordedBoundary::Province);
        vec![self.reply(number, boundary)]
    }

    fn look_up(&mut self, number: usize) -> Vec<Output> {
        let account = self.desks.account(number);
        let received = self.desks.tickets[number].ticket.time;
        match self.second_line.lookup(&account, received, self.now) {
            Some(action) => {
                let matter = Matter::Complaint(number, ComplaintStep::Traced);
                vec![self.matters.act(matter, action)]
            }
            None => vec![self.reply(number, RecordedBoundary::Unclear)],
        }
    }

    /// The records of every province are there.
    pub(super) fn looked_up(&mut self, number: usize) -> Vec<Output> {
        if self.journal[number].replied_at.is_some() {
            return Vec::new();
        }
        let account = self.desks.account(number);
        let open = &self.desks.tickets[number];
        let records = open.records.clone().unwrap_or_default();
        let found = self
            .second_line
            .boundary(&account, open.ticket.time, records, self.now);
        let town = self
            .desks
            .province_of(&account)
            .map(RecordedBoundary::Province);
        let boundary = found.or(town).unwrap_or(RecordedBoundary::Unclear);
        vec![self.reply(number, boundary)]
    }

    fn ask(&mut self, number: usize) -> Vec<Output> {
        let open = &mut self.desks.tickets[number];
        open.asked = true;
        self.journal[number].questions += 1;
        let text = match open.ticket.language.as_str() {
            "zh" => "请问故障发生在什么地点、什么时间？车架号（VIN）是多少？",
            _ => "Where and when did this happen, please, and which vehicle (VIN) was it?",
        };
        let action = Action::TellCustomer {
            ticket: open.ticket.ticket.clone(),
            text: text.to_owned(),
            question: true,
        };
        let gives_up = Matter::Complaint(number, ComplaintStep::GiveUp);
        let at = self.now.plus_s(ANSWER_LONGEST_S);
        vec![
            self.matters.act(gives_up.clone(), action),
            self.matters.wake(gives_up, at),
        ]
    }

    fn reply(&mut self, number: usize, boundary: RecordedBoundary) -> Output {
        let known = self.known_outage(number);
        let open = &self.desks.tickets[number];
        let text = words(&boundary, known, &open.ticket.language);
        let action = Action::TellCustomer {
            ticket: open.ticket.ticket.clone(),
            text,
            question: false,
        };
        let record = &mut self.journal[number];
        record.boundary = Some(boundary.clone());
        record.replied_at = Some(self.now);
        self.matters
            .act(Matter::Complaint(number, ComplaintStep::GiveUp), action)
    }

    /// True if an alarm list shows lost service in the town that the text names.
    fn known_outage(&self, number: usize) -> bool {
        let Some(town) = self.desks.account(number).place else {
            return false;
        };
        let mut standing = self.alarms.iter().flat_map(|list| list.standing());
        standing.any(|((element, alarm_type), _)| {
            let place = self.desks.inventory.element(element).map(|e| &e.place);
            crate::alarms::tells_of_loss(*alarm_type) && place.is_some_and(|p| *p == town)
        })
    }
}

fn words(boundary: &RecordedBoundary, known: bool, language: &str) -> String {
    let chinese = language == "zh";
    let text = match (boundary, known, chinese) {
        (RecordedBoundary::Outside, _, false) => {
            "This is about your contract; please ask the service line."
        }
        (RecordedBoundary::Outside, _, true) => "该问题与套餐或账单有关，请联系客服热线。",
        (RecordedBoundary::Province(_), true, false) => {
            "There is a fault in that area; we work on it."
        }
        (RecordedBoundary::Province(_), true, true) => "该区域有故障，正在处理。",
        (RecordedBoundary::Province(_), false, false) => "We know of no fault there at present.",
        (RecordedBoundary::Province(_), false, true) => "目前未发现该区域有故障。",
        (RecordedBoundary::Coverage, _, false) => "There is hardly any coverage at that place.",
        (RecordedBoundary::Coverage, _, true) => "该地点网络覆盖较弱。",
        (RecordedBoundary::Customer, _, false) => {
            "The network was in order; please have the car's modem looked at."
        }
        (RecordedBoundary::Customer, _, true) => "网络正常，请检查车载终端。",
        (RecordedBoundary::Unclear, _, false) => {
            "We could not find the cause; please call us again."
        }
        (RecordedBoundary::Unclear, _, true) => "未能查明原因，如再次出现请联系我们。",
    };
    text.to_owned()
}
