//! A yardstick as the umbrella correlator of people's network operations centre.
//!
//! It hears all alarm lists, and people look at what it blames for the alarms of a case, most surely
//! blamed first. Knows no method of its own. Read next: [`agents::practice::umbrella`],
//! [`yardsticks::scene`].

use agents::alarms::AlarmKey;
use agents::practice::umbrella::Umbrella;
use domain::cause::Cause;
use domain::inventory::{ElementId, Inventory};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use yardsticks::{
    AlarmScene, Blame, BlameRule, Codebook, Consequences, SceneKey, TunedYardsticks, YardstickKind,
};

/// A yardstick's rule, asked by people.
pub(crate) struct YardstickUmbrella {
    kind: YardstickKind,
    rule: Box<dyn BlameRule + Send>,
    book: Arc<Codebook>,
}

impl YardstickUmbrella {
    /// The rule of a yardstick on a network, with what was learnt.
    pub(crate) fn new(
        kind: YardstickKind,
        tuned: &TunedYardsticks,
        inventory: Arc<Inventory>,
    ) -> Self {
        let book = Arc::new(Codebook::new(Consequences::new(inventory)));
        Self {
            kind,
            rule: kind.rule(tuned, &book),
            book,
        }
    }

    fn key(&self, (element, of_type): &AlarmKey) -> Option<SceneKey> {
        Some((self.book.graph().number(element)?, *of_type))
    }
}

impl fmt::Debug for YardstickUmbrella {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("YardstickUmbrella")
            .field(&self.kind)
            .finish()
    }
}

impl Umbrella for YardstickUmbrella {
    fn suspects(
        &self,
        case: &BTreeSet<AlarmKey>,
        standing: &BTreeMap<AlarmKey, Timestamp>,
        now: Timestamp,
    ) -> Vec<(ElementId, Cause)> {
        let mut scene = AlarmScene::new(Arc::clone(&self.book));
        let mut in_order: Vec<(&AlarmKey, &Timestamp)> = standing.iter().collect();
        in_order.sort_by_key(|(_, noticed)| **noticed);
        for (key, noticed) in in_order {
            if let Some(key) = self.key(key) {
                scene.raise(key, *noticed);
            }
        }
        let of_case = case.iter().filter_map(|key| self.key(key));
        let mut blamed: Vec<Blame> = of_case
            .filter_map(|key| self.rule.blame(key, &scene, now))
            .collect();
        blamed.sort_by(|x, y| y.score.total_cmp(&x.score));
        let mut suspects: Vec<(ElementId, Cause)> = Vec::new();
        for blame in blamed {
            let Some(cause) = blame.cause else { continue };
            let suspect = (blame.element, cause);
            if !suspects.contains(&suspect) {
                suspects.push(suspect);
            }
        }
        suspects
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::inventory::ElementKind;
    use domain::telemetry::AlarmType::{LinkDown, LossOfSignal};
    use network::{Backbone, Parameters, Simulation};

    /// Of a duct that holds several links, of which all are dark, the duct is blamed first; of a case
    /// without alarms, nothing.
    #[test]
    fn what_explains_the_alarms_of_a_case_is_suspected_first() {
        let at = Timestamp::default();
        let parameters = Parameters {
            sites: 60,
            ..Parameters::default()
        };
        let network = Simulation::new(&Backbone::named("abilene").unwrap(), parameters, 1, at);
        let inventory = network.documented_inventory();
        let through = |duct: &ElementId| -> Vec<ElementId> {
            let links = inventory.links.iter();
            let links = links.filter(|(_, link)| link.ducts == [duct.clone()]);
            links.map(|(id, _)| id.clone()).collect()
        };
        let ducts = inventory.of_kind(ElementKind::Duct).map(|e| &e.id);
        let duct = ducts.max_by_key(|duct| through(duct).len()).unwrap();
        assert!(through(duct).len() > 1);
        let dark = through(duct).into_iter().flat_map(|link| {
            let lost = (link.clone(), LossOfSignal);
            [lost, (link, LinkDown)]
        });
        let case: BTreeSet<AlarmKey> = dark.collect();
        let standing = case.iter().map(|key| (key.clone(), at)).collect();
        let tuned = TunedYardsticks::in_force();
        let umbrella = YardstickUmbrella::new(YardstickKind::Bayes, tuned, inventory.clone());
        let suspects = umbrella.suspects(&case, &standing, at.plus_s(600.0));
        assert_eq!(suspects[0], (duct.clone(), Cause::DuctCut));
        let none = umbrella.suspects(&BTreeSet::new(), &standing, at.plus_s(600.0));
        assert!(none.is_empty(), "{none:?}");
    }
}
