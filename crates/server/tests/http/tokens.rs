//! Tokens: valid and void ones, and their expiry (RFC 6750, RFC 8725).

use crate::house::{House, NOON_MS, Plan, bearer};
use base64ct::{Base64UrlUnpadded as Base64, Encoding as _};
use domain::audit::AuditKind;
use domain::time::Timestamp;
use serde_json::{Value, json};
use server::http::HttpLimits;
use server::ssh::keys::{StateKeys, generate, write_public};
use server::state::StateFolder;
use server::token::{Grant, Issuer, SKEW_S, TokenClaims, TokenError, TokenTerms, Tokens};
use std::collections::BTreeSet;
use std::time::Duration;
use testkit::http::{Answer, Line, request};

/// The claims of a token.
fn claims(token: &str) -> Value {
    let body = Base64::decode_vec(token.split('.').nth(1).unwrap()).unwrap();
    serde_json::from_slice(&body).unwrap()
}

fn part(value: &Value) -> String {
    Base64::encode_string(value.to_string().as_bytes())
}

/// The token with another header and another signature.
fn forged(token: &str, header: &Value, signature: &str) -> String {
    format!(
        "{}.{}.{signature}",
        part(header),
        token.split('.').nth(1).unwrap()
    )
}

/// The token with claims changed and signed again, by the platform's own key.
fn resigned(house: &House, token: &str, change: impl Fn(&mut TokenClaims)) -> String {
    let mut claims: TokenClaims = serde_json::from_value(claims(token)).unwrap();
    change(&mut claims);
    house.tokens().issuer().sign(&claims)
}

async fn refused(house: &House, token: &str, why: &str) {
    let answer = house.whoami(token).await.problem(401);
    let challenge =
        format!(r#"Bearer realm="convoke", error="invalid_token", error_description="{why}""#);
    assert_eq!(answer.field("www-authenticate"), challenge);
    assert_eq!(answer.json()["detail"], why);
}

const FORM: &str = "this is not the form of this platform's tokens";
const SIGNATURE: &str = "the signature does not hold";
const TERMS: &str = "the token is not for this platform on its present terms";
const REVOKED: &str = "the token was revoked";
const GONE: &str = "the credential counts no more";

/// RFC 7519 §4.1, RFC 9068 §2.2: the claims of a token.
#[tokio::test]
async fn a_token_says_who_for_whom_and_until_when() {
    let house = House::open();
    let issued = house.issue("ip", 600, &["mcp", "a2a"]);
    let thumbprint = house.tokens().issuer().jwks()["keys"][0]["kid"].clone();
    let header = Base64::decode_vec(issued.token.split('.').next().unwrap()).unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    assert_eq!(
        header,
        json!({ "alg": "EdDSA", "typ": "at+jwt", "kid": thumbprint })
    );
    let issuer = format!(
        "urn:ietf:params:oauth:jwk-thumbprint:sha-256:{}",
        thumbprint.as_str().unwrap()
    );
    let expected = json!({
        "iss": issuer, "sub": "ip", "aud": "convoke", "client_id": "ip", "iat": 1_795_262_400,
        "exp": 1_795_263_000, "jti": issued.entry.id, "scope": "a2a mcp",
    });
    assert_eq!(claims(&issued.token), expected);
    let file = std::fs::read_to_string(house.file(&format!("tokens/{}.json", issued.entry.id)));
    assert!(
        !file
            .unwrap()
            .contains(issued.token.rsplit('.').next().unwrap())
    );
}

/// A platform generates its keys one after the other at its first start; a token issued in between
/// is valid once they all exist.
#[test]
fn a_token_of_the_first_second_counts_ever_after() {
    let state = tempfile::tempdir().unwrap();
    let keys = StateKeys::open(state.path()).unwrap();
    keys.host().unwrap();
    let tokens = Tokens::open(&StateFolder::new(state.path()), TokenTerms::default()).unwrap();
    let now = Timestamp::from_ms(NOON_MS);
    let grant = Grant {
        name: "operator".to_owned(),
        valid_s: 600,
        scope: BTreeSet::new(),
    };
    let issued = tokens.issue(&grant, now).unwrap();
    keys.operator().unwrap();
    assert_eq!(tokens.verify(&issued.token, now), Ok(issued.entry));
}

/// RFC 8037 §A: the header, thumbprint and signature of the well-known key of the RFC.
#[test]
fn a_token_is_signed_as_others_sign() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token_ed25519");
    let secret = Base64::decode_vec("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A").unwrap();
    let secret: [u8; 32] = secret.try_into().unwrap();
    let pair = russh::keys::ssh_key::private::Ed25519Keypair::from_seed(&secret);
    let key = server::ssh::PrivateKey::from(pair);
    let text = key
        .to_openssh(russh::keys::ssh_key::LineEnding::LF)
        .unwrap();
    std::fs::write(&file, text.as_bytes()).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, mode).unwrap();
    let issuer = Issuer::open(&file).unwrap();
    let key = &issuer.jwks()["keys"][0];
    assert_eq!(key["x"], "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
    assert_eq!(key["kid"], "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
}

/// RFC 8725 §2.1, §3.1: the method of verification cannot be chosen by the sender.
#[tokio::test]
async fn a_forged_token_opens_nothing() {
    let house = House::open();
    let token = house.issue("operator", 3_600, &[]).token;
    let key = house.tokens().issuer().jwks()["keys"][0].clone();
    let (kid, signature) = (key["kid"].clone(), token.rsplit('.').next().unwrap());
    for header in [
        json!({ "alg": "none", "typ": "at+jwt", "kid": kid }),
        json!({ "alg": "HS256", "typ": "at+jwt", "kid": kid }),
        json!({ "alg": "EdDSA", "typ": "JWT", "kid": kid }),
        json!({ "alg": "EdDSA", "typ": "at+jwt", "kid": "another" }),
        json!({ "alg": "EdDSA", "typ": "at+jwt", "kid": kid, "crit": ["exp"], "exp": 1 }),
        json!({ "alg": "EdDSA", "typ": "at+jwt", "jwk": key }),
        json!({ "typ": "at+jwt", "kid": kid, "alg": "EdDSA" , "jku": "https://evil.example/" }),
    ] {
        refused(&house, &forged(&token, &header, signature), FORM).await;
    }
    // No more than twenty in all: one source that fails more often is put off.
    let none = json!({ "alg": "none", "typ": "at+jwt", "kid": kid });
    refused(&house, &forged(&token, &none, ""), FORM).await;
    let (signed, _) = token.rsplit_once('.').unwrap();
    let hmac = "A".repeat(43);
    for (token, why) in [
        (format!("{signed}."), SIGNATURE),
        (format!("{signed}.{hmac}"), SIGNATURE),
        (format!("{signed}.{signature}="), FORM),
        (format!("{signed}.{}", "A".repeat(86)), SIGNATURE),
        (signed.to_owned(), FORM),
        (format!("{token}.{signature}"), SIGNATURE),
        ("x".to_owned(), FORM),
        (format!("{token}{}", "x".repeat(4_096)), FORM),
    ] {
        refused(&house, &token, why).await;
    }
    let other = House::open();
    let theirs = other.issue("operator", 3_600, &[]).token;
    refused(&house, &theirs, FORM).await;
    let theirs_as_ours = {
        let body = theirs.split('.').nth(1).unwrap();
        format!(
            "{}.{body}.{}",
            token.split('.').next().unwrap(),
            theirs.rsplit('.').next().unwrap()
        )
    };
    refused(&house, &theirs_as_ours, SIGNATURE).await;
}

/// RFC 8725 §3.8 to §3.12: every claim must be as it was issued, even if the signature is valid.
#[tokio::test]
async fn every_claim_is_looked_at() {
    let house = House::open();
    let token = house.issue("ip", 3_600, &["a2a"]).token;
    let month = 30 * 86_400;
    let same = resigned(&house, &token, |_| {});
    assert_eq!(house.whoami(&same).await.status, 200);
    type Change = fn(&mut TokenClaims);
    let changes: [(Change, &str); 11] = [
        (|c| c.iss = "https://convoke.example".to_owned(), TERMS),
        (|c| c.aud = "another".to_owned(), TERMS),
        (|c| c.aud = String::new(), TERMS),
        (|c| c.exp = c.iat, TERMS),
        (|c| c.exp = i64::MAX, TERMS),
        (|c| c.iat = i64::MIN, TERMS),
        (|c| c.sub = "ran".to_owned(), REVOKED),
        (|c| c.sub = "operator".to_owned(), REVOKED),
        (|c| c.jti = "../users/noc".to_owned(), REVOKED),
        (|c| c.jti = "0".repeat(20), REVOKED),
        (|c| c.scope = None, REVOKED),
    ];
    for (change, why) in changes {
        refused(&house, &resigned(&house, &token, change), why).await;
    }
    refused(
        &house,
        &resigned(&house, &token, |c| c.exp = c.iat + month + 1),
        TERMS,
    )
    .await;
    // Claims that nobody knows, or twice, or of another kind.
    let house = House::open();
    let token = house.issue("ip", 3_600, &[]).token;
    let issuer = house.tokens();
    let mut odd = claims(&token);
    odd["admin"] = json!(true);
    assert!(issuer.issuer().read(&forged(&token, &odd, "")).is_err());
}

/// The time is the platform's, with a tolerance of 30 s.
#[tokio::test]
async fn a_token_counts_for_its_time() {
    let house = House::open();
    let token = house.issue("noc", 60, &[]).token;
    let early = |ahead_s: i64| {
        resigned(&house, &token, move |claims| {
            claims.iat += ahead_s;
            claims.exp += ahead_s;
        })
    };
    assert_eq!(house.whoami(&early(SKEW_S)).await.status, 200);
    let why = "the token was issued in the future, by this platform's clock";
    refused(&house, &early(SKEW_S + 1), why).await;
    house.pass_s(60 + SKEW_S - 1);
    assert_eq!(house.whoami(&token).await.status, 200);
    house.pass_s(1);
    refused(&house, &token, "the token has expired").await;
}

#[tokio::test]
async fn a_token_that_is_too_long_for_the_terms_is_void_and_none_is_issued() {
    let terms = TokenTerms {
        valid_max_s: 600,
        ..TokenTerms::default()
    };
    let house = House::built(Plan {
        terms: terms.clone(),
        ..Plan::default()
    });
    refused(&house, &house.issue("noc", 601, &[]).token, TERMS).await;
    assert_eq!(
        house
            .whoami(&house.issue("noc", 600, &[]).token)
            .await
            .status,
        200
    );
    let elsewhere = House::built(Plan {
        terms: TokenTerms {
            audience: "https://noc.example".to_owned(),
            ..terms
        },
        ..Plan::default()
    });
    refused(&elsewhere, &elsewhere.issue("noc", 60, &[]).token, TERMS).await;
}

/// Revocation is immediate and final, also after a restart of the platform.
#[tokio::test]
async fn a_revoked_token_is_void() {
    let house = House::open();
    let (first, second, other) = (
        house.issue("ip", 3_600, &[]),
        house.issue("ip", 3_600, &[]),
        house.issue("ran", 3_600, &[]),
    );
    let tokens = house.tokens();
    assert_eq!(tokens.entries().unwrap().len(), 3);
    assert_eq!(tokens.revoke(&first.entry.id).unwrap(), [first.entry]);
    refused(&house, &first.token, REVOKED).await;
    assert_eq!(house.whoami(&second.token).await.status, 200);
    assert_eq!(tokens.revoke("ip").unwrap(), [second.entry]);
    refused(&house, &second.token, REVOKED).await;
    assert_eq!(house.whoami(&other.token).await.status, 200);
    assert!(matches!(tokens.revoke("ip"), Err(TokenError::Unknown(_))));
    assert_eq!(house.tokens().entries().unwrap(), [other.entry]);
}

/// A token does not create a principal, and becomes void with its bearer's key.
#[tokio::test]
async fn a_token_dies_with_the_key_of_its_bearer() {
    let house = House::open();
    let (user, agent) = (
        house.issue("noc", 3_600, &[]),
        house.issue("ip", 3_600, &[]),
    );
    std::fs::remove_file(house.file("agents/ip.pub")).unwrap();
    refused(&house, &agent.token, REVOKED).await;
    // Another agent of the same name is another agent.
    write_public(&house.file("agents/ip.pub"), generate("k").public_key()).unwrap();
    refused(&house, &agent.token, REVOKED).await;
    assert_eq!(
        house.whoami(&house.issue("ip", 60, &[]).token).await.status,
        200
    );
    assert_eq!(house.whoami(&user.token).await.status, 200);
    write_public(&house.file("users/noc.pub"), generate("k").public_key()).unwrap();
    refused(&house, &user.token, REVOKED).await;
}

/// The caller of a request whose body comes long after its head is determined again then, and may
/// have lost its credential.
#[tokio::test]
async fn who_asks_is_asked_again_when_the_body_has_come() {
    let house = House::open();
    let tokens = ["noc", "noc", "ip"].map(|name| house.issue(name, 3_600, &[]).token);
    let mut lines = Vec::new();
    for token in &tokens {
        let mut line = Line::to(house.address).await;
        let fields = [&*bearer(token), "Content-Length: 2", "Expect: 100-continue"];
        line.send(&request("POST /groups", &fields)).await;
        // The body is waited for: its sender has been recognised.
        assert_eq!(line.answer().await.status, 100);
        lines.push(line);
    }
    let revoked = house
        .tokens()
        .revoke(claims(&tokens[0])["jti"].as_str().unwrap());
    assert_eq!(revoked.unwrap().len(), 1);
    // The same key, of an agent from now on.
    std::fs::rename(house.file("users/noc.pub"), house.file("agents/noc.pub")).unwrap();
    std::fs::remove_file(house.file("agents/ip.pub")).unwrap();
    house.look();
    let mut answers = Vec::new();
    for line in &mut lines {
        line.send("ok").await;
        answers.push(line.answer().await);
    }
    let detail = |answer: &Answer| answer.json()["detail"].clone();
    assert_eq!((answers[0].status, detail(&answers[0])), (401, json!(GONE)));
    assert_eq!((answers[1].status, &*answers[1].body), (200, "agents"));
    assert_eq!((answers[2].status, detail(&answers[2])), (401, json!(GONE)));
}

#[tokio::test]
async fn no_token_is_issued_to_nobody() {
    let house = House::open();
    let grant = |name: &str, valid_s, scope: &[&str]| server::token::Grant {
        name: name.to_owned(),
        valid_s,
        scope: scope.iter().map(|s| (*s).to_owned()).collect(),
    };
    let issue = |name: &str, valid_s, scope: &[&str]| {
        let issued = house
            .tokens()
            .issue(&grant(name, valid_s, scope), house.clock.now());
        issued
            .map(|issued| issued.entry.name)
            .map_err(|e| e.to_string())
    };
    for name in [
        "nobody",
        "",
        "../users/noc",
        "Operator",
        "TMF-Convoke-IP-1.0.0",
    ] {
        assert!(
            issue(name, 60, &[])
                .unwrap_err()
                .starts_with("nobody is called"),
            "{name}"
        );
    }
    assert!(
        issue("noc", 0, &[])
            .unwrap_err()
            .contains("1 to 2592000 s, not for 0 s")
    );
    assert!(issue("noc", 2_592_001, &[]).is_err());
    assert!(
        issue("noc", 60, &["a b"])
            .unwrap_err()
            .contains("is no scope")
    );
    assert_eq!(issue("noc", 60, &["a2a"]).unwrap(), "noc");
    let nowhere = tempfile::tempdir().unwrap();
    let nowhere = server::state::StateFolder::new(nowhere.path());
    let opened = server::token::Tokens::open(&nowhere, TokenTerms::default());
    assert!(matches!(opened, Err(TokenError::Nowhere(_))));
    assert!(!nowhere.path().join("token_ed25519").exists());
}

#[tokio::test]
async fn what_has_expired_leaves_the_list() {
    let house = House::open();
    let short = house.issue("noc", 60, &[]).entry;
    house.pass_s(60 + SKEW_S);
    let long = house.issue("noc", 60, &[]).entry;
    assert_eq!(house.tokens().entries().unwrap(), [short, long.clone()]);
    house.pass_s(1);
    let last = house.issue("noc", 600, &[]).entry;
    assert_eq!(house.tokens().entries().unwrap(), [long, last]);
}

/// RFC 6750 §2.1, §3.1: a credential is shown once, in one way.
#[tokio::test]
async fn a_credential_is_shown_once_and_in_one_way() {
    let house = House::open();
    let token = house.issue("noc", 3_600, &[]).token;
    let twice = bearer(&token);
    for (fields, status) in [
        (vec![twice.clone()], 200),
        (vec![format!("authorization: bEARER   {token}")], 200),
        (vec![twice.clone(), twice.clone()], 400),
        (vec!["Authorization: Bearer".to_owned()], 400),
        (vec!["Authorization: Bearer a b".to_owned()], 400),
        (vec!["Authorization: Bearer \u{e9}".to_owned()], 400),
        (
            vec!["Authorization: Basic b3BlcmF0b3I6eA==".to_owned()],
            401,
        ),
        (vec![format!("Cookie: token={token}")], 401),
    ] {
        let told: Vec<&str> = fields.iter().map(String::as_str).collect();
        let answer = house.ask("GET /whoami", &told).await;
        assert_eq!(answer.status, status, "{fields:?}");
        let error = answer.field("www-authenticate").contains("invalid_request");
        assert_eq!(error, status == 400, "{fields:?}");
    }
    let query = format!("GET /whoami?access_token={token}");
    house.ask(&query, &[]).await.problem(401);
}

/// RFC 6750 §3.1: a token with scopes is accepted where one of them is demanded.
#[tokio::test]
async fn a_scope_narrows() {
    let house = House::open();
    for (scope, status) in [
        (&[][..], 200),
        (&["a2a"], 200),
        (&["a2a", "x"], 200),
        (&["mcp"], 403),
    ] {
        let field = bearer(&house.issue("ip", 60, scope).token);
        let answer = house.ask("GET /agents/ip/x", &[&field]).await;
        assert_eq!(answer.status, status, "{scope:?}");
        assert_eq!(house.audited().await.kind, AuditKind::Login);
        if status == 403 {
            let told = house.audited().await;
            assert_eq!((told.kind, &*told.user), (AuditKind::Denied, "ip"));
            assert_eq!(
                (&*told.subject, &*told.reason),
                ("scope a2a", "the token has not the scope")
            );
            let challenge = answer.problem(403);
            let expected = r#"Bearer realm="convoke", error="insufficient_scope", scope="a2a""#;
            assert_eq!(challenge.field("www-authenticate"), expected);
        }
        assert_eq!(house.ask("GET /whoami", &[&field]).await.status, 200);
        assert_eq!(house.audited().await.kind, AuditKind::Login);
    }
}

/// A public route stays public for a request with a bad token.
#[tokio::test]
async fn what_is_open_stays_open() {
    let house = House::open();
    let card = house.ask("GET /agents/ran/card", &[&bearer("x")]).await;
    assert_eq!((card.status, card.body.as_str()), (200, "ran"));
}

/// A stream ends when its token is no longer valid.
#[tokio::test]
async fn an_answer_that_goes_on_ends_with_its_token() {
    let house = House::within(HttpLimits {
        recheck: Duration::from_millis(10),
        ..HttpLimits::default()
    });
    let issued = house.issue("noc", 3_600, &[]);
    let mut line = Line::to(house.address).await;
    line.send(&testkit::http::request(
        "GET /stream",
        &[&bearer(&issued.token)],
    ))
    .await;
    let writer = house.writer().await;
    writer.send("one".into()).await.unwrap();
    let mut told = String::new();
    while !told.ends_with("\r\none\r\n") {
        told += &line.piece().await;
    }
    house.tokens().revoke("noc").unwrap();
    // The last chunk, as at any end.
    assert_eq!(line.piece().await, "0\r\n\r\n");
    drop(writer);
}

/// A change of credentials is checked when it happens, not at the next interval.
#[tokio::test]
async fn an_answer_that_goes_on_ends_at_once_when_a_key_goes() {
    let house = House::within(HttpLimits {
        recheck: Duration::from_secs(86_400),
        ..HttpLimits::default()
    });
    let issued = house.issue("noc", 3_600, &[]);
    let mut line = Line::to(house.address).await;
    line.send(&testkit::http::request(
        "GET /stream",
        &[&bearer(&issued.token)],
    ))
    .await;
    let writer = house.writer().await;
    writer.send("one".into()).await.unwrap();
    let mut told = String::new();
    while !told.ends_with("\r\none\r\n") {
        told += &line.piece().await;
    }
    std::fs::remove_file(house.file("users/noc.pub")).unwrap();
    house.look();
    assert_eq!(line.piece().await, "0\r\n\r\n");
    drop(writer);
}

/// If the caller becomes an agent, or stops being one, while the body is read, a stream is for the
/// new principal: it ends with the next change, not with that one.
#[tokio::test]
async fn an_answer_that_goes_on_is_for_who_asks_when_the_body_has_come() {
    let house = House::within(HttpLimits {
        recheck: Duration::from_secs(86_400),
        ..HttpLimits::default()
    });
    for (name, before, after) in [
        ("noc", "users/noc.pub", "agents/noc.pub"),
        ("ip", "agents/ip.pub", "users/ip.pub"),
    ] {
        let rename = |from, to| {
            std::fs::rename(house.file(from), house.file(to)).unwrap();
            house.look();
        };
        let mut line = Line::to(house.address).await;
        let bearer = house.bearer(name);
        let fields = [&*bearer, "Content-Length: 2", "Expect: 100-continue"];
        line.send(&request("POST /stream", &fields)).await;
        assert_eq!(line.answer().await.status, 100);
        rename(before, after);
        line.send("ok").await;
        let writer = house.writer().await;
        let _ = writer.send("one".into()).await;
        let mut told = String::new();
        while !told.ends_with("\r\none\r\n") {
            told += &line.piece().await;
            assert!(!told.ends_with("0\r\n\r\n"), "{name}: {told}");
        }
        rename(after, before);
        assert_eq!(line.piece().await, "0\r\n\r\n", "{name}");
    }
}
