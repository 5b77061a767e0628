//! A negotiation turn by turn (module convoke-negotiation; draft §4.3, §4.5, §5.3): in the registry,
//! and as the notification `negotiation-update`.

use crate::netconf::output;
use domain::negotiation::{Negotiation, Turn};
use domain::notification::NegotiationUpdate;
use domain::reply::Reason;

/// The grouping `negotiation-header`, of whichever node uses it.
macro_rules! header {
    ($node:expr, $of:expr) => {
        $node
            .kind($of.kind.as_str())
            .publisher(&$of.publisher)
            .executor(&$of.executor)
            .state($of.state.as_str())
    };
}

/// The grouping `negotiation`, likewise.
macro_rules! negotiation {
    ($node:expr, $of:expr) => {
        header!($node, $of)
            .opened($of.opened)
            .round_limit($of.round_limit)
            .answer_by($of.due())
            .turn(&$of.turns, |node, turn| node.like(turn, said).time(turn.at))
    };
}

/// Adds all of a negotiation of a task.
pub(super) fn of_task<'a>(
    node: output::Negotiation<'a>,
    of: &'a Negotiation,
) -> output::Negotiation<'a> {
    negotiation!(node, of)
}

/// Adds all of a negotiation whose task does not exist yet.
pub(super) fn proposed<'a>(
    node: output::RegistryNegotiation<'a>,
    of: &'a Negotiation,
) -> output::RegistryNegotiation<'a> {
    negotiation!(node.task_id(of.task.as_str()), of)
}

/// `negotiation-update`.
pub(in crate::netconf) fn update(of: &NegotiationUpdate) -> output::NegotiationUpdate<'_> {
    let node = output::NegotiationUpdate::default().task_id(of.task.as_str());
    header!(node, of).turn(of.turn.as_ref(), said)
}

/// Adds why not.
pub(in crate::netconf) fn refusal<'a>(
    node: output::Refusal<'a>,
    of: &'a Reason,
) -> output::Refusal<'a> {
    let some = |text: &'a str| (!text.is_empty()).then_some(text);
    node.reason(some(&of.reason))
        .path(some(&of.path))
        .message(some(&of.message))
}

fn said<'a>(node: output::Turn<'a>, turn: &'a Turn) -> output::Turn<'a> {
    let speech = &turn.speech;
    node.round(turn.round)
        .by(turn.by.as_str())
        .stance(speech.stance.as_str())
        .content(speech.contents.iter().map(|c| c.render()))
        .refusal(&speech.reasons, refusal)
        .alternative(speech.alternative)
}
