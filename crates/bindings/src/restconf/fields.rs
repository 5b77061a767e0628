//! The parameter `fields` (RFC 8040 §4.8.3): which nodes of a resource are wanted.
//!
//! ```text
//! fields := path ( '(' fields ')' )? ( ';' fields )?
//! path   := name ( '/' name )*
//! ```
//!
//! Read by the schema: what is named must be a node there. Depth and number of nodes are bounded. Read next:
//! [`super::identifier`].

use super::errors::{self, RestconfError};
use super::identifier::is_data;
use super::place::{self, Place};
use ::netconf::error::ErrorTag;
use ::netconf::filter::{FILTER_NODES, ResourceField};
use domain::excerpt::excerpt;
use yang::Generation;

/// How deep parentheses and paths may lie in each other; no data is deeper.
const DEPTH_MOST: usize = 64;

/// The nodes that are wanted of the resource at a place.
///
/// # Errors
/// 400 for a text that is no list of fields, or names what is not there; 413 for too many.
pub(super) fn fields(
    text: &str,
    place: &Place,
    generation: &Generation,
) -> Result<Vec<ResourceField>, RestconfError> {
    let mut reader = Reader {
        rest: text,
        nodes: 0,
        generation,
    };
    let fields = reader.list(place, 0)?;
    match reader.rest.is_empty() {
        true => Ok(fields),
        false => Err(malformed(reader.rest)),
    }
}

struct Reader<'r> {
    rest: &'r str,
    nodes: usize,
    generation: &'r Generation,
}

impl Reader<'_> {
    fn list(&mut self, place: &Place, depth: usize) -> Result<Vec<ResourceField>, RestconfError> {
        let mut fields = vec![self.field(place, depth)?];
        while self.takes(';') {
            fields.push(self.field(place, depth)?);
        }
        Ok(fields)
    }

    fn field(&mut self, place: &Place, depth: usize) -> Result<ResourceField, RestconfError> {
        self.nodes += 1;
        if self.nodes > FILTER_NODES || depth > DEPTH_MOST {
            let message = format!(
                "the parameter fields names more than {FILTER_NODES} nodes, or is more than {DEPTH_MOST} deep"
            );
            return Err(errors::bad(ErrorTag::TooBig, message).into());
        }
        let rest = self.rest;
        let end = rest.find(['/', '(', ')', ';']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        self.rest = after;
        let (module, local) = place::split(name).ok_or_else(|| malformed(rest))?;
        let own = module
            .or(place.module())
            .map(|module| place.child(module, local));
        let node = own.as_ref().and_then(|own| own.node(self.generation));
        let (Some(own), Some(node)) = (own, node.filter(|node| is_data(node))) else {
            let message = format!("fields: '{}' is no node there", excerpt(name));
            return Err(RestconfError::invalid(message));
        };
        let mut field = ResourceField {
            namespace: node.namespace.clone(),
            name: node.name.clone(),
            fields: Vec::new(),
        };
        if self.takes('/') {
            field.fields.push(self.field(&own, depth + 1)?);
        } else if self.takes('(') {
            field.fields = self.list(&own, depth + 1)?;
            if !self.takes(')') {
                return Err(malformed(self.rest));
            }
        }
        Ok(field)
    }

    fn takes(&mut self, sign: char) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

fn malformed(at: &str) -> RestconfError {
    let place = match at {
        "" => "its end".to_owned(),
        rest => format!("'{}'", excerpt(rest)),
    };
    RestconfError::invalid(format!(
        "fields is no list of fields at {place} (RFC 8040 §4.8.3)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use yang::ModuleSet;

    #[test]
    fn what_is_wanted_is_read_by_the_schema_and_bounded() {
        let generation = Generation::load(&ModuleSet::convoke()).expect("it loads");
        let registry = Place::root().child("convoke-registry", "registry");
        let read = |text: &str, place: &Place| match fields(text, place, &generation) {
            Ok(fields) => shown(&fields),
            Err(refused) => refused.status().to_string(),
        };
        for (text, expected) in [
            ("agent", "agent"),
            ("agent/name", "agent(name)"),
            (
                "agent(name;domain);agent/alias",
                "agent(name;domain);agent(alias)",
            ),
            (
                "convoke-registry:agent(convoke-registry:name)",
                "agent(name)",
            ),
            ("", "400"),
            ("agent;", "400"),
            ("agent(", "400"),
            ("agent(name", "400"),
            ("agent(name))", "400"),
            ("agent/", "400"),
            ("nothing", "400"),
            ("agent/name/deeper", "400"),
        ] {
            assert_eq!(read(text, &registry), expected, "{text}");
        }
        assert_eq!(read("irtf-agent:agent/name", &Place::root()), "agent(name)");
        assert_eq!(read("agent", &Place::root()), "400");
        let many = vec!["agent"; FILTER_NODES + 1].join(";");
        assert_eq!(read(&many, &registry), "413");
        for deep in ["agent/".repeat(100_000), "agent(".repeat(100_000)] {
            assert_eq!(read(&deep, &registry), "400");
        }
    }

    fn shown(fields: &[ResourceField]) -> String {
        let each = fields.iter().map(|field| match field.fields.as_slice() {
            [] => field.name.clone(),
            below => format!("{}({})", field.name, shown(below)),
        });
        each.collect::<Vec<_>>().join(";")
    }
}
