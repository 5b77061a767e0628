//! The part of a message's metadata that is A2A-T.
//!
//! ```text
//! "https://…/Negotiation-T/v1": "## …"             one text for each extension
//! "templateUri": "Negotiation-T/…/propose/v1"      the template of the text
//! "negotiationContext": {id, round, maxRounds, performative}
//! ```
//! Knows both generations, and `template_uri` and `negotiation_context` (JSON in a string) as older
//! builds write them; a message is answered in the spelling it came in. Other metadata are not
//! looked at. Refuses to know what texts say. Read next: [`negotiation`](super::negotiation).

use super::extension::{Family, NotATemplateUri, TelecomExtension, TemplateUri, UriGeneration};
use super::negotiation::{Context, NotAContext, tongue_of};
use super::text_language::TextLanguage;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The spelling of the members beside the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberCase {
    /// `templateUri`, `negotiationContext`: an object.
    #[default]
    Camel,
    /// `template_uri`, `negotiation_context`: JSON in a string.
    Snake,
}

impl MemberCase {
    fn template(self) -> &'static str {
        match self {
            Self::Camel => "templateUri",
            Self::Snake => "template_uri",
        }
    }

    fn context(self) -> &'static str {
        match self {
            Self::Camel => "negotiationContext",
            Self::Snake => "negotiation_context",
        }
    }
}

/// The A2A-T part of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TelecomEnvelope {
    /// The texts, by extension, each in the generation it came in.
    pub texts: BTreeMap<Family, (UriGeneration, String)>,
    /// The template of the text; where there are two, that of the task.
    pub template_uri: Option<TemplateUri>,
    /// The place of the message in a negotiation.
    pub context: Option<Context>,
    /// The spelling of the members.
    pub spelling: MemberCase,
}

/// The reason why the metadata are none of A2A-T.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// A text is none.
    #[error("'{0}' is not a text")]
    NotAText(String),
    /// An extension is there in both generations, with different texts.
    #[error("{} stands there twice, with different texts", .0.as_str())]
    Twice(Family),
    /// A member is there in both spellings, with different values.
    #[error("'{0}' stands there in two spellings, with different values")]
    Spellings(&'static str),
    /// The template URI is none.
    #[error(transparent)]
    Template(#[from] NotATemplateUri),
    /// The context is none.
    #[error(transparent)]
    Context(#[from] NotAContext),
}

impl MetadataError {
    /// The code of IG1453's closed catalogue that says the same.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Template(_) => "template.not_found",
            Self::Context(cause) => cause.code(),
            Self::NotAText(_) | Self::Twice(_) | Self::Spellings(_) => "content.format_error",
        }
    }
}

impl TelecomEnvelope {
    /// Reads the metadata of a message; none if nothing of A2A-T stands there.
    ///
    /// # Errors
    /// [`MetadataError`]: something of A2A-T stands there that cannot be.
    pub fn read(metadata: &Map<String, Value>) -> Result<Option<Self>, MetadataError> {
        let mut envelope = Self::default();
        for (name, value) in metadata {
            let Some(extension) = TelecomExtension::parse(name) else {
                continue;
            };
            let text = value
                .as_str()
                .ok_or_else(|| MetadataError::NotAText(name.clone()))?;
            envelope.put(extension, text)?;
        }
        if envelope.texts.is_empty() {
            return Ok(None);
        }
        for spelling in [MemberCase::Camel, MemberCase::Snake] {
            envelope.beside(metadata, spelling)?;
        }
        Ok(Some(envelope))
    }

    fn put(&mut self, extension: TelecomExtension, text: &str) -> Result<(), MetadataError> {
        let said = (extension.generation, text.to_owned());
        match self.texts.insert(extension.family, said) {
            Some((_, other)) if other != text => Err(MetadataError::Twice(extension.family)),
            _ => Ok(()),
        }
    }

    fn beside(
        &mut self,
        metadata: &Map<String, Value>,
        spelling: MemberCase,
    ) -> Result<(), MetadataError> {
        let there = |name: &str| metadata.get(name).filter(|value| !value.is_null());
        if let Some(uri) = there(spelling.template()) {
            let uri = uri
                .as_str()
                .ok_or_else(|| MetadataError::NotAText(spelling.template().to_owned()))?;
            let uri = TemplateUri::parse(uri.trim())?;
            keep(&mut self.template_uri, uri, spelling.template())?;
            self.spelling = spelling;
        }
        if let Some(context) = there(spelling.context()) {
            keep(
                &mut self.context,
                Context::read(context)?,
                spelling.context(),
            )?;
            self.spelling = spelling;
        }
        Ok(())
    }

    /// The length of its texts together, in bytes.
    pub fn text_bytes(&self) -> usize {
        self.texts.values().map(|(_, text)| text.len()).sum()
    }

    /// The text under an extension.
    pub fn text(&self, family: Family) -> Option<&str> {
        self.texts.get(&family).map(|(_, text)| text.as_str())
    }

    /// The language in which this peer speaks: that of the title of its text.
    pub fn text_language(&self) -> TextLanguage {
        let texts = self.texts.values();
        texts
            .map(|(_, text)| tongue_of(text))
            .next()
            .unwrap_or_default()
    }

    /// The extension as this peer spells it, for what is sent to it.
    pub fn extension(&self, family: Family) -> TelecomExtension {
        let said = self
            .texts
            .get(&family)
            .or_else(|| self.texts.values().next());
        TelecomExtension {
            family,
            generation: said.map_or_else(UriGeneration::default, |(generation, _)| *generation),
        }
    }

    /// A text with its template, as this peer spells extensions; see [`TelecomExtension::declared`].
    pub fn new(extension: TelecomExtension, uri: TemplateUri, text: String) -> Self {
        Self {
            texts: BTreeMap::from([(extension.family, (extension.generation, text))]),
            template_uri: Some(uri),
            ..Self::default()
        }
    }

    /// An answer, in the generation and the spelling of this message.
    pub fn answer(&self, uri: TemplateUri, text: String, context: Option<Context>) -> Self {
        Self {
            context,
            spelling: self.spelling,
            ..Self::new(self.extension(uri.family), uri, text)
        }
    }

    /// The same at a place in a negotiation: a turn of it, or the assignment of what was agreed on.
    pub fn under(mut self, context: Context) -> Self {
        self.context = Some(context);
        self
    }

    /// The same with one more text: a task that is complete now beside the answer to what lacked.
    pub fn with(mut self, family: Family, text: String) -> Self {
        let generation = self.extension(family).generation;
        self.texts.insert(family, (generation, text));
        self
    }

    /// The metadata of a message.
    pub fn write(&self) -> Map<String, Value> {
        let mut metadata = Map::new();
        for (family, (generation, text)) in &self.texts {
            let extension = TelecomExtension {
                family: *family,
                generation: *generation,
            };
            metadata.insert(extension.uri(), text.as_str().into());
        }
        if let Some(uri) = &self.template_uri {
            metadata.insert(self.spelling.template().to_owned(), uri.to_string().into());
        }
        if let Some(context) = &self.context {
            let context = match self.spelling {
                MemberCase::Camel => context.to_value(),
                MemberCase::Snake => context.to_value().to_string().into(),
            };
            metadata.insert(self.spelling.context().to_owned(), context);
        }
        metadata
    }
}

/// Keeps the value of a member, which may stand there in the other spelling as well.
fn keep<T: PartialEq>(
    place: &mut Option<T>,
    said: T,
    member: &'static str,
) -> Result<(), MetadataError> {
    match place.replace(said) {
        Some(before) if place.as_ref() != Some(&before) => Err(MetadataError::Spellings(member)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use serde_json::json;

    /// A2A-T: a task complete now, beside the answer to what lacked, as one message; read again it
    /// is the same, in both spellings.
    #[test]
    fn two_texts_travel_in_one_message() {
        for (generation, spelling) in [
            (UriGeneration::Current, MemberCase::Camel),
            (UriGeneration::Older, MemberCase::Snake),
        ] {
            let extension = TelecomExtension {
                family: Family::Negotiation,
                generation,
            };
            let uri = TemplateUri::parse("Negotiation-T/information-negotiation/accept-reject/v1");
            let envelope = TelecomEnvelope {
                spelling,
                ..TelecomEnvelope::new(extension, uri.expect("a URI"), "## a".to_owned())
            };
            let envelope = envelope.with(Family::Task, "## b".to_owned());
            let read = TelecomEnvelope::read(&envelope.write()).expect("sound");
            assert_eq!(read.map(|e| e.texts), Some(envelope.texts));
        }
    }

    #[test]
    fn what_is_not_of_a2a_t_is_none_and_what_is_must_be_sound() {
        let read = |metadata: Value| {
            let metadata = metadata.as_object().expect("a literal object").clone();
            match TelecomEnvelope::read(&metadata) {
                Ok(None) => "none".to_owned(),
                Ok(Some(_)) => "read".to_owned(),
                Err(unsound) => format!("{}: {unsound}", unsound.code()),
            }
        };
        let task = TelecomExtension::all().next().expect("an extension").uri();
        let older = TelecomExtension::all().nth(1).expect("an extension").uri();
        let told = [
            read(json!({"templateUri": 7})),
            read(json!({&task: "## a", "templateUri": null})),
            read(json!({&task: 7})),
            read(json!({&task: "## a", &older: "## a"})),
            read(json!({&task: "## a", &older: "## b"})),
            read(json!({&task: "## a", "templateUri": "../../etc/v1"})),
            read(json!({&task: "## a", "negotiationContext": {"id": "x"}})),
            read(
                json!({&task: "## a", "templateUri": "Task-T/a/b/v1", "template_uri": "Task-T/a/b/v1"}),
            ),
            read(
                json!({&task: "## a", "templateUri": "Task-T/a/b/v1", "template_uri": "Task-T/a/c/v1"}),
            ),
        ];
        assert_snapshot!(told.join("\n"), @r"
        none
        read
        content.format_error: 'https://projects.tmforum.org/a2aproject/telecommunication/extensions/Task-T/v1' is not a text
        read
        content.format_error: Task-T stands there twice, with different texts
        template.not_found: '../../etc/v1' is not a template URI, such as Task-T/network-layer/ran-energy-saving/v1
        negotiation.invalid_context_id: 'id' of the negotiation context is not a UUID
        read
        content.format_error: 'template_uri' stands there in two spellings, with different values
        ");
    }
}
