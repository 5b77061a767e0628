//! The notifications of subscribers: identical live and in replay to the byte, selected exactly by
//! their filter, and the end of each session.
//!
//! In memory, where time is the test's: nothing here waits. Filters are made from received
//! notifications, so that each selects something; random ones are seeded and the seed is printed.
//! Read next: `slow.rs`, for subscribers that do not read.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use bindings::netconf::{
    NegotiateRequest, Peer, REGISTRY_NAMESPACE, Session, USAGE_NAMESPACE, negotiate_request,
};
use domain::content::Content;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::Endpoint;
use harness::conformance::{Heard, Host, Opening, Patience, Wire};
use harness::memory::{BEGIN, Memory};
use harness::xml;
use netconf::framing::Decoder;
use netconf::names::capability::BASE_1_0;
use netconf::names::namespace::{BASE, NETCONF_NOTIFICATIONS, NOTIFICATION};
use netconf::xml::XmlElement;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::task::{Context, Waker};

/// A client in memory: everything due has arrived when it reads.
struct Client {
    wire: Box<dyn Wire>,
    decoder: Decoder,
    session: String,
    closed: bool,
}

impl Client {
    /// Connects, and reads the server's hello without an answer.
    fn connect(memory: &mut Memory, user: &str) -> Self {
        let opening = Opening {
            user: user.to_owned(),
            endpoint: "platform".to_owned(),
            framing: "1.0".to_owned(),
        };
        let mut client = Self {
            wire: memory.connect(&opening),
            decoder: Decoder::new(1 << 26),
            session: String::new(),
            closed: false,
        };
        let hello = client.heard().remove(0);
        client.session = leaves(&hello).remove("session-id").unwrap();
        client
    }

    /// Opens a session.
    fn open(memory: &mut Memory, user: &str) -> Self {
        let mut client = Self::connect(memory, user);
        client.send(&format!(
            "<hello xmlns=\"{BASE}\"><capabilities><capability>{BASE_1_0}</capability>\
             </capabilities></hello>"
        ));
        client
    }

    /// Opens a session that subscribes.
    fn subscribed(memory: &mut Memory, user: &str, inside: &str) -> Self {
        let mut client = Self::open(memory, user);
        client.call(&format!(
            "<create-subscription xmlns=\"{NOTIFICATION}\">{inside}</create-subscription>"
        ));
        client
    }

    fn send(&mut self, message: &str) {
        self.wire.send(format!("{message}]]>]]>").as_bytes());
    }

    fn call(&mut self, operation: &str) {
        self.send(&format!(
            "<rpc xmlns=\"{BASE}\" message-id=\"1\">{operation}</rpc>"
        ));
    }

    /// The messages since it last read.
    fn heard(&mut self) -> Vec<String> {
        loop {
            match self.wire.receive(Patience::Expecting) {
                Heard::Bytes(bytes) => self.decoder.push(&bytes),
                Heard::Nothing => break,
                Heard::Closed => {
                    self.closed = true;
                    break;
                }
            }
        }
        let next = || self.decoder.next_message().unwrap();
        std::iter::from_fn(next)
            .map(|message| String::from_utf8(message).unwrap())
            .collect()
    }

    /// The events since it last read, without replies and the subscription's own notifications.
    fn told(&mut self) -> Vec<String> {
        let mut heard = self.heard();
        heard.retain(|message| {
            let document = xml::parse(message).unwrap();
            document.root().is(NOTIFICATION, "notification")
                && !event(document.root()).name().ends_with("Complete")
        });
        heard
    }
}

/// The event of a notification, beside its time.
fn event(notification: XmlElement<'_>) -> XmlElement<'_> {
    let event = notification
        .children()
        .find(|child| child.name() != "eventTime");
    event.expect("a notification holds an event")
}

/// The leaves of a message by name.
fn leaves(message: &str) -> BTreeMap<String, String> {
    let document = xml::parse(message).unwrap();
    let mut leaves = BTreeMap::new();
    for_each_leaf(document.root(), &mut Vec::new(), &mut |path, value| {
        leaves.insert(path.last().unwrap().1.clone(), value.to_owned());
    });
    leaves
}

/// Namespaces and names from the event down.
type Path = Vec<(String, String)>;

fn for_each_leaf(element: XmlElement<'_>, path: &mut Path, take: &mut impl FnMut(&Path, &str)) {
    path.push((element.namespace().to_owned(), element.name().to_owned()));
    match element.has_children() {
        true => element
            .children()
            .for_each(|child| for_each_leaf(child, path, take)),
        false => take(path, element.trimmed_text()),
    }
    path.pop();
}

/// The leaves of an event, as filters name them.
fn facts(message: &str) -> Vec<(Path, String)> {
    let document = xml::parse(message).unwrap();
    let mut facts = Vec::new();
    for_each_leaf(
        event(document.root()),
        &mut Vec::new(),
        &mut |path, value| {
            facts.push((path.clone(), value.to_owned()));
        },
    );
    facts
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
        .replace('\n', "&#10;")
}

/// A subtree filter for events with these leaves, which are in one container each.
fn subtree(facts: &[&(Path, String)]) -> String {
    // A tree of what is asked, so that two leaves of a container are asked of the same one.
    fn write(facts: &[(&[(String, String)], &str)], out: &mut String) {
        let mut seen: Vec<&(String, String)> = Vec::new();
        for (path, _) in facts {
            let step = &path[0];
            if seen.contains(&step) {
                continue;
            }
            seen.push(step);
            out.push_str(&format!("<{} xmlns=\"{}\">", step.1, step.0));
            let below: Vec<_> = facts.iter().filter(|(p, _)| p[0] == *step).collect();
            match below.iter().find(|(p, _)| p.len() == 1) {
                Some((_, value)) => out.push_str(&escaped(value)),
                None => write(
                    &below.iter().map(|(p, v)| (&p[1..], *v)).collect::<Vec<_>>(),
                    out,
                ),
            }
            out.push_str(&format!("</{}>", step.1));
        }
    }
    let facts: Vec<(&[(String, String)], &str)> = facts
        .iter()
        .map(|(path, value)| (&path[..], value.as_str()))
        .collect();
    let mut out = "<filter type=\"subtree\">".to_owned();
    write(&facts, &mut out);
    out + "</filter>"
}

/// An XPath filter: the event with all these leaves, or with any of them.
fn xpath(facts: &[&(Path, String)], joined: &str) -> String {
    let mut prefixes: Vec<&str> = Vec::new();
    let mut steps = |path: &[(String, String)]| {
        let step = |(namespace, name): &(String, String)| {
            let place = prefixes.iter().position(|p| p == namespace);
            let place = place.unwrap_or_else(|| {
                // The facts outlive the filter that is made of them.
                prefixes.push(namespace_of(facts, namespace));
                prefixes.len() - 1
            });
            format!("p{place}:{name}")
        };
        path.iter().map(step).collect::<Vec<_>>().join("/")
    };
    let root = steps(&facts[0].0[..1]);
    let tests: Vec<String> = facts
        .iter()
        .map(|(path, value)| format!("{}='{value}'", steps(&path[1..])))
        .collect();
    let select = escaped(&format!("/{root}[{}]", tests.join(joined)));
    let declared: String = prefixes
        .iter()
        .enumerate()
        .map(|(n, namespace)| format!(" xmlns:p{n}=\"{namespace}\""))
        .collect();
    format!("<filter{declared} type=\"xpath\" select=\"{select}\"/>")
}

fn namespace_of<'f>(facts: &[&'f (Path, String)], namespace: &str) -> &'f str {
    let mut steps = facts.iter().flat_map(|(path, _)| path);
    let found = steps.find(|(known, _)| known == namespace);
    &found.expect("it is of these facts").0
}

/// The time of a notification, in its own notation.
fn time_of(message: &str) -> String {
    leaves(message).remove("eventTime").unwrap()
}

fn assign(client: &mut Client, to: &str, task: &str, what: &str) {
    let request = NegotiateRequest {
        to: Some(to),
        task: Some(task),
        content: vec![Content::new("site <1> & \"2\"", what).render()],
        asynchronous: Some(true),
        ..NegotiateRequest::default()
    };
    client.call(&negotiate_request(Verb::TaskAssign, &request));
}

/// A feasibility question about a task, and optionally the acceptance of a counter-offer.
fn negotiate(client: &mut Client, task: &str, what: &str, accepted: bool) {
    let mut say = |text: String| {
        let request = NegotiateRequest {
            to: Some("ip"),
            task: Some(task),
            content: vec![text],
            ..NegotiateRequest::default()
        };
        client.call(&negotiate_request(Verb::FeasibilityNegotiate, &request));
    };
    say(Content::new("site <1>", what).render());
    let word = if accepted { "accept" } else { "refuse" };
    let word = Content::new("site <1>", "so & so").with_result(word);
    say(word.render());
}

/// Registers, changes, marks as unhealthy or removes an external agent.
fn registry(client: &mut Client, step: usize) {
    let register = |version: &str| {
        format!(
            "<register-agent xmlns=\"{REGISTRY_NAMESPACE}\"><name>remote</name><description>works \
             &lt;far&gt; away</description><version>{version}</version><provider>Example\
             </provider><layer>resource</layer></register-agent>"
        )
    };
    let own =
        |rpc: &str, inside: &str| format!("<{rpc} xmlns=\"{REGISTRY_NAMESPACE}\">{inside}</{rpc}>");
    client.call(&match step {
        0 => register("1.0.0"),
        1 => own("renew-lease", "<health>degraded</health>"),
        2 => register("1.1.0"),
        3 => own("renew-lease", ""),
        _ => own("deregister-agent", ""),
    });
}

/// Makes tasks of every kind, negotiations, registrations and sessions, and advances time.
fn load(memory: &mut Memory, rng: &mut SeededRng, tasks: usize) {
    let mut remote = Client::open(memory, "remote");
    let users = ["operator", "oss", "wireless"];
    let mut clients = users.map(|user| Client::open(memory, user));
    for n in 0..tasks {
        let what = ["now", "later", "ask", "block", "fail", "refuse", "idle"][pick(rng, 7)];
        let to = ["ip", "wireless"][pick(rng, 2)];
        let client = &mut clients[pick(rng, 3)];
        assign(
            client,
            to,
            &format!("task-{n}"),
            &format!("{what} & <so> on"),
        );
        if n % 2 == 0 {
            let what = ["offer", "options", "think", "refuse", "ponder"][n / 2 % 5];
            negotiate(client, &format!("plan-{n}"), what, n % 4 == 0);
        }
        client.heard();
        if n % 3 == 0 {
            registry(&mut remote, n / 3 % 5);
            remote.heard();
        }
        if pick(rng, 3) == 0 {
            memory.advance(500 * pick(rng, 4) as u64);
        }
        if pick(rng, 8) == 0 {
            Client::open(memory, users[pick(rng, 3)]).wire.close();
        }
    }
    memory.advance(5_000);
}

fn pick(rng: &mut SeededRng, of: usize) -> usize {
    rng.next_u32() as usize % of
}

/// All recorded notifications, as replayed to the operator.
fn record(memory: &mut Memory) -> Vec<String> {
    let start = format!("<startTime>{BEGIN}</startTime>");
    Client::subscribed(memory, "operator", &start).told()
}

/// A random filter made from received notifications, or none.
fn random_filter(rng: &mut SeededRng, told: &[String]) -> String {
    let facts = facts(&told[pick(rng, told.len())]);
    // Without apostrophes, for XPath has no way to write both kinds of quotes in one literal.
    let usable: Vec<_> = facts
        .iter()
        .filter(|(_, value)| !value.contains('\''))
        .collect();
    let some: Vec<_> = (0..=pick(rng, 3))
        .map(|_| usable[pick(rng, usable.len())])
        .collect();
    match pick(rng, 5) {
        0 => String::new(),
        1 | 2 => subtree(&some),
        3 => xpath(&some, " and "),
        _ => xpath(&some, " or "),
    }
}

#[test]
fn a_replay_is_what_was_told_live_to_the_byte_whoever_asks_and_whatever_the_filter() {
    const FILTERS: usize = 12;
    let (mut told_in_all, mut left_out) = (0, 0);
    for seed in 0..8 {
        println!("seed {seed}");
        let mut rng = SeededRng::seed_from_u64(seed);
        // A rehearsal of the same load, to make filters of.
        let mut rehearsal = Memory::new();
        load(&mut rehearsal, &mut SeededRng::seed_from_u64(seed), 40);
        let rehearsed = record(&mut rehearsal);

        let mut memory = Memory::new();
        let mut asked = vec![("operator", String::new())];
        asked.extend((0..FILTERS).map(|_| {
            let user = ["operator", "guest", "ip", "wireless"][pick(&mut rng, 4)];
            (user, random_filter(&mut rng, &rehearsed))
        }));
        let mut subscribers: Vec<Client> = asked
            .iter()
            .map(|(user, filter)| Client::subscribed(&mut memory, user, filter))
            .collect();
        memory.advance(1_000);
        subscribers.iter_mut().for_each(|s| drop(s.told()));
        load(&mut memory, &mut SeededRng::seed_from_u64(seed), 40);
        let live: Vec<Vec<String>> = subscribers.iter_mut().map(Client::told).collect();
        for event in [
            "<condition-notifications",
            "<negotiation-update",
            "<agent-update",
            "<netconf-session-end",
        ] {
            let told = live[0].iter().filter(|m| m.contains(event)).count();
            assert!(told > 1, "{told} times {event}");
        }
        let (start, end) = (time_of(&live[0][0]), time_of(live[0].last().unwrap()));
        // The sessions that ask for the replay come after what they ask for.
        memory.advance(1_000);
        for ((user, filter), told) in asked.iter().zip(&live) {
            let inside =
                format!("{filter}<startTime>{start}</startTime><stopTime>{end}</stopTime>");
            let replayed = Client::subscribed(&mut memory, user, &inside).told();
            let first = replayed
                .iter()
                .zip(told)
                .find(|(again, once)| again != once);
            assert_eq!(first, None, "{user}: {filter}");
            assert_eq!(replayed.len(), told.len(), "{user}: {filter}");
            told_in_all += told.len();
            left_out += live[0].len() - told.len();
        }
    }
    println!("{told_in_all} were told live and on replay, {left_out} were left out");
    assert!(told_in_all > 1_000 && left_out > 1_000);
}

/// A filter on any leaf of a task's notification, with every value, in both filter languages.
#[test]
fn a_filter_on_any_leaf_selects_the_events_that_have_it_and_no_other() {
    let mut memory = Memory::new();
    load(&mut memory, &mut SeededRng::seed_from_u64(1), 12);
    // The sessions that ask come later than what they ask for.
    let until = time_of(record(&mut memory).last().unwrap());
    memory.advance(1_000);
    let period = format!("<startTime>{BEGIN}</startTime><stopTime>{until}</stopTime>");
    let whole = Client::subscribed(&mut memory, "operator", &period).told();
    let facts_of: Vec<Vec<(Path, String)>> = whole.iter().map(|m| facts(m)).collect();
    let all: BTreeSet<(Path, String)> = facts_of
        .iter()
        .flatten()
        .filter(|(path, _)| path[0].1 == "condition-notifications")
        .cloned()
        .collect();
    let names: BTreeSet<&str> = all
        .iter()
        .map(|(path, _)| path.last().unwrap().1.as_str())
        .collect();
    for leaf in [
        "task-sendFrom",
        "task-sendTo",
        "commuType",
        "task-id",
        "required",
        "task-async",
        "status",
        "start-time",
    ] {
        assert!(names.contains(leaf), "nothing was told with {leaf}");
    }
    let mut ask = |filter: &str| {
        Client::subscribed(&mut memory, "operator", &format!("{filter}{period}")).told()
    };
    for fact in &all {
        let expected: Vec<String> = whole
            .iter()
            .zip(&facts_of)
            .filter(|(_, facts)| facts.contains(fact))
            .map(|(message, _)| message.clone())
            .collect();
        assert!(!expected.is_empty());
        for filter in [subtree(&[fact]), xpath(&[fact], " and ")] {
            assert_eq!(ask(&filter), expected, "{filter}");
        }
        let other = (fact.0.clone(), "no such value".to_owned());
        for filter in [subtree(&[&other]), xpath(&[&other], " and ")] {
            assert_eq!(ask(&filter), Vec::<String>::new(), "{filter}");
        }
    }
    println!(
        "{} leaves with {} values, of {} events",
        names.len(),
        all.len(),
        whole.len()
    );
}

/// The end of a session in its notification: the reason, and the session that killed it.
fn end_of(told: &[String], session: &str) -> Vec<(String, Option<String>)> {
    let ends = told.iter().filter(|m| m.contains("<netconf-session-end"));
    ends.map(|message| leaves(message))
        .filter(|leaves| leaves["session-id"] == session)
        .map(|mut leaves| {
            assert_eq!(leaves["username"], "operator");
            (
                leaves["termination-reason"].clone(),
                leaves.remove("killed-by"),
            )
        })
        .collect()
}

/// The notifications of an observer about a session that is ended somehow.
fn told_after(end: impl FnOnce(&mut Memory, &mut Client)) -> Vec<(String, Option<String>)> {
    let mut memory = Memory::new();
    let mut observer = Client::subscribed(
        &mut memory,
        "operator",
        &format!("<filter><netconf-session-end xmlns=\"{NETCONF_NOTIFICATIONS}\"/></filter>"),
    );
    let mut client = Client::connect(&mut memory, "operator");
    end(&mut memory, &mut client);
    let told = observer.told();
    assert!(!client.heard().iter().any(|m| m.contains("<notification")));
    end_of(&told, &client.session)
}

fn greet(client: &mut Client) {
    client.send(&format!(
        "<hello xmlns=\"{BASE}\"><capabilities><capability>{BASE_1_0}</capability></capabilities>\
         </hello>"
    ));
}

fn once(reason: &str) -> Vec<(String, Option<String>)> {
    vec![(reason.to_owned(), None)]
}

#[test]
fn closed_is_told_of_a_session_that_closes() {
    let told = told_after(|_, client| {
        greet(client);
        client.call("<close-session/>");
    });
    assert_eq!(told, once("closed"));
}

#[test]
fn killed_is_told_of_a_session_that_another_killed_and_by_whom() {
    let mut killer = String::new();
    let told = told_after(|memory, client| {
        greet(client);
        let mut other = Client::open(memory, "operator");
        let victim = &client.session;
        other.call(&format!(
            "<kill-session><session-id>{victim}</session-id></kill-session>"
        ));
        killer.clone_from(&other.session);
    });
    assert_eq!(told, [("killed".to_owned(), Some(killer))]);
}

#[test]
fn dropped_is_told_of_a_session_whose_transport_was_lost() {
    let told = told_after(|_, client| {
        greet(client);
        client.wire.close();
    });
    assert_eq!(told, once("dropped"));
}

#[test]
fn timeout_is_told_of_a_session_that_says_no_hello() {
    assert_eq!(told_after(|memory, _| assert!(memory.advance(29_000))), []);
    assert_eq!(
        told_after(|memory, _| assert!(memory.advance(30_000))),
        once("timeout")
    );
}

#[test]
fn timeout_is_told_of_a_session_that_does_not_finish_a_message() {
    let told = told_after(|memory, client| {
        greet(client);
        client.wire.send(b"<rpc");
        assert!(memory.advance(60_000));
    });
    assert_eq!(told, once("timeout"));
}

#[test]
fn bad_hello_is_told_of_a_session_whose_hello_is_none() {
    assert_eq!(
        told_after(|_, client| client.call("<get/>")),
        once("bad-hello")
    );
}

#[test]
fn other_is_told_of_a_session_that_breaks_the_rules() {
    let told = told_after(|_, client| {
        greet(client);
        client.send("<rpc></not-rpc>");
    });
    assert_eq!(told, once("other"));
}

/// A transport that is lost before the hellos was never a session.
#[test]
fn nothing_is_told_of_a_transport_that_is_lost_before_the_hellos() {
    assert_eq!(told_after(|_, client| client.wire.close()), []);
}

/// A subscriber whose filter selects nothing is not woken by each event, but looks again after a
/// while.
#[test]
fn whoever_is_told_nothing_is_not_woken_by_each_event() {
    let platform = Memory::new().platform();
    let now = Timestamp::parse(BEGIN).unwrap();
    let says = |session: &mut Session, message: &str| {
        session.receive(format!("{message}]]>]]>").as_bytes(), 0);
        session.step(now, 0);
    };
    let someone = || {
        let peer = Peer {
            user: "operator".to_owned(),
            source_host: "127.0.0.1".to_owned(),
        };
        let mut session = Session::open(&platform, Endpoint::Platform, &peer, now, 0);
        let hello = format!(
            "<hello xmlns=\"{BASE}\"><capabilities><capability>{BASE_1_0}</capability>\
             </capabilities></hello>"
        );
        says(&mut session, &hello);
        session
    };
    let stored = || {
        let barrier = platform.engine().store().commit(store::Batch::default());
        barrier.wait().unwrap();
    };
    let happens = || {
        someone().leave(now);
        stored();
    };
    let is_woken = |session: &mut Session| {
        let changed = pin!(session.changed());
        let mut context = Context::from_waker(Waker::noop());
        changed.poll(&mut context).is_ready()
    };
    let mut session = someone();
    stored();
    let subscribe = format!(
        "<rpc xmlns=\"{BASE}\" message-id=\"1\"><create-subscription xmlns=\"{NOTIFICATION}\">\
         <filter type=\"subtree\"><nothing xmlns=\"urn:nothing\"/></filter>\
         </create-subscription></rpc>"
    );
    says(&mut session, &subscribe);
    happens();
    while is_woken(&mut session) {
        session.step(now, 5);
    }
    assert_eq!(session.timeout_ms(), Some(25), "it rests");
    happens();
    assert!(!is_woken(&mut session));
    session.step(now, 25);
    assert_eq!(session.timeout_ms(), Some(45), "there was more");
    session.step(now, 45);
    assert_eq!(session.timeout_ms(), None);
    happens();
    assert!(is_woken(&mut session));
}

/// Who follows a stream is in the list for as long as that lasts, with how far the subscription is.
#[test]
fn a_subscriber_that_is_behind_is_told_as_such_until_it_has_looked() {
    let platform = Memory::new().platform();
    let now = Timestamp::parse(BEGIN).unwrap();
    let begun = || {
        let peer = Peer {
            user: "operator".to_owned(),
            source_host: "127.0.0.1".to_owned(),
        };
        let mut session = Session::open(&platform, Endpoint::Platform, &peer, now, 0);
        says(
            &mut session,
            now,
            &format!(
                "<hello xmlns=\"{BASE}\"><capabilities><capability>{BASE_1_0}</capability>\
                 </capabilities></hello>"
            ),
        );
        session
    };
    let stored = || {
        let barrier = platform.engine().store().commit(store::Batch::default());
        barrier.wait().unwrap();
    };
    let mut reader = begun();
    let mut listed = || {
        says(
            &mut reader,
            now,
            &format!(
                "<rpc xmlns=\"{BASE}\" message-id=\"1\"><get><filter type=\"subtree\">\
                 <usage xmlns=\"{USAGE_NAMESPACE}\"><subscription/></usage></filter></get></rpc>"
            ),
        );
        let reply = String::from_utf8(reader.transmit()).unwrap();
        let reply = reply.rsplit("<rpc-reply").next().unwrap();
        let of = |leaf: &str| -> Vec<String> {
            let begins = format!("<{leaf}>");
            let each = reply.split(&begins).skip(1);
            let each = each.map(|rest| rest.split('<').next().unwrap().to_owned());
            each.collect()
        };
        let (ids, lags) = (of("id"), of("lag-events"));
        (ids, lags, of("sent"))
    };
    let none = || (Vec::new(), Vec::new(), Vec::new());
    let told = |id: u64, lag: u64, sent: u64| {
        let [id, lag, sent] = [id, lag, sent].map(|number| vec![number.to_string()]);
        (id, lag, sent)
    };
    assert_eq!(listed(), none());
    let mut session = begun();
    stored();
    let subscribe = format!(
        "<rpc xmlns=\"{BASE}\" message-id=\"1\"><create-subscription xmlns=\"{NOTIFICATION}\"/></rpc>"
    );
    says(&mut session, now, &subscribe);
    assert_eq!(listed(), told(1, 0, 0));
    // A session that begins and ends is two entries of the log.
    for _ in 0..3 {
        begun().leave(now);
    }
    stored();
    assert_eq!(listed(), told(1, 6, 0), "it took no step since");
    session.step(now, 5);
    assert_eq!(listed(), told(1, 0, 6));
    says(&mut session, now, &subscribe);
    assert_eq!(listed(), told(1, 0, 6), "a second one is refused");
    session.leave(now);
    assert_eq!(listed(), none(), "it has left");
    let mut again = begun();
    stored();
    says(&mut again, now, &subscribe);
    let (ids, _, _) = listed();
    assert_eq!(ids, ["2"], "no number comes again");
}

fn says(session: &mut Session, now: Timestamp, message: &str) {
    session.receive(format!("{message}]]>]]>").as_bytes(), 0);
    session.step(now, 0);
}
