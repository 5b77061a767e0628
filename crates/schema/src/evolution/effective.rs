//! A template as one client sees it: what patches add to the base, and in which order.
//!
//! Knows who goes before whom; what one patch does to a template is said by [`crate::patch`]. Read
//! next: [`super::Lineage::current`].

use crate::patch::Patch;
use crate::template::Template;

/// A template as one client sees it: the base, then what patches add and refine, in their order.
///
/// Where two patches name the same key the first keeps it, so names stay unique (§4.1); a key that
/// the base has is never replaced (§6.2.2). Give the patches of everyone first, the client's own
/// after. The `schema_id` remains the base's, and `other` remains last.
pub fn effective<'a>(base: &Template, patches: impl IntoIterator<Item = &'a Patch>) -> Template {
    let mut template = base.clone();
    for patch in patches {
        patch.lay_over(&mut template);
    }
    template
}
