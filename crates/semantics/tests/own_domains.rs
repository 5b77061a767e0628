//! Utterances of the trade against the templates that come with Convoke, in English and Chinese.
#![allow(clippy::unwrap_used)]

use insta::assert_snapshot;
use schema::semantics::Circumstances;
use schema::time::Timestamp;
use semantics::rules::Rules;

/// The values read for each key, and what is left over.
fn said(schema_id: &str, utterance: &str) -> String {
    let now = Timestamp::parse("2026-04-30T10:00:00+08:00").unwrap();
    let circumstances = Circumstances {
        now,
        zone_minutes: 480,
        language: None,
    };
    let template = schema::shipped::template(schema_id).unwrap();
    let parsed = Rules::default().read(&template, utterance, &circumstances);
    let mut told: Vec<String> = parsed
        .payload
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    told.sort();
    let other = if parsed.other.is_empty() {
        String::new()
    } else {
        format!(" | {}", parsed.other.join("; "))
    };
    format!("{}{other}", told.join(" "))
}

#[test]
fn energy_saving() {
    assert_snapshot!(said("energy_saving_v1", "Cut energy use in Haidian by 15% from midnight until 6 am using deep sleep."), @r#"action="activate" area="Haidian" end_time="06:00" saving_target_percent=15 start_time="00:00" technique="deep_sleep""#);
    assert_snapshot!(said("energy_saving_v1", "In zone Berlin-3 save 20 percent between 23:00 and 05:30 with symbol shutdown, only cells with a load under 30%; keep the fire station covered."), @r#"area="zone:Berlin-3" end_time="05:30" max_load_percent=30 saving_target_percent=20 start_time="23:00" technique="symbol_shutdown" | keep the fire station covered"#);
    assert_snapshot!(said("energy_saving_v1", "Pause energy saving around site BE-017 for half an hour, users must keep at least 5 Mbit/s."), @r#"action="suspend" area="site:BE-017" duration_minutes=30 min_throughput_mbps=5"#);
    assert_snapshot!(said("energy_saving_v1", "请在海淀区开启节能，节能15%，从凌晨1点到早上6点，采用载波关断，不影响用户体验"), @r#"action="activate" area="海淀区" degradation_allowed=false end_time="06:00" saving_target_percent=15 start_time="01:00" technique="carrier_shutdown""#);
    assert_snapshot!(said("energy_saving_v1", "暂停站点BE-017附近的节能，持续两小时，每用户速率不低于5 Mbit/s，并通知值班经理"), @r#"action="suspend" area="site:BE-017" duration_minutes=120 min_throughput_mbps=5 | 通知值班经理"#);
}

#[test]
fn experience_compensation() {
    assert_snapshot!(said("experience_compensation_v1", "Site BE-017 is out. Compensate the coverage with cells BE-018/1 and BE-018/2, raise power by 3 dB for 30 minutes and suspend energy saving."), @r#"action="start" duration_minutes=30 energy_saving="suspend" method="raise_power" neighbour_cells=["cell:BE-018/1","cell:BE-018/2"] power_offset_db=3 sites=["site:BE-017"]"#);
    assert_snapshot!(said("experience_compensation_v1", "Compensate sites BE-017 and BE-019 because of incident wireless-4, coverage of -110 dBm or better."), @r#"incident_id="wireless-4" min_rsrp_dbm=-110 sites=["site:BE-017","site:BE-019"]"#);
    assert_snapshot!(said("experience_compensation_v1", "站点BE-017和BE-018退服，请启动补偿，提高发射功率3 dB，持续一小时，暂停节能，优先保障医院"), @r#"action="start" duration_minutes=60 energy_saving="suspend" method="raise_power" power_offset_db=3 sites=["site:BE-017","site:BE-018"] | 优先保障医院"#);
}

#[test]
fn faults() {
    assert_snapshot!(said("fault_diagnosis_v1", "Please diagnose link Berlin-Leipzig, probably a fibre cut, sites BE-017 and BE-018 are out since 4 May 2026, 08:00 UTC."), @r#"since="2026-05-04T16:00:00+08:00" sites=["site:BE-017","site:BE-018"] suspected_cause="fibre-cut" target="link:Berlin-Leipzig""#);
    assert_snapshot!(said("fault_diagnosis_v1", "柏林路由器故障，由故障事件ip-4引起"), @r#"incident_ids=["ip-4"] suspected_cause="router-failure" target="router:Berlin""#);
    assert_snapshot!(said("fault_diagnosis_v1", "请诊断柏林到莱比锡的链路，怀疑断纤，站点BE-017退服，街上有人在挖沟"), @r#"sites=["site:BE-017"] suspected_cause="fibre-cut" target="link:Berlin-Leipzig" | 街上有人在挖沟"#);
    assert_snapshot!(said("fault_repair_v1", "工单TT-9：站点BE-017停电，请修复，到场前先联系钥匙保管人"), @r#"cause="mains-failure" element="site:BE-017" ticket_id="TT-9" | 到场前请先联系钥匙保管人"#);
    assert_snapshot!(said("fault_incident_v1", "Report every incident in the IP network from now on."), @r#"domain="IP" report="incidents""#);
    assert_snapshot!(said("field_guidance_v1", "I am at router Berlin with a dead line card. What do I do now?"), @r#"cause="card-failure" element="router:Berlin" question="What do I do now?""#);
    assert_snapshot!(said("field_guidance_v1", "我在站点BE-017，市电中断，我该怎么做？"), @r#"cause="mains-failure" element="site:BE-017" question="我该怎么做？""#);
}

#[test]
fn complaints() {
    assert_snapshot!(said("service_complaint_v1", "Calls drop all the time in Potsdam since yesterday 8 am, 200 customers are affected, call me at +4930123456, I want my money back."), @r#"affected_count=200 callback_phone="+4930123456" place="Potsdam" started_at="2026-04-29T08:00:00+08:00" symptom="call_drop" | I want my money back"#);
    assert_snapshot!(said("service_complaint_v1", "Our leased line at site BE-017 has had high latency since 9 am, serious, ticket number C-12"), @r#"complaint_id="C-12" place="site:BE-017" service="private_line" severity="major" started_at="2026-04-30T09:00:00+08:00" symptom="high_latency""#);
    assert_snapshot!(said("service_complaint_v1", "在波茨坦手机上网，网速慢，严重，影响200个用户，工单号C-4711，请在5月6日前解决"), @r#"affected_count=200 complaint_id="C-4711" place="波茨坦" resolve_by="2026-05-06" service="mobile_data" severity="major" symptom="slow_data""#);
    assert_snapshot!(said("service_complaint_v1", "车联网终端时断时续，车架号WVWZZZ1JZXW000001，驶入萨克森州后出现，请回电+4930123456，我要求赔偿"), @r#"callback_phone="+4930123456" moved_to="萨克森州" service="vehicle" symptom="intermittent" vehicle_id="WVWZZZ1JZXW000001" | 要求赔偿"#);
}
