//! Whom one would blame for the first alarm, without reasoning: what a case says in its opening note,
//! for people to compare.
//!
//! The yardsticks that agents are scored against hear all that agents hear, cells included, and are a
//! crate of their own. Read next: [`super::correlation`].

use crate::alarms::tells_of_loss;
use crate::payloads::diagnosis::Suspicion;
use crate::payloads::incident::IncidentAlarm;
use domain::cause::Cause;
use domain::inventory::{ElementKind, Inventory};

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
