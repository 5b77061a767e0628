//! Subscriptions tell what their conditions say, and nothing else.

use super::*;
use domain::content::Content;
use domain::task::{Status, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use insta::assert_snapshot;
use schema::steps::Effort;
use serde_json::json;

fn any() -> ReadingBudget<'static> {
    ReadingBudget::within(Effort::any())
}

fn topic(name: &str) -> NotificationTopic {
    let topic = shipped()
        .into_iter()
        .find(|t| t.template_uri.contains(name));
    topic.expect("a shipped topic")
}

fn notification(payload: Payload) -> Notification {
    Notification {
        time: Timestamp::from_ms(1_777_881_600_000),
        task: TaskId::new("t-1"),
        from: "ip-fault".to_owned(),
        to: "oss".to_owned(),
        verb: Verb::TaskResultNotify,
        asynchronous: true,
        status: Status::Processing,
        previous: None,
        start_time: Timestamp::from_ms(0),
        percent: 0,
        content: Content::new("link A-B", "The link A-B has lost its signal.")
            .with_payload(payload),
        awaits: None,
        data: None,
    }
}

fn incident(severity: &str, cause: &str) -> Notification {
    let values = json!({
        "incident_id": "ip-4", "domain": "IP", "probable_cause": cause, "severity": severity,
        "raised_at": "2026-05-04T08:00:00.000Z", "cleared": false, "alarm_count": 3,
        "resources": ["link:A-B", "router:A"], "sites": ["site:BE-017"],
    });
    notification(Payload::new("fault_incident_result_v1", values))
}

fn subscribed(condition: &str) -> NotificationSubscription {
    let prompt = format!("## Notification Topic\nIncident\n\n## Subscribe Condition\n{condition}");
    topic("incident")
        .parse(&prompt, &any())
        .expect("a subscription")
}

/// A2A-T, Notification-T: conditions are joined by and, their values by or, and really filter.
#[test]
fn conditions_filter() {
    let told = |condition: &str| {
        let subscription = subscribed(condition);
        let all = [
            ("critical", "loss-of-signal"),
            ("major", "card-failure"),
            ("minor", "loss-of-signal"),
            ("warning", "congestion"),
        ];
        all.map(|(severity, cause)| subscription.wants(&incident(severity, cause)))
    };
    for (condition, expected) in [
        ("", [true, true, true, true]),
        (
            "Fault priority: critical, high.",
            [true, true, false, false],
        ),
        (
            "Fault priority: critical, high. Fault name: fiber break, ETH-LOS.",
            [true, false, false, false],
        ),
        (
            "故障优先级为：中、低。故障名称为：光纤中断、拥塞。",
            [false, false, true, true],
        ),
        ("Fault name: board fault", [false, true, false, false]),
        ("Network domain: Wireless", [false, false, false, false]),
        ("Affected sites: BE-017, BE-018", [true, true, true, true]),
        ("Affected sites: site:BE-018", [false, false, false, false]),
        (
            "Network element: [\"router:A\"]; Fault priority: low",
            [false, false, false, true],
        ),
    ] {
        assert_eq!(told(condition), expected, "{condition}");
    }
}

/// Results of other schemas are not told, whatever they say.
#[test]
fn other_results_are_not_told() {
    let subscription = subscribed("");
    let payload = Payload::new("fault_diagnosis_result_v1", json!({"severity": "critical"}));
    assert!(!subscription.wants(&notification(payload)));
    let mut prose = incident("critical", "congestion");
    prose.content.payload = None;
    assert!(!subscription.wants(&prose));
}

/// A2A-T: an incident in the members that peers know; text where text was asked for.
#[test]
fn incidents_are_told_in_their_members() {
    let told = subscribed("")
        .tell(&incident("major", "loss-of-signal"))
        .expect("told");
    assert_snapshot!(serde_json::to_string_pretty(&told.body).expect("JSON"), @r#"
    {
      "faultManagement.Incident": {
        "csn": "ip-4",
        "detail": "The link A-B has lost its signal.",
        "domain": "IP",
        "name": "loss-of-signal",
        "occurTime": "2026-05-04T08:00:00.000Z",
        "priority": "high",
        "sourceObjects": [
          {
            "name": "link:A-B"
          },
          {
            "name": "router:A"
          }
        ],
        "status": "uncleared",
        "updateTime": "2026-05-04T08:00:00.000Z"
      }
    }
    "#);
    let prompt = "## 通知主题\n智能故障\n\n## 上报通知数据格式\n通过TextPart上报";
    let subscription = topic("incident")
        .parse(prompt, &any())
        .expect("a subscription");
    let told = subscription
        .tell(&incident("major", "loss-of-signal"))
        .expect("told");
    assert_eq!(
        (told.name.as_str(), told.body.as_str()),
        (
            "faultManagement.Incident",
            Some("The link A-B has lost its signal.")
        )
    );
    assert_snapshot!(topic("incident").accept(subscription.text_language), @r"
    ## 预期输出
    订阅结果：成功
    ");
}

/// A2A-T: what cannot be held is refused by name, all at once, with what could stand there.
#[test]
fn what_cannot_be_held_is_refused_by_name() {
    let refused = |name: &str, prompt: &str| {
        let topic = topic(name);
        let declined = topic.parse(prompt, &any()).expect_err("declined");
        topic.decline(&declined, TextLanguage::English)
    };
    let prompt = "## Notification Topic\nWeather\n\n## Subscribe Condition\nonly on Sundays; \
        Fault priority: purple. Fault name: \n\n## Notification Data Format\nvia FilePart";
    assert_snapshot!(refused("incident", prompt), @r"
    ## Expected Output
    Subscription result: failure
    section 'Notification Topic', line 2: 'Weather' is no topic of Notification-T/network-layer/subscribe-incident/v1; topics are Incident, Fault, intelligent fault, 智能故障, 故障
    section 'Subscribe Condition', line 5: 'only on Sundays' is no condition that can be held; conditions are Fault priority, Fault name, Network domain, Affected sites, Network elements
    section 'Subscribe Condition', line 5: 'purple' is no value of 'Fault priority'; values are critical, high, medium, low
    section 'Subscribe Condition', line 5: 'Fault name' says no value
    section 'Notification Data Format', line 7: 'FilePart' cannot carry it; DataPart and TextPart can
    ");
    let prompt = "## Notification Topic\nService recovery event\n\n## Subscribe Condition\nSubnetwork name: East.";
    assert_snapshot!(refused("service-recovery", prompt), @r"
    ## Expected Output
    Subscription result: failure
    section 'Subscribe Condition', line 5: 'Subnetwork name: East' is no condition that can be held; conditions are Recovered sites, Sites still out
    ");
    assert_snapshot!(refused("incident", "please"), @r"
    ## Expected Output
    Subscription result: failure
    line 1: text before the first section
    ");
}

/// A2A-T: a subscription is an order to report: what it says of the order's keys, and where it does not
/// say the domain, that of the agent.
#[test]
fn a_subscription_is_an_order() {
    let ordered = |name: &str, topic_name: &str, condition: &str, domains: &[&str]| {
        let prompt =
            format!("## Notification Topic\n{topic_name}\n\n## Subscribe Condition\n{condition}");
        let topic = topic(name);
        let schema = schema::shipped::template(&topic.order.schema_id).expect("shipped");
        let subscription = topic.parse(&prompt, &any()).expect("a subscription");
        match topic.ordered(&subscription, &schema, domains) {
            Ok(payload) => Value::Object(payload.values).to_string(),
            Err(declined) => declined.to_string(),
        }
    };
    let incident =
        |condition: &str, domains: &[&str]| ordered("incident", "Fault", condition, domains);
    let told = [
        incident("Fault priority: high", &["Optical", "IP"]),
        incident("Network domain: Wireless", &["IP"]),
        incident("Network domain: Wireless, IP", &["IP"]),
        incident("Fault priority: high", &["Optical"]),
        ordered(
            "recovery",
            "Service recovery",
            "Recovered sites: BE-017",
            &[],
        ),
        ordered("recovery", "Service recovery", "", &[]),
    ];
    assert_snapshot!(told.join("\n"), @r#"
    {"domain":"IP"}
    {"domain":"Wireless"}
    {"domain":["IP","Wireless"]}
    section 'Subscribe Condition', line 0: 'Network domain' is needed
    {"sites":["site:BE-017"]}
    section 'Subscribe Condition', line 0: 'Recovered sites' is needed
    "#);
}

/// All that is shipped is sound: URIs are template URIs, keys are those of the schemas, values are
/// those that the keys may hold.
#[test]
fn shipped_topics_are_of_the_schemas() {
    for topic in shipped() {
        TemplateUri::parse(&topic.template_uri).expect("a URI");
        for schema_id in &topic.tells {
            let schema = schema::shipped::template(schema_id).expect("a shipped schema");
            let order = schema::shipped::template(&topic.order.schema_id).expect("shipped");
            assert_eq!(order.response_schema_id.as_ref(), Some(schema_id));
            for (key, result) in &topic.order.keys {
                assert!(
                    order.key(key).is_some() && schema.key(result).is_some(),
                    "{key}"
                );
            }
            for condition in &topic.conditions {
                for key in &condition.keys {
                    let key = schema.key(key).expect("a key of the schema");
                    let allowed = &key.shape.constraint.allowed;
                    for value in condition.values.keys() {
                        assert!(
                            allowed.iter().any(|a| a == value),
                            "{} {value}",
                            key.key_name
                        );
                    }
                    assert_eq!(condition.values.len(), allowed.len(), "{}", key.key_name);
                }
            }
        }
    }
}

/// A2A-T, Notification-T: what is subscribed to in the place of an order is that order to who hears it.
#[test]
fn an_order_can_be_a_subscription() {
    let order = |schema: &str, values| Payload::new(schema, values);
    for (name, schema_id, values, kept) in [
        (
            "incident",
            "fault_incident_v1",
            json!({"domain": "IP"}),
            true,
        ),
        (
            "incident",
            "fault_incident_v1",
            json!({"domain": "IP", "other": "soon"}),
            false,
        ),
        (
            "incident",
            "fault_diagnosis_v1",
            json!({"domain": "IP"}),
            false,
        ),
        (
            "recovery",
            "service_verification_v1",
            json!({"sites": ["site:BE-017", "site:BE-018"]}),
            true,
        ),
    ] {
        let (topic, wanted) = (topic(name), order(schema_id, values));
        for text_language in TextLanguage::ALL {
            let asked = topic.ask(&wanted, text_language);
            assert_eq!(asked.is_some(), kept, "{wanted:?}");
            let Some(asked) = asked else { continue };
            let subscription = topic.parse(&asked, &any()).expect("a subscription");
            assert_eq!(subscription.text_language, text_language);
            let schemas = schema::shipped::shipped();
            let schema = schemas
                .iter()
                .find(|it| it.schema_id == schema_id)
                .expect("shipped");
            assert_eq!(
                topic.ordered(&subscription, schema, &[]),
                Ok(wanted.clone()),
                "{asked}"
            );
        }
    }
}
