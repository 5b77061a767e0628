//! Each format by example, errors, and freedom from panics on any text.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

/// The imported backbone in the format of `topology.rs`, with the remarks.
fn told(text: &str) -> String {
    let Imported { topology, remarks } = match read(text) {
        Ok(imported) => imported,
        Err(error) => return error.to_string(),
    };
    let name = |city: usize| topology.cities[city].name.as_str();
    let mut lines = vec![format!("network {}", topology.name)];
    lines.extend(topology.cities.iter().map(|c| {
        let (lon, lat) = c.position;
        format!("city {} {lon:.2} {lat:.2}", c.name)
    }));
    let spans = topology.spans.iter();
    lines.extend(spans.map(|s| format!("link {} {} {:.1}", name(s.a), name(s.b), s.length_km)));
    let demands = topology.demands.iter();
    lines.extend(demands.map(|d| format!("demand {} {} {}", name(d.from), name(d.to), d.amount)));
    lines.extend(remarks.into_iter().map(|remark| format!("# {remark}")));
    lines.join("\n")
}

const GRAPHML: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="Latitude" attr.type="double" for="node" id="d29" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d32" />
  <key attr.name="label" attr.type="string" for="node" id="d33" />
  <key attr.name="Network" attr.type="string" for="graph" id="d10" />
  <key attr.name="LinkLabel" attr.type="string" for="edge" id="d35" />
  <graph edgedefault="undirected">
    <data key="d10">Three &amp; more</data>
    <node id="0"><data key="d29">40.7</data><data key="d32">-74.0</data><data key="d33">New York</data></node>
    <node id="1"><data key="d29">41.9</data><data key="d32">-87.6</data><data key="d33">Chicago: Loop</data></node>
    <node id="2"><data key="d33">New York</data></node>
    <node id="3" />
    <edge source="0" target="1"><data key="d35">OC-48</data></edge>
    <edge source="1" target="2" />
    <edge source="0" target="2" />
    <edge source="2" target="3" />
    <edge source="1" target="1" />
  </graph>
</graphml>"#;

/// GraphML of the Internet Topology Zoo is read.
#[test]
fn graphml_of_the_topology_zoo() {
    insta::assert_snapshot!(told(GRAPHML), @r"
    network Three-more
    city New-York -74.00 40.70
    city Chicago-Loop -87.60 41.90
    city New-York-2 -80.80 41.30
    city node-3 -80.80 41.30
    link New-York Chicago-Loop 1142.7
    link Chicago-Loop New-York-2 569.2
    link New-York New-York-2 574.4
    link New-York-2 node-3 0.1
    # line 10: 'New York' is called New-York
    # line 11: 'Chicago: Loop' is called Chicago-Loop
    # line 12: 'New York' is called New-York-2
    # line 13: '' is called node-3
    # line 18: a link from Chicago-Loop to itself is left out
    # line 12: New-York-2 has no position and is put amid its neighbours
    # line 13: node-3 has no position and is put amid its neighbours
    ");
}

const NATIVE: &str = "?SNDlib native format; type: network; version: 1.0
# network small

META (
  granularity = 5min
)

NODES (
  # NODE SECTION
  Gdansk ( 18.60 54.20 )
  Lodz ( 19.40 51.70 )
  Krakow ( 19.80 50.00 )
)

LINKS (
  Link_0 ( Gdansk Lodz ) 0.00 0.00 0.00 156.00 ( 155.00 156.00 622.00 468.00 )
  Link_1 ( Lodz Krakow ) 0.00 0.00 0.00 156.00 ( )
)

DEMANDS (
  Demand_0 ( Gdansk Krakow ) 1 195.00 UNLIMITED
)
";

const SNDLIB_XML: &str = r#"<?xml version="1.0"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0">
 <networkStructure>
  <nodes coordinatesType="geographical">
   <node id="Gdansk"><coordinates><x>18.6</x><y>54.2</y></coordinates></node>
   <node id="Lodz"><coordinates><x>19.4</x><y>51.7</y></coordinates></node>
  </nodes>
  <links>
   <link id="Link_0"><source>Gdansk</source><target>Lodz</target></link>
  </links>
 </networkStructure>
 <demands>
  <demand id="D"><source>Gdansk</source><target>Lodz</target><demandValue>7.5</demandValue></demand>
 </demands>
</network>"#;

/// SNDlib is read, both native and XML.
#[test]
fn sndlib_in_both_forms() {
    insta::assert_snapshot!(told(NATIVE), @r"
    network small
    city Gdansk 18.60 54.20
    city Lodz 19.40 51.70
    city Krakow 19.80 50.00
    link Gdansk Lodz 283.1
    link Lodz Krakow 191.1
    demand Gdansk Krakow 195
    ");
    insta::assert_snapshot!(told(SNDLIB_XML), @r"
    network Imported
    city Gdansk 18.60 54.20
    city Lodz 19.40 51.70
    link Gdansk Lodz 283.1
    demand Gdansk Lodz 7.5
    ");
}

const JSON: &str = r#"{"directed": false, "graph": {"name": "two", "demands": {"0": {"x": 3.0}}},
 "nodes": [{"id": 0, "name": "Xi'an", "pos": [108.9, 34.3]}, {"id": "x", "name": "", "pos": [109.9, 34.3]}],
 "links": [{"source": 0, "target": "x", "dist": 99.5}]}"#;

#[test]
fn node_link_json() {
    insta::assert_snapshot!(told(JSON), @r"
    network two
    city Xian 108.90 34.30
    city node-x 109.90 34.30
    link Xian node-x 99.5
    demand Xian node-x 3
    # nodes[0]: 'Xi'an' is called Xian
    # nodes[1]: '' is called node-x
    ");
}

#[test]
fn our_own_format_is_known_too() {
    insta::assert_snapshot!(told("network N\ncity A 1 2\ncity B 1 3\nlink A B 111"), @"
    network N
    city A 1.00 2.00
    city B 1.00 3.00
    link A B 111.0
    ");
}

#[test]
fn refusals_name_the_place() {
    insta::assert_snapshot!(told(&GRAPHML.replace("40.7", "north")), @"line 10: latitude 'north' is not a number");
    insta::assert_snapshot!(told(&GRAPHML.replace("40.7", "140.7")), @"line 10: (-74, 140.7) are no degrees of longitude and latitude");
    insta::assert_snapshot!(told(&GRAPHML.replace("target=\"3\"", "target=\"9\"")), @"line 17: no node is called '9'");
    insta::assert_snapshot!(told(&GRAPHML.replace("id=\"3\"", "id=\"2\"")), @"line 13: node '2' is there already");
    insta::assert_snapshot!(told(&GRAPHML.replace("</graph>", "</grap>")), @"line 19: ill-formed document: expected `</graph>`, but `</grap>` was found");
    insta::assert_snapshot!(told(&GRAPHML.replace("&amp;", "&more;")), @"line 9: '&more;' is no entity of XML");
    insta::assert_snapshot!(told(&GRAPHML.replace("<edge source=\"2\" target=\"3\" />", "")), @"line 13: node-3 has no longitude and latitude, nor has any node it is joined with");
    insta::assert_snapshot!(told("<svg/>"), @"line 1: <svg> is neither <graphml> nor the <network> of SNDlib");
    insta::assert_snapshot!(told("<graphml>"), @"line 1: <graphml> is not closed");
    insta::assert_snapshot!(told(&SNDLIB_XML.replace("geographical", "pixel")), @"line 5: Gdansk has no longitude and latitude, nor has any node it is joined with");
    insta::assert_snapshot!(told(&SNDLIB_XML.replace("7.5", "seven")), @"line 13: <demandValue> 'seven' is not a number");
    insta::assert_snapshot!(told(&SNDLIB_XML.replace("<target>Lodz</target></link>", "</link>")), @"line 9: <link> has no <target>");
    insta::assert_snapshot!(told(&NATIVE.replace("( 18.60 54.20 )", "( 18.60 )")), @"line 10: this is not understood: write 'NAME ( LONGITUDE LATITUDE )'");
    insta::assert_snapshot!(told(&NATIVE.replace("195.00", "-1")), @"line 21: demand -1 is not a number from 0 to 1e12");
    insta::assert_snapshot!(told(&NATIVE.replace("NODES (", "NODES")), @"line 8: 'NODES' stands in no section");
    insta::assert_snapshot!(told(&JSON.replace("109.9, 34.3", "109.9")), @"nodes[1]: 'pos' is not [longitude, latitude]");
    insta::assert_snapshot!(told(&JSON.replace("\"links\"", "\"wires\"")), @"edges: this list is missing");
    insta::assert_snapshot!(told("{"), @"line 1, column 1: EOF while parsing an object at line 1 column 1");
    insta::assert_snapshot!(told("hello"), @"line 1: 'hello' with 0 values is not understood: write 'network NAME', 'city NAME LONGITUDE LATITUDE', 'link CITY CITY KILOMETRES' or 'demand CITY CITY AMOUNT'");
}

/// The shipped backbones survive a round trip through the JSON they were made from.
#[test]
fn what_is_written_as_json_reads_back() {
    for entry in crate::catalogue() {
        let topology = entry.topology();
        let nodes: Vec<_> = topology
            .cities
            .iter()
            .enumerate()
            .map(|(id, city)| {
                let pos = [city.position.0, city.position.1];
                serde_json::json!({"id": id, "name": city.name, "pos": pos})
            })
            .collect();
        let links: Vec<_> = topology
            .spans
            .iter()
            .map(|s| serde_json::json!({"source": s.a, "target": s.b, "dist": s.length_km}))
            .collect();
        let graph = serde_json::json!({"name": entry.name});
        let text = serde_json::json!({"graph": graph, "nodes": nodes, "links": links});
        let imported = read(&text.to_string()).unwrap();
        assert_eq!(imported.topology.cities, topology.cities);
        assert_eq!(imported.topology.spans, topology.spans);
        assert!(imported.remarks.is_empty(), "{:?}", imported.remarks);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_makes_it_panic(
        which in 0..5usize,
        cut in any::<proptest::sample::Index>(),
        length in 0..40usize,
        put in "\\PC{0,12}",
    ) {
        let text = [GRAPHML, NATIVE, SNDLIB_XML, JSON, ""][which];
        let chars: Vec<char> = text.chars().collect();
        let at = if chars.is_empty() { 0 } else { cut.index(chars.len()) };
        let rest = chars.iter().skip(at + length);
        let text: String = chars.iter().take(at).copied().chain(put.chars()).chain(rest.copied()).collect();
        if let Ok(imported) = read(&text) {
            prop_assert!(imported.topology.check().is_ok());
            let separates = |name: &str| name.contains([' ', ':', '/', '#']);
            prop_assert!(imported.topology.cities.iter().all(|c| !separates(&c.name)));
        }
    }
}
