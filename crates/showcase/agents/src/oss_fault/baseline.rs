//! The elements that one would blame without reasoning: yardsticks for [`super::correlation`],
//! which reports show beside it.

use super::correlation::Correlator;
use crate::alarms::{AlarmKey, tells_of_loss};
use crate::payloads::diagnosis::Suspicion;
use crate::payloads::incident::IncidentAlarm;
use domain::cause::Cause;
use domain::inventory::{ElementKind, Inventory};
use std::collections::BTreeSet;

/// Blames the element of the first alarm that tells of loss, with the cause that its kind can
/// have; a site stands for its power zone. `alarms` are in the order in which they were heard of.
/// None if no alarm tells of loss or its element is unknown.
pub fn first_alarm_baseline(inventory: &Inventory, alarms: &[IncidentAlarm]) -> Option<Suspicion> {
    let first = alarms.iter().find(|a| tells_of_loss(a.alarm_type))?;
    let element = inventory.element(&first.resource)?;
    let target = match element.kind {
        ElementKind::Site => element.parent.clone()?,
        ElementKind::Cell => inventory
            .element(inventory.node_of(&element.id))?
            .parent
            .clone()?,
        _ => element.id.clone(),
    };
    let cause = Cause::of(inventory.element(&target)?.kind)?;
    Some(Suspicion { target, cause })
}

/// Blames the element whose failure would explain most of the alarms that tell of loss: topology
/// alone, without odds and without time. Among equals the one that expects least besides, then the
/// first in order. None if no alarm tells of loss, or none follows from anything.
pub fn most_explained_baseline(
    correlator: &Correlator,
    alarms: &[IncidentAlarm],
) -> Option<Suspicion> {
    let told = alarms.iter().filter(|a| tells_of_loss(a.alarm_type));
    let heard: BTreeSet<AlarmKey> = told.map(|a| (a.resource.clone(), a.alarm_type)).collect();
    let mut best: Option<(usize, usize, Suspicion)> = None;
    for candidate in correlator.candidates() {
        let Some(cause) = candidate.cause else {
            continue;
        };
        let mut counts = (0, 0);
        for key in correlator.expected(candidate) {
            counts.0 += usize::from(heard.contains(key));
            counts.1 += 1;
        }
        let better = best.as_ref().is_none_or(|(most, least, _)| {
            counts.0 > *most || (counts.0 == *most && counts.1 < *least)
        });
        if counts.0 > 0 && better {
            let target = candidate.element.clone();
            best = Some((counts.0, counts.1, Suspicion { target, cause }));
        }
    }
    best.map(|(_, _, suspicion)| suspicion)
}
