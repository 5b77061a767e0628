//! The rpc that was asked, and where in its message it has what a refusal is about.
//!
//! The one place that knows the leaves of a [`Field`]. Read next: [`super::refused`].

use crate::netconf::modules::{self, Module};
use ::netconf::error::ErrorPath;
use ::netconf::names::namespace::BASE;
use engine::refusal::Field;

/// The rpc that was asked, to say where in its message something is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RpcOrigin {
    /// The module that defines it.
    pub(crate) module: &'static Module,
    /// Its name.
    pub(crate) rpc: &'static str,
    /// The nodes of its input with the modules that define them, where these are known here.
    pub(crate) leaves: &'static [(&'static str, &'static Module)],
}

impl RpcOrigin {
    /// An rpc whose nodes are all of its own module.
    pub(crate) const fn of(module: &'static Module, rpc: &'static str) -> Self {
        Self {
            module,
            rpc,
            leaves: &[],
        }
    }

    /// Where the rpc stands in its message, or a leaf of it. RFC 6241 §4.3: a path to what was sent
    /// begins at the document, so with `rpc`.
    pub(super) fn path(self, leaf: Option<&str>) -> ErrorPath {
        let Self { module, rpc, .. } = self;
        let definer = leaf.map_or(module, |leaf| self.definer_of(leaf));
        let step = format!("/{}:", definer.prefix);
        let steps = leaf.map(|leaf| format!("{step}{}", leaf.replace('/', &step)));
        let steps = steps.unwrap_or_default();
        let path = ErrorPath::new(format!("/nc:rpc/{}:{rpc}{steps}", module.prefix));
        let path = match definer == module {
            true => path,
            false => path.bind(definer.prefix, definer.namespace),
        };
        path.bind("nc", BASE).bind(module.prefix, module.namespace)
    }

    /// The module that defines a node of the input: another one may have added it.
    fn definer_of(self, leaf: &str) -> &'static Module {
        let first = leaf.split('/').next();
        let mut known = self.leaves.iter();
        let known = known.find(|(name, _)| Some(*name) == first);
        known.map_or(self.module, |(_, module)| module)
    }

    /// The leaf in which the rpc has a field, or the path of one.
    pub(super) fn leaf(self, field: Field) -> &'static str {
        match field {
            Field::Sender => "task-sendFrom",
            Field::Addressee => "task-sendTo",
            Field::Task => "task-id",
            Field::Parent => "parent-task",
            Field::Asynchronous => "task-async",
            Field::Content => "content",
            Field::Alternative => "alternative",
            Field::Round => "round",
            Field::RoundLimit => "round-limit",
            Field::Deadline => "deadline",
            Field::AnswerWithin => "answer-within",
            Field::Fulfillment => "fulfillment-required",
            Field::Subscription => "task-subscription",
            Field::SubscriptionProtocol => "task-subscription/subscript-protocol",
            Field::SubscriptionMethod => "task-subscription/subscript-method",
            Field::SubscriptionUrl => "task-subscription/subscript-url",
            Field::Data => "msg-data",
            Field::Context => "context",
            Field::Conversation => "conversation",
            Field::Need => "need",
            Field::Agent if *self.module == modules::AGENT => "task-sendTo",
            Field::Agent if *self.module == modules::POLICY || *self.module == modules::SCHEMA => {
                "agent"
            }
            Field::Agent => "name",
            Field::Reach => "reach",
            Field::Address => "address",
            Field::HostKey => "host-key",
            Field::CardUrl => "card-url",
            Field::Lease => "lease",
            Field::HealthNote => "health-note",
            Field::DataId | Field::Fault | Field::ConsoleSession => "id",
            Field::DataUrl => "url",
            Field::Size => "size",
            Field::Element => "element",
            Field::Cell => "cell",
            Field::Until => "until",
            Field::Duration => "duration",
            Field::Severity => "severity",
            Field::Schema => self.content_leaf().unwrap_or("schema-id"),
            Field::Template => "template",
            Field::Scenario => "scenario",
            Field::Payload => self.content_leaf().unwrap_or("payload"),
            Field::Text => "text",
            Field::Patch => "patch-id",
            Field::Sample => "sample-id",
            Field::Node => "node",
            Field::Rule => "name",
            Field::DecisionKind => "kind",
            Field::Decider => "decider",
            Field::Domain => "domain",
            Field::Target => "target",
            Field::Bound => "bound",
            Field::ValidUntil => "valid-until",
            Field::TimeOut => "after",
            Field::EscalateTo => "escalate-to",
            Field::After => "after",
            // No rpc has push configurations: they are what A2A calls them.
            Field::Push(member) => member.as_str(),
        }
    }

    /// The leaf in which the rpc carries content for an agent; none if it carries none.
    fn content_leaf(self) -> Option<&'static str> {
        match self.module {
            module if *module == modules::AGENT => Some("content"),
            module if *module == modules::REGISTRY => Some("need/content"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::netconf::input::{DataRead, Input, RenewLease, TaskNegotiate};

    #[test]
    fn a_leaf_is_in_the_namespace_of_the_module_that_defines_it() {
        for (asked, leaf, path) in [
            (
                TaskNegotiate::ORIGIN,
                "task-id",
                "/nc:rpc/agt:task-negotiate/agt:task-id",
            ),
            (
                TaskNegotiate::ORIGIN,
                "round",
                "/nc:rpc/agt:task-negotiate/cvn:round",
            ),
            (
                TaskNegotiate::ORIGIN,
                "task-subscription/subscript-url",
                "/nc:rpc/agt:task-negotiate/cvn:task-subscription/cvn:subscript-url",
            ),
            (
                RenewLease::ORIGIN,
                "name",
                "/nc:rpc/cvr:renew-lease/cvr:name",
            ),
            (DataRead::ORIGIN, "id", "/nc:rpc/cvdata:data-read/cvdata:id"),
        ] {
            let told = asked.path(Some(leaf));
            assert_eq!(told.path, path);
            let bound = |prefix: &str| told.namespaces.iter().any(|(p, _)| p == prefix);
            let mut prefixes = path
                .split('/')
                .filter_map(|step| Some(step.split_once(':')?.0));
            assert!(prefixes.all(bound), "{told:?}");
        }
    }
}
