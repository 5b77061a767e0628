//! Who understands words: what can be typed.

use clap::Args;
use std::path::PathBuf;

/// Who maps words to payloads.
#[derive(Args, Clone)]
pub(crate) struct Reader {
    /// Who reads: rules, or a model that this build holds: gguf, endpoint, gate-gguf or
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
    /// The SHA-256 of that file; another is not loaded.
    #[arg(long, env = "CONVOKE_MODEL_SHA256", value_name = "HEX", help_heading = MODELS)]
    pub(crate) sha256: Option<String>,
    /// How many threads a local model computes with.
    #[arg(long, value_name = "N", help_heading = MODELS)]
    pub(crate) threads: Option<u32>,
    /// The base of an OpenAI-compatible API, such as http://127.0.0.1:8080/v1.
    #[arg(long, env = "CONVOKE_ENDPOINT", value_name = "URL", help_heading = MODELS)]
    pub(crate) endpoint: Option<String>,
    /// The model's name at the endpoint.
    #[arg(long, env = "CONVOKE_ENDPOINT_MODEL", value_name = "NAME", help_heading = MODELS)]
    pub(crate) endpoint_model: Option<String>,
    /// The environment variable that holds the key of the endpoint.
    #[arg(long, value_name = "VARIABLE", help_heading = MODELS)]
    pub(crate) key_variable: Option<String>,
    /// The authorities that vouch for the endpoint, PEM; those of the system if not given.
    #[arg(long, value_name = "FILE", help_heading = MODELS)]
    pub(crate) authorities: Option<PathBuf>,
    /// Lets an endpoint that is another host be reached without TLS.
    #[arg(long, help_heading = MODELS)]
    pub(crate) in_the_clear: bool,
    /// How long a model may take for an utterance, in seconds.
    #[arg(long, value_name = "S", help_heading = MODELS)]
    pub(crate) timeout: Option<u64>,
    /// Beside rules: the confidence from which a model is believed alone; never, for a local one, if
    /// not given.
    #[arg(long, value_name = "SHARE", help_heading = MODELS)]
    pub(crate) model_alone: Option<f64>,
    /// Beside rules: lets them stand alone where the model fails, instead of failing with it.
    #[arg(long, help_heading = MODELS)]
    pub(crate) bear_failures: bool,
}

const MODELS: &str = "Models, in builds that hold them";

/// Who says which texts mean the same.
#[derive(Args, Clone)]
pub(crate) struct Embedding {
    /// Who embeds: ngrams, or static or minilm in builds that hold them.
    #[arg(long, value_name = "NAME", default_value = "ngrams")]
    pub(crate) embedder: String,
    /// The directory of its weights.
    #[arg(long, value_name = "DIR", help_heading = MODELS)]
    pub(crate) weights: Option<PathBuf>,
    /// The SHA-256 of its weights; others are not loaded.
    #[arg(long, value_name = "HEX", help_heading = MODELS)]
    pub(crate) sha256: Option<String>,
}
