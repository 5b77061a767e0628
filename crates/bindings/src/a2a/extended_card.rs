//! The card of an agent for who is authenticated (v1.0 §3.1.11).
//!
//! Read next: [`super::cards`], for the card that everybody gets.

use super::error;
use super::request_context::RequestContext;
use a2a::card::Card;
use a2a::error::Error;
use a2a::objects;
use engine::{Form, RenderSchema};
use serde_json::Value;

impl RequestContext<'_> {
    /// The card for the authenticated: schemas with the keys of the caller's own patches.
    pub(super) fn extended_card(&self) -> Result<Card, Error> {
        let mut card = self.served.card.clone();
        let declared = objects::declared(&card);
        if declared.is_empty() {
            return Ok(card);
        }
        // Whoever may not have schemas rendered reads them as the public card has them.
        let mut own = declared;
        for (id, schema) in &mut own {
            if let Some(rendered) = self.rendered(id)? {
                *schema = rendered;
            }
        }
        let profile = self.binding.cards.settings.card_profile;
        objects::declare(&mut card, &own, profile);
        Ok(card)
    }

    fn rendered(&self, schema_id: &str) -> Result<Option<Value>, Error> {
        let language = &self.binding.cards.settings.language;
        let wanted = RenderSchema {
            schema_id: schema_id.to_owned(),
            form: Form::JsonSchema,
            language: Some(language.as_str().to_owned()),
        };
        if !self.engine().may(self.who, &wanted) {
            return Ok(None);
        }
        let text = self.engine().read(self.who, wanted, self.now());
        let text = text.map_err(|refusal| error::refused(&refusal))?;
        let schema = serde_json::from_str(&text);
        Ok(Some(schema.expect("a rendered JSON Schema is JSON")))
    }
}
