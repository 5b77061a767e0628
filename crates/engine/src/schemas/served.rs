//! The templates that are served, for who serves them as YANG modules too.
//!
//! Read next: [`super::published`].

use crate::Engine;
use schema::template::Template;
use std::sync::Arc;

impl Engine {
    /// The templates that are served, by identifier.
    pub fn templates(&self) -> Vec<Arc<Template>> {
        self.schemas.served()
    }

    /// The YANG modules of the templates that are served: name and text.
    pub fn schema_modules(&self) -> Vec<(String, String)> {
        self.schemas.modules()
    }

    /// Resolves when other templates are served than before.
    pub async fn schemas_changed(&self) {
        self.schemas.changed().await;
    }
}
