//! Utterances of people to the templates that come with Convoke, by the idea that each shows: one
//! table an idea, English and Chinese, none of it from the labelled sets.
#![allow(clippy::unwrap_used)]

use schema::semantics::Circumstances;
use schema::time::Timestamp;
use semantics::rules::Rules;

/// The values read for each key, and what is left over; on Wednesday, 10 March 2027, 10:15, in
/// UTC+8.
fn said(schema_id: &str, utterance: &str) -> String {
    let circumstances = Circumstances {
        now: Timestamp::parse("2027-03-10T02:15:00Z").unwrap(),
        zone_minutes: 480,
        language: None,
    };
    let template = schema::shipped::template(schema_id).unwrap();
    let parsed = Rules::default().read(&template, utterance, &circumstances);
    let pairs = parsed.payload.iter();
    let mut told: Vec<String> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
    told.sort();
    let other = match parsed.other.is_empty() {
        true => String::new(),
        false => format!(" | {}", parsed.other.join("; ")),
    };
    format!("{}{other}", told.join(" "))
}

/// Every row at once: template, utterance, what it says.
fn check(rows: &[(&str, &str, &str)]) {
    let wrong = rows.iter().filter_map(|(schema_id, utterance, wanted)| {
        let given = said(schema_id, utterance);
        (given != *wanted).then(|| format!("{utterance}\n  given  {given}\n  wanted {wanted}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// D62: a site without the word for it, a ticket that looks like one, a link by its two ends.
#[test]
fn what_is_named_is_written_with_its_kind() {
    check(&[
        (
            "fault_repair_v1",
            "Ticket no. WO-88: no mains at KS-104.",
            r#"cause="mains-failure" element="site:KS-104" ticket_id="WO-88""#,
        ),
        (
            "fault_repair_v1",
            "KS-104停电，工单WO-88",
            r#"cause="mains-failure" element="site:KS-104" ticket_id="WO-88""#,
        ),
        (
            "fault_repair_v1",
            "INC-31: broken fibre on Selb-Rehau",
            r#"cause="fibre-cut" element="link:Selb-Rehau" ticket_id="INC-31""#,
        ),
        (
            "fault_diagnosis_v1",
            "sites KS-104 thru KS-106 are out, incidents wireless-3 and wireless-4",
            r#"incident_ids=["wireless-3","wireless-4"] sites=["site:KS-104","site:KS-105","site:KS-106"]"#,
        ),
        (
            "fault_diagnosis_v1",
            "事件wireless-3，KS-104到KS-106退服",
            r#"incident_ids=["wireless-3"] sites=["site:KS-104","site:KS-105","site:KS-106"]"#,
        ),
        (
            "fault_diagnosis_v1",
            "Is it a fibre cut on link Selb-Rehau or line card 2 in Selb that died?",
            r#"alternatives=[{"suspected_cause":"card-failure","target":"card:Selb/2"}] suspected_cause="fibre-cut" target="link:Selb-Rehau""#,
        ),
        (
            "fault_diagnosis_v1",
            "可能是链路Selb-Rehau断纤，还是Selb的2号板卡坏了",
            r#"alternatives=[{"suspected_cause":"card-failure","target":"card:Selb/2"}] suspected_cause="fibre-cut" target="link:Selb-Rehau""#,
        ),
        (
            "fault_diagnosis_v1",
            "查Selb到Rehau那条链路",
            r#"target="link:Selb-Rehau""#,
        ),
        (
            "energy_saving_v1",
            "Suspend energy saving around KS-104.",
            r#"action="suspend" area="site:KS-104""#,
        ),
    ]);
}

/// D45: the clock is an argument; what began lies behind it, what waits does not.
#[test]
fn moments_look_back_where_the_key_does() {
    check(&[
        (
            "service_complaint_v1",
            "no signal in Gera since 8 March, 22:10",
            r#"place="Gera" started_at="2027-03-08T22:10:00+08:00" symptom="no_service""#,
        ),
        (
            "service_complaint_v1",
            "3月8日22点10分起海门没信号",
            r#"place="海门" started_at="2027-03-08T22:10:00+08:00" symptom="no_service""#,
        ),
        (
            "service_complaint_v1",
            "no signal in Gera since 6 this morning, 2 customers rang",
            r#"affected_count=2 place="Gera" started_at="2027-03-10T06:00:00+08:00" symptom="no_service""#,
        ),
        (
            "service_complaint_v1",
            "Calls drop in Gera, ring me on 0361 5551234 after six.",
            r#"callback_phone="03615551234" place="Gera" symptom="call_drop" | after six"#,
        ),
        (
            "service_complaint_v1",
            "海门掉话，六点以后请打13951234567",
            r#"callback_phone="13951234567" place="海门" symptom="call_drop" | 六点以后请打"#,
        ),
        (
            "energy_saving_v1",
            "Save energy in Gera every night from ten until half five.",
            r#"action="activate" area="Gera" end_time="05:30" start_time="22:00""#,
        ),
    ]);
}

/// D44, D50: shares, what is no longer so, how much of it, and who comes along.
#[test]
fn numbers_mean_what_is_asked_for() {
    check(&[
        (
            "energy_saving_v1",
            "Save a quarter of the energy in Gera.",
            r#"action="activate" area="Gera" saving_target_percent=25"#,
        ),
        (
            "energy_saving_v1",
            "鼓楼区负荷不到两成时节能",
            r#"area="鼓楼区" max_load_percent=20"#,
        ),
        (
            "energy_saving_v1",
            "把鼓楼区的节能目标由8%提到14%",
            r#"action="adjust" area="鼓楼区" saving_target_percent=14"#,
        ),
        (
            "experience_compensation_v1",
            "Make it 4 dB instead of 2 at KS-104.",
            r#"action="adjust" power_offset_db=4 sites=["site:KS-104"]"#,
        ),
        (
            "experience_compensation_v1",
            "KS-104的补偿改为4 dB，原来的2 dB不够",
            r#"action="adjust" power_offset_db=4 sites=["site:KS-104"]"#,
        ),
        (
            "photo_retouch_v2",
            "strong skin smoothing",
            "skin_smoothing=9",
        ),
        ("photo_retouch_v2", "重度磨皮", "skin_smoothing=9"),
        ("photo_retouch_v2", "磨皮调到5", "skin_smoothing=5"),
        (
            "flight_booking_v1",
            "Fly from Berlin to Rome with my three kids.",
            r#"destination="Rome" origin="Berlin" passenger_count=4"#,
        ),
        (
            "flight_booking_v1",
            "我和三个孩子从北京去三亚",
            r#"destination="三亚" origin="PEK" passenger_count=4"#,
        ),
    ]);
}

/// D48, D50, D62: by synonym, by the element that fails, by what is borne; a denial gives nothing.
#[test]
fn listed_values_by_what_they_mean() {
    check(&[
        (
            "fault_diagnosis_v1",
            "板卡Selb/2可能坏了",
            r#"suspected_cause="card-failure" target="card:Selb/2""#,
        ),
        (
            "fault_diagnosis_v1",
            "Look at card Selb/2, I think it died.",
            r#"suspected_cause="card-failure" target="card:Selb/2""#,
        ),
        (
            "fault_diagnosis_v1",
            "Why is link Selb-Rehau down?",
            r#"target="link:Selb-Rehau""#,
        ),
        (
            "experience_compensation_v1",
            "补偿KS-104，节能不要动",
            r#"energy_saving="keep" sites=["site:KS-104"]"#,
        ),
        (
            "energy_saving_v1",
            "Save energy in Gera, small slowdowns are ok.",
            r#"action="activate" area="Gera" degradation_allowed=true"#,
        ),
        (
            "energy_saving_v1",
            "鼓楼区节能，网速慢一点没关系",
            r#"area="鼓楼区" degradation_allowed=true"#,
        ),
        (
            "flight_booking_v1",
            "a biz class seat, please",
            r#"cabin_class="business""#,
        ),
        (
            "flight_booking_v1",
            "It is a business trip, economy will do.",
            r#"cabin_class="economy""#,
        ),
        ("photo_retouch_v2", "把身后虚化掉", "background_blur=true"),
        (
            "photo_retouch_v2",
            "I want my eyes to look bigger",
            " | increase eye size proportionally",
        ),
    ]);
}

/// D62: up to what is said of them, and not where they are left out.
#[test]
fn places_are_told_apart_from_what_stands_around_them() {
    check(&[
        (
            "service_complaint_v1",
            "videos stutter on the S1 near Gera",
            r#"place="S1 near Gera" symptom="slow_data""#,
        ),
        (
            "service_complaint_v1",
            "投诉单2027-554：溧水通话全是杂音",
            r#"complaint_id="2027-554" place="溧水" service="voice" symptom="poor_voice""#,
        ),
        (
            "service_complaint_v1",
            "海门的水表没有网络",
            r#"place="海门" service="internet_of_things" symptom="no_service""#,
        ),
        (
            "service_complaint_v1",
            "Complaint 2027-553: an echo on the line in Gera",
            r#"complaint_id="2027-553" place="Gera" symptom="poor_voice""#,
        ),
        (
            "fault_repair_v1",
            "TT-9: an excavator tore duct Selb-1 in front of the town hall.",
            r#"cause="duct-cut" element="duct:Selb-1" place="in front of the town hall" ticket_id="TT-9""#,
        ),
        (
            "fault_repair_v1",
            "TT-9，管道Selb-1在小学旁边被挖断",
            r#"cause="duct-cut" element="duct:Selb-1" place="小学旁边" ticket_id="TT-9""#,
        ),
        (
            "energy_saving_v1",
            "浦口区节能，避开医院",
            r#"area="浦口区" | 避开医院"#,
        ),
        (
            "flight_booking_v1",
            "One ticket PEK-SHA",
            r#"destination="SHA" origin="PEK" passenger_count=1"#,
        ),
    ]);
}
