//! How a management system calls the elements of our inventory, and the other way round.
//!
//! Where a system names elements as convoke-ems does (`kind:name`), both are the same. A resource of
//! an alarm may also be a path to an instance (RFC 8632, `resource`), of which the last key that
//! names an element counts. Read next: [`super::topology`], which fills it.

use super::text::{NAME_BYTES, clipped};
use domain::inventory::ElementId;
use std::collections::BTreeMap;

/// An end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkEnd {
    /// End A.
    A,
    /// End B.
    B,
}

/// The names that a management system uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignNames {
    ours: BTreeMap<String, ElementId>,
    foreign: BTreeMap<ElementId, String>,
    /// Interfaces, by their names in ietf-interfaces.
    interfaces: BTreeMap<String, (ElementId, LinkEnd)>,
    /// The interfaces of each link.
    ends: BTreeMap<ElementId, BTreeMap<LinkEnd, String>>,
}

impl ForeignNames {
    /// Enters an element under the system's name for it; the first name is used to ask.
    pub(super) fn enter(&mut self, foreign: &str, ours: &ElementId) {
        self.ours
            .entry(foreign.to_owned())
            .or_insert_with(|| ours.clone());
        self.foreign
            .entry(ours.clone())
            .or_insert_with(|| foreign.to_owned());
    }

    /// Enters the interface at an end of a link: a termination point of a node. It is known by its
    /// own name, and qualified by its node.
    pub(super) fn enter_interface(
        &mut self,
        (node, point): (&str, &str),
        link: &ElementId,
        end: LinkEnd,
    ) {
        for name in [
            point.to_owned(),
            format!("{node}/{point}"),
            format!("{node}:{point}"),
        ] {
            self.interfaces
                .entry(name)
                .or_insert_with(|| (link.clone(), end));
        }
    }

    /// Says which interfaces there are, so that each end of a link is asked for under the name that
    /// ietf-interfaces has for it. `device` is the node whose interfaces they are, if the system is
    /// one device.
    pub fn found_interfaces<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a str>,
        device: Option<&str>,
    ) {
        self.ends.clear();
        for name in names {
            if let Some((link, end)) = self.interface(name, device).cloned() {
                let ends = self.ends.entry(link).or_default();
                ends.entry(end).or_insert_with(|| name.to_owned());
            }
        }
    }

    /// The link, and the end of it, at which an interface is.
    pub fn interface(&self, name: &str, device: Option<&str>) -> Option<&(ElementId, LinkEnd)> {
        match device {
            Some(device) => self.interfaces.get(&format!("{device}/{name}")),
            None => self.interfaces.get(name),
        }
    }

    /// The interfaces of a link that were found, by their ends.
    pub fn interfaces_of(&self, link: &ElementId) -> impl Iterator<Item = (LinkEnd, &str)> {
        let ends = self.ends.get(link).into_iter().flatten();
        ends.map(|(end, name)| (*end, name.as_str()))
    }

    /// The system's name for an element.
    pub fn foreign<'a>(&'a self, ours: &'a ElementId) -> &'a str {
        self.foreign.get(ours).map_or(ours.as_str(), String::as_str)
    }

    /// The element that the resource of an alarm is; one that nobody documented goes by the system's
    /// own name for it.
    pub fn element(&self, resource: &str) -> ElementId {
        let known = self
            .named(resource)
            .or_else(|| keys(resource).rev().find_map(|(_, key)| self.named(key)));
        known.unwrap_or_else(|| ElementId::new(clipped(resource, NAME_BYTES)))
    }

    fn named(&self, name: &str) -> Option<ElementId> {
        let element = self.ours.get(name);
        let element = element.or_else(|| self.interfaces.get(name).map(|(link, _)| link));
        element.cloned()
    }
}

/// The keys in the predicates of an instance-identifier (RFC 7950 §9.13), in order: name and value.
fn keys(path: &str) -> impl DoubleEndedIterator<Item = (&str, &str)> {
    let predicates = path.split('[').skip(1).take(32);
    let found: Vec<(&str, &str)> = predicates
        .filter_map(|predicate| {
            let (name, value) = predicate.split_once('=')?;
            let value = value.trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
            let value = value[1..].split(quote).next()?;
            Some((name.trim(), value))
        })
        .collect();
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> ForeignNames {
        let mut names = ForeignNames::default();
        let link = ElementId::new("link:a-b");
        names.enter("router:a", &ElementId::new("router:a"));
        names.enter("a-b", &link);
        names.enter_interface(("a", "eth0"), &link, LinkEnd::A);
        names.enter_interface(("b", "eth0"), &link, LinkEnd::B);
        names
    }

    #[test]
    fn a_resource_is_a_name_or_the_last_key_that_names_something() {
        let names = names();
        let element = |resource: &str| names.element(resource).to_string();
        assert_eq!(element("router:a"), "router:a");
        assert_eq!(element("a-b"), "link:a-b");
        let path = "/nw:networks/nw:network[nw:network-id='n']/nt:link[nt:link-id=\"a-b\"]";
        assert_eq!(element(path), "link:a-b");
        let path = "/if:interfaces/if:interface[if:name='eth0']";
        assert_eq!(element(path), "link:a-b");
        assert_eq!(element("/x[y='é']"), "/x[y='é']");
        assert_eq!(element(&"x".repeat(1_000)).len(), NAME_BYTES);
    }

    #[test]
    fn an_end_is_asked_for_as_the_system_has_it() {
        let mut names = names();
        let link = ElementId::new("link:a-b");
        names.found_interfaces(["a/eth0", "b:eth0", "lo"], None);
        let found: Vec<_> = names.interfaces_of(&link).collect();
        assert_eq!(found, [(LinkEnd::A, "a/eth0"), (LinkEnd::B, "b:eth0")]);
        names.found_interfaces(["eth0"], Some("b"));
        let found: Vec<_> = names.interfaces_of(&link).collect();
        assert_eq!(found, [(LinkEnd::B, "eth0")]);
        assert_eq!(names.foreign(&link), "a-b");
    }
}
