//! A prompt as the tokens of a model's own chat form.
//!
//! Only the frame of the chat form may hold control tokens. What templates and people say is cut
//! into plain tokens, so that `<|im_end|>` in it is text and ends nothing (§7).

use llama_cpp_2::model::{LlamaChatMessage, LlamaModel};
use llama_cpp_2::token::LlamaToken;

/// The marks that stand for the two texts while the frame is built.
const SYSTEM: &str = "[[the task]]";
const USER: &str = "[[the utterance]]";

/// The tokens of both texts in the chat form of a model; of one after the other, if it has none.
pub(super) fn tokens(model: &LlamaModel, system: &str, user: &str) -> Vec<LlamaToken> {
    let vocabulary = model.vocab();
    let mut tokens = Vec::new();
    if vocabulary.should_add_bos() {
        tokens.push(vocabulary.bos());
    }
    for part in parts(&frame(model)) {
        let found = match part {
            Part::Frame(text) => vocabulary.tokenize(text.as_bytes(), false, true),
            Part::System => vocabulary.tokenize(system.as_bytes(), false, false),
            Part::User => vocabulary.tokenize(user.as_bytes(), false, false),
        };
        let twice = tokens.len() == 1 && found.first() == tokens.first();
        tokens.extend(found.into_iter().skip(usize::from(twice)));
    }
    tokens
}

/// The chat form around the marks, as far as the model has one that takes both.
fn frame(model: &LlamaModel) -> String {
    let plain = || format!("{SYSTEM}\n{USER}\n");
    let message =
        |role: &str, text: &str| LlamaChatMessage::new(role.to_owned(), text.to_owned()).ok();
    let (Ok(form), Some(system), Some(user)) = (
        model.chat_template(None),
        message("system", SYSTEM),
        message("user", USER),
    ) else {
        return plain();
    };
    model
        .apply_chat_template(&form, &[system, user], true)
        .ok()
        .filter(|framed| framed.contains(SYSTEM) && framed.contains(USER))
        .unwrap_or_else(plain)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part<'f> {
    Frame(&'f str),
    System,
    User,
}

/// A frame cut at its marks.
fn parts(frame: &str) -> Vec<Part<'_>> {
    let (mut parts, mut rest) = (Vec::new(), frame);
    for (mark, part) in [(SYSTEM, Part::System), (USER, Part::User)] {
        if let Some((before, behind)) = rest.split_once(mark) {
            parts.extend([Part::Frame(before), part]);
            rest = behind;
        }
    }
    parts.push(Part::Frame(rest));
    parts.retain(|part| *part != Part::Frame(""));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_cut_at_its_marks() {
        assert_eq!(
            parts("<s>[[the task]]</s><u>[[the utterance]]</u>"),
            [
                Part::Frame("<s>"),
                Part::System,
                Part::Frame("</s><u>"),
                Part::User,
                Part::Frame("</u>")
            ]
        );
    }
}
