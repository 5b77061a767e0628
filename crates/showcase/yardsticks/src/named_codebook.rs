//! A codebook for alarms of any vocabulary: what each element is expected to have raise alarms is known by
//! topology alone, whatever their names mean.
//!
//! The fair rival of whoever learns from an unlabelled past: it has the same past, and takes from it
//! which names are rare and which kinds of elements raise alarms at all. A candidate gains by each alarm
//! of the matter on an element that it accounts for, the more the rarer its name, and loses by each
//! element that should have raised one and did not. Read next: [`crate::named_rules`], which has
//! simpler ones; [`crate::codebook`], for types that are known.

use crate::consequences::{Consequences, ElementNumber};
use crate::named::{NamedBlame, NamedBlameRule, NamedKey, NamedScene};
use crate::named_past::NamedPast;
use crate::named_rules::{AROUND_S, JoinedNodes};
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind, Link};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// By how much the logarithm of a name's rarity is divided, so that an alarm of a middling name outweighs
/// one element that is silent.
const RARITY_SCALE: f64 = 3.0;
/// What it costs that an expected element is silent.
const SILENT: f64 = 1.0;

/// The elements that raise alarms if one fails.
#[derive(Clone, Debug, Default, PartialEq)]
struct NamedCode {
    /// Those that are missed if they are silent.
    expected: BTreeSet<ElementNumber>,
    /// Those whose alarms are accounted for, and which are not missed.
    besides: BTreeSet<ElementNumber>,
}

impl NamedCode {
    fn accounts_for(&self, element: ElementNumber) -> bool {
        self.expected.contains(&element) || self.besides.contains(&element)
    }
}

/// Blames what accounts best for the alarms of one matter, by topology.
#[derive(Clone, Debug)]
pub struct NamedCodebookRule {
    graph: Arc<Consequences>,
    joined: Arc<JoinedNodes>,
    past: Arc<NamedPast>,
    /// By what may be blamed: its code.
    codes: BTreeMap<ElementNumber, NamedCode>,
    /// By element: what may be blamed for its alarms.
    suspects: BTreeMap<ElementNumber, BTreeSet<ElementNumber>>,
}

impl NamedCodebookRule {
    /// Works out what every element that can be blamed would have raise alarms.
    pub fn new(graph: Arc<Consequences>, joined: Arc<JoinedNodes>, past: Arc<NamedPast>) -> Self {
        let raised = past.raised().filter_map(|id| graph.number(id));
        let raising: BTreeSet<ElementKind> = raised.map(|e| graph.kind(e)).collect();
        let blamed = (0..graph.len()).filter(|e| Cause::of(graph.kind(*e)).is_some());
        let mut codes = BTreeMap::new();
        let mut suspects: BTreeMap<ElementNumber, BTreeSet<ElementNumber>> = BTreeMap::new();
        for element in blamed {
            let code = code(&graph, element, &raising);
            for of in code.expected.union(&code.besides) {
                suspects.entry(*of).or_default().insert(element);
            }
            codes.insert(element, code);
        }
        Self {
            graph,
            joined,
            past,
            codes,
            suspects,
        }
    }

    /// How well a candidate accounts for alarms, whose rarity is told by element.
    fn score(&self, candidate: ElementNumber, alarms: &BTreeMap<ElementNumber, f64>) -> f64 {
        let code = &self.codes[&candidate];
        let told = alarms.iter().filter(|(e, _)| code.accounts_for(**e));
        let told: f64 = told.map(|(_, rarity)| rarity / RARITY_SCALE).sum();
        let silent = code.expected.iter().filter(|e| !alarms.contains_key(*e));
        told - SILENT * silent.count() as f64
    }

    /// True if what has this code may still have an element raise alarms later: the element itself, what is of a
    /// site in the code, or faces one.
    fn goes_on(&self, code: &NamedCode, element: ElementNumber) -> bool {
        let links = self.graph.links_on(element).iter();
        let links =
            links.filter_map(|link| self.graph.inventory().links.get(self.graph.element(*link)));
        let ends = links.flat_map(|link| [&link.a, &link.b]);
        let nodes = ends
            .filter_map(|end| self.graph.number(end))
            .chain([element]);
        let mut sites = nodes.map(|it| self.graph.node(it));
        let is_of =
            |it: ElementNumber| self.graph.kind(it) == ElementKind::Site && code.accounts_for(it);
        code.accounts_for(element) || sites.any(is_of)
    }

    /// The place of a candidate among equals: the lowest is blamed.
    fn place(&self, candidate: ElementNumber) -> usize {
        match self.graph.kind(candidate) {
            ElementKind::Link => 0,
            ElementKind::PowerZone => 1,
            ElementKind::Optic => 3,
            _ => 2,
        }
    }
}

impl NamedBlameRule for NamedCodebookRule {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        let explains = self.joined.around(alarm, scene);
        let mut alarms: BTreeMap<ElementNumber, f64> = BTreeMap::new();
        for (element, name) in &explains {
            if let Some(number) = self.graph.number(element) {
                *alarms.entry(number).or_default() += self.past.rarity(name);
            }
        }
        let suspects = alarms
            .keys()
            .filter_map(|element| self.suspects.get(element));
        let suspects: BTreeSet<ElementNumber> = suspects.flatten().copied().collect();
        let scored = suspects.into_iter().map(|e| (self.score(e, &alarms), e));
        let (score, best) = scored.min_by(|x, y| {
            let by_score = y.0.total_cmp(&x.0);
            by_score.then_with(|| self.place(x.1).cmp(&self.place(y.1)))
        })?;
        Some(NamedBlame {
            element: self.graph.element(best).clone(),
            cause: Cause::of(self.graph.kind(best))?,
            score,
            explains,
        })
    }
}

/// The codebook, where what was blamed goes on: an alarm that comes later is of what was said before, if that
/// accounts for it and its alarms still stand.
#[derive(Clone, Debug)]
pub struct LastingCodebookRule(NamedCodebookRule);

impl LastingCodebookRule {
    /// What the codebook blames goes on.
    pub fn new(codebook: NamedCodebookRule) -> Self {
        Self(codebook)
    }
}

impl NamedBlameRule for LastingCodebookRule {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        let Self(codebook) = self;
        let own = codebook.blame(alarm, scene)?;
        let noticed = scene.get(alarm)?.noticed;
        let number = codebook.graph.number(&alarm.0)?;
        let mut seen: BTreeSet<NamedKey> = BTreeSet::new();
        for (key, earlier) in scene {
            let is_before = noticed.seconds_since(earlier.noticed) > AROUND_S;
            if !earlier.spoken_for || !is_before || seen.contains(key) {
                continue;
            }
            let Some(mut blame) = codebook.blame(key, scene) else {
                continue;
            };
            let code = codebook.graph.number(&blame.element);
            let code = code.and_then(|it| codebook.codes.get(&it));
            if code.is_some_and(|code| codebook.goes_on(code, number)) {
                blame.explains.extend(own.explains);
                return Some(blame);
            }
            seen.extend(blame.explains);
        }
        Some(own)
    }
}

/// What raises alarms if an element fails, where only these kinds ever do.
fn code(
    graph: &Consequences,
    element: ElementNumber,
    raising: &BTreeSet<ElementKind>,
) -> NamedCode {
    let kind = graph.kind(element);
    let cut_off: BTreeSet<ElementNumber> = graph.dependent(element).iter().copied().collect();
    let mut code = NamedCode::default();
    let mut tells = |e: ElementNumber, for_certain: bool| {
        let missed = for_certain && raising.contains(&graph.kind(e));
        match missed {
            true => code.expected.insert(e),
            false => code.besides.insert(e),
        };
    };
    tells(element, true);
    // Batteries last for a while, and a module fades before it is dark: what hangs on them is cut off late
    // or not at all.
    let at_once = !matches!(kind, ElementKind::PowerZone | ElementKind::Optic);
    for site in &cut_off {
        tells(*site, at_once);
    }
    if kind == ElementKind::PowerZone {
        let fed = (0..graph.len()).filter(|e| graph.parent(*e) == Some(element));
        fed.for_each(|site| tells(site, true));
    }
    for (link, facing) in links_lost(graph, element) {
        for module in facing {
            // What is cut off can tell only when it is back.
            let reached = !cut_off.contains(&graph.node(module));
            tells(module, at_once && reached);
        }
        // A card that has lost the session over a link may say so as well, and its router.
        let ends = [&link.a, &link.b].into_iter();
        let cards = ends.filter_map(|end| graph.number(end));
        let cards = cards.filter(|end| graph.kind(*end) == ElementKind::LineCard);
        cards.for_each(|card| {
            tells(card, false);
            tells(graph.node(card), false);
        });
    }
    code
}

/// The links that an element takes with it, each with the modules that would face the loss: both of a link
/// whose fibre is broken, and the far one if an end is dead.
fn links_lost(graph: &Consequences, element: ElementNumber) -> Vec<(&Link, Vec<ElementNumber>)> {
    let kind = graph.kind(element);
    let own = (kind == ElementKind::Link).then_some(element);
    let links = graph.links_on(element).iter().copied().chain(own);
    let links = links.filter_map(|link| graph.inventory().links.get(graph.element(link)));
    let is_of = |part: &ElementId| {
        let part = graph.number(part);
        part == Some(element) || part.is_some_and(|part| graph.node(part) == element)
    };
    let with_facing = links.map(|link| {
        let ends = [(&link.a, &link.optic_a), (&link.b, &link.optic_b)].into_iter();
        let facing = ends.filter(|(end, module)| !is_of(end) && !is_of(module));
        let facing = facing.filter_map(|(_, module)| graph.number(module));
        (link, facing.collect::<Vec<ElementNumber>>())
    });
    with_facing.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::invented::{self, id, named_past, named_scene, number};

    /// A past in which sites, ports and cards of the town raised alarms, and nothing else did.
    const PAST: [(&str, &str, f64); 8] = [
        ("site:1", "S1", 10.0),
        ("site:2", "S1", 20.0),
        ("site:3", "S1", 30.0),
        ("site:4", "S1", 40.0),
        ("site:4", "MAINS", 50.0),
        ("optic:R-1/a", "LOS", 60.0),
        ("card:R/1", "BAD", 70.0),
        ("cell:1/1", "OOS", 80.0),
    ];

    fn rule() -> NamedCodebookRule {
        let graph = Arc::new(invented::town());
        let joined = JoinedNodes::new(Arc::new(graph.inventory().clone()));
        NamedCodebookRule::new(graph, Arc::new(joined), Arc::new(named_past(&PAST)))
    }

    /// What is blamed for the first of these alarms.
    fn blamed(alarms: &[(&str, &str, f64)]) -> NamedBlame {
        let (element, name, _) = alarms[0];
        let alarm = (id(element), name.to_owned());
        rule().blame(&alarm, &named_scene(alarms)).unwrap()
    }

    #[test]
    fn what_is_expected_is_what_can_tell_and_ever_does() {
        let rule = rule();
        let expected = |element: &str| -> Vec<String> {
            let code = &rule.codes[&number(&rule.graph, element)];
            let names = code.expected.iter().map(|e| rule.graph.element(*e));
            names.map(ToString::to_string).collect()
        };
        // Both sites behind it are cut off, and with them the ports at the far end of it and behind it.
        assert_eq!(expected("link:R-3"), ["optic:R-3/a", "site:3", "site:4"]);
        assert_eq!(expected("card:R/2"), ["card:R/2", "site:3", "site:4"]);
        assert_eq!(expected("zone:a"), ["site:1", "site:3"]);
        // It is missed itself, and nobody for it.
        assert_eq!(expected("optic:R-3/a"), ["optic:R-3/a"]);
        assert_eq!(expected("cell:1/1"), ["cell:1/1"]);
    }

    #[test]
    fn what_accounts_for_all_is_blamed_and_who_is_silent_speaks_against_it() {
        let all = [
            ("site:3", "S1", 10.0),
            ("optic:R-3/a", "LOS", 11.0),
            ("site:4", "S1", 12.0),
        ];
        let link = blamed(&all);
        assert_eq!(
            (link.element, link.cause),
            (id("link:R-3"), Cause::FibreCut)
        );
        assert_eq!(link.explains.len(), 3);
        // Without a word of its port it is less likely; and if the card speaks instead, that is dead.
        let silent = blamed(&[all[0], all[2]]);
        assert_eq!(silent.element, id("link:R-3"));
        assert!(silent.score < link.score - SILENT);
        let card = blamed(&[all[0], ("card:R/2", "BAD", 9.0), all[2]]);
        assert_eq!(
            (card.element, card.cause),
            (id("card:R/2"), Cause::CardFailure)
        );
        // Mains that are missed at both of its sites are the zone's.
        let mains = [("site:1", "MAINS", 10.0), ("site:3", "MAINS", 12.0)];
        assert_eq!(blamed(&mains).element, id("zone:a"));
    }

    #[test]
    fn a_port_by_itself_is_blamed_and_two_that_face_each_other_are_their_link() {
        let alone = blamed(&[("optic:3-4/b", "LOS", 10.0)]);
        assert_eq!(alone.element, id("optic:3-4/b"));
        let both = [("optic:R-1/a", "LOS", 10.0), ("optic:R-1/b", "LOS", 10.5)];
        assert_eq!(blamed(&both).element, id("link:R-1"));
    }

    #[test]
    fn what_comes_later_of_what_was_said_is_no_second_statement() {
        let rule = LastingCodebookRule::new(rule());
        let mut scene = named_scene(&[
            ("site:1", "MAINS", 10.0),
            ("site:3", "MAINS", 12.0),
            ("optic:R-3/a", "LOS", 7_200.0),
        ]);
        let ends = (id("optic:R-3/a"), "LOS".to_owned());
        assert_ne!(rule.blame(&ends, &scene).unwrap().element, id("zone:a"));
        for (_, alarm) in scene.iter_mut().filter(|((_, name), _)| name == "MAINS") {
            alarm.spoken_for = true;
        }
        let of_the_zone = rule.blame(&ends, &scene).unwrap();
        assert_eq!(of_the_zone.element, id("zone:a"));
        assert_eq!(of_the_zone.explains.len(), 3);
    }

    #[test]
    fn rare_names_make_it_surer() {
        let of = |name| blamed(&[("cell:1/1", name, 10.0)]).score;
        assert!(of("OOS") > of("S1"));
    }
}
