//! Enums that are written by name: the list of them, the name of each, and the one that a name is of.
//!
//! Knows what strum derives, and gives it the form that everybody here calls; serde's is the name
//! too. The names go out to clients and into the store: a test of this crate holds them. Read next:
//! [`crate::task::Status`].

#[doc(hidden)]
pub use serde;

use serde::de::{Error, Unexpected, Visitor};
use std::fmt;

/// Reads a name with `parse`; only a text is one.
#[doc(hidden)]
pub fn deserialize<'de, D: serde::Deserializer<'de>, T>(
    deserializer: D,
    parse: fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(Name(parse))
}

struct Name<T>(fn(&str) -> Option<T>);

impl<T> Visitor<'_> for Name<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a known name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        self.0(name).ok_or_else(|| E::invalid_value(Unexpected::Str(name), &self))
    }
}

/// Gives an enum that derives `EnumString`, `IntoStaticStr` and `VariantArray` of strum the constant
/// `ALL`, the functions `as_str` and `parse`, and that name as its form for serde; what stands before
/// its name documents `as_str`.
///
/// ```
/// use strum::{EnumString, IntoStaticStr, VariantArray};
///
/// #[derive(EnumString, IntoStaticStr, VariantArray)]
/// #[strum(serialize_all = "kebab-case")]
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// pub enum Door {
///     WideOpen,
///     Shut,
/// }
///
/// domain::named! {
///     /// The name on the plan.
///     Door
/// }
///
/// assert_eq!(Door::ALL.map(Door::as_str), ["wide-open", "shut"]);
/// assert_eq!(Door::parse("shut"), Some(Door::Shut));
/// assert_eq!(Door::parse("Shut"), None);
/// ```
#[macro_export]
macro_rules! named {
    ($(#[$about:meta])* $name:ident) => {
        impl $name {
            /// Every one, in the order in which they are declared.
            pub const ALL: [Self; <$name as strum::VariantArray>::VARIANTS.len()] =
                match <$name as strum::VariantArray>::VARIANTS.first_chunk() {
                    Some(all) => *all,
                    None => unreachable!(),
                };

            $(#[$about])*
            pub fn as_str(self) -> &'static str {
                self.into()
            }

            /// The one of that name; none if none has it.
            pub fn parse(name: &str) -> Option<Self> {
                name.parse().ok()
            }
        }

        impl $crate::named::serde::Serialize for $name {
            fn serialize<S: $crate::named::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::named::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::named::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                $crate::named::deserialize(deserializer, Self::parse)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    macro_rules! names {
        ($($module:ident::$name:ident)*) => {
            [$({
                use crate::$module::$name;
                for it in $name::ALL {
                    assert_eq!($name::parse(it.as_str()), Some(it));
                }
                let names = $name::ALL.map($name::as_str).join(" ");
                format!("{}::{}: {names}", stringify!($module), stringify!($name))
            }),*]
        };
    }

    /// Clients, payloads and the store know these names: no variant is renamed unnoticed.
    #[test]
    fn names_stay_what_they_are() {
        let names = names! {
            access::Credential
            audit::AuditKind
            cause::Cause
            cluster::LeadReason
            cluster::NodeState
            context::DataType
            ems::Ems
            event::Termination
            inventory::Domain
            inventory::ElementKind
            inventory::RadioUnit
            negotiation::Kind
            negotiation::Side
            negotiation::State
            negotiation::Stance
            notification::SchemaChange
            policy::DecisionKind
            policy::PolicyChange
            policy::RuleVerdict
            profile::Layer
            registry::AgentChange
            registry::Health
            reply::Verdict
            task::Status
            task::Awaits
            team::MemberStanding
            telemetry::AlarmType
            telemetry::Severity
            telemetry::Saving
            telemetry::Condition
            verb::Verb
        };
        assert_snapshot!(names.join("\n"), @"
        access::Credential: user agent
        audit::AuditKind: login login-failed denied key-added key-changed key-removed token-issued token-revoked rules-changed schema-published schema-retired patch-approved patch-rejected alignment-judged fragments-erased fault-injected fault-cleared comparison-begun comparison-ended drain-asked lead-asked node-joined rule-added rule-withdrawn rule-decided element-measured console-session-ended
        cause::Cause: fibre-cut duct-cut card-failure router-failure mains-failure optical-module-ageing cell-hardware-failure misconfiguration interference congestion interface-down packet-loss bandwidth-too-low queue-too-short wrong-metric area-mismatch mtu-mismatch timer-mismatch passive-interface routing-process-down prefix-filtered duplicate-address black-hole
        cluster::LeadReason: first expired stopped drained moved restarted
        cluster::NodeState: leading standing-by draining gone
        context::DataType: text image audio video
        ems::Ems: wireless ip customer
        event::Termination: closed killed dropped timeout bad-hello other
        inventory::Domain: Wireless IP Service Business
        inventory::ElementKind: router card link duct site zone optic cell
        inventory::RadioUnit: Type2 Type3 Type4 Type5 Type6 Type7 Type9 Type10
        negotiation::Kind: feasibility fulfillment result
        negotiation::Side: publisher executor
        negotiation::State: open agreed refused exhausted expired withdrawn
        negotiation::Stance: offer accept refuse
        notification::SchemaChange: template-published template-retired patch-pending patch-active key-promoted key-deprecated key-withdrawn patch-approved patch-rejected fragments-erased
        policy::DecisionKind: result decision question credentials completion feasibility plan patch
        policy::PolicyChange: rule-added rule-withdrawn decided escalated
        policy::RuleVerdict: accept reject ask
        profile::Layer: business service resource
        registry::AgentChange: registered health expired returned left
        registry::Health: ok degraded failing
        reply::Verdict: accepted offered refused input-required result pending
        task::Status: created processing blocked input-required auth-required failed finished cancelled rejected unconfirmed
        task::Awaits: answer decision judgement credentials completion
        team::MemberStanding: invited accepted declined
        telemetry::AlarmType: loss-of-signal link-down card-failure node-unreachable site-unreachable cells-out-of-service mains-failure signal-degraded temperature-high antenna-mismatch clock-unsynchronised congestion optical-power-low cell-unavailable cell-degraded interference-high battery-low unknown
        telemetry::Severity: warning minor major critical
        telemetry::Saving: off symbol-shutdown carrier-shutdown deep-sleep
        telemetry::Condition: good degraded failed unreachable
        verb::Verb: CapabilityRequest taskAssgin taskCancel FeasibilityNegotiate FulfillmentNegotiate taskResultQuery taskResultSubscribe taskResultNotify
        ");
    }
}
