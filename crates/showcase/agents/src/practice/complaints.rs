//! Complaints of companies, read by people: the desk of the home province first.
//!
//! A person reads a ticket, looks for the town it is about and for words of bills and contracts,
//! and answers; a town of another province has the ticket forwarded at the next morning, where it
//! is read again. Without a town the customer is asked, once. People are not taken to find more in
//! a text than the names that stand in it: whoever knows the language and the country may do
//! better. Nobody looks signalling records up.

use super::journal::{ComplaintRecord, RecordedBoundary};
use super::shift::{Minutes, Shift, next_at, takes_s};
use super::{Matter, Matters};
use crate::alarms::ActiveAlarms;
use domain::agent::Output;
use domain::inventory::Inventory;
use domain::telemetry::{Action, Ticket};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

const READING_MIN: Minutes = (20.0, 40.0);
const READING_AGAIN_MIN: Minutes = (10.0, 20.0);
/// The hours at which the desks are manned.
const HOURS: (i64, i64) = (8, 18);
/// The customer is waited for so long, in seconds.
const ANSWER_LONGEST_S: f64 = 86_400.0;

/// Words of what is not the network's.
const OUTSIDE: [&str; 13] = [
    "bill", "invoice", "tariff", "contract", "refund", "account", "app ", "password", "quota",
    "账单", "套餐", "账号", "欠费",
];

/// The next step about a complaint.
#[derive(Clone, Debug, PartialEq)]
pub enum ComplaintStep {
    /// It has been read by the desk of this province.
    Read(String),
    /// It arrives at the desk of this province.
    Arrive(String),
    /// The customer has not answered.
    GiveUp,
}

/// The desks of the provinces.
#[derive(Clone, Debug)]
pub struct Desks {
    inventory: Arc<Inventory>,
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
}

impl Desks {
    /// A desk for each province.
    pub fn new(inventory: Arc<Inventory>, homes: BTreeMap<String, String>) -> Self {
        let provinces = inventory.provinces.values();
        let shifts = provinces.map(|p| (p.clone(), Shift::office(HOURS)));
        Self {
            shifts: shifts.collect(),
            inventory,
            homes,
            tickets: Vec::new(),
        }
    }

    fn home(&self, from: &str) -> String {
        let first = || self.shifts.keys().next().cloned();
        let known = self.homes.get(from).cloned();
        known.or_else(first).unwrap_or_default()
    }

    /// The town that a text names first.
    fn town<'a>(&'a self, text: &str) -> Option<(&'a str, &'a str)> {
        let text = text.to_lowercase();
        let provinces = self.inventory.provinces.iter();
        let named = provinces.filter_map(|(town, province)| {
            let at = text.find(&town.to_lowercase())?;
            Some((at, town.as_str(), province.as_str()))
        });
        let first = named.min_by_key(|(at, town, _)| (*at, std::cmp::Reverse(town.len())));
        first.map(|(_, town, province)| (town, province))
    }
}

/// The desks at an instant.
pub(super) struct AtWork<'a> {
    pub(super) desks: &'a mut Desks,
    pub(super) alarms: [&'a ActiveAlarms; 2],
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
        });
        let number = self.desks.tickets.len() - 1;
        self.read(number, desk, READING_MIN)
    }

    fn read(&mut self, number: usize, desk: String, range: Minutes) -> Vec<Output> {
        let seconds = takes_s(range, self.rng);
        let shift = self.desks.shifts.entry(desk.clone());
        let shift = shift.or_insert_with(|| Shift::office(HOURS));
        let at = shift.work(self.now, seconds);
        let matter = Matter::Complaint(number, ComplaintStep::Read(desk));
        vec![self.matters.wake(matter, at)]
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
        self.read(number, desk, READING_AGAIN_MIN)
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
                self.read(number, desk, READING_MIN)
            }
            ComplaintStep::GiveUp => vec![self.reply(number, RecordedBoundary::Unclear)],
        }
    }

    fn have_read(&mut self, number: usize, desk: String) -> Vec<Output> {
        let record = &mut self.journal[number];
        record.read_at.get_or_insert(self.now);
        let text = self.desks.tickets[number].text.clone();
        let lower = text.to_lowercase();
        if OUTSIDE.iter().any(|word| lower.contains(word)) {
            return vec![self.reply(number, RecordedBoundary::Outside)];
        }
        let town = self.desks.town(&text);
        let province = town.map(|(_, province)| province.to_owned());
        match province {
            Some(province) if province == desk => {
                vec![self.reply(number, RecordedBoundary::Province(province))]
            }
            Some(province) => {
                let at = next_at(self.now, HOURS.0);
                let matter = Matter::Complaint(number, ComplaintStep::Arrive(province));
                vec![self.matters.wake(matter, at)]
            }
            None if self.desks.tickets[number].asked => {
                vec![self.reply(number, RecordedBoundary::Unclear)]
            }
            None => self.ask(number),
        }
    }

    fn ask(&mut self, number: usize) -> Vec<Output> {
        let open = &mut self.desks.tickets[number];
        open.asked = true;
        self.journal[number].questions += 1;
        let text = match open.ticket.language.as_str() {
            "zh" => "请问故障发生在什么地点、什么时间？",
            _ => "Where and when did this happen, please?",
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
        let open = &self.desks.tickets[number];
        let known = self.known_outage(&open.text);
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
    fn known_outage(&self, text: &str) -> bool {
        let Some((town, _)) = self.desks.town(text) else {
            return false;
        };
        let mut standing = self.alarms.iter().flat_map(|list| list.standing());
        standing.any(|((element, alarm_type), _)| {
            let place = self.desks.inventory.element(element).map(|e| &e.place);
            crate::alarms::tells_of_loss(*alarm_type) && place.is_some_and(|p| p == town)
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
        (RecordedBoundary::Unclear, _, false) => {
            "We could not find the cause; please call us again."
        }
        (RecordedBoundary::Unclear, _, true) => "未能查明原因，如再次出现请联系我们。",
    };
    text.to_owned()
}
