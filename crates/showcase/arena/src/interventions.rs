//! What an agent commits to by acting upon the network from afar: that an element has failed.
//!
//! An act counts whether it helps or not; a link that is given its planned metric back is no
//! statement about it. Refuses to know who acts. Read next: [`crate::score`].

use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind};
use domain::telemetry::Action;
use domain::time::Timestamp;
use network::Simulation;
use yardsticks::{Commitment, CommitmentKind};

/// The commitment in an action; none if it measures, dispatches, saves energy or gives back.
pub(crate) fn intervention(
    simulation: &Simulation,
    action: &Action,
    now: Timestamp,
) -> Option<Commitment> {
    let (element, cause) = match action {
        Action::Configure {
            element,
            parameter,
            value,
        } => configured(simulation, element, parameter, value)?,
        Action::Restart { element } => (element, Cause::usual_of(element)),
        _ => return None,
    };
    Some(Commitment {
        at: now,
        element: element.clone(),
        cause,
        kind: CommitmentKind::Intervention,
    })
}

fn configured<'e>(
    simulation: &Simulation,
    element: &'e ElementId,
    parameter: &str,
    value: &str,
) -> Option<(&'e ElementId, Cause)> {
    let inventory = simulation.inventory();
    let read = simulation.state().settings.read(&inventory, element);
    let as_planned =
        read.is_some_and(|read| read.planned.get(parameter).is_some_and(|p| p == value));
    match inventory.element(element)?.kind {
        ElementKind::Link if as_planned => None,
        ElementKind::Link => Some((element, Cause::Congestion)),
        _ => Some((element, Cause::Misconfiguration)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use network::{Backbone, Parameters};

    #[test]
    fn a_link_that_is_given_back_is_no_statement_and_a_cell_that_is_set_right_is() {
        let small = Parameters {
            sites: 60,
            ..Parameters::default()
        };
        let now = Timestamp::default();
        let simulation = Simulation::new(&Backbone::named("Polska").unwrap(), small, 7, now);
        let inventory = simulation.inventory();
        let backbone = inventory.links.iter().find(|(_, link)| link.backbone);
        let link = backbone.map(|(id, _)| id.clone()).unwrap();
        let cell = inventory.cells.keys().next().unwrap().clone();
        let planned = |id: &ElementId| {
            let read = simulation.state().settings.read(&inventory, id).unwrap();
            read.planned.into_iter().next().unwrap()
        };
        let set = |element: &ElementId, parameter: &str, value: &str| {
            let action = Action::Configure {
                element: element.clone(),
                parameter: parameter.to_owned(),
                value: value.to_owned(),
            };
            intervention(&simulation, &action, now).map(|c| c.cause)
        };
        let (metric, was) = planned(&link);
        assert_eq!(set(&link, &metric, &was), None);
        assert_eq!(set(&link, &metric, "999999"), Some(Cause::Congestion));
        let (parameter, right) = planned(&cell);
        assert_eq!(
            set(&cell, &parameter, &right),
            Some(Cause::Misconfiguration)
        );
        let restart = Action::Restart { element: cell };
        let restarted = intervention(&simulation, &restart, now).map(|c| c.kind);
        assert_eq!(restarted, Some(CommitmentKind::Intervention));
    }
}
