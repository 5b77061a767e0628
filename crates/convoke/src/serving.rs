//! A platform that runs in this process until it is asked to end: its settings, its start, its life.
//!
//! Knows no network and no agents: whoever serves brings both. Read next: [`crate::serve`].

use crate::cli::{Common, Platform as PlatformFlags};
use crate::console;
use crate::output::{self, Failure, line};
use domain::inventory::Inventory;
use markup::words::legible_line;
use serde_json::json;
use server::clock::Clock;
use server::config::{A2aSettings, HttpSettings, Settings};
use server::host::{Endpoint, Home, Host, Listening, StartError};
use server::http::HttpListening;
use server::managed::{ManagedNetwork, SurveyError, SystemSummary, survey};
use server::roster::Roster;
use server::runtime::{Network, Runtime};
use server::state::StateFolder;
use server::story::Listener;
use std::sync::Arc;

/// The settings from flags and environment, which override those of the file.
pub(crate) fn settings_of(
    common: &Common,
    flags: &PlatformFlags,
    network: Option<String>,
    seed: Option<u64>,
) -> Result<Settings, Failure> {
    let given = Settings {
        netconf: flags.netconf,
        agents_from: flags.agents_from,
        seed,
        network,
        sites: flags.sites,
        profiles: flags.profiles.clone(),
        http: HttpSettings {
            listen: flags.http,
            ..HttpSettings::default()
        },
        a2a: A2aSettings {
            card_profile: flags.card_profile,
            ..A2aSettings::default()
        },
        knowledge: flags.knowledge.clone(),
        ..Settings::default()
    };
    let folder = StateFolder::new(&common.state);
    let file = Settings::load(&folder).map_err(|e| Failure::usage(e.to_string()))?;
    Ok(given.over(file))
}

/// A platform to be served.
pub(crate) struct Serving<'s> {
    pub(crate) common: &'s Common,
    pub(crate) folder: StateFolder,
    pub(crate) settings: Settings,
    pub(crate) clock: Arc<Clock>,
}

impl Serving<'_> {
    /// Runs the platform with the agents of a roster on a network, until it is asked to end. `hint`
    /// prints what else there is to say once it is ready.
    pub(crate) async fn on<N: Network>(
        self,
        roster: Roster,
        inventory: Arc<Inventory>,
        hint: impl FnOnce(&Common),
        runtime: impl FnOnce(Arc<Host>) -> Runtime<N>,
    ) -> Result<(), Failure> {
        let (common, settings) = (self.common, &self.settings);
        let home = Home::Folder(self.folder);
        let host = Host::start(home, settings, roster, inventory, self.clock).await?;
        let host = Arc::new(host);
        let mut runtime = runtime(Arc::clone(&host));
        runtime.begin().await;
        // Whoever hears that it is ready may end it at once, and it is to end in order.
        let ended = asked_to_end()?;
        let url = host.http.map(|it| console::kept_url(common, settings, it));
        announce(common, &host.listening, host.http);
        if let Some(url) = url {
            console::tell(common, &url, false);
        }
        hint(common);
        drop(host);
        let lived = live(&mut runtime, ended).await;
        runtime.end().await;
        lived
    }
}

impl Serving<'_> {
    /// Runs the platform with the agents of a roster on the network of the management systems in the
    /// settings, once these have told of it.
    pub(crate) async fn on_managed(self, roster: Roster) -> Result<(), Failure> {
        roster.check(&self.settings).map_err(StartError::from)?;
        let surveyed = survey(&self.settings, &self.clock).await;
        let surveyed = surveyed.map_err(|error| match error {
            SurveyError::Settings(error) => StartError::from(error).into(),
            nothing => Failure::failed(nothing.to_string()),
        })?;
        let systems: Vec<SystemSummary> = surveyed.summaries().collect();
        let hint = |common: &Common| systems.iter().for_each(|system| tell_of(common, system));
        let inventory = Arc::clone(surveyed.inventory());
        let managed = |host: Arc<Host>| {
            let network = ManagedNetwork::new(surveyed, host.posts.clone(), host.platform.engine());
            Runtime::new(host, network, nobody())
        };
        self.on(roster, inventory, hint, managed).await
    }
}

/// Prints a management system that the network is known from.
pub(crate) fn tell_of(common: &Common, system: &SystemSummary) {
    if common.json {
        return output::json(&json!({
            "event": "management-system", "name": system.name, "address": system.address,
            "domain": system.domain, "elements": system.elements,
        }));
    }
    let elements = match system.elements {
        Some(elements) => format!("{elements} elements"),
        None => "not reached yet".to_owned(),
    };
    line(&format!(
        "managed by   {:<21}  {}, domain {}: {elements}",
        system.address,
        legible_line(&system.name),
        system.domain
    ));
}

/// A listener that ignores all events.
pub(crate) fn nobody() -> Listener {
    Box::new(|_| {})
}

/// Runs agents until they are asked to end.
///
/// # Errors
/// The reason why the platform cannot go on, which ends it as well.
pub(crate) async fn live<N: Network>(
    runtime: &mut Runtime<N>,
    ended: impl Future<Output = ()>,
) -> Result<(), Failure> {
    let host = Arc::clone(runtime.host());
    let stop = async {
        tokio::select! {
            () = ended => {}
            _ = host.failed() => {}
        }
    };
    runtime.live(stop).await;
    host.has_failed()
        .map_or(Ok(()), |why| Err(Failure::failed(why)))
}

/// Resolves when the process is asked to end: Ctrl-C, or SIGTERM.
pub(crate) fn asked_to_end() -> Result<impl Future<Output = ()>, Failure> {
    let terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
    let mut terminated = terminated.map_err(|e| Failure::failed(e.to_string()))?;
    Ok(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
    })
}

/// Prints that the platform is ready: one line per listener, or one JSON object with all of them.
pub(crate) fn announce(common: &Common, listening: &[Listening], http: Option<HttpListening>) {
    let key = common.state.join("operator_ed25519");
    if common.json {
        let mut listeners: Vec<_> = listening
            .iter()
            .map(|l| {
                let (what, name) = match &l.endpoint {
                    Endpoint::Ems(ems) => ("ems", ems.as_str()),
                    Endpoint::Platform | Endpoint::Agent(_) => ("agent", l.agent.as_str()),
                };
                json!({ "protocol": "netconf-ssh", what: name, "address": l.address.to_string() })
            })
            .collect();
        let http = http.map(
            |http| json!({ "protocol": http.protocol(), "address": http.address.to_string() }),
        );
        listeners.extend(http);
        output::json(&json!({
            "event": "ready", "listeners": listeners, "user": "operator", "key": key.display().to_string(),
        }));
        return;
    }
    for listening in listening {
        let what = match &listening.endpoint {
            Endpoint::Platform => "platform".to_owned(),
            Endpoint::Agent(name) => name.clone(),
            Endpoint::Ems(ems) => format!("ems: {}", ems.as_str()),
        };
        line(&format!(
            "netconf-ssh  {:<21}  {what}",
            listening.address.to_string()
        ));
    }
    if let Some(http) = http {
        line(&format!(
            "{:<11}  {:<21}  for whoever has a token (convoke token issue) or a link (convoke console link)",
            http.protocol(),
            http.address.to_string()
        ));
    }
    line(&format!("user operator, key {}\n", key.display()));
}
