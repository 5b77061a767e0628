//! What waits for people, decided where it waits: results, decisions, what schemas would grow by, and the plan of a task
//! that a person carries out; several at once; and standing rules, by which it waits no more.
//!
//! What is decided on the page is read over NETCONF by another client, and what others do is seen on the page. Read next:
//! `acting.rs`, at whose desk this is; `console/src/inbox/Inbox.svelte`, `docs/policy.md`.

use super::acting::Desk;
use super::chromium::Looks;
use serde_json::{Value, json};

/// What is offered, with a number that rules look into.
fn priced(words: &str, passengers: u32) -> String {
    let payload = json!({ "schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-12-04", "passenger_count": passengers,
    }});
    format!("{words}\n##structured payload\n{payload}")
}

/// A task of which the agent outside has a result.
fn has_result(desk: &Desk, task: &str, words: &str, passengers: u32) {
    desk.assign(task, &["--expect", "as many as asked for"]);
    let result = format!("{}\n##result\ndone", priced(words, passengers));
    desk.agent_says("taskResultNotify", task, &[&result]);
}

/// A task of which the agent outside proposes something.
fn proposes(desk: &Desk, task: &str, offers: &[&str]) {
    desk.assign(task, &["--demand-fulfillment"]);
    desk.agent_says("FulfillmentNegotiate", task, offers);
}

fn link(id: &str) -> String {
    let id = id.replace('/', "%2F");
    format!("document.querySelector('.waiting a[href=\"#inbox/{id}\"]')")
}

/// What waits, as another client reads it.
fn waits(desk: &Desk) -> Vec<String> {
    let told = desk.other(&["inbox"]);
    let id = |it: &Value| it["id"].as_str().unwrap().to_owned();
    told.iter().map(id).collect()
}

#[track_caller]
fn stands(desk: &Desk, task: &str, state: &str) {
    let told = desk.other(&["task", "show", task]);
    assert_eq!(told[0]["task"]["task-status"], state, "{told:?}");
}

/// The page in another language and appearance, and back.
fn is_sound_in_both(desk: &mut Desk, page: &str, there: &str) {
    for (language, appearance) in [("zh", "dark"), ("en", "light")] {
        desk.browser.look(&format!(
            "(localStorage.setItem('convoke-language', '{language}'), \
             localStorage.setItem('convoke-appearance', '{appearance}'))"
        ));
        desk.visit(page);
        desk.browser.wait(there);
        desk.is_open_to_all();
        let none = json!([]);
        assert_eq!(
            desk.browser.look("overflowing()"),
            none,
            "{page} {language}"
        );
    }
}

/// One by one: it is told while the page is looked at, seen from every page, and gone when it is decided.
pub(super) fn decides(desk: &mut Desk) {
    desk.visit("overview");
    desk.browser
        .wait("document.querySelector('[data-waiting=\"0\"]')");
    has_result(desk, "tower", "painted", 2);
    proposes(desk, "beam", &["weld it, or", "replace it"]);
    desk.browser
        .wait("document.querySelector('[data-waiting=\"2\"]')");
    desk.browser
        .wait("document.querySelector('nav .badge')?.textContent.startsWith('2')");
    desk.browser.wait("document.title.startsWith('(2) ')");
    // Where the case hangs is said as well.
    desk.browser
        .wait("all('#cases ~ .wide tr').some(it => it.textContent.includes('tower') && it.textContent.includes('your judgement'))");

    desk.visit("inbox");
    let rows = "all('.waiting tbody tr').length";
    desk.browser.wait(&format!("{rows} === 2"));
    let first = desk
        .browser
        .text("document.querySelector('.waiting tbody tr').textContent");
    assert!(first.contains("passenger_count 2"), "{first}");
    assert!(first.contains("No rule covers it."), "{first}");
    desk.browser
        .look(&format!("{}.click()", link("result/tower")));
    desk.browser
        .wait("document.querySelector('aside .acts .text')?.textContent.includes('painted')");
    is_sound_in_both(
        desk,
        "inbox/result%2Ftower",
        "document.querySelector('aside .acts .text')",
    );
    desk.press("Accept");
    desk.browser
        .wait("document.querySelector('aside').textContent.includes('You accepted this at')");
    desk.browser.wait(&format!("{rows} === 1"));
    // And is found again below what waits.
    desk.browser
        .wait("document.querySelector('.decided tbody tr')?.textContent.includes('tower')");
    stands(desk, "tower", "finished");
    assert_eq!(waits(desk), ["decision/beam"]);

    // Of several alternatives one is chosen there.
    desk.browser
        .look(&format!("{}.click()", link("decision/beam")));
    desk.browser
        .wait("all('aside .offers section').length === 3");
    desk.browser
        .look("all('aside .offers section')[1].querySelector('button.act').click()");
    desk.browser.wait(&format!("{rows} === 0"));
    let plan = desk.other(&["task", "show", "beam"])[0].to_string();
    assert!(plan.contains("replace it"), "{plan}");

    // Before there is a task, it is the user's turn as well.
    let about = "##target object\nsite PL-004\n##task description\ncan it be straightened?";
    let asked = json!({ "irtf-agent:input": { "commuType": "FeasibilityNegotiate", "task-id": "span",
        "task-sendTo": "remote", "content": [about] } });
    // It is answered once the other side has spoken, which it does when there is something to speak to.
    let begun = desk.browser.look(&format!(
        "(async () => {{ \
           const own = {{ 'Console-Request': localStorage.getItem('convoke-session') }}; \
           fetch('/restconf/operations/irtf-agent:task-negotiate', {{ method: 'POST', body: JSON.stringify({asked}), \
             headers: {{ ...own, 'Content-Type': 'application/yang-data+json' }} }}); \
           const at = '/restconf/data/convoke-registry:registry/negotiation=span,feasibility'; \
           for (let tries = 0; tries < 600; tries += 1) {{ \
             if ((await fetch(at, {{ headers: own }})).ok) return true; \
             await new Promise(done => setTimeout(done, 50)); }} \
           return false; }})()"
    ));
    assert_eq!(begun, true);
    desk.agent_says("FeasibilityNegotiate", "span", &["at night only"]);
    desk.browser.wait(&link("feasibility/span"));
    desk.browser
        .look(&format!("{}.click()", link("feasibility/span")));
    desk.browser.wait(
        "document.querySelector('aside .offers .text')?.textContent.includes('at night only')",
    );
    desk.is_open_to_all();
    desk.write("aside .acts .refuse textarea", "by day, please");
    desk.press("Refuse");
    desk.browser.wait(&format!("{rows} === 0"));
    desk.tells("Your refusal was delivered.");
    // What is to be done to be asked is said where nothing waits.
    desk.browser
        .wait("all('.waiting a[href^=\"#assign\"]').length === 2");
    assert!(desk.said("span").contains("reject\\n- by day, please"));
}

/// Several with one word: what that decides is named before, and what it does not.
pub(super) fn decides_many(desk: &mut Desk) {
    for task in ["one", "two"] {
        proposes(desk, task, &["paint it red"]);
    }
    proposes(desk, "three", &["paint it red", "paint it blue"]);
    desk.visit("inbox");
    desk.browser.wait("all('.waiting tbody tr').length === 3");
    desk.browser
        .look("document.querySelector('.waiting thead input').click()");
    desk.press("Accept or refuse 3 marked…");
    desk.browser.wait("all('aside .hit').length === 2");
    let spared = desk.browser.text("all('aside .hit')[1].textContent");
    assert!(spared.contains("several alternatives"), "{spared}");
    desk.is_open_to_all();

    // One of them is another offer by now: it is left as it is, though nobody has looked at it again.
    desk.browser.hide(true);
    desk.other(&["task", "reject", "two", "--unmet", "not red"]);
    desk.agent_says("FulfillmentNegotiate", "two", &["paint it green"]);
    desk.press("Accept 2");
    desk.browser
        .wait("document.querySelector('aside').textContent.includes('1 of 1 decided')");
    desk.browser.hide(false);
    stands(desk, "one", "processing");
    let mut left = waits(desk);
    left.sort();
    assert_eq!(left, ["decision/three", "decision/two"]);

    desk.press("Close");
    desk.browser
        .look("document.querySelector('.waiting thead input').click()");
    desk.press("Accept or refuse 2 marked…");
    desk.press("Refuse");
    desk.write("aside textarea", "not this year");
    desk.press("Refuse 2");
    desk.browser
        .wait("document.querySelector('aside').textContent.includes('2 of 2 decided')");
    assert_eq!(waits(desk), Vec::<String>::new());
    assert!(desk.said("three").contains("reject\\n- not this year"));
}

/// Whether the platform says what a rule would decide before it is added.
fn foresees(desk: &mut Desk) -> bool {
    let asked = "fetch('/restconf/operations', { headers: { 'Console-Request': localStorage.getItem('convoke-session'), \
                 Accept: 'application/yang-data+json' } }).then(it => it.text()).then(it => it.includes('convoke-policy:check-rule'))";
    desk.browser.look(asked) == true
}

/// "Decide such ones by a rule": a rule out of what waits, which decides the next; what is wrong with one; and its end.
pub(super) fn gives_rules(desk: &mut Desk) {
    has_result(desk, "flight-1", "booked", 3);
    desk.visit("inbox/result%2Fflight-1");
    desk.browser
        .wait("document.querySelector('aside details.always summary')");
    desk.browser
        .look("document.querySelector('aside details.always summary').click()");
    desk.browser.wait("document.querySelector('.rule-form')");
    let filled = "(at => [at('#field-name'), at('#field-kind'), at('#field-agent'), at('.bounds :is(input, select)'), \
                  all('.bounds input').at(-1).value])(it => document.querySelector(`.rule-form ${it}`).value)";
    let filled = desk.browser.look(filled);
    assert_eq!(filled[1], "result");
    assert_eq!(filled[2], "remote");
    assert_eq!(
        (&filled[3], &filled[4]),
        (&json!("passenger_count"), &json!("3"))
    );
    desk.is_open_to_all();
    // Smaller ones are let in, larger ones are not.
    let least = "document.querySelector('.bounds td:nth-child(2) input').value";
    assert_eq!(desk.browser.text(least), "");
    // What is wrong with it stands at its field.
    desk.write(".rule-form #field-name", "small/flights");
    desk.press("Add a rule");
    desk.browser.wait(
        "document.activeElement.id === 'field-name' && document.querySelector('#field-name-error')",
    );
    desk.write(".rule-form #field-name", "small flights");
    // What it would decide is seen before, this one by its name, where the platform says it.
    if foresees(desk) {
        desk.browser
            .wait("document.querySelector('.foreseen a[href=\"#inbox/result%2Fflight-1\"]')");
        desk.is_open_to_all();
    }
    desk.press("Add a rule");
    desk.tells("The rule “small flights” is in force.");
    // It looks at what waits already as well.
    desk.browser.wait(
        "document.querySelector('aside').textContent.includes('small flights accepted this at')",
    );
    stands(desk, "flight-1", "finished");
    let rules = desk.other(&["rule", "list"]);
    assert_eq!(rules[0]["name"], "small flights", "{rules:?}");

    is_sound_in_both(
        desk,
        "rules",
        "all('main a[href=\"#tasks/flight-1\"]').length === 1",
    );
    let row = desk
        .browser
        .text("document.querySelector('.rules tbody tr').textContent");
    assert!(
        row.contains("in force") && row.contains("passenger_count at most 3"),
        "{row}"
    );
    // What it covers it decides, as is seen here and written in the record; what it does not, waits.
    has_result(desk, "flight-2", "booked", 2);
    has_result(desk, "flight-3", "booked", 4);
    desk.browser
        .wait("document.querySelector('main a[href=\"#tasks/flight-2\"]')");
    stands(desk, "flight-2", "finished");
    assert!(desk.said("flight-2").contains("small flights"));
    assert_eq!(waits(desk), ["result/flight-3"]);
    desk.browser
        .wait("document.querySelector('nav .badge')?.textContent.startsWith('1')");

    desk.browser
        .look("document.querySelector('.rules tbody button').click()");
    desk.browser.wait("document.querySelector('.rules .send')");
    desk.is_open_to_all();
    desk.press("Withdraw");
    desk.browser.wait("!document.querySelector('.rules')");
    assert!(desk.other(&["rule", "list"]).is_empty());
    desk.other(&["task", "accept", "flight-3"]);
    desk.browser.wait("!document.querySelector('nav .badge')");
}

/// What the platform has by RESTCONF, as the page's user.
fn template(desk: &mut Desk, schema_id: &str) -> String {
    desk.browser.text(&format!(
        "fetch('/restconf/operations/convoke-schema:get-schema-template', {{ method: 'POST', \
           headers: {{ 'Console-Request': localStorage.getItem('convoke-session'), 'Content-Type': 'application/yang-data+json' }}, \
           body: JSON.stringify({{ 'convoke-schema:input': {{ 'schema-id': '{schema_id}' }} }}) }}).then(it => it.text())"
    ))
}

/// A patch that waits since many want the same; its name.
fn grows(desk: &mut Desk, scenario: &str, words: &str) -> String {
    for _ in 0..3 {
        desk.other(&["schema", "extend", scenario, words]);
    }
    let begins = format!("#inbox/patch%2F{scenario}_");
    let link = format!("document.querySelector('.waiting a[href^=\"{begins}\"]')");
    desk.browser.wait(&link);
    desk.browser.look(&format!("{link}.click()"));
    desk.browser
        .wait("document.querySelector('aside .diff')?.textContent.includes('+   \"key_name\"')");
    let name = desk.browser.text(&format!("{link}.getAttribute('href')"));
    name.split("%2F").nth(1).unwrap().to_owned()
}

/// Of two patches that wait one is approved and served from then on, the other is refused with a reason and is not.
pub(super) fn decides_on_schemas(desk: &mut Desk) {
    desk.visit("inbox");
    let wished = "a seat beside a window";
    let approved = grows(desk, "flight_booking", wished);
    let page = format!("inbox/patch%2F{approved}");
    let there = "document.querySelector('aside .diff')?.textContent.includes('key_name')";
    is_sound_in_both(desk, &page, there);
    let updates = |desk: &Desk, schema: &str| desk.other(&["schema", "updates", schema]);
    assert!(updates(desk, "flight_booking_v1").is_empty());
    let key = "seat_beside_window";
    assert!(!template(desk, "flight_booking_v1").contains(key));
    desk.press("Approve");
    desk.tells(&format!("Approved: {approved}"));
    let served = updates(desk, "flight_booking_v1");
    assert_eq!(served[0]["patch_id"], approved.as_str(), "{served:?}");
    assert!(template(desk, "flight_booking_v1").contains(key));

    desk.visit("inbox");
    let refused = grows(desk, "service_verification", "how loud the fans are");
    desk.is_open_to_all();
    // Without a reason nothing is sent.
    let refuse = "all('aside button').find(it => it.textContent.trim() === 'Refuse')";
    assert_eq!(desk.browser.look(&format!("{refuse}.disabled")), true);
    desk.write("aside .acts textarea", "nobody listens to fans");
    desk.press("Refuse");
    desk.tells("Reason: nobody listens to fans");
    assert!(updates(desk, "service_verification_v1").is_empty());
    assert!(!template(desk, "service_verification_v1").contains("experimental"));
    let patches = desk.other(&["schema", "patches"]);
    let left = |it: &Value| it["patch"]["patch-id"] == refused.as_str();
    assert!(!patches.iter().any(left), "{patches:?}");
    // Why is on record.
    let is_told = desk.browser.look(
        "(async () => { \
           const own = { 'Console-Request': localStorage.getItem('convoke-session') }; \
           const headers = { ...own, Accept: 'text/event-stream', 'Last-Event-ID': '0' }; \
           const reader = (await fetch('/restconf/streams/NETCONF/json', { headers })).body.getReader(); \
           const decoder = new TextDecoder(); \
           const until = Date.now() + 60_000; \
           let text = ''; \
           while (!text.includes('nobody listens to fans') && Date.now() < until) \
             text += decoder.decode((await reader.read()).value, { stream: true }); \
           reader.cancel(); \
           return text.includes('nobody listens to fans'); })()",
    );
    assert_eq!(is_told, true);
    assert_eq!(waits(desk), Vec::<String>::new());
}

const CREW: &str = "name = \"crew\"\ndescription = \"People who climb masts\"\nversion = \"1.0.0\"\n\
                    provider = \"Example\"\nlayer = \"resource\"\n[capability]\n\
                    negotiate = \"acp-task-fulfillment-negotiation-v1.0\"\n";

/// Whoever carries out tasks may see what waits for him and what was negotiated, and speak.
const EXECUTORS: &str = r#"
[[group]]
name = "executors"
user-name = ["crew"]
[[rule-list]]
name = "executors"
group = ["executors"]
[[rule-list.rule]]
name = "what-waits"
module-name = "convoke-policy"
access-operations = "read"
action = "permit"
[[rule-list.rule]]
name = "what-was-negotiated"
module-name = "convoke-registry"
access-operations = "read"
action = "permit"
[[rule-list.rule]]
name = "speak"
module-name = "irtf-agent"
rpc-name = "task-negotiate"
access-operations = "exec"
action = "permit"
"#;

/// A person who carries out tasks: an administrator has entered him as an agent, and he has a key as users have.
fn enters_a_person(desk: &mut Desk) {
    let state = desk.running.state().to_owned();
    let profile = state.join("crew.toml");
    std::fs::write(&profile, CREW).unwrap();
    let profile = profile.to_str().unwrap();
    desk.other(&[
        "agent",
        "register",
        "--profile",
        profile,
        "--lease",
        "86400",
    ]);
    desk.knows("crew");
    let access = state.join("access.toml");
    let rules = std::fs::read_to_string(&access).unwrap() + EXECUTORS;
    std::fs::write(access, rules).unwrap();
}

/// The operator would have a task done so.
fn plans(desk: &Desk, task: &str, words: &str) {
    let plan = desk.running.state().join(format!("{task}.txt"));
    let text = format!("##target object\nsite PL-004\n##task description\n{words}");
    std::fs::write(&plan, text).unwrap();
    let plan = plan.to_str().unwrap();
    desk.other(&["task", "negotiate", task, "--to", "crew", "--content", plan]);
}

/// How a task is to be done, as another client reads it.
fn plan_of(desk: &Desk, task: &str) -> String {
    let told = desk.other(&["task", "show", task]);
    told[0]["task"]["plan"].to_string()
}

/// A person carries out a task whose publisher plans it anew: agreed to, something else offered, and refused, each in
/// the inbox of whose turn it is.
pub(super) fn executes(desk: &mut Desk) {
    enters_a_person(desk);
    let all = ["ladder", "rope", "lift"];
    for task in all {
        let assign = ["task", "assign", "crew", "site PL-004", "see to the mast"];
        desk.other(&[&assign[..], &["--async", "--id", task]].concat());
        plans(desk, task, &format!("climb it by {task}"));
    }
    desk.signs_in("crew");
    // A page asks what its user may once it is opened: by then the rules are in force.
    let may = desk.browser.look(
        "(async () => { \
           const headers = { 'Console-Request': localStorage.getItem('convoke-session') }; \
           const may = async () => (await (await fetch('/restconf/operations', { headers })).text()).includes('task-negotiate'); \
           for (let tries = 0; tries < 600; tries += 1) { \
             if (await may()) return true; \
             await new Promise(done => setTimeout(done, 50)); } \
           return false; })()",
    );
    assert_eq!(may, true);
    desk.visit("inbox");
    let rows = "all('.waiting tbody tr').length";
    desk.browser.wait(&format!("{rows} === 3"));
    desk.browser
        .look(&format!("{}.click()", link("plan/ladder")));
    let theirs = |words: &str| {
        format!("document.querySelector('aside .offers .text')?.textContent.includes('{words}')")
    };
    desk.browser.wait(&theirs("by ladder"));
    is_sound_in_both(desk, "inbox/plan%2Fladder", &theirs("by ladder"));
    desk.press("Accept");
    desk.browser.wait(&format!("{rows} === 2"));
    desk.browser
        .wait("document.querySelector('aside').textContent.includes('You accepted this at')");
    assert!(plan_of(desk, "ladder").contains("climb it by ladder"));

    desk.browser.look(&format!("{}.click()", link("plan/rope")));
    desk.browser.wait(&theirs("by rope"));
    desk.write(
        "aside .offers section:last-child textarea",
        "by rope, and from the north",
    );
    desk.press("Offer this");
    desk.browser.wait(&format!("{rows} === 1"));

    desk.browser.look(&format!("{}.click()", link("plan/lift")));
    desk.browser.wait(&theirs("by lift"));
    desk.write("aside .acts .refuse textarea", "there is no lift");
    desk.press("Refuse");
    desk.browser.wait(&format!("{rows} === 0"));
    assert!(desk.said("lift").contains("reject\\n- there is no lift"));
    for task in ["rope", "lift"] {
        assert!(!plan_of(desk, task).contains("climb"), "{task}");
    }

    // What he offers instead waits for the publisher, who agrees.
    desk.signs_in("operator");
    desk.visit("inbox");
    desk.browser.wait(&link("decision/rope"));
    desk.browser
        .look(&format!("{}.click()", link("decision/rope")));
    desk.browser.wait(&theirs("from the north"));
    desk.press("Accept");
    desk.browser.wait(&format!("{rows} === 0"));
    assert!(plan_of(desk, "rope").contains("from the north"));
}

/// How many decisions wait in the long form (`CONVOKE_WAITING`, of `make soak`); the platform tells the first 1,000.
fn long_form() -> Option<usize> {
    std::env::var("CONVOKE_WAITING").ok()?.parse().ok()
}

/// So many that not all are drawn: they are counted, looked through, and refused in one go while the page stays small.
pub(super) fn looks_through_many(desk: &mut Desk) {
    let Some(count) = long_form() else {
        return;
    };
    desk.visit("inbox");
    let said = desk.browser.look(&format!(
        "(async () => {{ \
           const own = {{ 'Console-Request': localStorage.getItem('convoke-session') }}; \
           const say = (who, input) => fetch('/restconf/operations/irtf-agent:task-negotiate', {{ method: 'POST', \
             headers: {{ ...who, 'Content-Type': 'application/yang-data+json' }}, \
             body: JSON.stringify({{ 'irtf-agent:input': input }}) }}).then(it => it.status); \
           const about = (words) => `##target object\\nmast\\n##task description\\n${{words}}`; \
           const rest = [...Array({count}).keys()]; \
           const failed = []; \
           const work = async () => {{ for (let it = rest.pop(); it !== undefined; it = rest.pop()) {{ \
             const task = {{ 'task-id': `many-${{it}}` }}; \
             const one = await say(own, {{ ...task, commuType: 'taskAssgin', 'task-sendTo': 'remote', \
               content: [about('paint it')], 'convoke-negotiation:task-async': true, 'convoke-negotiation:fulfillment-required': true }}); \
             const two = await say({{ Authorization: 'Bearer {token}' }}, {{ ...task, commuType: 'FulfillmentNegotiate', \
               'task-sendTo': 'operator', content: [about('in red')] }}); \
             if (one !== 200 || two !== 200) failed.push([it, one, two]); }} }}; \
           await Promise.all(Array.from({{ length: 4 }}, work)); return failed; }})()",
        token = desk.token
    ));
    assert_eq!(said, json!([]));
    let told = count.min(1_000);
    desk.browser.wait(&format!(
        "document.querySelector('.filter output')?.textContent.startsWith('{told} of {count} ')"
    ));
    assert_eq!(
        desk.browser.count("all('.waiting tbody tr').length"),
        told.min(200)
    );
    let text = |words: &str| {
        format!(
            "(at => {{ at.value = '{words}'; at.dispatchEvent(new Event('input')); }})\
             (document.querySelector('.filter input[type=search]'))"
        )
    };
    desk.browser.look(&text("many-7"));
    let sevens = (0..count)
        .filter(|it| it.to_string().starts_with('7'))
        .count();
    desk.browser
        .wait(&format!("all('.waiting tbody tr').length <= {sevens}"));
    desk.browser.look(&text(""));
    desk.browser
        .look("document.querySelector('.waiting thead input').click()");
    // Nothing is marked that is not drawn.
    let marked = told.min(200);
    desk.press(&format!("Accept or refuse {marked} marked…"));
    desk.press("Refuse");
    desk.write("aside textarea", "nothing is painted");
    desk.press(&format!("Refuse {marked}"));
    desk.browser.wait(&format!(
        "document.querySelector('aside').textContent.includes('{marked} of {marked} decided')"
    ));
    let left = count - marked;
    desk.browser.wait(&match left {
        0 => "!document.querySelector('.waiting tbody tr')".to_owned(),
        _ => format!(
            "document.querySelector('.filter output')?.textContent.startsWith('{} of {left} ')",
            left.min(1_000)
        ),
    });
}
