//! One complaint on its way to an answer.
//!
//! Knows what was said, what was asked of whom, and what came of it. Read next: [`super::finding`].

use super::reader::ComplaintReading;
use super::reader::matter::OtherMatter;
use super::reader::when::TimeSpan;
use crate::payloads::Schema;
use crate::payloads::complaint::{
    ComplaintResult, ComplaintTicket, ServiceComplaint, TicketResult,
};
use crate::payloads::quality::{Quality, QualityCheck, QualityResult};
use domain::content::{Content, Payload};
use domain::task::TaskId;
use domain::time::Timestamp;

/// Without a time, what happened is looked for in so many seconds before the ticket.
const UNTIMED_S: f64 = 12.0 * 3_600.0;

/// In which form a complaint came, and so goes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As words.
    Ticket,
    /// In structure.
    Complaint(Box<ServiceComplaint>),
}

impl Form {
    /// The result in the form that fits.
    pub(super) fn payload(&self, result: TicketResult) -> Payload {
        match self {
            Self::Ticket => result.to_payload(),
            Self::Complaint(_) => ComplaintResult(result).to_payload(),
        }
    }
}

/// The part of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Mobile,
    Transport,
    Forward,
}

impl Which {
    pub(super) const ALL: [Self; 3] = [Self::Mobile, Self::Transport, Self::Forward];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Mobile => "mobile",
            Self::Transport => "transport",
            Self::Forward => "forward",
        }
    }

    /// The domain that works on it.
    pub(super) fn domain(self) -> &'static str {
        match self {
            Self::Mobile => "Wireless",
            Self::Transport => "IP",
            Self::Forward => "Service",
        }
    }
}

/// A part of a ticket.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    NotAsked,
    Asked { task: TaskId, to: String },
    Checked(Box<QualityResult>),
    Forwarded(Box<TicketResult>),
    Silent(String),
}

/// The facts that a complaint does not state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    /// The time.
    pub(super) time: bool,
    /// The place.
    pub(super) place: bool,
    /// The vehicle.
    pub(super) vehicle: bool,
}

impl Missing {
    /// True if it is worth a question, after so many questions: at first whatever helps, then only
    /// what nothing can be done without.
    pub(super) fn vital(self, questions: u32) -> bool {
        match questions {
            0 => self.time || self.vehicle || self.place,
            _ => self.time || (self.vehicle && self.place),
        }
    }
}

/// A complaint being handled.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) ticket: ComplaintTicket,
    pub(super) form: Form,
    pub(super) account: ComplaintReading,
    pub(super) questions: u32,
    pub(super) unanswered: bool,
    pub(super) mobile: Part,
    pub(super) transport: Part,
    pub(super) forward: Part,
    pub(super) forwarded_to: Option<String>,
}

impl Case {
    pub(super) fn new(ticket: ComplaintTicket, form: Form, account: ComplaintReading) -> Self {
        Self {
            unanswered: ticket.unanswered,
            ticket,
            form,
            account,
            questions: 0,
            mobile: Part::NotAsked,
            transport: Part::NotAsked,
            forward: Part::NotAsked,
            forwarded_to: None,
        }
    }

    pub(super) fn part(&mut self, which: Which) -> &mut Part {
        match which {
            Which::Mobile => &mut self.mobile,
            Which::Transport => &mut self.transport,
            Which::Forward => &mut self.forward,
        }
    }

    pub(super) fn seen(&self, which: Which) -> &Part {
        match which {
            Which::Mobile => &self.mobile,
            Which::Transport => &self.transport,
            Which::Forward => &self.forward,
        }
    }

    pub(super) fn is_open(&self, which: Which) -> bool {
        matches!(self.seen(which), Part::Asked { .. })
    }

    pub(super) fn is_asked(&self, which: Which, task: &TaskId) -> bool {
        matches!(self.seen(which), Part::Asked { task: asked, .. } if asked == task)
    }

    pub(super) fn is_waiting(&self) -> bool {
        Which::ALL.into_iter().any(|which| self.is_open(which))
    }

    pub(super) fn forward_is_idle(&self) -> bool {
        matches!(self.forward, Part::NotAsked)
    }

    /// The answer of the mobile network's agent.
    pub(super) fn said_by_mobile(&self) -> Option<&QualityResult> {
        match &self.mobile {
            Part::Checked(result) => Some(result),
            _ => None,
        }
    }

    /// The answer of the transport network's agent.
    pub(super) fn said_by_transport(&self) -> Option<&QualityResult> {
        match &self.transport {
            Part::Checked(result) => Some(result),
            _ => None,
        }
    }

    /// True if what transport suffered from explains what was felt: an interruption does; a mere
    /// impairment if the mobile network's agent saw service impaired too, or if it is what such an
    /// impairment feels like. Links have their troubles all day.
    pub(super) fn bears_out(&self, transport: &QualityResult) -> bool {
        use super::reader::matter::ReadSymptom::{HighLatency, PoorVoice, SlowData};
        let mobile = self.said_by_mobile();
        let seen = mobile.is_some_and(|m| m.quality == Quality::Degraded && !m.weak_coverage);
        let known = mobile.is_some_and(|m| m.quality != Quality::NoData && !m.weak_coverage);
        let fits = matches!(
            self.account.symptom,
            Some(HighLatency | PoorVoice | SlowData)
        );
        transport.quality == Quality::Failed || seen || (known && fits)
    }

    /// The missing facts; of a matter that is not the network's, nothing.
    pub(super) fn missing(&self) -> Missing {
        if self.account.outside.is_some() {
            return Missing::default();
        }
        Missing {
            time: self.account.when.is_none(),
            place: self.account.place.is_none(),
            vehicle: self.account.vehicle.is_none(),
        }
    }

    /// True if there is something to check in the network: somewhere, and not a mere bill.
    pub(super) fn can_be_checked(&self) -> bool {
        let somewhere = self.account.vehicle.is_some() || self.account.place.is_some();
        let timed = self.account.when.is_some() || self.account.outside.is_none();
        somewhere && timed && self.account.outside != Some(OtherMatter::Bill)
    }

    /// The span of time to look at.
    fn when(&self) -> TimeSpan {
        let received = self.ticket.received_at;
        self.account.when.unwrap_or(TimeSpan {
            from: received.plus_s(-UNTIMED_S),
            until: received,
        })
    }

    pub(super) fn check(&self, now: Timestamp, place: Option<String>) -> QualityCheck {
        let when = self.when();
        QualityCheck {
            ticket_id: self.ticket.ticket_id.clone(),
            vehicle: self.account.vehicle.clone(),
            place,
            sites: Default::default(),
            when: TimeSpan {
                from: when.from,
                until: when.until.min(now).max(when.from),
            },
            symptom: self.account.symptom,
        }
    }

    /// The same of the sites that the mobile network's agent found.
    pub(super) fn check_of_transport(&self, now: Timestamp, place: Option<String>) -> QualityCheck {
        let mobile = self.said_by_mobile();
        let sites = mobile.map(|m| match &m.element {
            // Of many sites around, the one to blame counts.
            Some(e) if e.as_str().starts_with("site:") => [e.clone()].into(),
            _ => m.sites.clone(),
        });
        let mut check = self.check(now, place);
        // What the vehicle felt says better than words when to look.
        if let Some((mobile, since)) = mobile.and_then(|m| Some((m, m.since?))) {
            check.when.from = since;
            check.when.until = mobile.until.unwrap_or(check.when.until).max(since);
        }
        QualityCheck {
            vehicle: None,
            sites: sites.unwrap_or_default(),
            ..check
        }
    }
}

/// A structured complaint, as the words in which another province would read it.
pub(super) fn ticket_of(
    complaint: &ServiceComplaint,
    content: &Content,
    now: Timestamp,
) -> ComplaintTicket {
    let mut words = vec![
        content.task_description.clone(),
        complaint.symptom.as_str().replace('_', " "),
    ];
    words.push(format!("near {}.", complaint.place));
    if let Some(at) = complaint.started_at {
        let (date, clock) = (at.date(), at.clock());
        words.push(format!("On {} {} at {clock}.", date.day(), date.month()));
    }
    words.extend(complaint.vehicle.iter().map(|v| format!("VIN {v}.")));
    let number = match complaint.complaint_id.is_empty() {
        true => &content.target_object,
        false => &complaint.complaint_id,
    };
    ComplaintTicket {
        chinese: super::reader::is_chinese(&complaint.place),
        manufacturer: complaint.manufacturer.clone(),
        ..ComplaintTicket::in_words(number, words.join(" "), now)
    }
}

/// Takes over the facts of a structured complaint, which count before what its words say.
pub(super) fn take_over(
    account: &mut ComplaintReading,
    complaint: &ServiceComplaint,
    now: Timestamp,
) {
    account.symptom = Some(complaint.symptom);
    account.vehicle = complaint.vehicle.clone().or(account.vehicle.take());
    if let Some(at) = complaint.started_at {
        account.when = Some(TimeSpan {
            from: at.plus_s(-900.0),
            until: at.plus_s(900.0).min(now).max(at),
        });
    }
}
