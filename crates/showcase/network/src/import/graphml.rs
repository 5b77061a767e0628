//! GraphML, as written by the Internet Topology Zoo.
//!
//! Knows the keys of the Zoo by their names (`Latitude`, `Longitude`, `label`, `Network`), whatever
//! their identifiers, and lengths of links under `length`, `distance` or `dist` (kilometres).
//! Ignores other keys. Read next: `import/sndlib.rs`.

use super::xml::Tag;
use super::{Draft, Edge, ImportError, Node};
use std::collections::BTreeMap;

pub(super) fn read(root: &Tag) -> Result<Draft, ImportError> {
    let names: BTreeMap<&str, String> = root
        .named("key")
        .filter_map(|key| {
            let id = key.attributes.get("id")?;
            let name = key
                .attributes
                .get("attr.name")
                .or(key.attributes.get("name"));
            Some((id.as_str(), name.unwrap_or(id).to_lowercase()))
        })
        .collect();
    let graph = root
        .child("graph")
        .ok_or_else(|| root.error("<graphml> has no <graph>"))?;
    let about = data(graph, &names);
    let name = ["network", "label", "name"]
        .iter()
        .find_map(|n| about.get(*n).copied());
    let id = graph.attributes.get("id").map(String::as_str);
    Ok(Draft {
        name: name.or(id).unwrap_or_default().to_owned(),
        nodes: graph
            .named("node")
            .map(|tag| node(tag, &data(tag, &names)))
            .collect::<Result<_, _>>()?,
        edges: graph
            .named("edge")
            .map(|tag| edge(tag, &data(tag, &names)))
            .collect::<Result<_, _>>()?,
        demands: Vec::new(),
    })
}

/// The `<data>` values of an element, by the names of their keys.
fn data<'a>(tag: &'a Tag, names: &BTreeMap<&str, String>) -> BTreeMap<String, &'a str> {
    tag.named("data")
        .filter_map(|data| {
            let key = data.attributes.get("key")?;
            let name = names.get(key.as_str()).cloned();
            Some((name.unwrap_or_else(|| key.to_lowercase()), data.text.trim()))
        })
        .collect()
}

fn node(tag: &Tag, said: &BTreeMap<String, &str>) -> Result<Node, ImportError> {
    let degrees = |name: &str| number(tag, said, name);
    let position = match (degrees("longitude")?, degrees("latitude")?) {
        (Some(longitude), Some(latitude)) => Some((longitude, latitude)),
        _ => None,
    };
    let label = said.get("label").or(said.get("name")).copied();
    Ok(Node {
        key: tag.attribute("id")?.to_owned(),
        label: label.unwrap_or_default().to_owned(),
        position,
        place: tag.place(),
    })
}

fn edge(tag: &Tag, said: &BTreeMap<String, &str>) -> Result<Edge, ImportError> {
    let mut length_km = None;
    for name in ["length", "distance", "dist"] {
        length_km = length_km.or(number(tag, said, name)?);
    }
    Ok(Edge {
        from: tag.attribute("source")?.to_owned(),
        to: tag.attribute("target")?.to_owned(),
        length_km,
        place: tag.place(),
    })
}

fn number(
    tag: &Tag,
    said: &BTreeMap<String, &str>,
    name: &str,
) -> Result<Option<f64>, ImportError> {
    said.get(name)
        .filter(|text| !text.is_empty())
        .map(|text| {
            let number = text.parse().ok().filter(|n: &f64| n.is_finite());
            number.ok_or_else(|| tag.error(format!("{name} '{text}' is not a number")))
        })
        .transpose()
}
