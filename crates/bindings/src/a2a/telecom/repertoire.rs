//! The templates of A2A-T that an agent knows: those of the schemas that it takes.
//!
//! Refuses to know their texts, which are `a2a::telecom::repertoire`'s. Read next: [`super::told`].

use a2a::telecom::repertoire::TemplateCatalogue;
use schema::template::Template;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The repertoire of an agent that takes these schemas; empty if a schema has departed from its
/// template.
pub(in crate::a2a) fn repertoire(
    taken: &BTreeSet<String>,
    templates: &[Arc<Template>],
) -> TemplateCatalogue {
    let taken = |id: &str| {
        let published = templates.iter().find(|it| it.schema_id == id);
        published.filter(|_| taken.contains(id)).map(|it| &**it)
    };
    TemplateCatalogue::new(taken).unwrap_or_else(|misfit| {
        tracing::warn!("A2A-T is not spoken: {misfit}");
        TemplateCatalogue::default()
    })
}
