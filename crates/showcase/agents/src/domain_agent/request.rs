//! What is asked of a domain's agent, and what it can do instead.
//!
//! Knows payloads, words and the inventory; refuses to know how anything is done. Read next:
//! [`super`].

use super::{DomainAgent, DomainExpertise};
use crate::element_names::{self, NamedElements};
use crate::payloads::diagnosis::{Diagnosis, Suspicion};
use crate::payloads::incident::IncidentOrder;
use crate::payloads::verification::VerificationOrder;
use crate::payloads::{Schema, UnreadablePayload};
use domain::content::Content;
use domain::inventory::{ElementId, ElementKind};
use domain::reply::{Reason, Reply, Verdict};

/// The most alternatives offered for what cannot be measured.
const INSTEAD_MAX: usize = 4;

/// The request in a content.
pub(super) enum Wanted {
    Incidents,
    Diagnosis(Diagnosis, NamedElements),
    Verification(VerificationOrder),
}

impl<P: DomainExpertise> DomainAgent<P> {
    pub(super) fn understand(&self, content: &Content) -> Result<Wanted, Reply> {
        let target = &content.target_object;
        let unreadable = |e: UnreadablePayload| e.reply(target);
        let Some(payload) = &content.payload else {
            return self.understand_words(content);
        };
        match payload.schema_id.as_str() {
            IncidentOrder::ID => {
                let order = IncidentOrder::from_payload(payload).map_err(unreadable)?;
                if order.domain == P::DOMAIN {
                    Ok(Wanted::Incidents)
                } else {
                    Err(self.not_managed("domain", order.domain.as_str()))
                }
            }
            Diagnosis::ID => {
                let diagnosis = Diagnosis::from_payload(payload).map_err(unreadable)?;
                self.managed(&diagnosis.suspicion.target)?;
                Ok(Wanted::Diagnosis(diagnosis, NamedElements::default()))
            }
            VerificationOrder::ID if P::measures(ElementKind::Site) => {
                let verification = VerificationOrder::from_payload(payload).map_err(unreadable)?;
                self.known_sites(&verification)?;
                Ok(Wanted::Verification(verification))
            }
            _ => Err(unreadable(UnreadablePayload::other_schema(
                payload,
                self.context.own.schemas(),
            ))),
        }
    }

    /// A task in natural language that names an element of the domain is a diagnosis of it.
    fn understand_words(&self, content: &Content) -> Result<Wanted, Reply> {
        let reading = element_names::read(self.topology.names(), content);
        let Some(first) = reading.elements.first() else {
            return Err(target_needed(&content.target_object));
        };
        let own = |id: &&ElementId| self.managed(id).is_ok();
        let Some(target) = reading.elements.iter().find(own) else {
            return Err(self.not_managed("target", first.as_str()));
        };
        let diagnosis = Diagnosis::of(Suspicion::usual(target.clone()));
        Ok(Wanted::Diagnosis(diagnosis, reading))
    }

    /// Where what is asked cannot be measured, but something beside it can: that, best first, with
    /// the reasons for not doing what was asked.
    pub(super) fn instead(&self, content: &Content, refusal: Reply) -> Reply {
        let inventory = self.topology.inventory();
        let asked = Diagnosis::in_content(content);
        let target = match &asked {
            Some(diagnosis) => Some(diagnosis.suspicion.target.clone()),
            None => {
                let reading = element_names::read(self.topology.names(), content);
                reading.elements.into_iter().next()
            }
        };
        let Some(target) = target.filter(|t| inventory.element(t).is_some()) else {
            return refusal;
        };
        let beside = self.topology.neighbours(&target).into_iter();
        let beside = beside.filter(|id| self.managed(id).is_ok());
        let offers: Vec<Content> = beside
            .take(INSTEAD_MAX)
            .map(|id| {
                let mut offer = Content::new(id.as_str(), format!("Diagnose {id}"));
                offer
                    .expected_response
                    .clone_from(&content.expected_response);
                offer.payload = asked.as_ref().map(|asked| {
                    let suspicion = Suspicion::usual(id.clone());
                    Diagnosis {
                        suspicion,
                        alternatives: Vec::new(),
                        ..asked.clone()
                    }
                    .to_payload()
                });
                offer
            })
            .collect();
        match offers.is_empty() {
            true => refusal,
            false => Reply {
                reasons: refusal.reasons,
                ..Reply::new(Verdict::Offered, offers)
            },
        }
    }

    pub(super) fn managed(&self, target: &ElementId) -> Result<(), Reply> {
        match self.topology.inventory().element(target) {
            None => Err(Reply::refused(
                "unknown-element",
                "target",
                format!("the inventory has no element {target}"),
            )),
            Some(e) if !P::measures(e.kind) => Err(self.not_managed("target", target.as_str())),
            Some(_) => Ok(()),
        }
    }

    fn not_managed(&self, path: &str, what: &str) -> Reply {
        let domain = P::DOMAIN.as_str();
        Reply::refused(
            "not-managed",
            path,
            format!("{what} is not managed by the {domain} domain's agent"),
        )
    }

    fn known_sites(&self, verification: &VerificationOrder) -> Result<(), Reply> {
        let inventory = self.topology.inventory();
        let is_site = |e: &&ElementId| {
            inventory
                .element(e)
                .is_some_and(|e| e.kind == ElementKind::Site)
        };
        match verification.sites.iter().find(|s| !is_site(s)) {
            Some(other) => Err(Reply::refused(
                "unknown-element",
                "sites",
                format!("{other} is not a site of the inventory"),
            )),
            None => Ok(()),
        }
    }
}

/// The question back to someone whose text names nothing known.
pub(crate) fn target_needed(target: &str) -> Reply {
    let words = "Needed: target, the identifier or name of a site, router, card, link, duct or \
                 zone of the inventory";
    let mut reply = Reply::new(Verdict::InputRequired, vec![Content::new(target, words)]);
    reply.reasons.push(Reason {
        reason: "missing".to_owned(),
        path: "target".to_owned(),
        message: "the text names no element of the inventory".to_owned(),
    });
    reply
}
