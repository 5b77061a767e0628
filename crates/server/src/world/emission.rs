//! What the network tells, brought to the agents that hear it and to whoever listens.
//!
//! Read next: [`crate::post`], which share of it an agent hears.

use super::World;
use crate::post::Shares;
use crate::story::Happened;
use domain::agent::Input;
use domain::telemetry::Telemetry;
use domain::time::Timestamp;
use network::{Audience, Emission, Tiding};

impl World {
    pub(super) fn emit(&mut self, emission: Emission, now: Timestamp) {
        let Some(emission) = self.acts.take(emission, &self.engine, now) else {
            return;
        };
        let hearers: Vec<String> = match &emission.to {
            Audience::Agent(name) => vec![name.clone()],
            Audience::Domain(domain) => self
                .posts
                .iter()
                .filter(|(_, post)| post.hears.contains(domain))
                .map(|(name, _)| name.clone())
                .collect(),
        };
        match emission.tiding {
            Tiding::Telemetry(telemetry) => {
                self.tell_telemetry(&telemetry);
                let shares = Shares::new(&telemetry, self.inventory.as_deref());
                for name in hearers {
                    // What was sent to somebody by name who has no post is heard whole.
                    let share = match self.posts.get(&name) {
                        Some(post) => shares.heard_by(post),
                        None => Some(telemetry.clone()),
                    };
                    if let Some(share) = share {
                        self.engine.deliver(&name, Input::Telemetry(share), now);
                    }
                }
            }
            Tiding::Outcome { token, outcome } => {
                let agent = self.alias(hearers.first().map_or("", String::as_str));
                self.tell(Happened::Outcome {
                    agent,
                    outcome: outcome.clone(),
                });
                let input = Input::Acted { token, outcome };
                for name in hearers {
                    self.engine.deliver(&name, input.clone(), now);
                }
            }
        }
    }

    fn tell_telemetry(&mut self, telemetry: &Telemetry) {
        match telemetry {
            Telemetry::Alarm(alarm) => {
                self.alarms.push(alarm.clone());
                self.tell(Happened::Alarm(alarm.clone()));
            }
            Telemetry::Complaint(complaint) => {
                self.complaints += 1;
                self.tell(Happened::Complaint(complaint.clone()));
            }
            Telemetry::Field(report) => self.tell(Happened::Field(report.clone())),
            Telemetry::Ticket(ticket) => self.tell(Happened::Ticket(ticket.clone())),
            Telemetry::CustomerAnswered { ticket, text } => self.tell(Happened::Answered {
                ticket: ticket.clone(),
                text: text.clone(),
            }),
            Telemetry::Performance(_) => {}
        }
    }
}
