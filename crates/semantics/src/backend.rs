//! The parser and the embedder that run: chosen by name, in any build.
//!
//! A name that this build does not hold is refused with the feature to build with, never replaced
//! in silence. Knows names and what each needs; where names come from (a command line, a
//! configuration) is the caller's. Read next: [`crate::gate`], [`crate::ngrams`].

use crate::ngrams::Ngrams;
use crate::rules::{self, Rules};
use crate::weights::{Digest, NoDigest, Weights};
use schema::semantics::{Embedder, SemanticParser};
use std::path::PathBuf;
use std::time::Duration;

/// The parsers that can be named.
pub const PARSERS: [&str; 5] = ["rules", "gguf", "endpoint", "gate-gguf", "gate-endpoint"];
/// The embedders that can be named.
pub const EMBEDDERS: [&str; 3] = ["ngrams", "static", "minilm"];

/// The options given beside a name; each needs some of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackendOptions {
    /// The file of a model, the directory of an embedder.
    pub weights: Option<PathBuf>,
    /// The SHA-256 of its weights, in 64 hexadecimal digits.
    pub sha256: Option<String>,
    /// The number of threads that a local model computes with; 1 by default.
    pub threads: Option<u32>,
    /// The base of an endpoint's API.
    pub url: Option<String>,
    /// The name of a model at an endpoint.
    pub model: Option<String>,
    /// The environment variable that holds the key of an endpoint.
    pub key_variable: Option<String>,
    /// Authorities that an endpoint is trusted by, PEM; those of the system by default.
    pub authorities: Option<PathBuf>,
    /// Lets an endpoint that is another host be reached by `http`.
    pub in_the_clear: bool,
    /// The time that a model may take, in milliseconds; see the model's own settings for the
    /// default.
    pub timeout_ms: Option<u64>,
    /// Behind a gate: the confidence from which the model is believed alone, 0 to 1.
    pub model_alone: Option<f64>,
    /// Behind a gate: lets the rules stand alone where the model fails.
    pub bears_failures: bool,
    /// The confidence from which a value of the rules stands, 0 to 1; 0.7 by default.
    pub threshold: Option<f64>,
}

/// A model that reads utterances.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// A local one.
    Gguf {
        /// Its file.
        weights: Weights,
        /// The number of threads that it computes with.
        threads: u32,
        /// The time that it may take; its own default without it.
        timeout: Option<Duration>,
    },
    /// One behind an endpoint.
    Endpoint(Remote),
}

/// The settings by which an endpoint is reached; see `endpoint::Settings`.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    /// The base of the API.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// The environment variable that holds the key.
    pub key_variable: Option<String>,
    /// Authorities to trust, PEM.
    pub authorities: Option<PathBuf>,
    /// Lets it be reached by `http` though it is another host.
    pub in_the_clear: bool,
    /// The time that an answer may take; the endpoint's own default without it.
    pub timeout: Option<Duration>,
}

/// The parser that runs.
#[derive(Clone, Debug, PartialEq)]
pub enum ParserChoice {
    /// The rules, without a model.
    Rules {
        /// The confidence from which a value stands.
        threshold: f64,
    },
    /// A model alone.
    Alone(Model),
    /// Rules and a model behind the gate.
    Gate {
        /// The model.
        model: Model,
        /// The confidence from which a value of the rules stands alone.
        threshold: f64,
        /// The confidence from which the model is believed alone; without it, never a local model,
        /// and another as [`crate::gate::Thresholds`] says.
        model_alone: Option<f64>,
        /// Lets the rules stand alone where the model fails.
        bears_failures: bool,
    },
}

/// The embedder that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmbedderChoice {
    /// Hashed n-grams, without a model.
    Ngrams,
    /// One vector per token.
    Static(Weights),
    /// MiniLM.
    MiniLm(Weights),
}

/// The reason why a parser or an embedder cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// There is none of this name.
    #[error("there is no {kind} '{name}'; there are {}", known.join(", "))]
    Unknown {
        /// Parser or embedder.
        kind: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: &'static [&'static str],
    },
    /// Something that it needs is not given.
    #[error("{name} needs {needs}")]
    Missing {
        /// The name.
        name: String,
        /// The option that is not given.
        needs: &'static str,
    },
    /// The SHA-256 is none.
    #[error(transparent)]
    Digest(#[from] NoDigest),
    /// This build does not hold it.
    #[error("this build has no `{feature}`: build with --features {feature}")]
    NotBuilt {
        /// The feature that holds it.
        feature: &'static str,
    },
    /// It is held, and cannot be begun.
    #[error("{what} cannot be used: {cause}")]
    Unusable {
        /// The backend that was chosen.
        what: &'static str,
        /// The reason.
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl ParserChoice {
    /// The parser of a name, one of [`PARSERS`].
    ///
    /// # Errors
    /// [`Unavailable`] if there is none, or if what it needs is not given.
    pub fn named(name: &str, given: &BackendOptions) -> Result<Self, Unavailable> {
        let gate = |model| Self::Gate {
            model,
            threshold: given.rules_alone(),
            model_alone: given.model_alone,
            bears_failures: given.bears_failures,
        };
        match name {
            "rules" => Ok(Self::Rules {
                threshold: given.rules_alone(),
            }),
            "gguf" => given.gguf(name).map(Self::Alone),
            "endpoint" => given.endpoint(name).map(Self::Alone),
            "gate-gguf" => given.gguf(name).map(gate),
            "gate-endpoint" => given.endpoint(name).map(gate),
            _ => Err(Unavailable::Unknown {
                kind: "parser",
                name: name.to_owned(),
                known: &PARSERS,
            }),
        }
    }

    /// Begins it: loads a model; connects to nothing.
    ///
    /// # Errors
    /// [`Unavailable`] if this build does not hold it, or if it cannot be used.
    pub fn begin(&self) -> Result<Box<dyn SemanticParser>, Unavailable> {
        match self {
            Self::Rules { threshold } => Ok(Box::new(Rules::new(*threshold))),
            Self::Alone(Model::Gguf {
                weights,
                threads,
                timeout,
            }) => gguf(weights, *threads, *timeout, Place::Alone),
            Self::Alone(Model::Endpoint(remote)) => endpoint(remote, Place::Alone),
            Self::Gate {
                model,
                threshold,
                model_alone,
                bears_failures,
            } => {
                let place = Place::Gate {
                    threshold: *threshold,
                    model_alone: *model_alone,
                    bears_failures: *bears_failures,
                };
                match model {
                    Model::Gguf {
                        weights,
                        threads,
                        timeout,
                    } => gguf(weights, *threads, *timeout, place),
                    Model::Endpoint(remote) => endpoint(remote, place),
                }
            }
        }
    }
}

impl EmbedderChoice {
    /// The embedder of a name, one of [`EMBEDDERS`].
    ///
    /// # Errors
    /// [`Unavailable`] if there is none, or if what it needs is not given.
    pub fn named(name: &str, given: &BackendOptions) -> Result<Self, Unavailable> {
        match name {
            "ngrams" => Ok(Self::Ngrams),
            "static" => given.weights(name).map(Self::Static),
            "minilm" => given.weights(name).map(Self::MiniLm),
            _ => Err(Unavailable::Unknown {
                kind: "embedder",
                name: name.to_owned(),
                known: &EMBEDDERS,
            }),
        }
    }

    /// Begins it: loads its weights.
    ///
    /// # Errors
    /// [`Unavailable`] if this build does not hold it, or if it cannot be used.
    pub fn begin(&self) -> Result<Box<dyn Embedder>, Unavailable> {
        match self {
            Self::Ngrams => Ok(Box::new(Ngrams::default())),
            Self::Static(weights) => one_per_token(weights),
            Self::MiniLm(weights) => minilm(weights),
        }
    }
}

impl BackendOptions {
    fn rules_alone(&self) -> f64 {
        self.threshold.unwrap_or(rules::THRESHOLD)
    }

    fn weights(&self, name: &str) -> Result<Weights, Unavailable> {
        let path = needed(name, "a path to its weights", self.weights.as_ref())?;
        let sha256 = needed(name, "the SHA-256 of its weights", self.sha256.as_ref())?;
        let sha256: Digest = sha256.parse()?;
        Ok(Weights {
            path: path.clone(),
            sha256,
        })
    }

    fn gguf(&self, name: &str) -> Result<Model, Unavailable> {
        Ok(Model::Gguf {
            weights: self.weights(name)?,
            threads: self.threads.unwrap_or(1),
            timeout: self.timeout_ms.map(Duration::from_millis),
        })
    }

    fn endpoint(&self, name: &str) -> Result<Model, Unavailable> {
        let url = needed(name, "the URL of an endpoint", self.url.as_ref())?;
        let model = needed(name, "the name of a model there", self.model.as_ref())?;
        Ok(Model::Endpoint(Remote {
            url: url.clone(),
            model: model.clone(),
            key_variable: self.key_variable.clone(),
            authorities: self.authorities.clone(),
            in_the_clear: self.in_the_clear,
            timeout: self.timeout_ms.map(Duration::from_millis),
        }))
    }
}

fn needed<'g, T>(
    name: &str,
    needs: &'static str,
    given: Option<&'g T>,
) -> Result<&'g T, Unavailable> {
    given.ok_or_else(|| Unavailable::Missing {
        name: name.to_owned(),
        needs,
    })
}

/// The place of a model.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(any(feature = "gguf", feature = "endpoint")),
    allow(dead_code, reason = "only models stand somewhere")
)]
enum Place {
    Alone,
    Gate {
        threshold: f64,
        model_alone: Option<f64>,
        bears_failures: bool,
    },
}

#[cfg(any(feature = "gguf", feature = "endpoint"))]
fn placed<M: SemanticParser + 'static>(
    model: M,
    place: Place,
    thresholds: crate::gate::Thresholds,
) -> Box<dyn SemanticParser> {
    use crate::gate::{Gate, LIKELY, Thresholds};
    let Place::Gate {
        threshold,
        model_alone,
        bears_failures,
    } = place
    else {
        return Box::new(model);
    };
    let gate = Gate::new(Rules::new(threshold), model)
        .weighing(Rules::new(LIKELY.min(threshold)))
        .with(Thresholds {
            rules_alone: threshold,
            model_alone: model_alone.unwrap_or(thresholds.model_alone),
            ..thresholds
        });
    match bears_failures {
        true => Box::new(gate.bearing_failures()),
        false => Box::new(gate),
    }
}

#[cfg(any(
    feature = "gguf",
    feature = "endpoint",
    feature = "static",
    feature = "minilm"
))]
fn unusable<E: std::error::Error + Send + Sync + 'static>(
    what: &'static str,
) -> impl FnOnce(E) -> Unavailable {
    move |cause| Unavailable::Unusable {
        what,
        cause: Box::new(cause),
    }
}

#[cfg(feature = "gguf")]
fn gguf(
    weights: &Weights,
    threads: u32,
    timeout: Option<Duration>,
    place: Place,
) -> Result<Box<dyn SemanticParser>, Unavailable> {
    use crate::gguf::{Gguf, GgufSettings};
    let default = GgufSettings::new(weights.clone());
    let model = Gguf::load(GgufSettings {
        threads,
        timeout: timeout.unwrap_or(default.timeout),
        other: matches!(place, Place::Alone),
        ..default
    });
    let model = model.map_err(unusable("the model"))?;
    Ok(placed(model, place, crate::gate::Thresholds::SMALL))
}

#[cfg(not(feature = "gguf"))]
fn gguf(
    _: &Weights,
    _: u32,
    _: Option<Duration>,
    _: Place,
) -> Result<Box<dyn SemanticParser>, Unavailable> {
    Err(Unavailable::NotBuilt { feature: "gguf" })
}

#[cfg(feature = "endpoint")]
fn endpoint(remote: &Remote, place: Place) -> Result<Box<dyn SemanticParser>, Unavailable> {
    use crate::endpoint::{EndpointSettings, ModelEndpoint};
    let default = EndpointSettings::new(&remote.url, &remote.model);
    let model = ModelEndpoint::new(EndpointSettings {
        key_variable: remote.key_variable.clone(),
        authorities: remote.authorities.clone(),
        in_the_clear: remote.in_the_clear,
        timeout: remote.timeout.unwrap_or(default.timeout),
        ..default
    });
    let model = model.map_err(unusable("the endpoint"))?;
    Ok(placed(model, place, crate::gate::Thresholds::default()))
}

#[cfg(not(feature = "endpoint"))]
fn endpoint(_: &Remote, _: Place) -> Result<Box<dyn SemanticParser>, Unavailable> {
    Err(Unavailable::NotBuilt {
        feature: "endpoint",
    })
}

#[cfg(feature = "static")]
fn one_per_token(weights: &Weights) -> Result<Box<dyn Embedder>, Unavailable> {
    let embedder = crate::static_embedder::StaticEmbedder::load(weights);
    Ok(Box::new(embedder.map_err(unusable("the embedder"))?))
}

#[cfg(not(feature = "static"))]
fn one_per_token(_: &Weights) -> Result<Box<dyn Embedder>, Unavailable> {
    Err(Unavailable::NotBuilt { feature: "static" })
}

#[cfg(feature = "minilm")]
fn minilm(weights: &Weights) -> Result<Box<dyn Embedder>, Unavailable> {
    let embedder = crate::minilm::MiniLm::load(weights);
    Ok(Box::new(embedder.map_err(unusable("the embedder"))?))
}

#[cfg(not(feature = "minilm"))]
fn minilm(_: &Weights) -> Result<Box<dyn Embedder>, Unavailable> {
    Err(Unavailable::NotBuilt { feature: "minilm" })
}
