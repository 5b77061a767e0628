//! The command-line flags for parsers and embedders.

use clap::Args;
use std::path::PathBuf;

/// The parser that maps words to payloads.
#[derive(Args, Clone)]
pub(crate) struct Reader {
    /// The parser: rules, or a model that this build includes: gguf, endpoint, gate-gguf or
    /// gate-endpoint (rules and model together).
    #[arg(
        long,
        env = "CONVOKE_PARSER",
        value_name = "NAME",
        default_value = "rules"
    )]
    pub(crate) parser: String,
    /// The confidence below which a fragment goes to 'other', 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = semantics::rules::THRESHOLD)]
    pub(crate) threshold: f64,
    /// The file of a local model, GGUF.
    #[arg(long, env = "CONVOKE_MODEL", value_name = "FILE", help_heading = MODELS)]
    pub(crate) model: Option<PathBuf>,
    /// The expected SHA-256 of that file; any other is not loaded.
    #[arg(long, env = "CONVOKE_MODEL_SHA256", value_name = "HEX", help_heading = MODELS)]
    pub(crate) sha256: Option<String>,
    /// The number of threads of a local model.
    #[arg(long, value_name = "N", help_heading = MODELS)]
    pub(crate) threads: Option<u32>,
    /// The base of an OpenAI-compatible API, such as http://127.0.0.1:8080/v1.
    #[arg(long, env = "CONVOKE_ENDPOINT", value_name = "URL", help_heading = MODELS)]
    pub(crate) endpoint: Option<String>,
    /// The name of the model at the endpoint.
    #[arg(long, env = "CONVOKE_ENDPOINT_MODEL", value_name = "NAME", help_heading = MODELS)]
    pub(crate) endpoint_model: Option<String>,
    /// The environment variable that contains the API key of the endpoint.
    #[arg(long, value_name = "VARIABLE", help_heading = MODELS)]
    pub(crate) key_variable: Option<String>,
    /// The certification authorities for the endpoint, PEM; default those of the system.
    #[arg(long, value_name = "FILE", help_heading = MODELS)]
    pub(crate) authorities: Option<PathBuf>,
    /// Allow plain HTTP to an endpoint on another host.
    #[arg(long, help_heading = MODELS)]
    pub(crate) in_the_clear: bool,
    /// Time limit of a model per utterance, in seconds.
    #[arg(long, value_name = "S", help_heading = MODELS)]
    pub(crate) timeout: Option<u64>,
    /// With rules: the confidence from which the model alone is believed; default never for a local
    /// model.
    #[arg(long, value_name = "SHARE", help_heading = MODELS)]
    pub(crate) model_alone: Option<f64>,
    /// With rules: use their result alone if the model fails, instead of failing.
    #[arg(long, help_heading = MODELS)]
    pub(crate) bear_failures: bool,
}

const MODELS: &str = "Models, in builds that hold them";

/// The embedder that recognises texts of the same meaning.
#[derive(Args, Clone)]
pub(crate) struct Embedding {
    /// The embedder: ngrams, or static or minilm in builds that include them.
    #[arg(long, value_name = "NAME", default_value = "ngrams")]
    pub(crate) embedder: String,
    /// The directory with its weights.
    #[arg(long, value_name = "DIR", help_heading = MODELS)]
    pub(crate) weights: Option<PathBuf>,
    /// The expected SHA-256 of its weights; others are not loaded.
    #[arg(long, value_name = "HEX", help_heading = MODELS)]
    pub(crate) sha256: Option<String>,
}
