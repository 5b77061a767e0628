//! The answers that all agents give alike: acceptance, the reasons for a refusal, agreement to an
//! offer.
//!
//! Knows how the word of a turn is written in a content; refuses to know what is spoken about. Read
//! next: [`crate::context`].

use domain::agent::{Message, Undelivered};
use domain::content::Content;
use domain::reply::Reply;

/// The answer of who does whatever is understood.
pub fn accepted_if<T>(understood: Result<T, Reply>) -> Reply {
    understood.map_or_else(|reply| reply, |_| Reply::accepted())
}

/// The reasons that a reply gives; its verdict if it gives none.
pub fn why_not(reply: &Reply) -> String {
    let reasons: Vec<&str> = reply.reasons.iter().map(|r| r.message.as_str()).collect();
    match reasons.is_empty() {
        true => reply.verdict.as_str().to_owned(),
        false => reasons.join("; "),
    }
}

/// True if the identifier of a task is taken already: its `error-tag` (RFC 6241, Appendix A) says so.
pub fn is_taken(reply: &Result<Reply, Undelivered>) -> bool {
    matches!(reply, Err(undelivered) if undelivered.tag == "data-exists")
}

/// `word` with the unmet points, each on a line of its own, as a judgement or a refusal says them
/// under `## result`.
pub fn with_points(word: &str, points: &[String]) -> String {
    let lines = points.iter().map(|point| format!("\n- {point}"));
    std::iter::once(word.to_owned()).chain(lines).collect()
}

/// The next turn of who sent this: agreement to the alternative of this number, from 1.
pub fn agreement(sent: Message, number: usize, offer: &Content) -> Message {
    let target = sent.content.target_object.as_str();
    let words = format!("Agreed: {}", offer.task_description);
    Message {
        content: Content::new(target, words).with_result(format!("accept {number}")),
        round: sent.round + 1,
        alternatives: Vec::new(),
        ..sent
    }
}
