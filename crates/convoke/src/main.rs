//! The `convoke` command: `serve`, `demo`, `simulate`, and clients of the protocol.
//!
//! A tour: [`cli`] is the command line; [`serve`] runs the platform ([`serving`]), or a [`node`] of one, [`showcase`] the
//! simulated network on it; [`agent`], [`task`], [`data`], [`schemas`], [`ask`], [`policy`], [`watch`], [`audit`] and
//! [`cluster`] are NETCONF clients of a running one ([`remote`]); [`mcp`] is one for assistants; [`token`] issues tokens
//! for the HTTP server; [`eval`] scores parsers and embedders ([`understanding`]) and learnt causes; [`record`] reads
//! the history of a task and [`timeline`] draws it; [`output`] prints. Exit codes: 0 ok, 1 failed,
//! 2 usage, 3 refused, 4 unreachable, 5 conflict, 6 not authenticated, 7 the lead was lost.

mod agent;
mod ask;
mod audit;
mod cli;
mod cluster;
mod console;
mod data;
mod eval;
mod joining;
mod mcp;
mod node;
mod output;
mod policy;
mod record;
mod remote;
mod schemas;
mod serve;
mod serving;
#[cfg(feature = "showcase")]
mod showcase;
mod store;
mod task;
mod timeline;
mod token;
mod understanding;
mod watch;

use clap::Parser;
use cli::{Cli, Command};
use output::Failure;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("the system gives threads and timers");
    let outcome = runtime.block_on(async {
        let outcome = run(cli).await;
        server::client::departed().await;
        outcome
    });
    // Sessions and agents hold nothing that a sudden end could harm: what was promised is on disk.
    runtime.shutdown_background();
    match outcome.and_then(|()| output::written()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

async fn run(cli: Cli) -> Result<(), Failure> {
    let common = &cli.common;
    output::start_log(common);
    match cli.command {
        #[cfg(feature = "showcase")]
        Command::Demo(demo) => showcase::demo::run(common, demo).await,
        Command::Serve(serve) => serve::run(common, serve).await,
        #[cfg(feature = "showcase")]
        Command::Simulate(simulate) => showcase::simulate::run(common, simulate).await,
        #[cfg(feature = "showcase")]
        Command::Learn(learn) => showcase::learn::run(common, &learn),
        Command::Agent(command) => client(agent::run(common, command)).await,
        Command::Task(command) => client(task::run(common, command)).await,
        Command::Data(command) => client(data::run(common, command)).await,
        Command::Schema(command) => client(schemas::run(common, command)).await,
        Command::Ask(ask) => client(ask::run(common, ask)).await,
        Command::Eval(command) => eval::run(common, &command),
        Command::Mcp(mcp) => client(mcp::run(common, mcp)).await,
        Command::Inbox { remote } => client(policy::inbox(common, &remote)).await,
        Command::Rule(command) => client(policy::run(common, command)).await,
        Command::Watch(watch) => client(watch::run(common, watch)).await,
        Command::Audit(command) => client(audit::run(common, command)).await,
        Command::Cluster(command) => client(cluster::run(common, command)).await,
        #[cfg(feature = "showcase")]
        Command::Fault(command) => client(showcase::fault::run(common, command)).await,
        #[cfg(feature = "showcase")]
        Command::Lab(command) => showcase::lab::run(common, command).await,
        Command::Token(command) => token::run(common, command),
        Command::Console(command) => console::run(common, command),
        Command::Store(command) => store::run(common, command).await,
        Command::Config(command) => serve::config(common, command),
    }
}

/// Runs a client command until it is done, interrupted, or its output is no longer read; closes its
/// session in each case.
async fn client(command: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    tokio::select! {
        outcome = command => outcome,
        _ = tokio::signal::ctrl_c() => Err(Failure::interrupted()),
        () = output::broken() => Ok(()),
    }
}
