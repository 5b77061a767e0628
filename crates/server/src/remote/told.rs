//! The translation of answers and notifications of an agent elsewhere to outputs of its proxy.
//!
//! The same news may come as an answer, a state, a turn or a notification. Read next: [`super`].

use domain::agent::{Message, Output, Progress};
use domain::content::Content;
use domain::negotiation::{Kind, Speech, Stance};
use domain::notification::Notification;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Status, TaskId};

/// The output for the answer to an assignment.
pub(super) fn by_answer(assignment: &Message, reply: Reply) -> Option<Output> {
    let (task, target) = (&assignment.task, &assignment.content.target_object);
    let said = |words: &str| {
        let said = reply.content.first().cloned();
        said.unwrap_or_else(|| Content::new(target.as_str(), words))
    };
    let progress = match reply.verdict {
        Verdict::Accepted => Progress::Working {
            percent: 0,
            content: said("taken on"),
        },
        Verdict::Refused => {
            let why: Vec<&str> = reply.reasons.iter().map(|r| r.message.as_str()).collect();
            Progress::Refused(said(&why.join("; ")))
        }
        _ => return Output::of_reply(task, target, reply),
    };
    Some(Output::report(task, progress))
}

/// The output for a task's state that was queried.
pub(super) fn by_state(query: &Message, reply: Reply) -> Option<Output> {
    let awaits = reply.awaits();
    let target = query.content.target_object.as_str();
    let said = reply.content.into_iter().next();
    let content = said.unwrap_or_else(|| Content::new(target, "nothing was said"));
    by_status(&query.task, reply.status?, awaits, 0, content)
}

/// The output for a change of a task. Changes made by its publisher are no news of the executor.
pub(super) fn by_notification(news: &Notification) -> Option<Output> {
    let waited = matches!(
        news.previous,
        Some(Status::InputRequired | Status::AuthRequired)
    );
    if waited && news.status == Status::Processing {
        return None;
    }
    let (status, content) = (news.status, news.content.clone());
    by_status(&news.task, status, news.awaits, news.percent, content)
}

fn by_status(
    task: &TaskId,
    status: Status,
    awaits: Option<Awaits>,
    percent: u8,
    content: Content,
) -> Option<Output> {
    let progress = match (status, awaits) {
        (Status::Created, _) => return None,
        (Status::Processing, _) => Progress::Working { percent, content },
        (Status::Blocked, _) => Progress::Blocked(content),
        (Status::InputRequired, Some(Awaits::Decision)) => {
            return Some(Output::Speak {
                task: task.clone(),
                kind: Kind::Fulfillment,
                speech: Speech::offer(vec![content]),
            });
        }
        (Status::Finished, _) | (_, Some(Awaits::Judgement)) => Progress::Result(content),
        (Status::InputRequired, _) => Progress::InputRequired(content),
        (Status::AuthRequired, _) => Progress::AuthRequired(content),
        (Status::Rejected, _) => Progress::Refused(content),
        (Status::Failed | Status::Cancelled | Status::Unconfirmed, _) => Progress::Failed(content),
    };
    Some(Output::report(task, progress))
}

/// The output for the answer to an offer; none while there is none. An acceptance of one of several
/// alternatives without its number takes the first.
pub(super) fn by_turn(offer: &Message, kind: Kind, reply: Reply) -> Option<Output> {
    let stance = match reply.verdict {
        Verdict::Accepted | Verdict::Result => Stance::Accept,
        Verdict::Offered => Stance::Offer,
        Verdict::Refused | Verdict::InputRequired => Stance::Refuse,
        Verdict::Pending => return None,
    };
    let several = stance == Stance::Accept && !offer.alternatives.is_empty();
    let speech = Speech {
        stance,
        contents: reply.content,
        reasons: reply.reasons,
        alternative: several.then(|| reply.alternative.unwrap_or(1)),
    };
    Some(Output::Speak {
        task: offer.task.clone(),
        kind,
        speech,
    })
}
