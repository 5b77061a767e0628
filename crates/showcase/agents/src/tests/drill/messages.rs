//! The messages between agents, and between them and the platform, one form made of another.
//!
//! Read next: [`super`].

use super::*;
use domain::agent::Message;

pub(super) fn speech(message: &Message) -> Speech {
    let word = message.content.result.as_deref().unwrap_or("");
    let mut words = word.split_whitespace();
    match words.next() {
        Some("accept") => Speech {
            alternative: words.next().and_then(|n| n.parse().ok()),
            ..Speech::accept()
        },
        Some("refuse") => Speech::refuse(Vec::new()),
        _ => Speech::offer(vec![message.content.clone()]),
    }
}

pub(super) fn speech_of(answer: &Reply) -> Speech {
    match answer.verdict {
        Verdict::Accepted | Verdict::Result => Speech::accept(),
        Verdict::Offered => Speech {
            reasons: answer.reasons.clone(),
            ..Speech::offer(answer.content.clone())
        },
        _ => Speech::refuse(answer.reasons.clone()),
    }
}

pub(super) fn reply_of(speech: &Speech) -> Reply {
    let verdict = match speech.stance {
        Stance::Offer => Verdict::Offered,
        Stance::Accept => Verdict::Accepted,
        Stance::Refuse => Verdict::Refused,
    };
    Reply {
        reasons: speech.reasons.clone(),
        alternative: speech.alternative,
        ..Reply::new(verdict, speech.contents.clone())
    }
}

pub(super) fn task_of(message: &Message, from: &str, now: Timestamp) -> Task {
    Task::assigned(
        message.task.clone(),
        from,
        &message.to,
        message.content.render(),
        message.content.clone(),
        message.asynchronous,
        now,
    )
    .under(message.conditions.clone())
}

pub(super) fn message_of(task: &Task) -> Message {
    Message::new(
        task.to.clone(),
        Verb::TaskCancel,
        task.id.clone(),
        task.content.clone(),
    )
}

pub(super) fn ask_of(
    message: &Message,
    task: &Task,
    from: &str,
    turn: Option<(Kind, Stance)>,
) -> Ask {
    Ask {
        verb: message.verb,
        task: Arc::new(task.clone()),
        from: from.to_owned(),
        content: message.content.clone(),
        alternatives: Vec::new(),
        alternative: None,
        round: message.round,
        turn,
    }
}
