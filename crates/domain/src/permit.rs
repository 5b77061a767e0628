//! Rights over the network: the actions that an agent, or a client of a management system, may
//! take.
//!
//! Granted by the platform, kept by the network. Read next: [`crate::telemetry`], the actions.

use crate::inventory::{Domain, ElementId, Inventory};
use crate::telemetry::Action;
use std::collections::BTreeSet;

/// The actions on the network that are granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permit {
    /// The domains whose elements it may probe.
    pub probe: BTreeSet<Domain>,
    /// The domains whose elements it may configure and restart.
    pub configure: BTreeSet<Domain>,
    /// True if it may set the power of cells and let them sleep.
    pub radio: bool,
    /// True if it may look up where vehicles were.
    pub trace: bool,
    /// True if it commands the field force.
    pub field: bool,
    /// True if it may talk to customers.
    pub customers: bool,
    /// The province to which all of this is confined; none: everywhere.
    pub province: Option<String>,
}

impl Permit {
    /// The reason why an agent with this permit may not take an action in a network that is
    /// documented so; none if it may.
    pub fn refuses(&self, agent: &str, action: &Action, network: &Inventory) -> Option<String> {
        let elements = action.elements();
        for element in &elements {
            let Some(found) = network.element(element) else {
                return Some(format!("the network has no element '{element}'"));
            };
            if let Some(within) = self.within(action)
                && !within.contains(&found.domain)
            {
                let (domain, verb) = (found.domain.as_str(), self.verb(action));
                return Some(format!(
                    "{element} belongs to domain {domain}, which {agent} may not {verb}"
                ));
            }
        }
        self.beyond_province(agent, &elements, network)
            .or_else(|| self.beyond_skill(agent, action))
    }

    /// The domains to which an action is confined, if it is.
    fn within(&self, action: &Action) -> Option<&BTreeSet<Domain>> {
        match action {
            Action::Probe { .. } => Some(&self.probe),
            Action::ReadConfiguration { .. }
            | Action::Configure { .. }
            | Action::Restart { .. } => Some(&self.configure),
            _ => None,
        }
    }

    fn verb(&self, action: &Action) -> &'static str {
        match action {
            Action::Probe { .. } => "probe",
            _ => "configure",
        }
    }

    fn beyond_province(
        &self,
        agent: &str,
        elements: &[&ElementId],
        network: &Inventory,
    ) -> Option<String> {
        let own = self.province.as_deref()?;
        let mut elements = elements.iter();
        let foreign = elements.find(|e| network.province_of(e) != Some(own))?;
        Some(format!(
            "{foreign} does not lie in province {own}, to which {agent} is confined"
        ))
    }

    fn beyond_skill(&self, agent: &str, action: &Action) -> Option<String> {
        let (may, what) = match action {
            Action::Dispatch { .. } | Action::Guide { .. } => {
                (self.field, "does not command the field force")
            }
            Action::SetPower { .. } | Action::SetSaving { .. } => {
                (self.radio, "may not set the power of cells")
            }
            Action::Trace { .. } => (self.trace, "may not look up where vehicles were"),
            Action::TellCustomer { .. } => (self.customers, "may not talk to customers"),
            _ => (true, ""),
        };
        (!may).then(|| format!("{agent} {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::{Element, ElementKind};

    fn network() -> Inventory {
        let mut network = Inventory::default();
        let element = |id: &str, domain, place: &str| Element {
            id: ElementId::new(id),
            kind: ElementKind::Link,
            domain,
            parent: None,
            place: place.to_owned(),
            position: (0.0, 0.0),
            vendor: String::new(),
            model: String::new(),
        };
        for element in [
            element("link:n", Domain::Ip, "Norton"),
            element("link:s", Domain::Ip, "Sutton"),
            element("site:n", Domain::Wireless, "Norton"),
        ] {
            network.elements.insert(element.id.clone(), element);
        }
        for (place, province) in [("Norton", "North"), ("Sutton", "South")] {
            network.provinces.insert(place.into(), province.into());
        }
        network
    }

    #[test]
    fn what_is_not_granted_is_refused_with_the_reason() {
        let permit = Permit {
            probe: BTreeSet::from([Domain::Ip]),
            province: Some("North".to_owned()),
            ..Permit::default()
        };
        let probe = |id: &str| Action::Probe {
            element: ElementId::new(id),
        };
        let refused = |action: &Action| permit.refuses("a", action, &network());
        let says = |action: Action, part: &str| {
            let why = refused(&action).unwrap_or_default();
            assert!(why.contains(part), "{why}");
        };
        assert_eq!(refused(&probe("link:n")), None);
        says(probe("link:s"), "does not lie in province North");
        says(probe("site:n"), "belongs to domain Wireless");
        says(probe("link:x"), "has no element 'link:x'");
        let element = ElementId::new("link:n");
        says(Action::Restart { element }, "may not configure");
        let dispatch = Action::Dispatch {
            element: ElementId::new("link:n"),
            work_order: None,
        };
        says(dispatch, "field force");
    }
}
