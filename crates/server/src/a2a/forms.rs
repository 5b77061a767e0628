//! The forms of an agent: a page for each schema of a skill, which sends its values as a typed part
//! (object schemas §2) and shows the resulting task.
//!
//! Pages are public, as cards are; requests of a page need the token that is entered into it. Made
//! from the current templates, so a learnt key is on the form without a restart. A page loads
//! nothing, runs two scripts that its policy names by their digests, and connects to its own server
//! only. Read next: `forms/form.js`, the client; [`schema::render::form`], the form itself.

mod words;

use self::words::Words;
use super::A2aService;
use crate::http::{HttpRequest, HttpResponse, Problem, body};
use base64ct::{Base64, Encoding};
use bindings::a2a::{Forms, SkillForms};
use hyper::header::{
    ACCEPT_LANGUAGE, CONTENT_LANGUAGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    HeaderValue, VARY,
};
use markup::Markup;
use markup::page::Frame;
use schema::language::Language;
use schema::render::form;
use schema::template::Template;
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::sync::LazyLock;

/// Sends a form and follows its task. Neither `<` nor `&` occurs in it.
const SCRIPT: &str = include_str!("forms/form.js");

const STYLE: &str = "\
form p{margin:14px 0}label{font-weight:600}small{display:block;color:var(--soft);max-width:80ch}\
input:not([type=radio]),select,textarea{font:inherit;color:inherit;background:var(--field);\
border:1px solid var(--edge);border-radius:4px;padding:6px 8px;width:100%;max-width:520px;box-sizing:border-box}\
fieldset{border:1px solid var(--grid);border-radius:4px;margin:14px 0}fieldset label{font-weight:400;margin-right:14px}\
legend{font-weight:600}[aria-invalid=true]{border-color:var(--bad)}\
button{font:inherit;color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:4px;padding:6px 16px;\
cursor:pointer;margin:4px 8px 4px 0}button:disabled{opacity:.6;cursor:default}\
a{color:var(--p0)}[role=alert]{border-left:4px solid var(--bad);background:var(--badfield);padding:3px 12px;margin:14px 0}\
[hidden]{display:none}.state{font-weight:600}";

/// The Content-Security-Policy: a page may show itself, run its two scripts, and connect to its own
/// server.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let scripts = [SCRIPT, form::SCRIPT].map(|script| {
        let digest = Base64::encode_string(&Sha256::digest(script));
        format!("'sha256-{digest}'")
    });
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src {}; connect-src 'self'; \
         base-uri 'none'; form-action 'none'",
        scripts.join(" ")
    )
});

impl A2aService {
    /// The page that lists the skills of an agent that have forms, each with a link.
    pub(super) fn forms(&self, ask: &HttpRequest) -> Result<HttpResponse, Problem> {
        let forms = self.forms_of(&ask.captures)?;
        let language = language(ask);
        Ok(reply(&overview(&forms, &language), &language))
    }

    /// The page with the form of one schema.
    pub(super) fn form(&self, ask: &HttpRequest) -> Result<HttpResponse, Problem> {
        let (schema_id, agent) = ask.captures.split_last().ok_or_else(Problem::not_found)?;
        let forms = self.forms_of(agent)?;
        let (skill, template) = forms.find(schema_id).ok_or_else(Problem::not_found)?;
        let language = language(ask);
        Ok(reply(&page(&forms, skill, template, &language), &language))
    }

    fn forms_of(&self, agent: &[String]) -> Result<Forms, Problem> {
        let forms = self.binding.forms(&self.endpoint(agent), self.clock.now());
        forms.ok_or_else(Problem::not_found)
    }
}

/// The language of a page: that of the parameter `lang`, or else the first in `Accept-Language`.
fn language(ask: &HttpRequest) -> Language {
    let query = ask.head.uri.query().unwrap_or_default();
    let chosen = query.split('&').find_map(|pair| pair.strip_prefix("lang="));
    let preferred = ask.head.headers.get(ACCEPT_LANGUAGE);
    let preferred = preferred.and_then(|tags| tags.to_str().ok()?.split([',', ';']).next());
    let wanted = chosen.or(preferred).map(str::trim);
    let wanted = wanted.and_then(|tag| Language::parse(tag).ok());
    wanted.unwrap_or_else(Language::english)
}

fn reply(page: &str, language: &Language) -> HttpResponse {
    let mut reply = HttpResponse::new(body::whole(page.to_owned()));
    let policy = format!("{}; frame-ancestors 'none'", *POLICY);
    let fields: [(HeaderName, &str); 4] = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_LANGUAGE, Words::of(language).tag),
        (VARY, "Accept-Language"),
        (CONTENT_SECURITY_POLICY, &policy),
    ];
    for (name, value) in fields {
        if let Ok(value) = HeaderValue::from_str(value) {
            reply.headers_mut().insert(name, value);
        }
    }
    reply
}

fn framed(words: &Words, title: &dyn Display, inside: impl FnOnce(&mut Markup)) -> String {
    let frame = Frame {
        language: words.tag,
        policy: &POLICY,
        style: STYLE,
        script: SCRIPT,
    };
    frame.page(title, inside)
}

fn overview(forms: &Forms, language: &Language) -> String {
    let words = Words::of(language);
    framed(words, &forms.agent, |page| {
        page.leaf("p", &[], &forms.description);
        if forms.skills.is_empty() {
            page.leaf("p", &[], &words.no_forms);
        }
        for skill in &forms.skills {
            page.leaf("h2", &[], &skill.name);
            page.leaf("p", &[], &skill.description);
            page.open("ul", &[]);
            for template in &skill.templates {
                let (title, schema_id) = (form::title(template, language), &template.schema_id);
                let address = format!("forms/{schema_id}?lang={}", words.tag);
                page.open("li", &[]);
                page.leaf("a", &[("href", &address)], &title);
                page.text(&" ").leaf("code", &[], schema_id).close();
            }
            page.close();
        }
        other_languages(page, words);
    })
}

fn page(forms: &Forms, skill: &SkillForms, template: &Template, language: &Language) -> String {
    let words = Words::of(language);
    framed(words, &skill.name, |page| {
        page.leaf("p", &[], &skill.description);
        page.open("p", &[("class", &"soft")]);
        page.leaf("a", &[("href", &"../forms")], &forms.agent);
        page.close();
        page.open("noscript", &[]);
        page.leaf("p", &[("role", &"alert")], &words.no_script)
            .close();
        token(page, words);
        page.well_formed(&form::form(template, language, Some("../message:stream")));
        page.open(
            "div",
            &[
                ("id", &"refusal"),
                ("role", &"alert"),
                ("hidden", &"hidden"),
            ],
        )
        .close();
        task(page, words);
        other_languages(page, words);
    })
}

/// Writes the field for the token, which the page keeps until its tab is closed. It is in a form of
/// its own, which is not sent, so that a password manager recognises it; the user name beside it is
/// for the manager alone.
fn token(page: &mut Markup, words: &Words) {
    page.open("form", &[("id", &"access")]);
    page.empty(
        "input",
        &[
            ("type", &"text"),
            ("autocomplete", &"username"),
            ("value", &"token"),
            ("readonly", &"readonly"),
            ("hidden", &"hidden"),
        ],
    );
    page.open("p", &[]);
    page.leaf("label", &[("for", &"token")], &words.token);
    page.leaf("small", &[("id", &"token-hint")], &words.token_hint);
    page.empty(
        "input",
        &[
            ("id", &"token"),
            ("type", &"password"),
            ("autocomplete", &"current-password"),
            ("spellcheck", &"false"),
            ("aria-describedby", &"token-hint"),
        ],
    );
    page.close().close();
}

/// Writes the section that shows the task and takes answers; the texts of the script are in its
/// attributes.
fn task(page: &mut Markup, words: &Words) {
    page.open(
        "section",
        &[
            ("id", &"task"),
            ("aria-live", &"polite"),
            ("hidden", &"hidden"),
            ("data-states", &words.states),
            ("data-cut", &words.cut),
            ("data-not-json", &words.not_json),
            ("data-refused", &words.refused),
        ],
    );
    page.leaf("h2", &[], &words.task);
    page.open("p", &[]);
    page.leaf("span", &[("id", &"state"), ("class", &"state")], &"");
    page.leaf("code", &[("id", &"task-id")], &"").close();
    page.leaf("div", &[("id", &"said")], &"");
    page.leaf("div", &[("id", &"result")], &"");
    page.open("form", &[("id", &"answer"), ("hidden", &"hidden")]);
    page.open("p", &[]);
    page.leaf("label", &[("for", &"words")], &words.answer);
    page.leaf("textarea", &[("id", &"words"), ("rows", &"3")], &"");
    page.close();
    page.leaf("button", &[("type", &"submit")], &words.send);
    page.close();
    for (id, shown) in [("again", words.look_again), ("stop", words.call_off)] {
        let attributes: [(&str, &dyn Display); 3] =
            [("id", &id), ("type", &"button"), ("hidden", &"hidden")];
        page.leaf("button", &attributes, &shown);
    }
    page.close();
}

fn other_languages(page: &mut Markup, words: &Words) {
    page.open("p", &[("class", &"soft")]);
    for other in Words::ALL.iter().filter(|other| other.tag != words.tag) {
        let address = format!("?lang={}", other.tag);
        let attributes = [
            ("href", &address as &dyn Display),
            ("lang", &other.tag),
            ("hreflang", &other.tag),
        ];
        page.leaf("a", &attributes, &other.language);
    }
    page.close();
}
