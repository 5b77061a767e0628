//! Requests for a task, and news of it: without a socket.

#![allow(clippy::unwrap_used)]

use super::REMOTE_SECTION;
use super::interface::PeerInterface;
use super::remote_agent::RemoteAgent;
use super::remote_task::{AnswerOutcome, FollowMode, NextStep, RemoteTask};
use super::task_context::TaskContext;
use a2a::card::{AgentInterface, AgentSkill, Card, HTTP_JSON, JSONRPC};
use a2a::error::{Error, ErrorKind};
use a2a::event::{ArtifactUpdate, SendMessageResponse, StatusUpdate, StreamResponse};
use a2a::intent::{self, SkillExtension};
use a2a::message::{Message as Said, Part, Role};
use a2a::request::{A2aRequest, SendMessage};
use a2a::response::Response;
use a2a::task::{Artifact, Task as Told, TaskState, TaskStatus};
use a2a::telecom::declaration;
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::extension::{Family, TelecomExtension};
use a2a::telecom::negotiation::{Context, Performative, ask_in_words};
use a2a::telecom::peer::TelecomPeer;
use a2a::telecom::repertoire::TemplateCatalogue;
use a2a::telecom::text_language::TextLanguage;
use a2a::version::Version;
use a2a::{card::CardProfile, jsonrpc, objects};
use domain::agent::Message;
use domain::content::{Content, Payload};
use domain::negotiation::{Kind, Move, Negotiation, Side, Speech};
use domain::notification::Notification;
use domain::profile::Layer;
use domain::reply::Verdict;
use domain::task::{Awaits, Conditions, Status, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::IntroduceAgent;
use schema::shipped::shipped;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

fn now() -> Timestamp {
    Timestamp::from_ms(1_745_245_140_000)
}

fn interface(binding: &str, version: &str) -> AgentInterface {
    AgentInterface {
        url: "https://agent.example/a2a/".to_owned(),
        binding: binding.to_owned(),
        version: version.to_owned(),
        tenant: None,
    }
}

/// An agent that takes one schema, and one intent.
fn card() -> Card {
    let mut card = Card::new("The Surveyor!", "Looks at places.", "1.2");
    card.interfaces = vec![interface(JSONRPC, "0.3"), interface(JSONRPC, "1.0")];
    card.capabilities.streaming = Some(true);
    card.skills = ["check", "guide"]
        .map(|id| AgentSkill {
            id: id.to_owned(),
            input_modes: vec!["text/plain".to_owned()],
            ..AgentSkill::default()
        })
        .to_vec();
    card.skills[0].input_modes.push(objects::mode("check_v1"));
    let schemas = BTreeMap::from([("check_v1".to_owned(), json!({"type": "object"}))]);
    objects::declare(&mut card, &schemas, CardProfile::Strict);
    let slots = json!({
        "type": "object", "required": ["element"],
        "properties": {"element": {"type": "string"}, "hours": {"type": "integer"}},
    });
    let guide = SkillExtension {
        id: "guide".to_owned(),
        input_schema: slots.as_object().unwrap().clone(),
    };
    intent::declare(&mut card, &[guide]).unwrap();
    card
}

fn peer() -> RemoteAgent {
    RemoteAgent::of(card()).unwrap()
}

/// One schema is published here.
fn known() -> TaskContext {
    let mut template = shipped().remove(0);
    template.schema_id = "seen_v1".to_owned();
    TaskContext {
        templates: vec![Arc::new(template)],
        ..TaskContext::default()
    }
}

fn message(verb: Verb, content: Content) -> Message {
    Message {
        to: "surveyor".to_owned(),
        verb,
        task: TaskId::new("t-1"),
        content,
        alternatives: Vec::new(),
        alternative: None,
        asynchronous: true,
        round: 1,
        conditions: Conditions::default(),
    }
}

fn look() -> Content {
    Content::new("site-9", "look at it")
}

fn remote_task() -> RemoteTask {
    RemoteTask::new("surveyor", "platform", &TaskId::new("t-1"))
}

fn sent(step: NextStep) -> A2aRequest {
    match step {
        NextStep::Send(request) => *request,
        other => panic!("{other:?}"),
    }
}

fn said(step: NextStep) -> Said {
    match sent(step) {
        A2aRequest::SendMessage(SendMessage { message, .. }) => message,
        other => panic!("{other:?}"),
    }
}

fn told(state: TaskState, words: &str, artifacts: Vec<Artifact>) -> Response {
    Response::Task(Told {
        id: "there-1".to_owned(),
        context_id: "c-1".to_owned(),
        status: TaskStatus {
            state,
            message: Some(Said::new("m", Role::Agent, vec![Part::text(words)])),
            timestamp: None,
        },
        artifacts: Some(artifacts),
        history: Vec::new(),
        metadata: Default::default(),
    })
}

fn heard(remote_task: &mut RemoteTask, answer: Result<Response, Error>) -> AnswerOutcome {
    remote_task.answered(&peer(), answer, &known(), now())
}

fn news(remote_task: &mut RemoteTask, response: Response) -> Notification {
    match heard(remote_task, Ok(response)) {
        AnswerOutcome::Arrived(Some(news)) => *news,
        other => panic!("{other:?}"),
    }
}

/// A task that the agent works on.
fn working() -> RemoteTask {
    let mut remote_task = remote_task();
    remote_task.take(&peer(), &message(Verb::TaskAssign, look()), &known());
    news(
        &mut remote_task,
        told(TaskState::Working, "on the way", Vec::new()),
    );
    remote_task
}

/// Q60, Q70: typed data if the agent takes the schema, an intent if one skill alone takes all that is
/// said, else words.
#[test]
fn the_card_chooses_how_a_task_is_said() {
    let begun = |payload: Option<Payload>| {
        let mut content = look();
        content.payload = payload;
        said(remote_task().take(&peer(), &message(Verb::TaskAssign, content), &known()))
    };
    let typed = begun(Some(Payload::new("check_v1", json!({"site": 9}))));
    assert_eq!(typed.message_id, "t-1", "sent again it is the same");
    assert_eq!(
        objects::schema_of(&typed.parts[0]).as_deref(),
        Some("check_v1")
    );
    assert_eq!(typed.extensions, [objects::URI]);

    let routed = begun(Some(Payload::new(
        "g_v1",
        json!({"element": "x", "hours": 3}),
    )));
    let infos = intent::infos(&routed.metadata).unwrap();
    assert_eq!(infos[0].intent, "guide");
    let slots: Vec<_> = infos[0]
        .slots
        .iter()
        .map(|it| (it.name.as_str(), it.said()))
        .collect();
    assert_eq!(slots, [("element", "x"), ("hours", "3")]);

    for unfit in [
        json!({"hours": 3}),
        json!({"element": "x", "colour": "red"}),
    ] {
        let words = begun(Some(Payload::new("g_v1", unfit)));
        assert!(words.metadata.is_empty() && words.extensions.is_empty());
        assert!(
            words.words().contains("look at it\nIt is about: site-9\n"),
            "{words:?}"
        );
    }
    assert_eq!(begun(None).words(), "look at it\nIt is about: site-9");
}

/// Q80: states there as they are told here; the same is told once.
#[test]
fn what_happens_there_is_told_once() {
    use TaskState::*;
    for (state, status) in [
        (Submitted, Status::Processing),
        (InputRequired, Status::InputRequired),
        (AuthRequired, Status::AuthRequired),
        (Completed, Status::Finished),
        (Failed, Status::Failed),
        (Canceled, Status::Cancelled),
        (Rejected, Status::Rejected),
    ] {
        let mut remote_task = working();
        let told = told(state, "so it is", Vec::new());
        let news = news(&mut remote_task, told.clone());
        assert_eq!(
            (news.status, news.previous),
            (status, Some(Status::Processing))
        );
        assert_eq!(news.content.task_description, "so it is");
        assert_eq!(
            heard(&mut remote_task, Ok(told)),
            AnswerOutcome::Arrived(None),
            "{state:?}"
        );
    }
    assert_eq!(
        heard(&mut working(), Ok(told(Unknown, "?", Vec::new()))),
        AnswerOutcome::Arrived(None)
    );
}

/// 002 §4: a typed result is a payload if its schema is known here, else words; words bring no sections
/// with them.
#[test]
fn a_result_is_a_payload_or_words() {
    let brought = |schema: &str| {
        let values = json!({"verdict": "good"}).as_object().unwrap().clone();
        let parts = vec![
            objects::typed(schema, values),
            Part::text("## result\nfine"),
        ];
        let done = told(TaskState::Completed, "", vec![Artifact::new("a", parts)]);
        news(&mut working(), done).content
    };
    let known = brought("seen_v1");
    assert_eq!(
        known.payload,
        Some(Payload::new("seen_v1", json!({"verdict": "good"})))
    );
    assert_eq!(known.result.as_deref(), Some("### result\nfine"));
    let unknown = brought("other_v1");
    assert_eq!(unknown.payload, None);
    assert_eq!(
        unknown.result.as_deref(),
        Some("{\"verdict\":\"good\"}\n### result\nfine")
    );
    let read = Content::parse([unknown.render().as_str()]).unwrap();
    assert_eq!(read.result, unknown.result);
}

/// Issue 6 §7: after a restart the task is asked for by the name it has there, and told again only if
/// it was lost, once.
#[test]
fn a_task_is_found_again() {
    let before = news(
        &mut remote_task(),
        told(TaskState::Working, "w", Vec::new()),
    )
    .content;
    let mut reminder = look();
    let there = before.section(REMOTE_SECTION).unwrap().to_owned();
    reminder.others.push((REMOTE_SECTION.to_owned(), there));
    let mut remote_task = remote_task();
    let asked = sent(remote_task.take(&peer(), &message(Verb::TaskAssign, reminder), &known()));
    assert!(
        matches!(&asked, A2aRequest::GetTask(it) if it.id == "there-1"),
        "{asked:?}"
    );
    let lost = || Err(Error::new(ErrorKind::TaskNotFound, "gone"));
    let AnswerOutcome::Lost(again) = heard(&mut remote_task, lost()) else {
        panic!("it was lost")
    };
    assert!(matches!(&*again, A2aRequest::SendMessage(it) if it.message.message_id == "t-1"));
    assert!(
        matches!(heard(&mut remote_task, lost()), AnswerOutcome::Refused(no) if no.tag == "data-missing")
    );
    // An agent that takes tasks and keeps none is not told for ever.
    let Response::Task(taken) = told(TaskState::Working, "w", Vec::new()) else {
        unreachable!("it is one")
    };
    heard(
        &mut remote_task,
        Ok(Response::Sent(SendMessageResponse::Task(taken))),
    );
    assert!(matches!(
        heard(&mut remote_task, lost()),
        AnswerOutcome::Refused(_)
    ));
    let down = Err(Error::new(ErrorKind::Unavailable, "later"));
    assert!(matches!(
        heard(&mut remote_task, down),
        AnswerOutcome::NotNow(_)
    ));
}

/// Q65, F23: an answer goes on in the task there, a refused result in its conversation; what is accepted
/// needs no word, and what A2A has no word for is refused.
#[test]
fn words_of_the_publisher_go_where_they_belong() {
    let mut remote_task = working();
    news(
        &mut remote_task,
        told(TaskState::InputRequired, "how deep?", Vec::new()),
    );
    assert_eq!(remote_task.following(&peer()), FollowMode::Waiting);
    let word = |words: &str| Content::new("site-9", "said").with_result(words);
    let fulfil = |content| message(Verb::FulfillmentNegotiate, content);
    let answer = said(remote_task.take(&peer(), &fulfil(word("two metres")), &known()));
    assert_eq!(answer.task_id.as_deref(), Some("there-1"));
    assert!(answer.message_id.starts_with("t-1/"));

    news(
        &mut remote_task,
        told(TaskState::Completed, "done", Vec::new()),
    );
    assert_eq!(remote_task.following(&peer()), FollowMode::Over);
    assert_eq!(
        remote_task.take(&peer(), &fulfil(word("accept")), &known()),
        NextStep::Settled
    );
    let anew = said(remote_task.take(&peer(), &fulfil(word("reject\n- too shallow")), &known()));
    assert_eq!(
        (anew.task_id, anew.context_id.as_deref()),
        (None, Some("c-1"))
    );
    assert_eq!(anew.reference_task_ids, ["there-1"]);
    let asked = remote_task.take(
        &peer(),
        &message(Verb::FeasibilityNegotiate, look()),
        &known(),
    );
    assert!(matches!(asked, NextStep::Refused(no) if no.tag == "operation-not-supported"));
    let unborn = super::RemoteTask::new("s", "p", &TaskId::new("t")).take(
        &peer(),
        &message(Verb::TaskCancel, look()),
        &known(),
    );
    assert_eq!(unborn, NextStep::Settled);
}

/// An agent that understands prompts of A2A-T, and what is known here then.
fn telecom() -> (RemoteAgent, TaskContext) {
    let templates: Vec<_> = shipped().into_iter().map(Arc::new).collect();
    let find = |id: &str| {
        templates
            .iter()
            .find(|it| it.schema_id == id)
            .map(|it| &**it)
    };
    let mut card = Card::new("radio", "Saves energy.", "1.0.0");
    card.interfaces = vec![interface(JSONRPC, "1.0")];
    declaration::declare(&mut card, &TemplateCatalogue::new(find).unwrap());
    let known = TaskContext {
        templates,
        ..TaskContext::default()
    };
    (RemoteAgent::of(card).unwrap(), known)
}

fn speak(negotiation: &mut Negotiation, by: Side, speech: Speech) {
    let said = negotiation.decide(Move::Speak(by, speech), now());
    negotiation.apply(&said.expect("in turn"));
}

fn saving(percent: u32) -> Content {
    let values = json!({"area": "Haidian", "saving_target_percent": percent});
    Content::new("Haidian", "save energy").with_payload(Payload::new("energy_saving_v1", values))
}

/// Issue 6 §5: a task is a prompt to whom no schema is declared, and what the agent asks for is
/// supplied as it asked.
#[test]
fn a_task_is_a_prompt_where_the_card_says_so() {
    let (peer, known) = telecom();
    let mut remote_task = remote_task();
    let begun = remote_task.take(&peer, &message(Verb::TaskAssign, saving(20)), &known);
    let begun = said(begun);
    let prompt = TelecomEnvelope::read(&begun.metadata).unwrap().unwrap();
    assert!(prompt.text(Family::Task).unwrap().contains("Haidian"));
    assert_eq!(begun.extensions.len(), 1);

    let context = Context {
        id: "7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3".to_owned(),
        round: 1,
        max_rounds: 5,
        performative: None,
    };
    let question = ask_in_words("How deep?", &context, TextLanguage::English);
    let question = TelecomEnvelope::new(
        TelecomExtension::all()
            .find(|it| it.family == Family::Negotiation)
            .unwrap(),
        question.template_uri,
        question.text,
    )
    .under(question.context);
    let mut asking = told(TaskState::InputRequired, "?", Vec::new());
    if let Response::Task(task) = &mut asking {
        task.status.message.as_mut().unwrap().metadata = question.write();
    }
    let heard = remote_task.answered(&peer, Ok(asking), &known, now());
    let AnswerOutcome::Arrived(Some(news)) = heard else {
        panic!("{heard:?}")
    };
    assert_eq!(news.content.task_description, "Answer: How deep?");
    let words = Content::new("Haidian", "said").with_result("two metres");
    let answer = said(remote_task.take(&peer, &message(Verb::FulfillmentNegotiate, words), &known));
    let answer = TelecomEnvelope::read(&answer.metadata).unwrap().unwrap();
    assert_eq!(
        answer.context.as_ref().unwrap().performative,
        Some(Performative::Accept)
    );
    let text = answer.text(Family::Negotiation).unwrap();
    assert!(text.contains("two metres"), "{text}");
}

/// Issue 6 §5: whether it can be done is asked in A2A-T, round by round, and what was agreed on is
/// assigned under that negotiation.
#[test]
fn feasibility_is_negotiated_with_who_speaks_telecom() {
    let (peer, mut known) = telecom();
    let mut remote_task = remote_task();
    let ours = Negotiation::between(TaskId::new("t-1"), Kind::Feasibility, "ann", "surveyor");
    let mut ours = Negotiation {
        round_limit: 3,
        ..ours
    };
    speak(&mut ours, Side::Publisher, Speech::offer(vec![saving(50)]));
    known.negotiations = vec![Arc::new(ours.clone())];
    let asked = message(Verb::FeasibilityNegotiate, saving(50));
    let offer = said(remote_task.take(&peer, &asked, &known));
    let offer = TelecomEnvelope::read(&offer.metadata).unwrap().unwrap();
    let context = offer.context.clone().unwrap();
    assert_eq!(
        (context.round, context.performative),
        (1, Some(Performative::Propose))
    );

    let later = Response::Sent(SendMessageResponse::Message(Said::new(
        "m",
        Role::Agent,
        vec![Part::text("wait")],
    )));
    let heard = remote_task.answered(&peer, Ok(later), &known, now());
    assert!(matches!(heard, AnswerOutcome::NotNow(_)), "{heard:?}");

    // As the agent would say it: less.
    let mut theirs = ours.clone();
    speak(&mut theirs, Side::Executor, Speech::offer(vec![saving(30)]));
    let find = |id: &str| {
        known
            .templates
            .iter()
            .find(|it| it.schema_id == id)
            .map(|it| &**it)
    };
    let agent = TelecomPeer::of(&peer.card, &TemplateCatalogue::new(find).unwrap()).unwrap();
    let less = agent
        .turn(
            &theirs,
            &context.id,
            context.max_rounds,
            TextLanguage::English,
        )
        .unwrap();
    let mut answer = Said::new("m", Role::Agent, vec![Part::text("less")]);
    answer.metadata = less.write();
    let answer = Response::Sent(SendMessageResponse::Message(answer));
    let heard = remote_task.answered(&peer, Ok(answer), &known, now());
    let AnswerOutcome::Replied(reply) = heard else {
        panic!("{heard:?}")
    };
    assert_eq!(reply.verdict, Verdict::Offered);
    let offered = reply.content[0].payload.clone().unwrap();
    assert_eq!(offered.number("saving_target_percent"), Some(30.0));

    speak(&mut theirs, Side::Publisher, Speech::accept());
    known.negotiations = vec![Arc::new(theirs)];
    let accepted = said(remote_task.take(&peer, &asked, &known));
    let accepted = TelecomEnvelope::read(&accepted.metadata).unwrap().unwrap();
    assert_eq!(
        accepted.context.unwrap().performative,
        Some(Performative::Accept)
    );
    let noted = Said::new("m", Role::Agent, vec![Part::text("noted")]);
    let noted = Response::Sent(SendMessageResponse::Message(noted));
    let heard = remote_task.answered(&peer, Ok(noted), &known, now());
    assert_eq!(
        heard,
        AnswerOutcome::Arrived(None),
        "words to an acceptance are no result"
    );
    let order = said(remote_task.take(&peer, &message(Verb::TaskAssign, saving(30)), &known));
    let order = TelecomEnvelope::read(&order.metadata).unwrap().unwrap();
    assert_eq!(order.context.as_ref().unwrap().id, context.id);
    assert!(order.text(Family::Task).unwrap().contains("30"));
}

/// Issue 6 §5: a decision that the agent offers while it works is put to the publisher here, whose word on
/// it goes back under the same negotiation.
#[test]
fn a_decision_is_taken_here_and_told_there() {
    let (peer, mut known) = telecom();
    let mut remote_task = remote_task();
    remote_task.take(&peer, &message(Verb::TaskAssign, saving(50)), &known);
    let find = |id: &str| {
        known
            .templates
            .iter()
            .find(|it| it.schema_id == id)
            .map(|it| &**it)
    };
    let agent = TelecomPeer::of(&peer.card, &TemplateCatalogue::new(find).unwrap()).unwrap();
    let theirs = Negotiation::between(TaskId::new("there"), Kind::Fulfillment, "platform", "radio");
    let mut theirs = Negotiation {
        round_limit: 3,
        ..theirs
    };
    speak(&mut theirs, Side::Executor, Speech::offer(vec![saving(30)]));
    let id = "7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3";
    let offer = agent.turn(&theirs, id, 5, TextLanguage::English).unwrap();
    let mut waiting = told(TaskState::InputRequired, "so?", Vec::new());
    if let Response::Task(task) = &mut waiting {
        task.status.message.as_mut().unwrap().metadata = offer.write();
    }
    let heard = remote_task.answered(&peer, Ok(waiting.clone()), &known, now());
    let AnswerOutcome::Arrived(Some(news)) = heard else {
        panic!("{heard:?}")
    };
    assert_eq!(news.awaits, Some(Awaits::Decision));
    let offered = news.content.payload.clone().unwrap();
    assert_eq!(offered.number("saving_target_percent"), Some(30.0));

    // Asked for again before the publisher has decided, it is known and still under its context.
    known.negotiations = vec![Arc::new(theirs.clone())];
    let heard = remote_task.answered(&peer, Ok(waiting.clone()), &known, now());
    assert_eq!(heard, AnswerOutcome::Arrived(None));
    speak(&mut theirs, Side::Publisher, Speech::accept());
    known.negotiations = vec![Arc::new(theirs)];
    let word = message(
        Verb::FulfillmentNegotiate,
        Content::new("Haidian", "accept"),
    );
    let accepted = said(remote_task.take(&peer, &word, &known));
    assert_eq!(accepted.task_id.as_deref(), Some("there-1"));
    let accepted = TelecomEnvelope::read(&accepted.metadata).unwrap().unwrap();
    let context = accepted.context.unwrap();
    assert_eq!(
        (context.id.as_str(), context.performative),
        (id, Some(Performative::Accept))
    );

    // What it offered is known by now.
    let heard = remote_task.answered(&peer, Ok(waiting), &known, now());
    assert_eq!(heard, AnswerOutcome::Arrived(None));
}

/// Issue 6 §5: an order to report is a subscription, and each artifact of it is a report here.
#[test]
fn an_order_to_report_is_a_subscription() {
    let (peer, known) = telecom();
    let mut remote_task = remote_task();
    let payload = Payload::new("fault_incident_v1", json!({"domain": "IP"}));
    let order = Content::new("IP", "report incidents").with_payload(payload);
    let begun = said(remote_task.take(&peer, &message(Verb::TaskAssign, order), &known));
    let subscription = TelecomEnvelope::read(&begun.metadata).unwrap().unwrap();
    let text = subscription.text(Family::Notification).unwrap();
    assert!(text.contains("Network domain: IP"), "{text}");
    let working = told(TaskState::Working, "taken", Vec::new());
    remote_task.answered(&peer, Ok(working), &known, now());
    let report = json!({"faultManagement.Incident": {"csn": "ip-4", "priority": "high"}});
    let artifact = StreamResponse::Artifact(ArtifactUpdate {
        task_id: "there-1".to_owned(),
        context_id: "c-1".to_owned(),
        artifact: Artifact::new("a-1", vec![Part::data(report)]),
        append: false,
        last_chunk: true,
        metadata: Default::default(),
    });
    let news = remote_task
        .streamed(&peer, &artifact, &known, now())
        .unwrap();
    assert_eq!(news.status, Status::Processing);
    assert!(news.content.task_description.contains(r#""csn":"ip-4""#));
}

/// A9: events of a stream are told as they come; one that settles a task is left to who asks for it
/// whole.
#[test]
fn events_are_told_until_the_task_settles() {
    let mut remote_task = working();
    assert_eq!(
        remote_task.following(&peer()),
        FollowMode::Stream("there-1".to_owned())
    );
    let mut event = |state, words: &str| {
        let status = TaskStatus {
            state,
            message: Some(Said::new("m", Role::Agent, vec![Part::text(words)])),
            timestamp: None,
        };
        let update = StreamResponse::Status(StatusUpdate {
            task_id: "there-1".to_owned(),
            context_id: "c-1".to_owned(),
            status,
            metadata: Default::default(),
        });
        let news = remote_task.streamed(&peer(), &update, &known(), now());
        news.map(|news| news.content.task_description)
    };
    assert_eq!(
        event(TaskState::Working, "half way").as_deref(),
        Some("half way")
    );
    assert_eq!(event(TaskState::Working, "half way"), None);
    assert_eq!(event(TaskState::Completed, "there"), None);
}

/// Issue 6 §7: the profile is what the card says; the member that cannot be used is named.
#[test]
fn a_card_becomes_a_profile_or_is_refused_by_member() {
    let introduction = IntroduceAgent {
        card_url: "https://agent.example".to_owned(),
        name: None,
        alias: None,
        agent_type: None,
        domain: Some("IP".to_owned()),
        management_object: None,
        layer: Layer::Resource,
        province: None,
        lease_ms: 10_000,
    };
    let profile = peer().profile(&introduction).unwrap();
    assert_eq!(
        (profile.name.as_str(), profile.version.as_str()),
        ("The-Surveyor", "1.2.0")
    );
    assert_eq!(profile.skills[0].schemas, ["check_v1"]);
    assert_eq!(profile.skills[0].input_modes, ["text"]);
    assert!(profile.check().is_ok() && profile.capability.streaming);
    // Of its examples those are taken that a profile holds.
    let mut talkative = card();
    let examples = ["", &"x".repeat(513), "check BE-017"].map(str::to_owned);
    let many = (0..21_000).map(|number| number.to_string());
    talkative.skills[0].examples = examples.into_iter().chain(many).collect();
    let profile = RemoteAgent::of(talkative).unwrap().profile(&introduction);
    let profile = profile.unwrap();
    let taken = &profile.skills[0].examples;
    assert_eq!((taken[0].as_str(), taken.len()), ("check BE-017", 64));
    assert_eq!(profile.check(), Ok(()));

    let refused = |change: fn(&mut Card)| {
        let mut card = card();
        change(&mut card);
        let profile = RemoteAgent::of(card).and_then(|it| it.profile(&introduction));
        profile.unwrap_err().member
    };
    assert_eq!(refused(|it| it.interfaces.clear()), "supportedInterfaces");
    let wants = |it: &mut Card| {
        it.extensions[0].uri = "urn:x".to_owned();
        it.extensions[0].required = true;
    };
    assert_eq!(refused(wants), "capabilities.extensions");
    assert_eq!(refused(|it| it.version = "soon".to_owned()), "version");
    assert_eq!(refused(|it| it.name = "???".to_owned()), "name");
    let needs = |it: &mut Card| it.security = vec![BTreeMap::from([("key".to_owned(), vec![])])];
    assert_eq!(refused(needs), "securityRequirements");
}

/// A1, A2: v1.0 before v0.3, and in each version and binding a request that the other side reads.
#[test]
fn a_request_travels_in_every_version_and_binding() {
    assert_eq!(peer().interface, PeerInterface::of(&card()).unwrap());
    for version in Version::ALL {
        for binding in [JSONRPC, HTTP_JSON] {
            let mut card = card();
            card.interfaces = vec![
                interface("GRPC", "1.0"),
                interface(binding, version.as_str()),
            ];
            let place = PeerInterface::of(&card).unwrap();
            let message = Said::new("m", Role::User, vec![Part::text("look")]);
            let request = A2aRequest::SendMessage(SendMessage::new(message.clone()));
            let sending = place.write(&request, &[objects::URI.to_owned()]).unwrap();
            assert!(
                sending.url.starts_with("https://agent.example/a2a"),
                "{sending:?}"
            );
            assert_eq!(sending.fields[0].1, version.as_str());
            if binding == JSONRPC {
                let call = jsonrpc::read(sending.body.as_bytes(), Some(version.as_str())).unwrap();
                assert_eq!(call.request, request);
                let reply = call
                    .envelope
                    .result(&Response::Sent(SendMessageResponse::Message(
                        message.clone(),
                    )));
                let read = place.read(request.method(), 200, reply.to_string().as_bytes());
                assert_eq!(
                    read,
                    Ok(Response::Sent(SendMessageResponse::Message(message)))
                );
            }
            let unknown = place.read(request.method(), 503, b"<html>");
            assert_eq!(
                unknown.unwrap_err().kind,
                ErrorKind::Unavailable,
                "{binding}"
            );
            let nonsense = place.read(request.method(), 200, b"<html>");
            assert_eq!(nonsense.unwrap_err().kind, ErrorKind::InvalidAgentResponse);
        }
    }
}
