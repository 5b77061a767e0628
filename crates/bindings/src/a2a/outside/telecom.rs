//! A2A-T as a client: a task as a prompt, what it lacks, whether it can be done, and how.
//!
//! Speeches are known from the negotiation here and questions from the agent's last word, so nothing is
//! kept. The name of a negotiation follows from its task: a UUID, as IG1453 wants one. Read
//! next: [`a2a::telecom::peer`], [`super::super::telecom`] (the other side).

use super::super::identity::uuid_8;
use super::super::telecom::kept;
use super::remote_agent::RemoteAgent;
use super::task_context::TaskContext;
use a2a::message::{Message, Metadata, Part, Role};
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::extension::Family;
use a2a::telecom::negotiation::{
    Context, OpenNegotiation, Performative, ReceivedMove, max_rounds, proposals,
};
use a2a::telecom::peer::{PeerMessage, TelecomPeer};
use a2a::telecom::text_language::TextLanguage;
use domain::content::{Content, Payload};
use domain::negotiation::{Kind, Negotiation, Side, Speech, Stance};
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use schema::canonical;
use serde_json::json;

/// The language in which agents are spoken to; they answer in it.
const TONGUE: TextLanguage = TextLanguage::English;

/// A turn of ours.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpokenTurn {
    pub(super) kind: Kind,
    pub(super) stance: Stance,
}

impl SpokenTurn {
    /// The last turn of a negotiation.
    pub(super) fn of(known: &TaskContext, kind: Kind) -> Option<Self> {
        let stance = known.negotiation(kind)?.turns.last()?.speech.stance;
        Some(Self { kind, stance })
    }
}

/// An agent's question or offer, beside a state that waits for somebody here.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Inquiry {
    /// It asks for something.
    Asks(Asked),
    /// It offers a decision how the task is done, under this context; none where that is known here.
    Offers(Option<Box<Content>>, Context),
}

impl Inquiry {
    /// That of a message; none if it is in words alone. `about` is the schema of the task.
    pub(super) fn of(
        peer: &RemoteAgent,
        known: &TaskContext,
        about: Option<&str>,
        said: &Message,
    ) -> Option<Self> {
        let standing = known.negotiation(Kind::Fulfillment).map(standing);
        let agent = known.telecom(peer)?;
        match agent
            .word(&said.metadata, &said.parts, standing, about)
            .ok()??
        {
            PeerMessage::Asks { context, items } => Some(Self::Asks(Asked { context, items })),
            PeerMessage::Negotiates { context, heard } => match heard {
                ReceivedMove::Opens(speech, _) | ReceivedMove::Turn(speech)
                    if speech.stance == Stance::Offer =>
                {
                    let first = speech.contents.into_iter().next()?;
                    Some(Self::Offers(Some(Box::new(first)), context))
                }
                ReceivedMove::Again => Some(Self::Offers(None, context)),
                _ => None,
            },
            PeerMessage::Tells { .. } => None,
        }
    }
}

/// The parameters that an agent asks for before it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    context: Context,
    items: Vec<(String, String)>,
}

impl Asked {
    /// The same in words.
    pub(super) fn words(&self) -> String {
        let items = self.items.iter();
        let items: Vec<String> = items
            .map(|(name, means)| format!("{name}: {means}"))
            .collect();
        items.join("\n")
    }

    /// The answer to it: from a payload what was asked for, from words the one thing that was.
    pub(super) fn answered(
        &self,
        peer: &TelecomPeer,
        content: &Content,
        words: &str,
    ) -> Option<TelecomEnvelope> {
        match (&content.payload, self.items.as_slice()) {
            (Some(payload), items) => peer.supply(payload, &self.context, items, TONGUE),
            (None, [(name, _)]) => {
                peer.answer(&[(name.clone(), words.to_owned())], &self.context, TONGUE)
            }
            (None, _) => None,
        }
    }
}

/// True of an assignment to report from now on.
pub(super) fn is_subscription(prompt: &TelecomEnvelope) -> bool {
    prompt.text(Family::Notification).is_some()
}

/// The assignment of a payload, as a task or a subscription, under what was agreed on before, if anything was; none if the agent
/// knows no template for it.
pub(super) fn assignment(
    peer: &RemoteAgent,
    known: &TaskContext,
    task: &TaskId,
    payload: &Payload,
) -> Option<TelecomEnvelope> {
    let agent = known.telecom(peer)?;
    let Some(prompt) = agent.assignment(payload, TONGUE) else {
        return agent.subscription(payload, TONGUE);
    };
    Some(match known.agreed() {
        Some(negotiation) => prompt.under(Context {
            id: name_of(task),
            round: proposals(negotiation),
            max_rounds: max_rounds(negotiation.round_limit),
            performative: Some(Performative::Accept),
        }),
        None => prompt,
    })
}

/// The last turn here about feasibility, as a message to the agent; none if the agent does not
/// negotiate, or knows no words for it.
pub(super) fn turn(peer: &RemoteAgent, known: &TaskContext, task: &TaskId) -> Option<Message> {
    let negotiation = known.negotiation(Kind::Feasibility)?;
    let most = max_rounds(negotiation.round_limit);
    spoken(peer, known, negotiation, task, (&name_of(task), most))
}

/// The last turn here to a decision that the agent has offered under this context.
pub(super) fn decision(
    peer: &RemoteAgent,
    known: &TaskContext,
    task: &TaskId,
    offered: &Context,
) -> Option<Message> {
    let negotiation = known.negotiation(Kind::Fulfillment)?;
    spoken(
        peer,
        known,
        negotiation,
        task,
        (&offered.id, offered.max_rounds),
    )
}

fn spoken(
    peer: &RemoteAgent,
    known: &TaskContext,
    negotiation: &Negotiation,
    task: &TaskId,
    (id, most): (&str, u32),
) -> Option<Message> {
    let last = negotiation.turns.last();
    let last = last.filter(|turn| turn.by == Side::Publisher)?;
    let bare = kept::bare(negotiation);
    let said = known.telecom(peer)?.turn(&bare, id, most, TONGUE)?;
    let words = match last.speech.stance {
        Stance::Offer => "Can this be done?",
        Stance::Accept => "Agreed.",
        Stance::Refuse => "Not so.",
    };
    let turns = negotiation.turns.len();
    let id = format!("{task}/{}/{turns}", negotiation.kind.as_str());
    Some(carrying(said, id, words))
}

fn standing(negotiation: &Negotiation) -> OpenNegotiation<'_> {
    OpenNegotiation {
        max_rounds: max_rounds(negotiation.round_limit),
        negotiation,
    }
}

/// An agent's message to a turn, as its reply here; none if it says nothing to it in A2A-T.
pub(super) fn reply(
    peer: &RemoteAgent,
    known: &TaskContext,
    kind: Kind,
    said: &Message,
) -> Option<Reply> {
    let standing = known.negotiation(kind).map(standing);
    let agent = known.telecom(peer)?;
    let word = agent.word(&said.metadata, &said.parts, standing, None);
    Some(match word {
        Ok(Some(PeerMessage::Negotiates { heard, .. })) => of_turn(heard),
        Ok(Some(_) | None) => return None,
        Err(unheard) => Reply::refused("malformed", "", unheard.to_string()),
    })
}

fn of_turn(heard: ReceivedMove) -> Reply {
    match heard {
        ReceivedMove::Turn(speech) | ReceivedMove::Opens(speech, _) => of_speech(speech),
        ReceivedMove::Withdrawal(why) => Reply::refused("withdrawn", "", why),
        ReceivedMove::Question | ReceivedMove::Supply | ReceivedMove::Again => {
            Reply::new(Verdict::Pending, Vec::new())
        }
    }
}

fn of_speech(speech: Speech) -> Reply {
    let verdict = match speech.stance {
        Stance::Offer => Verdict::Offered,
        Stance::Accept => Verdict::Accepted,
        Stance::Refuse => Verdict::Refused,
    };
    Reply {
        alternative: speech.alternative,
        reasons: speech.reasons,
        ..Reply::new(verdict, speech.contents)
    }
}

/// A message that carries a text beside words.
pub(super) fn carrying(envelope: TelecomEnvelope, id: String, words: &str) -> Message {
    Message {
        metadata: envelope.write(),
        extensions: TelecomPeer::extensions(&envelope),
        ..Message::new(id, Role::User, vec![Part::text(words)])
    }
}

/// The text of a result in A2A-T, if there is one.
pub(super) fn outcome(metadata: &Metadata) -> Option<String> {
    let envelope = TelecomEnvelope::read(metadata).ok()??;
    envelope.text(Family::Task).map(str::to_owned)
}

/// The identifier at the agent of the negotiation about a task.
fn name_of(task: &TaskId) -> String {
    uuid_8(canonical::hash(&json!(["negotiation", task.as_str()])))
}
