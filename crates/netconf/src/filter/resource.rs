//! Selects one resource by the steps that lead to it, with the values of keys (RFC 8040 §3.5.3), and of it
//! the fields that are wanted (§4.8.3).
//!
//! What a path and its values mean is known where it is read; a step is a containment node with content
//! match nodes that are not shown, so the data are looked up and written as for any filter. Read next:
//! [`super::xpath`], the same from an expression.

use super::{Condition, FILTER_NODES, FilterError, Literal, Pattern, Selection};

/// One step from the root of the data to a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceStep {
    /// The namespace of the node.
    pub namespace: String,
    /// Its local name.
    pub name: String,
    /// The keys of a list entry with their values.
    pub keys: Vec<(String, KeyValue)>,
    /// The value of an entry of a leaf-list.
    pub value: Option<KeyValue>,
}

/// The value of a key or of an entry of a leaf-list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyValue {
    /// Its text, canonical.
    pub text: String,
    /// Namespace and name, if it may be an identity.
    pub identity: Option<(String, String)>,
}

/// A node that is wanted of a resource, with what is wanted of it: everything, if nothing is named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceField {
    /// The namespace of the node.
    pub namespace: String,
    /// Its local name.
    pub name: String,
    /// What is wanted of it.
    pub fields: Vec<ResourceField>,
}

impl Selection {
    /// Selects the resource at the end of the steps; the whole data if there are none. Of it these
    /// fields, or everything if there are none.
    ///
    /// # Errors
    /// [`FilterError::TooBig`].
    pub fn resource(
        steps: &[ResourceStep],
        fields: &[ResourceField],
    ) -> Result<Selection, FilterError> {
        let keys: usize = steps.iter().map(|step| 1 + step.keys.len()).sum();
        if keys + count(fields) > FILTER_NODES {
            return Err(FilterError::TooBig);
        }
        if steps.is_empty() && fields.is_empty() {
            return Ok(Selection::everything());
        }
        let mut below = fields.iter().map(wanted).collect::<Vec<_>>();
        for (place, step) in steps.iter().enumerate().rev() {
            let is_last = place + 1 == steps.len();
            below = vec![Pattern {
                whole: is_last && below.is_empty() && step.value.is_none(),
                children: below,
                conditions: step.keys.iter().map(|key| condition(step, key)).collect(),
                value: step.value.as_ref().map(literal),
                ..named(&step.namespace, &step.name)
            }];
        }
        Ok(Selection::of(Pattern {
            children: below,
            ..Pattern::default()
        }))
    }
}

fn named(namespace: &str, name: &str) -> Pattern {
    Pattern {
        namespace: Some(namespace.into()),
        name: Some(name.into()),
        ..Pattern::default()
    }
}

fn condition(step: &ResourceStep, (name, value): &(String, KeyValue)) -> Condition {
    Condition {
        pattern: Pattern {
            value: Some(literal(value)),
            ..named(&step.namespace, name)
        },
        shown: false,
    }
}

fn literal(value: &KeyValue) -> Literal {
    let identity = value.identity.as_ref();
    Literal {
        text: value.text.as_str().into(),
        identity: identity
            .map(|(namespace, name)| (namespace.as_str().into(), name.as_str().into())),
    }
}

fn wanted(field: &ResourceField) -> Pattern {
    Pattern {
        whole: field.fields.is_empty(),
        children: field.fields.iter().map(wanted).collect(),
        ..named(&field.namespace, &field.name)
    }
}

fn count(fields: &[ResourceField]) -> usize {
    fields.iter().map(|field| 1 + count(&field.fields)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Node, write};
    use crate::filter::Projection;

    const NS: &str = "urn:example:fleet";

    fn step(name: &str, key: Option<(&str, &str)>) -> ResourceStep {
        let key = key.map(|(name, text)| {
            let value = KeyValue {
                text: text.to_owned(),
                identity: None,
            };
            (name.to_owned(), value)
        });
        ResourceStep {
            namespace: NS.to_owned(),
            name: name.to_owned(),
            keys: key.into_iter().collect(),
            value: None,
        }
    }

    fn field(name: &str) -> ResourceField {
        ResourceField {
            namespace: NS.to_owned(),
            name: name.to_owned(),
            fields: Vec::new(),
        }
    }

    fn written(steps: &[ResourceStep], fields: &[ResourceField], depth: Option<u16>) -> String {
        let ships = [("Argo", 50_u32), ("", 2), ("it's \"x\"", 3)];
        let fleet = Node::container(NS, "fleet").list("ship", 1, ships, |ship, (name, crew)| {
            let hold = Node::container("", "hold").leaf("grain", 7_u32);
            ship.leaf("name", name).leaf("crew", crew).with(hold)
        });
        let selection = Selection::resource(steps, fields).expect("it is small");
        let mut out = Vec::new();
        let projection = Projection::of(&selection).max_depth(depth);
        write(&fleet, &projection, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn an_entry_is_selected_by_whatever_stands_in_its_key() {
        for name in ["Argo", "", "it's \"x\""] {
            let steps = [step("fleet", None), step("ship", Some(("name", name)))];
            let all = written(&steps, &[], None);
            assert_eq!(all.matches("<ship>").count(), 1, "{all}");
            assert_eq!(all.matches("<grain>7</grain>").count(), 1, "{all}");
        }
        let nobody = [step("fleet", None), step("ship", Some(("name", "Fram")))];
        assert_eq!(written(&nobody, &[], None), "");
    }

    #[test]
    fn fields_and_depth_leave_the_rest_out() {
        let steps = [step("fleet", None), step("ship", Some(("name", "Argo")))];
        let opened = format!("<fleet xmlns=\"{NS}\"><ship><name>Argo</name>");
        let closed = "</ship></fleet>";
        for (fields, depth, inside) in [
            (vec![field("crew")], None, "<crew>50</crew>"),
            (vec![field("hold")], Some(1), "<hold/>"),
            (vec![], Some(1), ""),
            (vec![], Some(2), "<crew>50</crew><hold/>"),
        ] {
            let told = written(&steps, &fields, depth);
            assert_eq!(told, format!("{opened}{inside}{closed}"), "{depth:?}");
        }
        assert_eq!(written(&steps, &[field("mast")], None), "");
    }

    #[test]
    fn more_nodes_than_a_filter_has_are_refused() {
        let many = vec![field("crew"); FILTER_NODES + 1];
        assert!(matches!(
            Selection::resource(&[], &many),
            Err(FilterError::TooBig)
        ));
    }
}
