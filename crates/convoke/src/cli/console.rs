//! The command line of `convoke console`.

use super::OPERATOR;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum ConsoleCommand {
    /// Print a link that opens the console in a browser, once and within five minutes.
    Link {
        /// The user: operator, or a name in DIR/users.
        #[arg(long, env = "CONVOKE_USER", default_value = OPERATOR, value_name = "NAME")]
        user: String,
        /// The address of the HTTP server as the browser has it; default that of the settings.
        #[arg(long, value_name = "URL")]
        url: Option<String>,
        /// Open it in the browser of this machine.
        #[arg(long)]
        open: bool,
    },
    /// End the sessions and links of a user, at once.
    End {
        /// The user.
        #[arg(default_value = OPERATOR)]
        user: String,
    },
}
