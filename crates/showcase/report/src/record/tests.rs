//! Records survive writing and reading, and damage is reported with its line.

use super::*;
use crate::invented;
use proptest::prelude::*;

fn text(record: &Record) -> String {
    record.lines().map(|line| line + "\n").collect()
}

/// The error of the small record after its lines were changed.
fn refused(change: impl FnOnce(&mut Vec<String>)) -> String {
    let mut lines: Vec<String> = invented::record().lines().collect();
    change(&mut lines);
    Record::parse(&lines.join("\n")).unwrap_err().to_string()
}

#[test]
fn a_record_is_lines_that_other_programs_read() {
    let lines: Vec<String> = invented::record().lines().collect();
    insta::assert_snapshot!([&lines[0], &lines[2], &lines[4], &lines[5], &lines[8], &lines[3], &lines[11], &lines[13]]
        .map(String::as_str).join("\n"), @r#"
{"event":"run","version":1,"scenario":"fault","policy":"agents","seed":7,"topology":"two-towns","began":"2025-04-21T00:00:00.000Z","network":{"towns":[{"name":"Nord","lon":10.0,"lat":52.0,"province":"North","core":false},{"name":"Süd","lon":9.0,"lat":49.0,"province":"South","core":false}],"links":[{"id":"link:Nord-Süd","a":"Nord","b":"Süd"}],"sites":[{"id":"site:N-1","town":"Nord","lon":9.5,"lat":50.5},{"id":"site:S-1","town":"Süd","lon":9.5,"lat":50.5}]}}
{"event":"moment","at":"2025-04-21T00:10:00.000Z","kind":"alarm","resource":"site:S-1","type":"site-unreachable","severity":"critical","cleared":false}
{"event":"moment","at":"2025-04-21T00:12:00.000Z","kind":"message","from":"oss","to":"ip","verb":"TaskAssign","task":"t1","words":"Where is it cut?"}
{"event":"moment","at":"2025-04-21T00:12:30.000Z","kind":"reply","from":"ip","to":"oss","verdict":"accepted","words":"I look."}
{"event":"moment","at":"2025-04-21T01:00:00.000Z","kind":"notification","from":"field","to":"ip","status":"finished","task":"t2","words":"It is finished."}
{"event":"moment","at":"2025-04-21T00:10:00.000Z","kind":"network","sites_out":1,"out":["site:S-1"],"served_share":0.5,"energy_kwh_so_far":5.0}
{"event":"moment","at":"2025-04-21T00:09:00.000Z","kind":"truth","fault":"fibre-cut","element":"link:Nord-Süd","mended":false,"words":""}
{"event":"score","version":2,"policy":"agents","topology":"two-towns","seed":7,"days":0.5,"sites":2,"cells":6,"faults":[],"complaints":[],"figures":{}}
"#);
}

#[test]
fn a_damaged_record_says_where_and_what() {
    let told = [
        refused(Vec::clear),
        refused(|lines| drop(lines.remove(0))),
        refused(|lines| lines[3].truncate(40)),
        refused(|lines| lines[3] = lines[3].replacen(':', ";", 1)),
        refused(|lines| lines[3] = lines[3].replace("network", "weather")),
        refused(|lines| lines[3] = lines[3].replace("\"moment\"", "\"memory\"")),
        refused(|lines| lines[3] = lines[3].replace("sites_out", "sites")),
        refused(|lines| lines[3] = lines[3].replace("2025-04-21T", "2025-04-41T")),
        refused(|lines| lines[0] = lines[0].replace("\"version\":1", "\"version\":2")),
        refused(|lines| lines[4] = lines[0].clone()),
        refused(|lines| lines.swap(5, 12)),
        refused(|lines| lines.push(lines[3].clone())),
    ];
    insta::assert_snapshot!(told.join("\n"), @r#"
line 1: the record is empty
line 1: the first line must be the run
line 4: the line breaks off after 40 characters
line 4: expected `:`, column 9
line 4: unknown variant `weather`, expected one of `alarm`, `message`, `reply`, `notification`, `action`, `outcome`, `note`, `complaint`, `ticket`, `field`, `network`, `truth`
line 4: unknown variant `memory`, expected one of `run`, `moment`, `score`
line 4: missing field `sites_out`
line 4: '2025-04-41T00:10:00.000Z' is not a date and time with zone, such as 2025-04-21T14:19:00Z
line 1: version 2 is newer than 1
line 5: a second run begins
line 7: a moment of the run stands behind the truth, which ends a record
line 15: something follows the score
"#);
}

#[test]
fn what_is_not_known_is_passed_over_and_a_run_cut_short_still_reads() {
    let mut lines: Vec<String> = invented::record().lines().collect();
    lines[1] = lines[1].replacen('{', "{\"colour\":\"blue\",\"depth\":{\"of\":[1,2]},", 1);
    lines.insert(2, String::new());
    lines.pop();
    let record = Record::parse(&lines.join("\r\n")).unwrap();
    let whole = invented::record();
    assert_eq!(record.moments, whole.moments);
    assert_eq!(record.score, None);
    assert_eq!(record.ended(), invented::minute(62.0));
}

#[test]
fn moments_are_put_in_order_and_those_of_one_instant_stay() {
    let mut lines: Vec<String> = invented::record().lines().collect();
    lines.swap(1, 5);
    let record = Record::parse(&lines.join("\n")).unwrap();
    assert_eq!(record.moments, invented::record().moments);
}

#[test]
fn keys_that_may_be_missing_may_be() {
    let line =
        r#"{"event":"moment","at":"2025-04-21T00:00:00+00:00","kind":"network","sites_out":3}"#;
    let moment: Line<Run, Moment, Score> = serde_json::from_str(line).unwrap();
    let Line::Moment(moment) = moment else {
        panic!("it is a moment")
    };
    assert!(matches!(
        moment.what,
        RecordedEvent::Network {
            sites_out: 3,
            served_share: None,
            ..
        }
    ));
    let not_a_number = Moment {
        what: RecordedEvent::Network {
            sites_out: 0,
            out: vec![],
            served_share: Some(f64::NAN),
            energy_kwh_so_far: None,
        },
        ..moment
    };
    let Ok(Line::<Run, Moment, Score>::Moment(read)) = serde_json::from_str(&not_a_number.line())
    else {
        panic!("what is no number reads as none")
    };
    assert!(matches!(
        read.what,
        RecordedEvent::Network {
            served_share: None,
            ..
        }
    ));
}

#[test]
fn a_score_is_a_line_of_its_own() {
    let score = invented::record().score.unwrap();
    assert_eq!(Score::parse(&score.line()).unwrap(), score);
    let told = Score::parse(&invented::run().line()).unwrap_err();
    assert_eq!(told.to_string(), "line 1: this is not a score");
    assert!(Score::parse("{").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Reading undoes writing.
    #[test]
    fn parsing_undoes_writing(record in invented::records()) {
        prop_assert_eq!(Record::parse(&text(&record)).unwrap(), record);
    }

    /// A truncated record gives a record or an error on one of its lines, never a panic.
    #[test]
    fn damage_never_panics(record in invented::records(), at in 0usize..4_000) {
        let text = text(&record);
        let cut: String = text.chars().take(at).collect();
        if let Err(error) = Record::parse(&cut) {
            prop_assert!(error.line >= 1 && error.line <= cut.lines().count().max(1));
        }
    }
}
