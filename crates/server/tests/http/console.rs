//! The console: its page, links that become sessions once, what a session opens, and how it ends.

use crate::house::{House, bearer};
use domain::audit::AuditKind;
use server::http::HttpLimits;
use server::sign_in::{
    BY_TOKEN_OF_USER_MAX, CREDENTIALS_MAX, CredentialKind, LINK_S, SESSION_S, SignIn, SignInError,
};
use server::ssh::keys::{generate, write_public};
use server::token::{TokenTerms, Tokens};
use std::sync::Arc;
use std::time::Duration;
use testkit::http::{Answer, Line, request};
use tokio::task::JoinSet;

const HTML: &str = "Accept: text/html,application/xhtml+xml;q=0.9";

/// A link of a user.
fn link(house: &House, name: &str) -> String {
    let made = SignIn::of(&house.folder).link(name, house.clock.now());
    made.unwrap().secret
}

async fn redeemed(house: &House, secret: &str) -> Answer {
    house.ask("POST /console/session", &[&bearer(secret)]).await
}

/// What a browser sends in a session.
struct Session {
    cookie: String,
    /// What pages of the console add.
    page: String,
}

impl Session {
    fn of(answer: &Answer) -> Self {
        assert_eq!(answer.status, 200, "{answer:?}");
        let cookie = answer.field("set-cookie").split(';').next().unwrap();
        let page = answer.json()["console-request"]
            .as_str()
            .unwrap()
            .to_owned();
        Self {
            cookie: format!("Cookie: other=1; {cookie}"),
            page: format!("Console-Request: {page}"),
        }
    }

    /// The fields of a page's request.
    fn fields(&self) -> [&str; 2] {
        [&self.cookie, &self.page]
    }
}

/// A new session of a user.
async fn session(house: &House, name: &str) -> Session {
    Session::of(&redeemed(house, &link(house, name)).await)
}

async fn asks(house: &House, line: &str, fields: &[&str]) -> u16 {
    house.ask(line, fields).await.status
}

#[tokio::test]
async fn browsers_get_the_page_and_others_do_not() {
    let house = House::open();
    let page = house.ask("GET /", &[HTML]).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.field("content-type"), "text/html; charset=utf-8");
    assert!(page.body.contains("/console/console.js"), "{}", page.body);
    let policy = page.field("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.field("x-content-type-options"), "nosniff");
    assert_eq!(page.field("referrer-policy"), "no-referrer");
    assert_eq!(page.field("cross-origin-opener-policy"), "same-origin");
    for (line, accept, status) in [
        ("GET /", "Accept: application/json", 401),
        ("GET /", "Accept: */*", 401),
        ("GET /console/console.js", "Accept: */*", 200),
        ("GET /console/console.css", "Accept: */*", 200),
        ("GET /console/nothing.js", "Accept: */*", 404),
        ("GET /console/..%2Fconsole.js", "Accept: */*", 404),
        ("GET /console/session", "Accept: */*", 404),
        ("POST /console/session", "Accept: */*", 401),
        ("DELETE /console/session", "Accept: */*", 401),
    ] {
        let got = asks(&house, line, &[accept]).await;
        assert_eq!(got, status, "{line} {accept}");
    }
}

#[tokio::test]
async fn a_file_is_sent_once_and_in_the_form_that_is_taken() {
    let house = House::open();
    let line = "GET /console/console.css";
    let whole = house.ask(line, &[]).await;
    assert_eq!(whole.field("content-encoding"), "");
    let tag = format!("If-None-Match: \"x\", {}", whole.field("etag"));
    let known = house.ask(line, &[&tag]).await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    for (accepted, is_coded) in [
        ("gzip, deflate, br", true),
        ("GZIP;q=0.5", true),
        ("gzip;q=0", false),
        ("br", false),
    ] {
        // The head alone: what is compressed is no text.
        let fields = [&format!("Accept-Encoding: {accepted}"), "Connection: close"];
        let mut line = Line::to(house.address).await;
        line.send(&request("HEAD /console/console.css", &fields))
            .await;
        let head = line.rest().await;
        assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
        assert_eq!(
            head.contains("content-encoding: gzip"),
            is_coded,
            "{accepted}"
        );
    }
}

#[tokio::test]
async fn a_link_opens_the_console_once_and_nothing_else() {
    let house = House::open();
    let secret = link(&house, "noc");
    for line in [
        "GET /whoami",
        "GET /restconf/data",
        "POST /length",
        "DELETE /console/session",
    ] {
        assert_eq!(asks(&house, line, &[&bearer(&secret)]).await, 403, "{line}");
    }
    let first = redeemed(&house, &secret).await;
    assert_eq!(first.status, 200, "{first:?}");
    let cookie = first.field("set-cookie");
    assert!(
        cookie.starts_with("convoke=")
            && cookie.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    let again = redeemed(&house, &secret).await.problem(401);
    assert_eq!(
        again.json()["detail"],
        "the link was used, or is older than five minutes"
    );
}

/// RFC 6265 §8.5: cookies are of a host, so that the port must be in the name.
#[tokio::test]
async fn a_cookie_is_named_by_the_port_and_secure_over_https() {
    let house = House::open();
    for (host, origin, begins, is_secure) in [
        (
            "localhost:8880",
            "http://localhost:8880",
            "convoke-8880=",
            false,
        ),
        (
            "localhost:8881",
            "https://localhost:8881",
            "__Host-convoke-8881=",
            true,
        ),
        ("localhost", "https://localhost", "__Host-convoke=", true),
    ] {
        let fields = [
            format!("Host: {host}"),
            format!("Origin: {origin}"),
            bearer(&link(&house, "noc")),
        ];
        let fields = fields.each_ref().map(String::as_str);
        let answer = house.ask("POST /console/session", &fields).await;
        let cookie = answer.field("set-cookie");
        assert!(cookie.starts_with(begins), "{cookie}");
        assert_eq!(cookie.contains("; Secure"), is_secure, "{cookie}");
        // It counts at the port that it was made at.
        let session = Session::of(&answer);
        let [cookie, page] = session.fields();
        let host = format!("Host: {host}");
        for (host, status) in [(host.as_str(), 200), ("Host: localhost:1", 401)] {
            let asked = asks(&house, "GET /whoami", &[host, cookie, page]).await;
            assert_eq!(asked, status, "{host}");
        }
    }
}

#[tokio::test]
async fn what_another_has_planted_does_not_hide_a_secure_cookie() {
    let house = House::open();
    let planted = session(&house, "operator").await;
    let own = session(&house, "noc").await;
    let value = |of: &Session| of.cookie.rsplit_once('=').unwrap().1.to_owned();
    let cookies = format!(
        "Cookie: convoke={}; __Host-convoke={}",
        value(&planted),
        value(&own)
    );
    let host = "Host: localhost";
    let answer = house.ask("GET /whoami", &[host, &cookies, &own.page]).await;
    assert_eq!(answer.json()["name"], "noc", "{answer:?}");
    // Nor is it taken in place of one that has ended.
    let cookies = cookies.replace(&value(&own), &value(&own).to_lowercase());
    for page in [&own.page, &planted.page] {
        let asked = asks(&house, "GET /whoami", &[host, &cookies, page]).await;
        assert_eq!(asked, 401);
    }
}

#[tokio::test]
async fn a_session_is_its_user_on_restconf_and_nowhere_else() {
    let house = House::open();
    let session = session(&house, "noc").await;
    let told = house.ask("GET /whoami", &session.fields()).await.json();
    assert_eq!(
        (&told["name"], &told["credential"]["kind"]),
        (&"noc".into(), &"session".into())
    );
    let read = house.ask("GET /restconf/data", &session.fields()).await;
    assert_eq!(read.body, "noc");
    let agents = house.ask("GET /agents/noc/tasks", &session.fields()).await;
    assert_eq!(agents.status, 403, "{agents:?}");
    // No session makes another.
    assert_eq!(
        asks(&house, "POST /console/session", &session.fields()).await,
        403
    );
    // Who shows a token is its bearer, whatever cookie his browser adds.
    let bearer = house.bearer("operator");
    let both = [&session.cookie, &session.page, &bearer].map(String::as_str);
    let both = house.ask("GET /restconf/data", &both).await;
    assert_eq!(both.body, "operator");
}

/// Whoever has a token has its bearer's rights on RESTCONF already: a session gives him no more, in a browser.
#[tokio::test]
async fn a_token_begins_a_session_within_its_own_bounds() {
    let house = House::open();
    for (name, scope, status) in [
        ("noc", &[][..], 200),
        ("noc", &["restconf"], 200),
        ("noc", &["restconf", "a2a"], 200),
        ("noc", &["a2a"], 403),
        ("noc", &["console-begin", "console"], 403),
        // The console is for users.
        ("ip", &[], 403),
    ] {
        let token = house.issue(name, 3_600, scope).token;
        let begun = redeemed(&house, &token).await;
        assert_eq!(begun.status, status, "{name} {scope:?} {begun:?}");
        if status == 403 {
            assert_eq!(begun.field("set-cookie"), "");
            continue;
        }
        let own = Session::of(&begun);
        for (line, status) in [
            ("GET /whoami", 200),
            ("GET /restconf/data", 200),
            // Even of a token that opens it: a session is its user on RESTCONF and nowhere else.
            ("GET /agents/noc/tasks", 403),
            ("POST /console/session", 403),
            ("DELETE /console/session", 204),
            ("GET /whoami", 401),
        ] {
            let asked = asks(&house, line, &own.fields()).await;
            assert_eq!(asked, status, "{scope:?} {line}");
        }
        // Who signs out keeps his token.
        let kept = redeemed(&house, &token).await.status;
        assert_eq!(kept, 200, "{scope:?}");
    }
    let lacking = house.issue("noc", 3_600, &["a2a"]).token;
    let refused = redeemed(&house, &lacking).await.json();
    assert_eq!(refused["detail"], "the token has not the scope 'restconf'");
}

#[tokio::test]
async fn a_session_by_token_ends_with_it_and_with_the_key() {
    let house = House::open();
    // With its time, although sessions last longer.
    let short = house.issue("noc", 600, &[]).token;
    let begun = redeemed(&house, &short).await;
    let cookie = begun.field("set-cookie").to_owned();
    assert!(cookie.contains("; Max-Age=600;"), "{cookie}");
    let own = Session::of(&begun);
    house.pass_s(599);
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 200);
    house.pass_s(1);
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 401);
    // The tolerance for clocks begins none.
    let late = redeemed(&house, &short).await.problem(401);
    assert_eq!(late.json()["detail"], "the token has expired");
    // No longer than other sessions.
    let long = house.issue("noc", 30 * 86_400, &[]).token;
    let own = Session::of(&redeemed(&house, &long).await);
    house.pass_s(i64::from(SESSION_S));
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 401);

    // Revoked, removed, or another than it was.
    let first = house.issue("noc", 3_600, &["restconf"]);
    let second = house.issue("noc", 3_600, &["restconf"]);
    let [one, two, three] = [&first, &first, &second].map(|it| it.token.clone());
    let one = Session::of(&redeemed(&house, &one).await);
    let two = Session::of(&redeemed(&house, &two).await);
    let three = Session::of(&redeemed(&house, &three).await);
    house.tokens().revoke(&first.entry.id).unwrap();
    for (session, status) in [(&one, 401), (&two, 401), (&three, 200)] {
        assert_eq!(asks(&house, "GET /whoami", &session.fields()).await, status);
    }
    let file = house.file(&format!("tokens/{}.json", second.entry.id));
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("restconf", "a2a")).unwrap();
    assert_eq!(asks(&house, "GET /whoami", &three.fields()).await, 401);
    std::fs::write(&file, text).unwrap();
    assert_eq!(asks(&house, "GET /whoami", &three.fields()).await, 200);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(asks(&house, "GET /whoami", &three.fields()).await, 401);

    let token = house.issue("noc", 3_600, &[]).token;
    let own = Session::of(&redeemed(&house, &token).await);
    write_public(&house.file("users/noc.pub"), generate("k").public_key()).unwrap();
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 401);
    let token = house.issue("noc", 3_600, &[]).token;
    let own = Session::of(&redeemed(&house, &token).await);
    assert!(SignIn::of(&house.folder).end_all_of("noc").unwrap() > 0);
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 401);
}

/// What a token is for is not what is written on it: a platform with another audience, a shorter validity or another key
/// takes none of before, and no session that one began.
#[tokio::test]
async fn a_session_by_token_counts_on_the_terms_of_its_platform() {
    let house = House::open();
    let tokens = house.tokens();
    let issued = house.issue("noc", 3_600, &[]);
    let mark = tokens.mark(&issued.entry);
    let now = house.clock.now();
    assert!(tokens.bears(&mark, now));
    for terms in [
        TokenTerms {
            audience: "elsewhere".to_owned(),
            ..TokenTerms::default()
        },
        TokenTerms {
            valid_max_s: 3_599,
            ..TokenTerms::default()
        },
    ] {
        let others = Tokens::open(&house.folder, terms.clone()).unwrap();
        assert!(!others.bears(&mark, now), "{terms:?}");
    }
    std::fs::remove_file(house.file("token_ed25519")).unwrap();
    assert!(!house.tokens().bears(&mark, now));
}

#[tokio::test]
async fn nobody_ends_the_sessions_of_others_by_beginning_his_own() {
    let house = House::open();
    let linked = session(&house, "noc").await;
    let token = house.issue("noc", 86_400, &[]).token;
    let others = house.issue("operator", 60, &[]).token;
    let others = Session::of(&redeemed(&house, &others).await);
    let mut own = Vec::new();
    for _ in 0..=BY_TOKEN_OF_USER_MAX {
        own.push(Session::of(&redeemed(&house, &token).await));
        house.pass_s(1);
    }
    let (first, rest) = own.split_first().unwrap();
    assert_eq!(asks(&house, "GET /whoami", &first.fields()).await, 401);
    for session in rest.iter().chain([&linked, &others]) {
        assert_eq!(asks(&house, "GET /whoami", &session.fields()).await, 200);
    }
}

/// Each waits for the disk and goes through all that there are.
#[tokio::test]
async fn a_user_begins_one_session_by_token_at_a_time() {
    let house = Arc::new(House::open());
    let token = house.issue("noc", 3_600, &[]).token;
    let mut many = JoinSet::new();
    for _ in 0..16 {
        let (house, token) = (Arc::clone(&house), token.clone());
        many.spawn(async move { redeemed(&house, &token).await });
    }
    let answers = many.join_all().await;
    let begun = answers.iter().filter(|it| it.status == 200).count();
    assert!(begun > 0, "{answers:?}");
    for answer in answers.iter().filter(|it| it.status != 200) {
        assert_eq!((answer.status, answer.field("retry-after")), (429, "1"));
    }
    let sessions = std::fs::read_dir(house.file("console/sessions")).unwrap();
    assert_eq!(sessions.count(), begun.min(BY_TOKEN_OF_USER_MAX));
    // And the next is begun.
    assert_eq!(redeemed(&house, &token).await.status, 200);
}

#[tokio::test]
async fn no_other_page_can_use_a_session() {
    let house = House::open();
    let own = session(&house, "noc").await;
    let other = session(&house, "noc").await;
    let page = own.page.as_str();
    for (line, fields, status) in [
        // As a server of another port is sent it, and whoever listens there could send it.
        ("GET /restconf/data", vec![], 401),
        ("GET /stream", vec![], 401),
        ("GET /whoami", vec![], 401),
        ("GET /whoami", vec!["Console-Request: 1"], 401),
        ("GET /whoami", vec!["Console-Request:"], 401),
        ("GET /whoami", vec![&other.page], 401),
        ("GET /whoami", vec![page], 200),
        ("GET /restconf/data", vec![page], 200),
        (
            "GET /restconf/data",
            vec!["Sec-Fetch-Site: same-origin", page],
            200,
        ),
        (
            "GET /restconf/data",
            vec!["Sec-Fetch-Site: none", page],
            200,
        ),
        (
            "GET /restconf/data",
            vec!["Sec-Fetch-Site: same-site", page],
            401,
        ),
        (
            "GET /restconf/data",
            vec!["Sec-Fetch-Site: cross-site", page],
            401,
        ),
        (
            "GET /restconf/data",
            vec!["Origin: http://localhost:3000", page],
            403,
        ),
        ("POST /restconf/operations/x:y", vec![], 401),
        (
            "POST /restconf/operations/x:y",
            vec!["Content-Type: text/plain"],
            401,
        ),
        (
            "POST /restconf/operations/x:y",
            vec!["Sec-Fetch-Site: same-site", page],
            401,
        ),
        (
            "POST /restconf/operations/x:y",
            vec!["Origin: null", page],
            403,
        ),
        ("POST /restconf/operations/x:y", vec![page], 200),
        ("DELETE /console/session", vec![], 401),
    ] {
        let fields = [&[own.cookie.as_str()], &fields[..]].concat();
        assert_eq!(
            asks(&house, line, &fields).await,
            status,
            "{line} {fields:?}"
        );
    }
    // The public ones stay so, whatever is shown.
    assert_eq!(
        asks(
            &house,
            "GET /",
            &[HTML, &own.cookie, "Sec-Fetch-Site: cross-site"]
        )
        .await,
        200
    );
}

#[tokio::test]
async fn links_and_sessions_end_by_time_key_and_hand() {
    let house = House::open();
    let late = link(&house, "noc");
    house.pass_s(i64::from(LINK_S));
    assert_eq!(redeemed(&house, &late).await.status, 401);

    let own = session(&house, "noc").await;
    house.pass_s(i64::from(SESSION_S) - 1);
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 200);
    house.pass_s(1);
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 401);

    let [own, other] = [session(&house, "noc").await, session(&house, "noc").await];
    let out = house.ask("DELETE /console/session", &own.fields()).await;
    assert_eq!(out.status, 204);
    assert!(
        out.field("set-cookie")
            .contains("convoke=; Path=/; Max-Age=0;"),
        "{out:?}"
    );
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 401);
    assert_eq!(asks(&house, "GET /whoami", &other.fields()).await, 200);
    let unused = link(&house, "noc");
    assert_eq!(SignIn::of(&house.folder).end_all_of("noc").unwrap(), 2);
    assert_eq!(asks(&house, "GET /whoami", &other.fields()).await, 401);
    assert_eq!(redeemed(&house, &unused).await.status, 401);

    let (own, unused) = (session(&house, "noc").await, link(&house, "noc"));
    write_public(&house.file("users/noc.pub"), generate("k").public_key()).unwrap();
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 401);
    assert_eq!(redeemed(&house, &unused).await.status, 401);

    // An agent that has the key and the name of who was a user is another.
    let (own, unused) = (session(&house, "noc").await, link(&house, "noc"));
    std::fs::create_dir_all(house.file("agents")).unwrap();
    std::fs::rename(house.file("users/noc.pub"), house.file("agents/noc.pub")).unwrap();
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 401);
    assert_eq!(redeemed(&house, &unused).await.status, 401);
}

#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let limits = HttpLimits {
        recheck: Duration::from_millis(20),
        ..HttpLimits::default()
    };
    let house = House::within(limits);
    let own = session(&house, "noc").await;
    let mut stream = Line::to(house.address).await;
    stream.send(&request("GET /stream", &own.fields())).await;
    let writer = house.writer().await;
    writer.send("one".into()).await.unwrap();
    let mut told = String::new();
    while !told.ends_with("\r\none\r\n") {
        told += &stream.piece().await;
    }
    let out = house.ask("DELETE /console/session", &own.fields()).await;
    assert_eq!(out.status, 204, "{out:?}");
    // The last chunk, as at any end.
    assert_eq!(stream.piece().await, "0\r\n\r\n");
    drop(writer);
}

#[tokio::test]
async fn a_folder_tells_nobody_how_to_get_in() {
    let house = House::open();
    let secret = link(&house, "noc");
    let files: Vec<_> = std::fs::read_dir(house.file("console/links"))
        .unwrap()
        .collect();
    let [Ok(file)] = &files[..] else {
        panic!("{files:?}")
    };
    let name = file.file_name().into_string().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(!text.contains(&secret) && !name.contains(&secret));
    // The name of a file is no secret, nor is anything that leads out of the folder.
    let stem = name.trim_end_matches(".json");
    for guess in [
        stem,
        "../../users/noc",
        "",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ] {
        let sign_in = SignIn::of(&house.folder);
        assert_eq!(
            sign_in.known(CredentialKind::Link, guess, house.clock.now()),
            None,
            "{guess}"
        );
    }
    // A folder in which everybody may write lets nobody in.
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(house.file("console/links"), open).unwrap();
    assert_eq!(redeemed(&house, &secret).await.status, 401);
}

#[tokio::test]
async fn guessing_is_put_off_and_a_session_that_ended_is_not() {
    let house = House::open();
    let mut line = Line::to(house.address).await;
    let guess = bearer("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    let mut statuses = Vec::new();
    for _ in 0..40 {
        statuses.push(line.ask("POST /console/session", &[&guess]).await.status);
    }
    assert_eq!(statuses[0], 401);
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");

    let house = House::open();
    let mut line = Line::to(house.address).await;
    let ended = "Cookie: convoke=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    for _ in 0..40 {
        let fields = [ended, "Console-Request: 1"];
        assert_eq!(line.ask("GET /whoami", &fields).await.status, 401);
    }
    assert_eq!(
        line.ask("GET /whoami", &[&house.bearer("noc")])
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn links_and_sessions_are_bounded_and_of_users_only() {
    let house = House::open();
    let sign_in = SignIn::of(&house.folder);
    let first = link(&house, "noc");
    house.pass_s(1);
    for _ in 0..CREDENTIALS_MAX {
        link(&house, "noc");
    }
    let count = std::fs::read_dir(house.file("console/links"))
        .unwrap()
        .count();
    assert_eq!(count, CREDENTIALS_MAX);
    assert_eq!(redeemed(&house, &first).await.status, 401);
    house.pass_s(i64::from(LINK_S));
    link(&house, "noc");
    let count = std::fs::read_dir(house.file("console/links"))
        .unwrap()
        .count();
    assert_eq!(count, 1, "what is over is removed");
    for name in ["ip", "nobody", "../operator_ed25519"] {
        let refused = sign_in.link(name, house.clock.now());
        assert!(matches!(refused, Err(SignInError::Stranger(_))), "{name}");
    }
}

#[tokio::test]
async fn the_folder_has_neither_secret_of_a_session() {
    let house = House::open();
    let own = session(&house, "noc").await;
    let files = std::fs::read_dir(house.file("console/sessions")).unwrap();
    let texts = files.map(|file| {
        let file = file.unwrap().path();
        format!("{file:?}{}", std::fs::read_to_string(&file).unwrap())
    });
    let text: String = texts.collect();
    let page = own.page.strip_prefix("Console-Request: ").unwrap();
    let cookie = own.cookie.rsplit_once('=').unwrap().1;
    assert!(!text.contains(page) && !text.contains(cookie), "{text}");
    // One of before there was a second secret lets nobody in.
    let file = std::fs::read_dir(house.file("console/sessions")).unwrap();
    let file = file.last().unwrap().unwrap().path();
    let (kept, _) = text[text.find('{').unwrap()..]
        .split_once(",\"page\"")
        .unwrap();
    std::fs::write(file, format!("{kept}}}")).unwrap();
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 401);
}

/// Of many who redeem one link at once, one gets in.
#[tokio::test]
async fn a_link_is_redeemed_by_one_of_many() {
    let house = Arc::new(House::open());
    let secret = link(&house, "noc");
    let mut many = JoinSet::new();
    for _ in 0..16 {
        let (house, secret) = (Arc::clone(&house), secret.clone());
        many.spawn(async move { redeemed(&house, &secret).await });
    }
    let answers = many.join_all().await;
    let let_in = answers.iter().filter(|it| it.status == 200).count();
    assert_eq!(let_in, 1, "{answers:?}");
    let sessions = std::fs::read_dir(house.file("console/sessions")).unwrap();
    assert_eq!(sessions.count(), 1, "the others left nothing");
}

#[tokio::test]
async fn sign_in_is_in_the_audit_trail_without_the_secret() {
    let house = House::open();
    let secret = link(&house, "noc");
    redeemed(&house, &secret).await;
    let event = house.audited().await;
    assert_eq!((event.kind, event.user.as_str()), (AuditKind::Login, "noc"));
    assert!(
        format!("{event:?}").contains("link to the console"),
        "{event:?}"
    );
    assert!(!format!("{event:?}").contains(&secret));
}

#[tokio::test]
async fn a_session_names_the_token_that_began_it_in_the_audit_trail() {
    let house = House::open();
    let issued = house.issue("noc", 3_600, &[]);
    let own = Session::of(&redeemed(&house, &issued.token).await);
    assert_eq!(asks(&house, "GET /whoami", &own.fields()).await, 200);
    let token = format!("token {}", issued.entry.id);
    let session = format!("session of the console by {token}");
    for subject in [token, session] {
        let event = house.audited().await;
        let told = (event.kind, event.user.as_str(), event.subject.as_str());
        assert_eq!(told, (AuditKind::Login, "noc", subject.as_str()));
    }
}
