//! A2A behind the HTTP server: the platform's own agent at the root, each agent below `/agents/`.
//!
//! Cards and forms are public, everything else needs a caller. Requests are interpreted by
//! [`bindings::a2a`]; here are bodies, streams, waiting times, and the signatures of cards. Read
//! next: [`forms`], HTML forms for schemas; [`crate::reading`], the interpretation of plain text;
//! [`conformance`], an agent for test suites; [`crate::config::a2a`], the settings.

pub mod conformance;
mod forms;

use crate::clock::Clock;
use crate::config::A2aSettings;
use crate::http::{Caller, HttpListening, HttpRequest, HttpResponse, Problem, Router, body};
use crate::token::Issuer;
use a2a::card::document::{WELL_KNOWN, WELL_KNOWN_OF_V02};
use a2a::card::signature::{JwsSigner, sign};
use a2a::card::{Card, CardProfile, SecurityKind, SecurityScheme};
use a2a::sse;
use bindings::a2a::{
    Answer, AnswerBody, Binding, BindingSettings, Dress, EventFrames, IncomingRequest, RequestBody,
};
use bindings::netconf::Platform;
use domain::access::Principal;
use engine::Endpoint;
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue, IF_NONE_MATCH};
use hyper::{Method, StatusCode};
use std::collections::BTreeMap;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::time::Duration;
use tracing::warn;

/// The scope that a token needs, if it has scopes.
pub const SCOPE: &str = "a2a";

/// The interval of comments that keep an idle stream open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The paths of the platform's own agent. Other paths are not routed.
const OF_PLATFORM: [&str; 7] = [
    "/",
    "/message:send",
    "/message:stream",
    "/tasks",
    "/tasks/*",
    "/extendedAgentCard",
    "/v1/*",
];

/// A2A over an engine, with the state that its routes need.
struct A2aService {
    binding: Binding,
    /// The endpoint at the root.
    root: Endpoint,
    clock: Arc<Clock>,
    patience: Duration,
}

/// The same server with the routes of A2A. Changes of tasks are pushed if any receiver is allowed.
#[must_use]
pub fn mounted(
    router: Router,
    platform: &Platform,
    clock: &Arc<Clock>,
    settings: &A2aSettings,
    listening: HttpListening,
    issuer: &Issuer,
    pushes: bool,
) -> Router {
    let url = settings.url(listening);
    let suites = settings.conformance_agent();
    if suites {
        warn!(
            "the conformance agent is on: it answers at the root and at /agents/{}, and plays what \
             messages ask for; this is no platform to work with",
            conformance::NAME
        );
    }
    let chosen = BindingSettings {
        card_profile: settings.card_profile(),
        card_max_age_s: settings.card_max_age_s(),
        language: settings.language(),
        push_notifications: pushes,
        forgetful: suites.then(|| conformance::NAME.to_owned()),
        dress: dress(&url, settings.card_profile(), listening.secure, issuer),
        url,
    };
    let binding = Binding::new(
        Arc::clone(platform.engine()),
        chosen,
        Arc::clone(platform.reader()),
        Arc::clone(platform.background()),
    );
    let service = Arc::new(A2aService {
        binding,
        root: match suites {
            true => Endpoint::Agent(conformance::NAME.to_owned()),
            false => Endpoint::Platform,
        },
        clock: Arc::clone(clock),
        patience: settings.patience(),
    });
    with_routes(with_forms(with_cards(router, &service), &service), &service)
}

fn with_cards(mut router: Router, service: &Arc<A2aService>) -> Router {
    for well_known in [WELL_KNOWN, WELL_KNOWN_OF_V02] {
        let patterns = [well_known.to_owned(), format!("/agents/{{}}{well_known}")];
        for pattern in patterns {
            let service = Arc::clone(service);
            router = router.open(&pattern, &[Method::GET], move |ask| service.card(&ask));
        }
    }
    router
}

fn with_forms(mut router: Router, service: &Arc<A2aService>) -> Router {
    for overview in ["/forms", "/agents/{}/forms"] {
        let one = format!("{overview}/{{}}");
        let [all, of_one] = [service, service].map(Arc::clone);
        router = router.open(overview, &[Method::GET], move |ask| ready(all.forms(&ask)));
        router = router.open(&one, &[Method::GET], move |ask| ready(of_one.form(&ask)));
    }
    router
}

fn with_routes(mut router: Router, service: &Arc<A2aService>) -> Router {
    for pattern in OF_PLATFORM {
        let service = Arc::clone(service);
        router = router.guarded(
            pattern,
            &[],
            Some(SCOPE),
            move |caller, ask: HttpRequest| {
                let path = ask.head.uri.path().to_owned();
                let root = service.root.clone();
                Arc::clone(&service).answer(caller, root, path, ask)
            },
        );
    }
    let service = Arc::clone(service);
    router.guarded(
        "/agents/{}/*",
        &[],
        Some(SCOPE),
        move |caller, ask: HttpRequest| {
            let [name, path] = [0, 1].map(|place| ask.captures[place].clone());
            Arc::clone(&service).answer(caller, Endpoint::Agent(name), path, ask)
        },
    )
}

impl A2aService {
    /// The endpoint of a path, by its captures: an agent's, or the one at the root.
    fn endpoint(&self, captures: &[String]) -> Endpoint {
        match captures.first() {
            Some(name) => Endpoint::Agent(name.clone()),
            None => self.root.clone(),
        }
    }

    fn card(&self, ask: &HttpRequest) -> Ready<Result<HttpResponse, Problem>> {
        let endpoint = self.endpoint(&ask.captures);
        let known = ask.head.headers.get(IF_NONE_MATCH);
        let known = known.and_then(|tags| tags.to_str().ok());
        ready(Ok(reply(self.binding.card(
            &endpoint,
            known,
            self.clock.now(),
        ))))
    }

    async fn answer(
        self: Arc<Self>,
        mut caller: Caller,
        endpoint: Endpoint,
        path: String,
        mut ask: HttpRequest,
    ) -> Result<HttpResponse, Problem> {
        let content = RequestBody::new(ask.content(&mut caller).await?);
        let fields = ask.head.headers.iter();
        let fields: Vec<(&str, &str)> = fields
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
            .collect();
        let incoming = IncomingRequest {
            verb: ask.head.method.as_str(),
            path: &path,
            query: ask.head.uri.query().unwrap_or_default(),
            headers: &fields,
            body: &content,
        };
        let who: &Principal = &caller.principal;
        let patience = tokio::time::sleep(self.patience);
        let clock = || self.clock.now();
        let answer = self
            .binding
            .handle(who, &endpoint, &incoming, &clock, patience);
        Ok(reply(answer.await))
    }
}

fn reply(answer: Answer) -> HttpResponse {
    let body = match answer.body {
        AnswerBody::Empty => body::whole(Bytes::new()),
        AnswerBody::Whole(text) => body::whole(text),
        AnswerBody::Shared(text) => body::whole(body::shared(text)),
        AnswerBody::Stream(frames) => body::unfold(frames, |it| it.bytes(), told),
    };
    let mut reply = HttpResponse::new(body);
    let status = StatusCode::from_u16(answer.status);
    *reply.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value)) {
            reply.headers_mut().insert(name, value);
        }
    }
    reply
}

/// The next frame of a stream, and the rest of the stream.
async fn told(mut frames: Box<EventFrames>) -> Option<(Bytes, Box<EventFrames>)> {
    let next = tokio::time::timeout(KEEP_ALIVE, frames.next()).await;
    let frame = next.unwrap_or_else(|_| Some(sse::KEEP_ALIVE.to_owned()))?;
    Some((frame.into(), frames))
}

/// The parts of a card that only the server knows: its security schemes, and the signature of the
/// strict form, which is the one that can be signed.
fn dress(url: &str, profile: CardProfile, secure: bool, issuer: &Issuer) -> Dress {
    let signer = (profile == CardProfile::Strict).then(|| CardSigner {
        issuer: issuer.clone(),
        key_set_url: format!("{url}/.well-known/jwks.json"),
    });
    Box::new(move |card| {
        secured(card, secure);
        if let Some(signer) = &signer
            && let Err(unsignable) = sign(card, signer)
        {
            warn!("the card of {} is not signed: {unsignable}", card.name);
        }
    })
}

fn secured(card: &mut Card, secure: bool) {
    let bearer = SecurityKind::Http {
        scheme: "Bearer".to_owned(),
        bearer_format: Some("JWT".to_owned()),
    };
    let mut schemes = vec![("bearer", bearer, "a token of `convoke token issue`")];
    if secure {
        let certificate = "a certificate of an authority that the operator trusts";
        schemes.push(("mutualTls", SecurityKind::MutualTls, certificate));
    }
    for (name, kind, description) in schemes {
        let scheme = SecurityScheme {
            description: Some(description.to_owned()),
            kind,
        };
        card.security_schemes.insert(name.to_owned(), scheme);
        let needed = BTreeMap::from([(name.to_owned(), vec![SCOPE.to_owned()])]);
        card.security.push(needed);
    }
}

/// Signs cards with the key of tokens: a token is distinguished by its header, which no card has.
struct CardSigner {
    issuer: Issuer,
    key_set_url: String,
}

impl JwsSigner for CardSigner {
    fn algorithm(&self) -> &str {
        "EdDSA"
    }

    fn key_id(&self) -> &str {
        self.issuer.thumbprint()
    }

    fn key_set_url(&self) -> Option<&str> {
        Some(&self.key_set_url)
    }

    fn sign(&self, input: &[u8]) -> Vec<u8> {
        self.issuer.signature(input)
    }
}
