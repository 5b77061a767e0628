//! A server in a state folder with some names: the operator, a user and two agents.

use domain::audit::AuditEvent;
use domain::time::Timestamp;
use engine::{Accounts, UserLimits};
use hyper::Method;
use hyper::body::Bytes;
use server::access;
use server::clock::Clock;
use server::console;
use server::fair::{FairShares, Share};
use server::http::certificate::{CertificateRow, Register, Revoked, SharedRegister};
use server::http::problem::Problem;
use server::http::{
    HttpAuthenticator, HttpLimits, HttpListener, HttpResponse, HttpServing, HttpSetup, Router,
    body, routes,
};
use server::sign_in::SignIn;
use server::ssh::keys::{StateKeys, generate, write_public};
use server::ssh::{ConnectionLimiter, SshLimits};
use server::state::StateFolder;
use server::token::{Grant, Issued, TokenTerms, Tokens};
use std::future::ready;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use store::Condition;
use testkit::http::{Answer, Line};
use testkit::within;
use tokio::sync::{mpsc, watch};
use tokio_rustls::rustls::ServerConfig;

pub const NOON_MS: i64 = 1_795_262_400_000;

/// A server, and its surroundings.
pub struct House {
    pub address: SocketAddr,
    pub clock: Arc<Clock>,
    pub folder: StateFolder,
    pub condition: Arc<Mutex<Condition>>,
    certificates: SharedRegister,
    changes: watch::Sender<u64>,
    /// True if a decision panicked.
    pub broken: Arc<AtomicBool>,
    /// The writers of streams, in the order of their requests.
    writers: tokio::sync::Mutex<mpsc::UnboundedReceiver<mpsc::Sender<Bytes>>>,
    /// The audit events, in order.
    trail: tokio::sync::Mutex<mpsc::UnboundedReceiver<AuditEvent>>,
    /// The usage of each user.
    pub accounts: Arc<Accounts>,
    serving: HttpServing,
    _state: tempfile::TempDir,
}

/// The parameters of a server.
#[derive(Default)]
pub struct Plan {
    pub limits: HttpLimits,
    pub terms: TokenTerms,
    pub names: Vec<String>,
    pub tls: Option<Arc<ServerConfig>>,
    pub certificates: Vec<CertificateRow>,
    pub users: UserLimits,
}

impl House {
    pub fn open() -> Self {
        Self::built(Plan::default())
    }

    pub fn within(limits: HttpLimits) -> Self {
        Self::built(Plan {
            limits,
            ..Plan::default()
        })
    }

    pub fn built(plan: Plan) -> Self {
        let state = tempfile::tempdir().unwrap();
        let keys = StateKeys::open(state.path()).unwrap();
        keys.host().unwrap();
        keys.operator().unwrap();
        for file in ["users/noc.pub", "agents/ip.pub", "agents/ran.pub"] {
            write_public(&state.path().join(file), generate("k").public_key()).unwrap();
        }
        let folder = StateFolder::new(state.path());
        let clock = Arc::new(Clock::standing(Timestamp::from_ms(NOON_MS)));
        let tokens = Tokens::open(&folder, plan.terms).unwrap();
        let condition = Arc::new(Mutex::new(Condition::Working));
        let asked = Arc::clone(&condition);
        let broken = Arc::new(AtomicBool::new(false));
        let looked = Arc::clone(&broken);
        let common = routes::routes(
            move || *asked.lock().unwrap(),
            move || looked.load(Ordering::Relaxed),
            tokens.issuer().jwks(),
        );
        let (told, writers) = mpsc::unbounded_channel();
        let (audited, trail) = mpsc::unbounded_channel();
        let changes = watch::Sender::new(0);
        let register = Register {
            rows: plan.certificates,
            revoked: Revoked::default(),
        };
        let certificates = SharedRegister::new(Arc::new(register).into());
        let rules = access::parse("access.toml", access::SHIPPED).unwrap();
        let names = folder.clone();
        let listener = HttpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.address();
        let accounts = Arc::new(Accounts::new(plan.users));
        let shares = Arc::new(FairShares::new(1));
        let limiter = ConnectionLimiter::new(SshLimits {
            at_once: 1,
            ..SshLimits::default()
        });
        let serving = listener.serve(HttpSetup {
            router: more(
                console::mounted(common, &SignIn::of(&folder), &clock),
                told,
                Arc::clone(&shares),
                Arc::clone(&limiter),
            ),
            authenticator: HttpAuthenticator {
                trail: Arc::new(move |event| drop(audited.send(event))),
                tokens,
                sign_in: SignIn::of(&folder),
                certificates: Arc::clone(&certificates),
                folder: folder.clone(),
                clock: Arc::clone(&clock),
                principals: Box::new(move |name| {
                    let agent = names.credential(name) == Some(engine::Credential::Agent);
                    rules.principal(name, agent)
                }),
            },
            names: plan.names,
            limits: plan.limits,
            limiter,
            shares,
            tls: plan.tls,
            accounts: Arc::clone(&accounts),
            changes: changes.subscribe(),
        });
        Self {
            address,
            clock,
            folder,
            condition,
            broken,
            writers: writers.into(),
            trail: trail.into(),
            certificates,
            changes,
            accounts,
            serving,
            _state: state,
        }
    }

    /// The next audit event.
    pub async fn audited(&self) -> AuditEvent {
        let mut trail = self.trail.lock().await;
        within("the audit trail", trail.recv()).await.unwrap()
    }

    pub fn tokens(&self) -> Tokens {
        Tokens::open(&self.folder, TokenTerms::default()).unwrap()
    }

    pub fn issue(&self, name: &str, valid_s: u64, scope: &[&str]) -> Issued {
        let grant = Grant {
            name: name.to_owned(),
            valid_s,
            scope: scope.iter().map(|word| (*word).to_owned()).collect(),
        };
        self.tokens().issue(&grant, self.clock.now()).unwrap()
    }

    /// The head field with a token of that name, valid for an hour.
    pub fn bearer(&self, name: &str) -> String {
        bearer(&self.issue(name, 3_600, &[]).token)
    }

    /// Asks on a connection of its own.
    pub async fn ask(&self, line: &str, fields: &[&str]) -> Answer {
        Line::to(self.address).await.ask(line, fields).await
    }

    /// Asks for the identity of a token.
    pub async fn whoami(&self, token: &str) -> Answer {
        self.ask("GET /whoami", &[&bearer(token)]).await
    }

    /// The writer of the next stream.
    pub async fn writer(&self) -> mpsc::Sender<Bytes> {
        let mut writers = self.writers.lock().await;
        within("an answer that goes on", writers.recv())
            .await
            .unwrap()
    }

    /// Adds a line to the list of revoked certificates.
    pub fn revoke(&self, line: &str) {
        let mut register = self.certificates.write().unwrap();
        let rows = register.rows.clone();
        let revoked = Revoked::parse(line).unwrap();
        *register = Arc::new(Register { rows, revoked });
        drop(register);
        self.look();
    }

    /// Makes the server check again whether authenticated callers may stay.
    pub fn look(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Advances the clock.
    pub fn pass_s(&self, seconds: i64) {
        self.clock.set(self.clock.now() + seconds * 1_000);
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub async fn close(self) {
        self.serving.close().await;
    }
}

pub fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}")
}

/// Routes as a protocol might have them: one that reads a body, a stream, one that tells in whose
/// turn it runs, one that tells in whose turn its connection runs, one that tells that while it
/// answers, one with a scope, one that is partly public.
fn more(
    router: Router,
    told: mpsc::UnboundedSender<mpsc::Sender<Bytes>>,
    shares: Arc<FairShares>,
    limiter: Arc<ConnectionLimiter>,
) -> Router {
    let of_connections = Arc::clone(&limiter);
    router
        .guarded(
            "/length",
            &[Method::POST],
            None,
            |mut caller, mut ask| async move {
                let length = ask.content(&mut caller).await?.len();
                Ok(HttpResponse::new(body::whole(length.to_string())))
            },
        )
        .guarded(
            "/groups",
            &[Method::POST],
            None,
            |mut caller, mut ask| async move {
                ask.content(&mut caller).await?;
                let groups: Vec<String> = caller.principal.groups.into_iter().collect();
                Ok(HttpResponse::new(body::whole(groups.join(" "))))
            },
        )
        .guarded(
            "/stream",
            &[Method::GET, Method::POST],
            None,
            move |mut caller, mut ask| {
                let told = told.clone();
                let next = |mut pieces: mpsc::Receiver<Bytes>| async move {
                    let piece = pieces.recv().await?;
                    Some((piece, pieces))
                };
                async move {
                    ask.content(&mut caller).await?;
                    let (sender, pieces) = mpsc::channel(1);
                    let _ = told.send(sender);
                    Ok(HttpResponse::new(body::unfold(pieces, |_| 0, next)))
                }
            },
        )
        .guarded("/turn", &[Method::GET], None, move |caller, _| {
            let share = Some(shares.of(&caller.principal.name));
            async move { Ok(HttpResponse::new(body::unfold(share, |_| 0, turn))) }
        })
        .open("/whose", &[Method::GET], move |_| {
            let limiter = Some(Arc::clone(&limiter));
            async move { Ok(HttpResponse::new(body::unfold(limiter, |_| 0, whose))) }
        })
        .guarded("/mine", &[Method::GET], None, move |caller, _| {
            let taken = is_taken(of_connections.share_of(&caller.principal.name));
            let told = if taken { "with" } else { "apart" };
            async move { Ok(HttpResponse::new(body::whole(told))) }
        })
        .open("/agents/{}/card", &[Method::GET], |ask| async move {
            Ok(HttpResponse::new(body::whole(ask.captures[0].clone())))
        })
        .guarded(
            "/restconf/*",
            &[],
            Some("restconf"),
            |caller, _| async move { Ok(HttpResponse::new(body::whole(caller.principal.name))) },
        )
        .guarded("/agents/{}/*", &[], Some("a2a"), |caller, ask| async move {
            // Only what is one's own is there.
            match caller.principal.name == ask.captures[0] {
                true => Ok(HttpResponse::new(body::whole(ask.captures[1].clone()))),
                false => Err(Problem::not_found()),
            }
        })
}

/// True if the only turn of a share is taken during this call.
fn is_taken(share: Share) -> bool {
    testkit::at_once(share.run(ready(()))).is_none()
}

/// Reports once whose turn the connection has that polls this: a piece is made when it is polled.
async fn whose(
    limiter: Option<Arc<ConnectionLimiter>>,
) -> Option<(Bytes, Option<Arc<ConnectionLimiter>>)> {
    let limiter = limiter?;
    let source = limiter.share_of_source([127, 0, 0, 1].into());
    let shares = [("source", source), ("noc", limiter.share_of("noc"))];
    let taken = shares
        .into_iter()
        .filter_map(|(name, share)| is_taken(share).then_some(name));
    Some((taken.collect::<Vec<_>>().join(" ").into(), None))
}

/// Reports once whether the turn of a user is taken during the poll; the user has one at a time.
async fn turn(share: Option<Share>) -> Option<(Bytes, Option<Share>)> {
    let told = if is_taken(share?) {
        "in turn"
    } else {
        "out of turn"
    };
    Some((told.into(), None))
}
