//! Bringing a laboratory up, and taking it down without a trace.
//!
//! Everything is named after the prefix: namespaces, path spaces, the run folder. So what a crash
//! left behind is found and removed as well, and bringing up begins with taking down; one that fails
//! or is interrupted ends with it. Nothing outside of these names is touched. Read next:
//! [`crate::plan`], [`crate::frr`].

use crate::enrolment;
use crate::error::LabError;
use crate::frr::{self, Vty};
use crate::interruption::Interruption;
use crate::plan::{LAN_PORT, LabPlan, MTU, QUEUE_BYTES, RATE_KBPS, check_prefix};
use crate::processes;
use crate::rack::client::RackClient;
use crate::rack::protocol::RackRequest;
use crate::requirements;
use crate::requirements::DAEMONS;
use crate::run_folder::RunFolder;
use crate::shell::{self, ShellError, fed, ip_lines, run};
use crate::user::{agents_user, management_user};
use network::Backbone;
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tracing::warn;

/// The seconds within which OSPF must be full on every link.
const FULL_WITHIN_S: u64 = 60;
/// How long the rack may take to begin.
const RACK_WITHIN: Duration = Duration::from_secs(10);
/// What a router forwards, and what it leaves alone.
const SYSCTLS: [&str; 4] = [
    "net.ipv4.ip_forward=1",
    "net.ipv4.conf.all.rp_filter=0",
    "net.ipv4.conf.default.rp_filter=0",
    "net.ipv6.conf.all.disable_ipv6=1",
];

/// A laboratory that stands.
#[derive(Clone, Debug)]
pub struct Laboratory {
    /// What it is built of.
    pub plan: LabPlan,
    /// Where its state is.
    pub folder: RunFolder,
}

impl Laboratory {
    /// Brings a laboratory up, after taking down what stands under the prefix; returns when OSPF is
    /// full on every link.
    ///
    /// # Errors
    /// [`LabError`]; what was made until then is taken down.
    pub fn up(topology: &str, prefix: &str, interruption: &Interruption) -> Result<Self, LabError> {
        requirements::check()?;
        let backbone = Backbone::named(topology);
        let backbone = backbone.ok_or_else(|| LabError::Topology(topology.to_owned()))?;
        let plan = LabPlan::new(&backbone, prefix)?;
        Self::down(prefix)?;
        let guard = LabGuard::of(prefix);
        let folder = RunFolder::of(prefix);
        let lab = Self { plan, folder };
        lab.build(interruption)?;
        guard.keep();
        Ok(lab)
    }

    fn build(&self, interruption: &Interruption) -> Result<(), LabError> {
        self.folder.make(&self.plan)?;
        enrolment::enrol(&self.folder, &self.plan.prefix)?;
        self.folder.open()?;
        self.namespaces(interruption)?;
        self.cable()?;
        for router in 0..self.plan.routers.len() {
            interruption.check()?;
            self.equip(router)?;
        }
        for router in 0..self.plan.routers.len() {
            interruption.check()?;
            self.boot(router)?;
        }
        self.full_within(Duration::from_secs(FULL_WITHIN_S), interruption)
    }

    /// The laboratory that stands under a prefix.
    ///
    /// # Errors
    /// [`LabError::File`] if none does.
    pub fn standing(prefix: &str) -> Result<Self, LabError> {
        check_prefix(prefix)?;
        let folder = RunFolder::of(prefix);
        let plan = folder.plan()?;
        Ok(Self { plan, folder })
    }

    /// Takes down whatever stands under a prefix, also what a crash left; does nothing if nothing
    /// does.
    ///
    /// # Errors
    /// [`LabError`] if something cannot be removed.
    pub fn down(prefix: &str) -> Result<(), LabError> {
        check_prefix(prefix)?;
        let folder = RunFolder::of(prefix);
        end_rack(&folder, prefix);
        let ended = [agents_user(prefix)?, management_user(prefix)?].map(processes::end_all_of);
        let deleted = namespaces(prefix)?.into_iter().map(|namespace| {
            processes::end_all_within(&namespace);
            run("ip", &["netns", "delete", &namespace]).map(drop)
        });
        // What stays does not keep the rest.
        let deleted: Vec<Result<(), ShellError>> = deleted.collect();
        remove_path_spaces(prefix)?;
        match std::fs::remove_dir_all(folder.path()) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(LabError::file(folder.path(), e));
            }
            _ => {}
        }
        deleted.into_iter().collect::<Result<(), ShellError>>()?;
        ended.into_iter().collect()
    }

    fn namespaces(&self, interruption: &Interruption) -> Result<(), LabError> {
        let routers = 0..self.plan.routers.len();
        let both = routers.flat_map(|r| [self.plan.namespace(r), self.plan.host_namespace(r)]);
        for namespace in both.chain([self.plan.panel()]) {
            interruption.check()?;
            run("ip", &["netns", "add", &namespace])?;
        }
        Ok(())
    }

    /// Lays every link over the patch panel, and a cable from every router to its site.
    fn cable(&self) -> Result<(), LabError> {
        let plan = &self.plan;
        let mut lines = Vec::new();
        for (place, link) in plan.links.iter().enumerate() {
            lines.push(format!("link add b{place} type bridge mcast_snooping 0"));
            for (name, end) in link.ends() {
                let (port, router) = (LabPlan::panel_port(place, name), plan.namespace(end.router));
                lines.push(format!(
                    "link add {port} type veth peer name {} netns {router}",
                    end.port
                ));
                lines.push(format!("link set {port} master b{place}"));
                lines.push(format!("link set {port} up"));
            }
            lines.push(format!("link set b{place} up"));
        }
        ip_lines(Some(&plan.panel()), &lines)?;
        let cables = (0..plan.routers.len()).map(|router| {
            format!(
                "link add {LAN_PORT} netns {} type veth peer name eth0 netns {}",
                plan.namespace(router),
                plan.host_namespace(router)
            )
        });
        Ok(ip_lines(None, &cables.collect::<Vec<_>>())?)
    }

    /// Gives a router and its site their addresses, and raises and shapes their ports.
    fn equip(&self, router: usize) -> Result<(), LabError> {
        let (plan, namespace) = (&self.plan, self.plan.namespace(router));
        let described = &plan.routers[router];
        let mut lines = vec!["link set lo up".to_owned()];
        lines.push(format!("addr add {}/32 dev lo", described.loopback));
        let mut shaped = String::new();
        for (port, address) in plan.ports(router) {
            lines.push(format!("addr add {address} dev {port}"));
            lines.push(format!("link set {port} mtu {MTU} up"));
            if port != LAN_PORT {
                shaped += &shape(&port, RATE_KBPS, QUEUE_BYTES);
                shaped += "\n";
            }
        }
        let mut sysctl = vec!["sysctl", "-qw"];
        sysctl.extend(SYSCTLS);
        shell::within(&namespace, &sysctl)?;
        ip_lines(Some(&namespace), &lines)?;
        fed("tc", &["-n", &namespace, "-batch", "-"], &shaped)?;
        let host = [
            "link set lo up".to_owned(),
            format!("addr add {}/24 dev eth0", described.host),
            "link set eth0 up".to_owned(),
            format!("route add default via {}", described.lan),
        ];
        Ok(ip_lines(Some(&plan.host_namespace(router)), &host)?)
    }

    /// Starts the daemons of a router.
    fn boot(&self, router: usize) -> Result<(), LabError> {
        let namespace = self.plan.namespace(router);
        frr::configure(&self.plan, router, &self.folder)?;
        let space = frr::path_space(&namespace);
        // The folder above is FRR's: what stands there under the name already is not followed.
        std::fs::create_dir(&space).map_err(|e| LabError::file(&space, e))?;
        run("chown", &["-h", "frr:frr", &space.display().to_string()])?;
        DAEMONS
            .iter()
            .try_for_each(|daemon| frr::start(&namespace, daemon, &self.folder))
    }

    /// Waits until OSPF is full on every link.
    ///
    /// # Errors
    /// [`LabError::NotFull`], [`LabError::Interrupted`]
    pub fn full_within(
        &self,
        longest: Duration,
        interruption: &Interruption,
    ) -> Result<(), LabError> {
        let deadline = Instant::now() + longest;
        let expected = 2 * self.plan.links.len();
        while self.adjacencies() < expected {
            interruption.check()?;
            if Instant::now() > deadline {
                return Err(LabError::NotFull(longest.as_secs()));
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    /// Starts `program lab rack` beside this process, and waits until it can be asked.
    ///
    /// # Errors
    /// [`LabError::File`] if it cannot be started, [`LabError::Ended`] if it does not begin.
    pub fn start_rack(&self, program: &Path) -> Result<(), LabError> {
        let mut rack = Command::new(program)
            .args(processes::rack_arguments(&self.plan.prefix))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|e| LabError::file(program, e))?;
        let deadline = Instant::now() + RACK_WITHIN;
        let mut client = RackClient::over(&self.folder.socket());
        while client.ask(&RackRequest::Probes).is_err() {
            let ended = rack.try_wait().is_ok_and(|status| status.is_some());
            if ended || Instant::now() > deadline {
                let _ = rack.kill();
                let _ = rack.wait();
                return Err(LabError::Ended("the rack did not begin".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // It outlives this process; where it does not, it is to be waited for.
        std::thread::spawn(move || rack.wait());
        Ok(())
    }

    /// The neighbours that are fully adjacent, counted at each end.
    fn adjacencies(&self) -> usize {
        let routers = 0..self.plan.routers.len();
        let full = routers.map(|router| {
            let said = Vty::open(&self.plan.namespace(router), "ospfd")
                .and_then(|mut vty| vty.ask("show ip ospf neighbor json"));
            said.map_or(0, |said| full_neighbours(&said).len())
        });
        full.sum()
    }
}

/// Takes down what stands under a prefix when it is dropped: held by whoever brings it up for as
/// long as it does.
#[derive(Debug)]
#[must_use]
pub struct LabGuard(Option<String>);

impl LabGuard {
    /// The guard of what is made under a prefix from now on.
    pub fn of(prefix: &str) -> Self {
        Self(Some(prefix.to_owned()))
    }

    /// Takes it down now.
    ///
    /// # Errors
    /// [`LabError`] if something cannot be removed.
    pub fn down(mut self) -> Result<(), LabError> {
        self.0
            .take()
            .map_or(Ok(()), |prefix| Laboratory::down(&prefix))
    }

    /// Leaves it standing.
    pub fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for LabGuard {
    fn drop(&mut self) {
        if let Some(prefix) = self.0.take()
            && let Err(cause) = Laboratory::down(&prefix)
        {
            warn!("something is left of {prefix}: {cause}");
        }
    }
}

/// The ports on which a neighbour is fully adjacent, as ospfd tells.
pub(crate) fn full_neighbours(said: &str) -> Vec<String> {
    let told: Value = serde_json::from_str(said).unwrap_or_default();
    let neighbours = told["neighbors"].as_object().into_iter().flatten();
    let each = neighbours.flat_map(|(_, each)| each.as_array().into_iter().flatten());
    let full = each.filter(|n| n["converged"].as_str() == Some("Full"));
    let port = |n: &Value| Some(n["ifaceName"].as_str()?.split(':').next()?.to_owned());
    full.filter_map(port).collect()
}

/// The line of `tc` that shapes a port.
pub(crate) fn shape(port: &str, rate_kbps: u64, queue_bytes: u64) -> String {
    format!("qdisc replace dev {port} root tbf rate {rate_kbps}kbit burst 1600 limit {queue_bytes}")
}

/// The namespaces under a prefix.
fn namespaces(prefix: &str) -> Result<Vec<String>, ShellError> {
    let said = run("ip", &["-j", "netns", "list"])?;
    let told: Value = serde_json::from_str(&said).unwrap_or_default();
    let names = told.as_array().into_iter().flatten();
    let names = names.filter_map(|n| n["name"].as_str());
    let own = format!("{prefix}-");
    Ok(names
        .filter(|n| n.starts_with(&own))
        .map(str::to_owned)
        .collect())
}

fn end_rack(folder: &RunFolder, prefix: &str) {
    let number = std::fs::read_to_string(folder.rack_pid()).ok();
    if let Some(number) = number.and_then(|n| n.trim().parse().ok()) {
        processes::end_rack(number, prefix);
    }
}

fn remove_path_spaces(prefix: &str) -> Result<(), LabError> {
    let folder = frr::path_space("");
    let own = format!("{prefix}-");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&own) {
            std::fs::remove_dir_all(entry.path()).map_err(|e| LabError::file(&entry.path(), e))?;
        }
    }
    Ok(())
}
