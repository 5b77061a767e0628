//! The command line of `convoke token`.

use super::OPERATOR;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Issue a bearer token and print it alone: `TOKEN=$(convoke token issue)`.
    Issue {
        /// The principal: operator, or a name in DIR/users or DIR/agents.
        #[arg(default_value = OPERATOR)]
        name: String,
        /// Validity: a number with s, m, h or d.
        #[arg(long, default_value = "1h", value_name = "TIME", value_parser = seconds)]
        valid: u64,
        /// A part of the server that the token gives access to; may be repeated. Default all parts.
        #[arg(long, value_name = "WORD")]
        scope: Vec<String>,
    },
    /// List the tokens that were issued and not revoked, without their values.
    List,
    /// Revoke a token, or all tokens of a principal, at once; of a cluster, in the folder of the node that leads.
    Revoke {
        /// The identifier of a token, or the name of a principal.
        #[arg(value_name = "ID|NAME")]
        which: String,
    },
}

/// Parses a duration.
fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is no time such as 90s, 30m, 8h or 7d");
    let (number, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(wrong)?;
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit() {
        for (text, expected) in [
            ("90s", Some(90)),
            ("30m", Some(1_800)),
            ("8h", Some(28_800)),
            ("7d", Some(604_800)),
            ("0s", Some(0)),
            ("", None),
            ("h", None),
            ("60", None),
            ("-1h", None),
            ("1.5h", None),
            ("1é", None),
            ("99999999999999999999d", None),
            ("9999999999999999999d", None),
        ] {
            assert_eq!(seconds(text).ok(), expected, "{text}");
        }
    }
}
