//! The node to which a leader that is to give the lead back hands it.
//!
//! A pure function of what the leader knows. Read next: [`super::node`], [`super::membership`].

use super::membership::{ClusterView, STANDING_BY};
use domain::cluster::NodeRequest;
use store::lead::NodeRow;

/// The node to which the lead is to be handed: one that was asked to lead, or any other, if `me` was asked
/// not to.
pub(super) fn heir(me: &str, view: &ClusterView) -> Option<String> {
    let able = |node: &&NodeRow| {
        node.name != me
            && node.alive
            && node.rules == view.rules
            && node.requested != Some(NodeRequest::Drain)
            && node.state == STANDING_BY
    };
    let mut others = view.nodes.iter().filter(able);
    let wanted = { others.clone() }.find(|node| node.requested == Some(NodeRequest::Lead));
    let any = || {
        others
            .next()
            .filter(|_| view.requested == Some(NodeRequest::Drain))
    };
    wanted.or_else(any).map(|node| node.name.clone())
}

#[cfg(test)]
mod tests {
    use super::super::membership::DRAINING;
    use super::*;
    use domain::time::Timestamp;

    fn node(name: &str) -> NodeRow {
        NodeRow {
            name: name.to_owned(),
            life: name.to_owned(),
            address: String::new(),
            version: String::new(),
            state: STANDING_BY.to_owned(),
            rules: "these".to_owned(),
            started: Timestamp::from_ms(0),
            seen: Timestamp::from_ms(0),
            alive: true,
            requested: None,
        }
    }

    fn found(requested: Option<NodeRequest>, nodes: Vec<NodeRow>) -> Option<String> {
        let view = ClusterView {
            nodes,
            requested,
            rules: "these".to_owned(),
            ..ClusterView::default()
        };
        heir("a", &view)
    }

    #[test]
    fn the_lead_goes_to_who_was_asked_to_have_it_and_can() {
        let asked = NodeRow {
            requested: Some(NodeRequest::Lead),
            ..node("c")
        };
        let all = || vec![node("a"), node("b"), asked.clone()];
        assert_eq!(found(None, vec![node("a"), node("b")]), None);
        assert_eq!(found(None, all()).as_deref(), Some("c"));
        assert_eq!(
            found(Some(NodeRequest::Drain), vec![node("a"), node("b")]).as_deref(),
            Some("b")
        );
        assert_eq!(found(Some(NodeRequest::Drain), vec![node("a")]), None);
        let gone = NodeRow {
            alive: false,
            ..asked.clone()
        };
        let strange = NodeRow {
            rules: "others".to_owned(),
            ..asked.clone()
        };
        let drained = NodeRow {
            requested: Some(NodeRequest::Drain),
            ..asked.clone()
        };
        let busy = NodeRow {
            state: DRAINING.to_owned(),
            ..asked
        };
        for unable in [gone, strange, drained, busy] {
            assert_eq!(
                found(Some(NodeRequest::Drain), vec![node("a"), unable.clone()]),
                None,
                "{unable:?}"
            );
        }
    }
}
