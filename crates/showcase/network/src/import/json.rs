//! Node-link JSON, as written by topohub (and networkx).
//!
//! Knows `graph.name`, `graph.demands`, `nodes` with `id`, `name` and `pos` (longitude, latitude),
//! and `links` or `edges` with `source`, `target` and `dist` (kilometres). Ignores other members.
//! Read next: [`crate::topology`].

use super::{Draft, Edge, ImportError, Node, Pair};
use serde_json::{Map, Value};

pub(super) fn read(text: &str) -> Result<Draft, ImportError> {
    let value: Value = serde_json::from_str(text).map_err(|cause| {
        let place = format!("line {}, column {}", cause.line(), cause.column());
        ImportError::at(place, cause.to_string())
    })?;
    let root = object(&value, "the text")?;
    let graph = root.get("graph").and_then(Value::as_object);
    let name = graph.and_then(|graph| graph.get("name")?.as_str());
    let mut draft = Draft {
        name: name.unwrap_or_default().to_owned(),
        ..Draft::default()
    };
    for (index, value) in list(root, "nodes")?.iter().enumerate() {
        draft.nodes.push(node(value, format!("nodes[{index}]"))?);
    }
    let links = if root.contains_key("links") {
        "links"
    } else {
        "edges"
    };
    for (index, value) in list(root, links)?.iter().enumerate() {
        draft.edges.push(edge(value, format!("{links}[{index}]"))?);
    }
    if let Some(demands) = graph.and_then(|graph| graph.get("demands")) {
        draft.demands = pairs(demands)?;
    }
    Ok(draft)
}

fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Map<String, Value>, ImportError> {
    let object = value.as_object();
    object.ok_or_else(|| ImportError::at(place, "this is not an object"))
}

fn list<'a>(root: &'a Map<String, Value>, name: &str) -> Result<&'a Vec<Value>, ImportError> {
    let list = root.get(name).and_then(Value::as_array);
    list.ok_or_else(|| ImportError::at(name, "this list is missing"))
}

/// A node's key as text: networkx writes numbers or strings.
fn key(value: Option<&Value>, place: &str, name: &str) -> Result<String, ImportError> {
    match value {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Number(number)) => Ok(number.to_string()),
        _ => {
            let reason = format!("'{name}' is neither a text nor a number");
            Err(ImportError::at(place, reason))
        }
    }
}

fn node(value: &Value, place: String) -> Result<Node, ImportError> {
    let members = object(value, &place)?;
    let label = members.get("name").or(members.get("label"));
    Ok(Node {
        key: key(members.get("id"), &place, "id")?,
        label: label.and_then(Value::as_str).unwrap_or_default().to_owned(),
        position: position(members, &place)?,
        place,
    })
}

fn position(members: &Map<String, Value>, place: &str) -> Result<Option<(f64, f64)>, ImportError> {
    match members.get("pos") {
        None | Some(Value::Null) => Ok(None),
        Some(pos) => {
            let numbers = pos
                .as_array()
                .map(|p| p.iter().map(Value::as_f64).collect::<Vec<_>>());
            match numbers.as_deref() {
                Some([Some(longitude), Some(latitude)]) => Ok(Some((*longitude, *latitude))),
                _ => {
                    let reason = "'pos' is not [longitude, latitude]";
                    Err(ImportError::at(place, reason))
                }
            }
        }
    }
}

fn edge(value: &Value, place: String) -> Result<Edge, ImportError> {
    let members = object(value, &place)?;
    Ok(Edge {
        from: key(members.get("source"), &place, "source")?,
        to: key(members.get("target"), &place, "target")?,
        length_km: members.get("dist").and_then(Value::as_f64),
        place,
    })
}

/// Demands by source and destination, as texts of keys.
fn pairs(demands: &Value) -> Result<Vec<Pair>, ImportError> {
    let mut pairs = Vec::new();
    for (from, others) in object(demands, "graph.demands")? {
        let place = format!("graph.demands[\"{from}\"]");
        for (to, amount) in object(others, &place)? {
            let place = format!("{place}[\"{to}\"]");
            let amount = amount
                .as_f64()
                .ok_or_else(|| ImportError::at(&place, "this is not a number"))?;
            pairs.push(Pair {
                from: from.clone(),
                to: to.clone(),
                amount,
                place,
            });
        }
    }
    Ok(pairs)
}
