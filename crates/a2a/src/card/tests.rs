//! Cards as served, as signed, and as made from a profile of the platform.

use super::document::{CardDocument, http_date, served};
use super::profile::card_of;
use super::signature::{ClaimedSigner, JwsSigner, Unsignable, Unverified, sign, verified};
use super::*;
use crate::message::{Part, Role};
use crate::{intent, objects, wire};
use domain::profile::{Capability, Layer, Profile};
use insta::assert_snapshot;
use schema::canonical;
use schema::language::Language;
use schema::template::Template;
use schema::time::Timestamp;
use serde_json::json;

fn full_card() -> Card {
    let mut card = Card::new("agent", "Does things.", "1.2.0");
    card.provider = Some(AgentProvider {
        organization: "Example".to_owned(),
        url: "https://example.com".to_owned(),
    });
    card.interfaces = [("1.0", JSONRPC), ("1.0", HTTP_JSON), ("0.3", JSONRPC)]
        .map(|(version, binding)| AgentInterface {
            url: "https://example.com/agents/agent".to_owned(),
            binding: binding.to_owned(),
            version: version.to_owned(),
            tenant: None,
        })
        .to_vec();
    card.capabilities.streaming = Some(true);
    let bearer = SecurityScheme {
        description: None,
        kind: SecurityKind::Http {
            scheme: "Bearer".to_owned(),
            bearer_format: Some("JWT".to_owned()),
        },
    };
    card.security_schemes.insert("bearer".to_owned(), bearer);
    card.security.push(Requirement::from([(
        "bearer".to_owned(),
        vec!["agents".to_owned()],
    )]));
    card.skills.push(AgentSkill {
        id: "power".to_owned(),
        name: "Power".to_owned(),
        description: "Sets the power.".to_owned(),
        tags: vec!["power".to_owned()],
        input_modes: vec!["text/plain".to_owned(), objects::mode("power_v1")],
        ..AgentSkill::default()
    });
    let schemas = BTreeMap::from([("power_v1".to_owned(), json!({"type": "object"}))]);
    objects::declare(&mut card, &schemas, CardProfile::Schemas);
    card
}

/// A1, F5: both forms of one card; the default one is for clients of both versions.
#[test]
fn a_card_is_served_in_two_profiles() {
    let card = full_card();
    assert_snapshot!(format!("{:#}", served(&card, CardProfile::Schemas)), @r#"
    {
      "capabilities": {
        "extensions": [
          {
            "description": "Typed input and typed results by JSON Schema",
            "params": {
              "schemas": {
                "power_v1": {
                  "type": "object"
                }
              }
            },
            "uri": "https://raw.githubusercontent.com/facultyai/a2a-extension-object-schemas/refs/heads/main/v1"
          }
        ],
        "streaming": true
      },
      "defaultInputModes": [
        "text/plain"
      ],
      "defaultOutputModes": [
        "text/plain"
      ],
      "description": "Does things.",
      "name": "agent",
      "preferredTransport": "JSONRPC",
      "protocolVersion": "0.3.0",
      "provider": {
        "organization": "Example",
        "url": "https://example.com"
      },
      "schemas": {
        "power_v1": {
          "type": "object"
        }
      },
      "security": [
        {
          "bearer": [
            "agents"
          ]
        }
      ],
      "securityRequirements": [
        {
          "schemes": {
            "bearer": {
              "list": [
                "agents"
              ]
            }
          }
        }
      ],
      "securitySchemes": {
        "bearer": {
          "bearerFormat": "JWT",
          "httpAuthSecurityScheme": {
            "bearerFormat": "JWT",
            "scheme": "Bearer"
          },
          "scheme": "Bearer",
          "type": "http"
        }
      },
      "skills": [
        {
          "description": "Sets the power.",
          "id": "power",
          "inputModes": [
            "text/plain",
            "application/json;schema=power_v1"
          ],
          "name": "Power",
          "tags": [
            "power"
          ]
        }
      ],
      "supportedInterfaces": [
        {
          "protocolBinding": "JSONRPC",
          "protocolVersion": "1.0",
          "url": "https://example.com/agents/agent"
        },
        {
          "protocolBinding": "HTTP+JSON",
          "protocolVersion": "1.0",
          "url": "https://example.com/agents/agent"
        },
        {
          "protocolBinding": "JSONRPC",
          "protocolVersion": "0.3",
          "url": "https://example.com/agents/agent"
        }
      ],
      "url": "https://example.com/agents/agent",
      "version": "1.2.0"
    }
    "#);
    let strict = served(&card, CardProfile::Strict);
    let members: Vec<&String> = strict.as_object().expect("an object").keys().collect();
    assert_snapshot!(format!("{members:?} {}", strict["securitySchemes"]), @r#"["capabilities", "defaultInputModes", "defaultOutputModes", "description", "name", "provider", "securityRequirements", "securitySchemes", "skills", "supportedInterfaces", "version"] {"bearer":{"httpAuthSecurityScheme":{"bearerFormat":"JWT","scheme":"Bearer"}}}"#);
    for value in [
        served(&card, CardProfile::Schemas),
        wire::card(Version::V10, &card),
    ] {
        assert_eq!(wire::read_card(&value), Ok(card.clone()));
    }
}

/// A1: the caching headers of a card.
#[test]
fn a_card_can_be_kept() {
    let at = Timestamp::parse("1994-11-06T08:49:37Z").expect("an instant");
    assert_eq!(http_date(at), "Sun, 06 Nov 1994 08:49:37 GMT");
    let mut card = full_card();
    let one = CardDocument::new(&card, CardProfile::Strict, at, 300);
    assert_eq!(one.cache_control, "public, max-age=300");
    assert!(one.is_known(&one.etag) && one.is_known("\"x\", *"));
    assert!(
        one.is_known(one.etag.trim_start_matches("W/")),
        "RFC 9110 §13.1.2: weakly"
    );
    assert!(!one.is_known("\"x\""));
    sign(&mut card, &Key("a")).expect("signable");
    let signed = CardDocument::new(&card, CardProfile::Strict, at, 300);
    assert_eq!(signed.etag, one.etag);
    assert_ne!(signed.body, one.body);
    card.version = "1.2.1".to_owned();
    let newer = CardDocument::new(&card, CardProfile::Strict, at, 300);
    assert_ne!(newer.etag, one.etag);
}

/// Signs with the hash of its name and of the signing input.
struct Key(&'static str);

impl JwsSigner for Key {
    fn algorithm(&self) -> &str {
        "TEST"
    }
    fn key_id(&self) -> &str {
        self.0
    }
    fn sign(&self, input: &[u8]) -> Vec<u8> {
        canonical::hash(&json!([self.0, input])).to_vec()
    }
}

fn trusting(key: &'static str) -> impl Fn(&ClaimedSigner, &[u8], &[u8]) -> bool {
    move |claim, input, signature| {
        claim.algorithm == "TEST" && claim.key_id == key && Key(key).sign(input) == signature
    }
}

/// A17, Q60: a signature covers the members of v1.0, and neither `schemas` nor those of v0.3.
#[test]
fn a_signature_covers_the_members_of_v10_alone() {
    let mut card = full_card();
    sign(&mut card, &Key("old")).expect("signable");
    sign(&mut card, &Key("new")).expect("signable");
    for profile in [CardProfile::Strict, CardProfile::Schemas] {
        let mut document = served(&card, profile);
        for key in ["old", "new"] {
            assert_eq!(
                verified(&document, trusting(key))
                    .expect("holds")
                    .claim
                    .key_id,
                key
            );
        }
        assert_eq!(
            verified(&document, trusting("other")),
            Err(Unverified::NoneHolds)
        );
        document["schemas"] = json!({"injected": {}});
        let vouched = verified(&document, trusting("new")).expect("never over the root member");
        assert!(
            vouched.card.schemas.is_empty(),
            "and nobody vouches for that"
        );
        assert!(objects::declared(&vouched.card).contains_key("power_v1"));
        document["skills"][0]["name"] = "Other".into();
        assert_eq!(
            verified(&document, trusting("new")),
            Err(Unverified::NoneHolds)
        );
    }
    let mut with_defaults = served(&card, CardProfile::Strict);
    with_defaults["documentationUrl"] = "".into();
    with_defaults["skills"][0]["examples"] = json!([]);
    assert!(
        verified(&with_defaults, trusting("new")).is_ok(),
        "v1.0 §8.4.3, step 3"
    );
    let unsigned = served(&full_card(), CardProfile::Strict);
    assert_eq!(
        verified(&unsigned, trusting("new")),
        Err(Unverified::Unsigned)
    );
}

/// A17, v1.0 §8.4.1: the canonical form of the specification's example.
#[test]
fn the_signing_input_is_canonical() {
    let mut card = full_card();
    sign(&mut card, &Key("k")).expect("signable");
    let seen = std::cell::RefCell::new(String::new());
    let see = |_: &ClaimedSigner, input: &[u8], _: &[u8]| {
        *seen.borrow_mut() = String::from_utf8(input.to_vec()).expect("ASCII");
        true
    };
    verified(&served(&card, CardProfile::Schemas), see).expect("let pass");
    let seen = seen.into_inner();
    let (protected, payload) = seen.split_once('.').expect("two parts");
    let text = |part: &str| {
        use base64ct::{Base64UrlUnpadded, Encoding};
        let bytes = Base64UrlUnpadded::decode_vec(part).expect("base64url");
        String::from_utf8(bytes).expect("UTF-8")
    };
    assert_snapshot!(text(protected), @r#"{"alg":"TEST","kid":"k","typ":"JOSE"}"#);
    assert_snapshot!(text(payload), @r#"{"capabilities":{"extensions":[{"description":"Typed input and typed results by JSON Schema","params":{"schemas":{"power_v1":{"type":"object"}}},"uri":"https://raw.githubusercontent.com/facultyai/a2a-extension-object-schemas/refs/heads/main/v1"}],"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"description":"Does things.","name":"agent","provider":{"organization":"Example","url":"https://example.com"},"securityRequirements":[{"schemes":{"bearer":{"list":["agents"]}}}],"securitySchemes":{"bearer":{"httpAuthSecurityScheme":{"bearerFormat":"JWT","scheme":"Bearer"}}},"skills":[{"description":"Sets the power.","id":"power","inputModes":["text/plain","application/json;schema=power_v1"],"name":"Power","tags":["power"]}],"supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"https://example.com/agents/agent"},{"protocolBinding":"HTTP+JSON","protocolVersion":"1.0","url":"https://example.com/agents/agent"},{"protocolBinding":"JSONRPC","protocolVersion":"0.3","url":"https://example.com/agents/agent"}],"version":"1.2.0"}"#);
}

/// A member that readers would interpret differently is not signed.
#[test]
fn ambiguous_cards_are_not_signed() {
    let mut card = full_card();
    card.skills[0].description.clear();
    let empty = Unsignable::Empty("card.skills[0].description".to_owned());
    assert_eq!(sign(&mut card, &Key("k")), Err(empty));
    let mut card = full_card();
    card.extensions[0]
        .params
        .insert("n".to_owned(), json!(u64::MAX));
    let inexact = Unsignable::Inexact("card.capabilities.extensions[0].params.n".to_owned());
    assert_eq!(sign(&mut card, &Key("k")), Err(inexact));
    assert!(card.signatures.is_empty());
}

/// A13: media types of parts, against the modes of the card and of its skills.
#[test]
fn only_modes_of_the_card_are_read() {
    let card = full_card();
    let reads = |media_type: &str| {
        let part = Part::text("x").of_type(media_type);
        card.reads(&Message::new("m", Role::User, vec![Part::text("y"), part]))
    };
    assert!(reads("text/plain; charset=utf-8").is_ok());
    assert!(reads("application/json").is_ok());
    assert!(
        reads("application/json;schema=unknown").is_ok(),
        "002 says what is wrong with that"
    );
    let refused = reads("image/png").expect_err("not read");
    assert_eq!(refused.kind, ErrorKind::ContentTypeNotSupported);
    assert_snapshot!(refused.violations[0].description, @"one of application/json, text/plain is needed");
    assert!(reads("nonsense//").is_err());
}

/// A12: a method whose capability is missing is refused with the error of each version.
#[test]
fn capabilities_are_looked_at() {
    let card = full_card();
    for (method, version, refused) in [
        (Method::SendStreamingMessage, Version::V10, None),
        (Method::SendMessage, Version::V10, None),
        (
            Method::CreatePushConfig,
            Version::V10,
            Some(ErrorKind::PushNotificationNotSupported),
        ),
        (
            Method::GetExtendedCard,
            Version::V10,
            Some(ErrorKind::UnsupportedOperation),
        ),
        (
            Method::GetExtendedCard,
            Version::V03,
            Some(ErrorKind::ExtendedCardNotConfigured),
        ),
    ] {
        assert_eq!(
            card.offers(method, version).err().map(|it| it.kind),
            refused,
            "{method:?}"
        );
    }
    let silent = Card::new("a", "b", "1");
    let refused = silent
        .offers(Method::SubscribeToTask, Version::V10)
        .expect_err("no streaming");
    assert_eq!(refused.kind, ErrorKind::UnsupportedOperation);
}

/// A card of v0.3 is read: its example from v0.3 §5.7, shortened.
#[test]
fn a_card_of_v03_is_understood() {
    let card = wire::read_card(&json!({
        "protocolVersion": "0.2.9", "name": "Planner", "description": "Plans.",
        "url": "https://example.com/a2a/v1", "preferredTransport": "JSONRPC",
        "additionalInterfaces": [
            {"url": "https://example.com/a2a/v1", "transport": "JSONRPC"},
            {"url": "https://example.com/a2a/json", "transport": "HTTP+JSON"},
        ],
        "version": "1.2.0",
        "capabilities": {"streaming": true, "stateTransitionHistory": false},
        "securitySchemes": {"google": {"type": "openIdConnect", "openIdConnectUrl": "https://example.com/oid"}},
        "security": [{"google": ["openid"]}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["image/png"],
        "skills": [{"id": "map", "name": "Map", "description": "d", "tags": []}],
        "supportsAuthenticatedExtendedCard": true,
    }));
    let card = card.expect("a card");
    let places: Vec<&str> = card
        .interfaces
        .iter()
        .map(|it| it.binding.as_str())
        .collect();
    assert_eq!(places, [JSONRPC, HTTP_JSON], "the main place is told once");
    assert_eq!(card.capabilities.extended_card, Some(true));
    assert_eq!(card.security[0]["google"], ["openid"]);
    assert_eq!(
        card.interface(JSONRPC, Version::V03),
        None,
        "0.2.9 is not spoken here"
    );
    assert!(wire::read_card(&json!({"hello": 1})).is_err());
}

fn profile() -> Profile {
    Profile {
        name: "Convoke-Wireless-1".to_owned(),
        alias: Some("wireless".to_owned()),
        description: "Finds faults.".to_owned(),
        agent_type: Some("fault".to_owned()),
        version: "1.0.0".to_owned(),
        provider: "Example".to_owned(),
        domain: Some("Wireless".to_owned()),
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Capability {
            streaming: true,
            push_notifications: false,
            negotiate: None,
        },
        skills: vec![domain::profile::Skill {
            name: "booking".to_owned(),
            description: "Books.".to_owned(),
            tags: vec!["booking".to_owned()],
            input_modes: vec!["text".to_owned(), "image".to_owned()],
            output_modes: vec!["text".to_owned()],
            examples: Vec::new(),
            schemas: vec!["flight_booking_v1".to_owned(), "unpublished_v1".to_owned()],
        }],
        authentication: Vec::new(),
    }
}

/// F6, F7, Q70: a profile of the platform as a card.
#[test]
fn a_profile_becomes_a_card() {
    let template = schema::read::template(
        r#"{"schema_id": "flight_booking_v1", "scenario": "flight_booking", "keys": [
            {"key_name": "origin", "key_type": "string", "required": true,
             "semantic_description": {"en": "Where from."}}]}"#,
        schema::lint::TemplateOrigin::Peer,
    );
    let template: Template = template.expect("a template").template;
    let templates = BTreeMap::from([(template.schema_id.clone(), &template)]);
    let url = "https://example.com/agents/wireless";
    let mut card = card_of(
        &profile(),
        url,
        &templates,
        &Language::english(),
        CardProfile::Strict,
    );
    assert_eq!(card.description, "wireless: Finds faults.");
    assert_eq!(
        card.skills[0].input_modes,
        [
            "text/plain",
            "image/*",
            "application/json;schema=flight_booking_v1"
        ]
    );
    assert_eq!(
        objects::inputs(&card).into_iter().collect::<Vec<_>>(),
        ["flight_booking_v1"]
    );
    let skills = intent::declared(&card).expect("a declaration");
    assert_eq!(skills[0].input_schema["required"], json!(["origin"]));
    assert_eq!(
        card.extension(profile::PLATFORM_URI).expect("told").params["domain"],
        "Wireless"
    );
    for version in Version::ALL {
        for binding in [JSONRPC, HTTP_JSON] {
            assert_eq!(card.interface(binding, version).expect("spoken").url, url);
        }
    }
    sign(&mut card, &Key("k")).expect("the card of a profile can be signed");
}
