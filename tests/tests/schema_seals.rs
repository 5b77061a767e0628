//! Seals over real SSH: a fetched template is sealed by the host key that the client knows, and an
//! altered copy is refused (draft-zhou §7).
//!
//! Read next: `cli_schemas.rs`, for the pinning by the command.

#![allow(clippy::unwrap_used)]

mod cli_support;
mod support;

use cli_support::{Desk, platform};
use netconf::client::Reply;
use schema::canonical;
use schema::signature::{DocumentKind, Seal, TrustedKeys, VerifyingKey, verify};
use serde_json::{Value, json};
use server::client::{Client, Identity};
use server::clock::Clock;
use server::schemas::{NAMESPACE, known_key};
use std::path::Path;
use support::block_on;

const SCHEMA: &str = "urn:convoke:params:xml:ns:yang:convoke-schema";

#[test]
fn a_template_is_sealed_by_the_key_of_the_host_and_a_tampered_copy_is_refused() {
    block_on(platform(async |desk: &Desk| {
        let verified = desk.run(&["schema", "verify", "flight_booking_v1", "--json"]);
        let verified = verified.await.well().json();
        let (signed, seal) = fetched(desk, "flight_booking_v1").await;
        let hash: String = canonical::hash(&signed)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(verified[0]["sha256"], hash.as_str());
        let key = known_key(Path::new(&desk.path("known_hosts")), desk.address()).unwrap();
        assert!(vouched(key, &seal, &signed), "the copy as it came");
        for tampered in tampered(&signed) {
            assert!(!vouched(key, &seal, &tampered), "{tampered}");
        }
        let (_, other) = fetched(desk, "photo_retouch_v2").await;
        assert!(!vouched(key, &other, &signed), "the seal of another");
        let stranger = VerifyingKey::from_bytes(&[
            0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64,
            0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68,
            0xf7, 0x07, 0x51, 0x1a,
        ]);
        assert!(!vouched(stranger.unwrap(), &seal, &signed), "another's key");
    }));
}

/// Copies of a template, each with one alteration.
fn tampered(signed: &Value) -> Vec<Value> {
    let change = |pointer: &str, value: Value| {
        let mut copy = signed.clone();
        *copy.pointer_mut(pointer).unwrap() = value;
        copy
    };
    let mut longer = signed.clone();
    longer["keys"].as_array_mut().unwrap().push(json!({
        "key_name": "card_number", "key_type": "string", "required": true,
        "semantic_description": "The number of the card, with its code."
    }));
    vec![
        change("/keys/0/required", json!(false)),
        change(
            "/keys/0/annotations/en/meaning",
            json!("Where the traveller lives."),
        ),
        change("/schema_id", json!("flight_booking_v2")),
        longer,
    ]
}

/// The sealed document of a template, and the seal.
async fn fetched(desk: &Desk, schema_id: &str) -> (Value, Seal) {
    let operator = Identity::operator(Path::new(&desk.path("")));
    let mut client = Client::connect(desk.address(), &operator).await.unwrap();
    let wanted = format!(
        "<get-schema-template xmlns='{SCHEMA}'><schema-id>{schema_id}</schema-id>\
         </get-schema-template>"
    );
    let reply = client.call(&wanted).await.unwrap();
    let signed = serde_json::from_str(&leaf(&reply, "signed")).unwrap();
    let seal = leaf(&reply, "seal");
    let (protected, signature) = seal.split_once("..").unwrap();
    let seal = Seal {
        protected: protected.to_owned(),
        signature: signature.to_owned(),
    };
    (signed, seal)
}

fn leaf(reply: &Reply, name: &str) -> String {
    let root = reply.document.root();
    root.child(SCHEMA, name).unwrap().text().to_owned()
}

fn vouched(key: VerifyingKey, seal: &Seal, document: &Value) -> bool {
    let mut trusted = TrustedKeys::none();
    trusted.trust(NAMESPACE, key).unwrap();
    let now = Clock::wall().now();
    verify(
        &trusted,
        NAMESPACE,
        DocumentKind::Template,
        seal,
        document,
        now,
    )
    .is_ok()
}
