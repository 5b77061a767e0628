//! What of a request a refusal is about, in the words of the domain.
//!
//! Where a field stands in a message is each protocol's own: NETCONF has a leaf for it, A2A a member of an
//! object. Read next: [`super`].

use domain::push::PushMember;
use std::fmt;

/// A field of a request.
///
/// Displayed, it is the word by which the messages of [`Missing`](super::InvalidInput::Missing),
/// [`Absent`](super::InvalidInput::Absent) and [`Unusable`](super::InvalidInput::Unusable) name it: for what the draft has a name for (§5.2), the
/// draft's, else that of our modules. Programs may have matched it, so it does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Who sends a message.
    Sender,
    /// Whom a message is for.
    Addressee,
    /// The task.
    Task,
    /// The task that it is a part of.
    Parent,
    /// Whether the answer may come later.
    Asynchronous,
    /// The sections of a message.
    Content,
    /// Which alternative of an offer is accepted.
    Alternative,
    /// The round of a negotiation.
    Round,
    /// How many rounds there may be.
    RoundLimit,
    /// When the task ends at the latest.
    Deadline,
    /// How long its publisher may stay silent.
    AnswerWithin,
    /// Whether a decision is to be agreed on before there is a result.
    Fulfillment,
    /// Where reports go as well.
    Subscription,
    /// The protocol by which they go.
    SubscriptionProtocol,
    /// What that protocol does with them.
    SubscriptionMethod,
    /// The address to which they go.
    SubscriptionUrl,
    /// The data that belong to the task.
    Data,
    /// The exchange that it continues.
    Context,
    /// What several tasks are about together.
    Conversation,
    /// A place in a team.
    Need,
    /// The agent, by its name.
    Agent,
    /// How an agent is spoken to.
    Reach,
    /// The address of its server.
    Address,
    /// The key of its server.
    HostKey,
    /// The address of its card.
    CardUrl,
    /// How long it keeps its place.
    Lease,
    /// How it is, in words.
    HealthNote,
    /// The identifier of an entry of data.
    DataId,
    /// Where data are, if elsewhere.
    DataUrl,
    /// How long data are as a whole.
    Size,
    /// An element of the network.
    Element,
    /// A cell of the network.
    Cell,
    /// The end of a time.
    Until,
    /// A fault of the network.
    Fault,
    /// How long a fault lasts.
    Duration,
    /// How bad a fault is.
    Severity,
    /// A template, by its name.
    Schema,
    /// The text of a template.
    Template,
    /// What a template is for.
    Scenario,
    /// A payload.
    Payload,
    /// What is wished for, in words.
    Text,
    /// A patch of a template.
    Patch,
    /// A payload that waits to be judged.
    Sample,
    /// A node of the cluster.
    Node,
    /// The session of the console.
    ConsoleSession,
    /// A standing rule, by its name.
    Rule,
    /// The kind of decisions that it is about.
    DecisionKind,
    /// Whose decisions it is about.
    Decider,
    /// The domain of the other side.
    Domain,
    /// What the task is about.
    Target,
    /// The bounds of a number.
    Bound,
    /// Until when it holds.
    ValidUntil,
    /// After how long it says something else.
    TimeOut,
    /// Who is told then.
    EscalateTo,
    /// Behind which row a page begins.
    After,
    /// A member of a push configuration.
    Push(PushMember),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sender => "task-sendFrom",
            Self::Addressee => "task-sendTo",
            Self::Task => "task-id",
            Self::Parent => "parent-task",
            Self::Asynchronous => "task-async",
            Self::Content => "content",
            Self::Alternative => "alternative",
            Self::Round => "round",
            Self::RoundLimit => "round-limit",
            Self::Deadline => "deadline",
            Self::AnswerWithin => "answer-within",
            Self::Fulfillment => "fulfillment-required",
            Self::Subscription => "task-subscription",
            Self::SubscriptionProtocol => "subscript-protocol",
            Self::SubscriptionMethod => "subscript-method",
            Self::SubscriptionUrl => "subscript-url",
            Self::Data => "msg-data",
            Self::Context => "context",
            Self::Conversation => "conversation",
            Self::Need => "need",
            Self::Agent => "name",
            Self::Reach => "reach",
            Self::Address => "address",
            Self::HostKey => "host-key",
            Self::CardUrl => "card-url",
            Self::Lease => "lease",
            Self::HealthNote => "health-note",
            Self::DataId => "id",
            Self::DataUrl => "url",
            Self::Size => "size",
            Self::Element => "element",
            Self::Cell => "cell",
            Self::Until => "until",
            Self::Fault => "id",
            Self::Duration => "duration",
            Self::Severity => "severity",
            Self::Schema => "schema-id",
            Self::Template => "template",
            Self::Scenario => "scenario",
            Self::Payload => "payload",
            Self::Text => "text",
            Self::Patch => "patch-id",
            Self::Sample => "sample-id",
            Self::Node => "node",
            Self::ConsoleSession => "id",
            Self::Rule => "name",
            Self::DecisionKind => "kind",
            Self::Decider => "decider",
            Self::Domain => "domain",
            Self::Target => "target",
            Self::Bound => "bound",
            Self::ValidUntil => "valid-until",
            Self::TimeOut => "after",
            Self::EscalateTo => "escalate-to",
            Self::After => "after",
            Self::Push(member) => member.as_str(),
        })
    }
}
