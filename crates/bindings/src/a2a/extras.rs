//! Parts of an answer that only A2A has a place for: a file, data without a schema, and that the answer
//! is a message and nothing to follow.
//!
//! They are sections of its content, which is recorded and told over every protocol as it stands; here
//! they become what they say. Refuses to know which agent says them. Read next: [`super::task`].

use a2a::message::Part;
use a2a::version::Dialect;
use a2a::wire;
use domain::content::Content;

/// The section that is a part, in the JSON of v1.0.
const PART: &str = "a2a part";

/// The section that says as what a result that is there at once is answered with.
const ANSWER: &str = "a2a answer";

/// The value there for an answer that is a message.
const MESSAGE: &str = "message";

/// The same content with a part that no other section has a place for.
#[must_use]
pub fn with_part(mut content: Content, part: &Part) -> Content {
    let json = wire::part(Dialect::V10, part).to_string();
    content.others.push((PART.to_owned(), json));
    content
}

/// The same content as the answer by a message, if it is given at once: its task has ended then, and
/// is on record like any.
#[must_use]
pub fn as_message(mut content: Content) -> Content {
    let section = (ANSWER.to_owned(), MESSAGE.to_owned());
    content.others.push(section);
    content
}

/// The part that a content brings, if that is one.
pub(super) fn part(content: &Content) -> Option<Part> {
    let json = schema::json::read(content.section(PART)?.as_bytes()).ok()?;
    wire::read_part(Dialect::V10, &json).ok()
}

/// True if a content is an answer by a message.
pub(super) fn is_message(content: &Content) -> bool {
    content.section(ANSWER) == Some(MESSAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use a2a::message::PartContent as Held;

    /// Q63: what is said in sections is read from them, and what is no part is none.
    #[test]
    fn parts_survive_the_record() {
        let file = Part {
            filename: Some("output.txt".to_owned()),
            ..Part::new(Held::Raw(b"line\n## result\naccept".to_vec())).of_type("text/plain")
        };
        let said = as_message(with_part(Content::new("t", "a file"), &file));
        let read = Content::parse([said.render().as_str()]).expect("sections");
        assert_eq!(part(&read), Some(file));
        assert!(is_message(&read));
        let mut broken = Content::new("t", "a file");
        broken.others.push((PART.to_owned(), "{".to_owned()));
        assert_eq!((part(&broken), is_message(&broken)), (None, false));
    }
}
