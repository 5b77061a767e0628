//! SNDlib: its native format and its XML.
//!
//! Knows nodes, links and demands; ignores modules, costs and admissible paths. Coordinates are
//! longitude and latitude; some of its networks have those of a drawing instead, which are no
//! geographic positions. Read next: `import/json.rs`.

use super::xml::Tag;
use super::{Draft, Edge, ImportError, Node, Pair};

pub(super) fn read_xml(root: &Tag) -> Result<Draft, ImportError> {
    let structure = root
        .child("networkStructure")
        .ok_or_else(|| root.error("<network> has no <networkStructure>"))?;
    let nodes = structure.child("nodes");
    let drawn = nodes
        .and_then(|nodes| nodes.attributes.get("coordinatesType"))
        .is_some_and(|kind| kind == "pixel");
    let mut draft = Draft::default();
    for tag in nodes.into_iter().flat_map(|nodes| nodes.named("node")) {
        draft.nodes.push(xml_node(tag, drawn)?);
    }
    let links = structure.child("links").into_iter();
    for tag in links.flat_map(|links| links.named("link")) {
        draft.edges.push(xml_link(tag)?);
    }
    let demands = root.child("demands").into_iter();
    for tag in demands.flat_map(|demands| demands.named("demand")) {
        draft.demands.push(xml_demand(tag)?);
    }
    if draft.nodes.is_empty() {
        return Err(structure.error("<networkStructure> has no nodes"));
    }
    Ok(draft)
}

fn xml_node(tag: &Tag, drawn: bool) -> Result<Node, ImportError> {
    let key = tag.attribute("id")?.to_owned();
    let position = match tag.child("coordinates").filter(|_| !drawn) {
        Some(at) => Some((xml_number(at, "x")?, xml_number(at, "y")?)),
        None => None,
    };
    Ok(Node {
        label: key.clone(),
        key,
        position,
        place: tag.place(),
    })
}

fn xml_link(tag: &Tag) -> Result<Edge, ImportError> {
    Ok(Edge {
        from: tag.said("source")?.to_owned(),
        to: tag.said("target")?.to_owned(),
        length_km: None,
        place: tag.place(),
    })
}

fn xml_demand(tag: &Tag) -> Result<Pair, ImportError> {
    Ok(Pair {
        from: tag.said("source")?.to_owned(),
        to: tag.said("target")?.to_owned(),
        amount: xml_number(tag, "demandValue")?,
        place: tag.place(),
    })
}

fn xml_number(tag: &Tag, name: &str) -> Result<f64, ImportError> {
    let text = tag.said(name)?;
    text.parse()
        .map_err(|_| tag.error(format!("<{name}> '{text}' is not a number")))
}

/// The section of the native format that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Nodes,
    Links,
    Demands,
    Other,
}

pub(super) fn read_native(text: &str) -> Result<Draft, ImportError> {
    let mut draft = Draft::default();
    let mut section = None;
    for (index, line) in text.lines().enumerate() {
        let place = format!("line {}", index + 1);
        if let Some(name) = line.trim().strip_prefix("# network ") {
            draft.name = name.trim().to_owned();
        }
        let fact = line.split('#').next().unwrap_or_default().trim();
        if fact.is_empty() || fact.starts_with('?') {
            continue;
        }
        let spaced = fact.replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        match (section, &words[..]) {
            (_, [")"]) => section = None,
            (None, [name, "(", rest @ ..]) => {
                let closed = rest.last() == Some(&")");
                section = (!closed).then(|| section_called(name));
            }
            (None, _) => {
                let reason = format!("'{fact}' stands in no section");
                return Err(ImportError::at(place, reason));
            }
            (Some(Section::Nodes), words) => draft.nodes.push(native_node(words, place)?),
            (Some(Section::Links), words) => draft.edges.push(native_link(words, place)?),
            (Some(Section::Demands), words) => draft.demands.push(native_demand(words, place)?),
            (Some(Section::Other), _) => {}
        }
    }
    Ok(draft)
}

fn section_called(name: &str) -> Section {
    match name {
        "NODES" => Section::Nodes,
        "LINKS" => Section::Links,
        "DEMANDS" => Section::Demands,
        _ => Section::Other,
    }
}

fn native_node(words: &[&str], place: String) -> Result<Node, ImportError> {
    let (key, position) = match words {
        [key, "(", x, y, ")"] => {
            let (x, y) = (native_number(x, &place)?, native_number(y, &place)?);
            (*key, Some((x, y)))
        }
        [key] => (*key, None),
        _ => return Err(not_understood(place, "NAME ( LONGITUDE LATITUDE )")),
    };
    Ok(Node {
        key: key.to_owned(),
        label: key.to_owned(),
        position,
        place,
    })
}

fn native_link(words: &[&str], place: String) -> Result<Edge, ImportError> {
    match words {
        [_, "(", from, to, ")", ..] => Ok(Edge {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            length_km: None,
            place,
        }),
        _ => Err(not_understood(place, "NAME ( NODE NODE ) …")),
    }
}

fn native_demand(words: &[&str], place: String) -> Result<Pair, ImportError> {
    match words {
        [_, "(", from, to, ")", _routing, amount, ..] => Ok(Pair {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            amount: native_number(amount, &place)?,
            place,
        }),
        _ => Err(not_understood(place, "NAME ( NODE NODE ) ROUTING AMOUNT …")),
    }
}

fn native_number(text: &str, place: &str) -> Result<f64, ImportError> {
    text.parse()
        .map_err(|_| ImportError::at(place, format!("'{text}' is not a number")))
}

fn not_understood(place: String, wanted: &str) -> ImportError {
    ImportError::at(place, format!("this is not understood: write '{wanted}'"))
}
