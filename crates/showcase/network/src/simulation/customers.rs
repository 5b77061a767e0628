//! Drivers: the service of their vehicles, their complaints, and their answers.
//!
//! Vehicles are sampled once a minute while they drive and every quarter of an hour while they are
//! parked, in the network of that time: [`Simulation::survey`] catches up before anything changes.
//! A period of bad service (`desk`) makes some drivers complain; the probability is drawn per period
//! from a stream of its own, so that agents' actions do not change who complains. Letters become tickets
//! of the business layer. Read next: [`crate::journeys`], [`crate::customer_complaints`].

mod desk;

pub(super) use desk::{Brewing, Desk};

use super::queue::Event;
use super::{EmissionContent, Recipients, Simulation};
use crate::chance::{between, choose, happens, waiting, whole};
use crate::customer_complaints::{
    ComplaintCause, CustomerComplaint, Experience, TicketHandling, UnrelatedSubject, words,
};
use crate::journeys::{Journeys, Position};
use crate::mobile::PlaceService;
use desk::withheld;
use domain::inventory::{Domain, ElementId};
use domain::permit::Permit;
use domain::radio::{POOR_MBPS, WEAK_DBM};
use domain::telemetry::{Outcome, Telemetry, Ticket};
use domain::time::Timestamp;

/// The sampling interval of driving vehicles, in seconds.
const LOOK_S: f64 = 60.0;
/// The number of those intervals per sample of a parked vehicle.
const PARKED_LOOKS: i64 = 15;
/// The interval of the survey event, in seconds.
const SURVEY_S: f64 = 900.0;
/// The time in which a customer answers a question, in seconds.
const ANSWER_S: (f64, f64) = (300.0, 3_600.0);

impl Simulation {
    /// The truth about every ticket, in the order in which they were opened: for the referee only.
    pub fn grievances(&self) -> &[CustomerComplaint] {
        &self.customers.grievances
    }

    /// The vehicles and their journeys: for the referee and for maps.
    pub fn journeys(&self) -> &Journeys {
        &self.customers.journeys
    }

    pub(super) fn begin_journeys(&mut self) {
        if !self.customers.journeys.vehicles().is_empty() {
            self.schedule(self.now.plus_s(SURVEY_S), Event::Survey);
            self.schedule_stray_grievance();
        }
    }

    pub(super) fn survey_again(&mut self) {
        self.survey();
        self.schedule(self.now.plus_s(SURVEY_S), Event::Survey);
    }

    /// Samples all vehicles at every minute since the last survey, in the network as it was.
    pub(super) fn survey(&mut self) {
        let count = self.customers.journeys.vehicles().len();
        if count == 0 {
            return;
        }
        loop {
            let at = self.customers.surveyed.plus_s(LOOK_S);
            if at > self.now {
                return;
            }
            self.customers.surveyed = at;
            for vehicle in 0..count {
                self.look_at(vehicle, at);
            }
        }
    }

    fn look_at(&mut self, vehicle: usize, at: Timestamp) {
        let Some((position, driving)) = self.customers.whereabouts(vehicle, at) else {
            return;
        };
        let minute = at.as_ms() / 60_000 + vehicle as i64;
        if !driving && minute % PARKED_LOOKS != 0 {
            return;
        }
        let served = self.mobile.serve(position);
        let desk = &mut self.customers;
        let vin = &desk.journeys.vehicles()[vehicle].vin;
        let asleep_s = (PARKED_LOOKS + 1) as f64 * LOOK_S;
        desk.records.take(vin, served.as_ref(), at, asleep_s);
        let nature = self.trouble_at(position, served.as_ref());
        let complaint = self
            .customers
            .suffer(vehicle, nature, position, driving, at);
        if let Some((writes, brewing)) = complaint {
            self.schedule(writes, Event::Grieve(Box::new(brewing)));
        }
    }

    /// The element to blame if a cell or its site does not serve as it should; none if both are in
    /// order.
    fn broken(&self, site: &ElementId) -> Option<ElementId> {
        if self.view.out.contains(site) {
            return Some(site.clone());
        }
        let ground = self.mobile.ground();
        let ails = |cell: &&ElementId| {
            ground.cells_failed.contains(*cell)
                || ground.losses_db.contains_key(*cell)
                || ground.interference_dbm.contains_key(*cell)
        };
        self.inventory.cells_of(site).find(ails).cloned()
    }

    /// The cause of bad service at a point; none if service is good.
    fn trouble_at(
        &self,
        position: Position,
        served: Option<&PlaceService>,
    ) -> Option<ComplaintCause> {
        let strong = |rsrp_dbm: f64| rsrp_dbm >= WEAK_DBM;
        let good = |s: &PlaceService| strong(s.rsrp_dbm) && s.throughput_mbps >= POOR_MBPS;
        if served.is_some_and(good) {
            return None;
        }
        let province = |id: &ElementId| self.inventory.province_of(id).unwrap_or("").to_owned();
        // Who would serve here if all were well?
        let best = self.customers.sites.strongest(position);
        let usual = best.filter(|(ideal, _)| strong(*ideal));
        let usual = usual.map(|(_, site)| site);
        let serving = served.map(|s| self.inventory.node_of(&s.cell));
        let blamed = usual
            .into_iter()
            .chain(serving)
            .find_map(|s| self.broken(s));
        Some(match (blamed, served) {
            (Some(element), _) => ComplaintCause::Fault {
                province: province(&element),
                element,
            },
            (None, Some(s)) if strong(s.rsrp_dbm) => ComplaintCause::Crowded {
                province: province(&s.cell),
                cell: s.cell.clone(),
            },
            _ => ComplaintCause::WeakCoverage {
                province: self.province_at(position),
            },
        })
    }

    fn province_at(&self, position: Position) -> String {
        let town = self.customers.journeys.nearest_town(position);
        let province = town.and_then(|(town, _)| self.inventory.provinces.get(town));
        province.cloned().unwrap_or_default()
    }

    fn schedule_stray_grievance(&mut self) {
        let desk = &mut self.customers;
        if desk.temper.strays_per_day > 0.0 {
            let pause = waiting(&mut desk.strays, 86_400.0 / desk.temper.strays_per_day);
            self.schedule(self.now.plus_s(pause), Event::StrayGrievance);
        }
    }

    /// Opens a ticket about a matter outside the network.
    pub(super) fn stray_grievance(&mut self) {
        let desk = &mut self.customers;
        let rng = &mut desk.strays;
        let vehicle = whole(rng, 0, desk.journeys.vehicles().len().max(1) - 1);
        let outside = choose(rng, &UnrelatedSubject::ALL)
            .copied()
            .unwrap_or(UnrelatedSubject::Bill);
        let ago_s = between(rng, desk.temper.patience_s.0, desk.temper.patience_s.1);
        let withheld = withheld(0.5, rng);
        let chinese = happens(rng, desk.temper.chinese);
        let at = self.now.plus_s(-ago_s);
        let position = desk.journeys.whereabouts(vehicle, at).map(|w| w.position);
        let owner = &desk.journeys.vehicles()[vehicle];
        let town = position.and_then(|p| desk.journeys.nearest_town(p));
        let plight = Experience {
            symptom: None,
            outside: Some(outside),
            town: town.map_or_else(|| owner.home.clone(), |(town, _)| town.to_owned()),
            left: None,
            at,
            vin: owner.vin.clone(),
            withheld,
            chinese,
        };
        let nature = ComplaintCause::Outside(outside);
        self.grieve(Brewing {
            vehicle,
            nature,
            plight,
        });
        self.schedule_stray_grievance();
    }

    /// Writes a letter and opens a ticket for it.
    pub(super) fn grieve(&mut self, brewing: Brewing) {
        let Brewing {
            vehicle,
            nature,
            plight,
        } = brewing;
        let (now, desk) = (self.now, &mut self.customers);
        let mut rng = desk.dice_of(vehicle, now);
        let letter = words::letter(&plight, now, &mut rng);
        let owner = &desk.journeys.vehicles()[vehicle];
        let ticket = Ticket {
            ticket: ticket_of(desk.grievances.len()),
            time: now,
            from: owner.fleet(),
            language: if plight.chinese { "zh" } else { "en" }.to_owned(),
            text: letter.text,
        };
        desk.grievances.push(CustomerComplaint {
            ticket: ticket.ticket.clone(),
            opened_at: now,
            nature,
            plight,
            home: owner.province.clone(),
            gold: letter.gold,
            outcome: TicketHandling::default(),
        });
        let tiding = EmissionContent::Telemetry(Telemetry::Ticket(ticket));
        self.deliver(now, Recipients::Domain(Domain::Business), tiding);
    }

    /// Looks up the records of a vehicle in the agent's own province.
    pub(super) fn trace(
        &mut self,
        agent: &str,
        permit: &Permit,
        vehicle: &str,
        window: (Timestamp, Timestamp),
    ) -> Result<Option<Outcome>, String> {
        let province = permit.province.as_ref().filter(|_| permit.trace);
        let Some(province) = province else {
            return Err(format!("{agent} may not read signalling records"));
        };
        if self.customers.journeys.vehicle(vehicle).is_none() {
            return Err(format!("no subscription belongs to vehicle '{vehicle}'"));
        }
        self.survey();
        let desk = &self.customers;
        let found = desk
            .records
            .trace(&self.inventory, vehicle, province, window);
        Ok(Some(found))
    }

    /// Sends a question or reply to the writer of a ticket.
    pub(super) fn tell_customer(
        &mut self,
        agent: &str,
        permit: &Permit,
        ticket: &str,
        text: String,
        question: bool,
    ) -> Result<Option<Outcome>, String> {
        if !permit.customers {
            return Err(format!("{agent} does not speak to customers"));
        }
        let Some(index) = self.customers.numbered(ticket) else {
            return Err(format!("there is no ticket '{ticket}'"));
        };
        let outcome = &mut self.customers.grievances[index].outcome;
        outcome.replies += u32::from(!question);
        if outcome.replied_at.is_some() {
            return Err(format!("ticket {ticket} has had its reply"));
        }
        if question {
            outcome.questions += 1;
            self.expect_answer(index);
        } else {
            outcome.replied_at = Some(self.now);
            outcome.reply = text;
        }
        Ok(Some(Outcome::Told))
    }

    fn expect_answer(&mut self, index: usize) {
        let desk = &self.customers;
        let mut rng = desk.dice_of(index, desk.grievances[index].opened_at);
        for _ in 1..desk.grievances[index].outcome.questions {
            let _ = between(&mut rng, 0.0, 1.0);
        }
        let answers = happens(&mut rng, desk.temper.answers);
        let after = between(&mut rng, ANSWER_S.0, ANSWER_S.1);
        if answers {
            self.schedule(self.now.plus_s(after), Event::CustomerAnswers(index));
        }
    }

    pub(super) fn customer_answers(&mut self, index: usize) {
        let now = self.now;
        let desk = &mut self.customers;
        let mut rng = desk.dice_of(index, now);
        let Some(grievance) = desk.grievances.get_mut(index) else {
            return;
        };
        if grievance.outcome.replied_at.is_some() {
            return;
        }
        grievance.outcome.answers += 1;
        let answered = Telemetry::CustomerAnswered {
            ticket: grievance.ticket.clone(),
            text: words::answer(&grievance.plight, now, &mut rng),
        };
        let tiding = EmissionContent::Telemetry(answered);
        self.deliver(now, Recipients::Domain(Domain::Business), tiding);
    }
}

/// The ticket number of the grievance of this index.
fn ticket_of(index: usize) -> String {
    format!("C-{:05}", index + 1)
}

#[cfg(test)]
mod tests;
