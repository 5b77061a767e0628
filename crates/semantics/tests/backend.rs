//! Parsers and embedders by name, in whatever build.
#![allow(clippy::unwrap_used)]

use schema::semantics::Embedder;
use semantics::backend::{
    BackendOptions, EMBEDDERS, EmbedderChoice, Model, PARSERS, ParserChoice, Unavailable,
};
use semantics::ngrams::Ngrams;
use std::path::PathBuf;

fn given() -> BackendOptions {
    BackendOptions {
        weights: Some(PathBuf::from("/nowhere/at/all")),
        sha256: Some("ab".repeat(32)),
        url: Some("http://127.0.0.1:9/v1".to_owned()),
        model: Some("small".to_owned()),
        timeout_ms: Some(1_500),
        ..BackendOptions::default()
    }
}

#[test]
fn what_needs_no_model_is_in_every_build() {
    let none = BackendOptions::default();
    let parser = ParserChoice::named("rules", &none)
        .unwrap()
        .begin()
        .unwrap();
    assert_eq!(parser.name(), "rules");
    let embedder = EmbedderChoice::named("ngrams", &none)
        .unwrap()
        .begin()
        .unwrap();
    assert_eq!(embedder.id(), Ngrams::default().id());
}

/// A name is never replaced by another in silence.
#[test]
fn every_name_is_taken_and_no_other() {
    for name in PARSERS {
        ParserChoice::named(name, &given()).unwrap();
    }
    for name in EMBEDDERS {
        EmbedderChoice::named(name, &given()).unwrap();
    }
    let told = ParserChoice::named("gpt", &given())
        .unwrap_err()
        .to_string();
    assert_eq!(
        told,
        "there is no parser 'gpt'; there are rules, gguf, endpoint, gate-gguf, gate-endpoint"
    );
    let told = EmbedderChoice::named("", &given()).unwrap_err().to_string();
    assert_eq!(
        told,
        "there is no embedder ''; there are ngrams, static, minilm"
    );
}

#[test]
fn what_a_name_needs_is_told() {
    type Without = fn(&mut BackendOptions);
    let cases: [(&str, Without, &str); 4] = [
        (
            "gguf",
            |g| g.weights = None,
            "gguf needs a path to its weights",
        ),
        (
            "gate-gguf",
            |g| g.sha256 = None,
            "gate-gguf needs the SHA-256 of its weights",
        ),
        (
            "endpoint",
            |g| g.url = None,
            "endpoint needs the URL of an endpoint",
        ),
        (
            "gate-endpoint",
            |g| g.model = None,
            "gate-endpoint needs the name of a model there",
        ),
    ];
    for (name, without, expected) in cases {
        let mut given = given();
        without(&mut given);
        let told = ParserChoice::named(name, &given).unwrap_err().to_string();
        assert_eq!(told, expected);
    }
    let wrong = BackendOptions {
        sha256: Some("12".to_owned()),
        ..given()
    };
    let told = EmbedderChoice::named("minilm", &wrong)
        .unwrap_err()
        .to_string();
    assert_eq!(told, "'12' is no SHA-256: 64 hexadecimal digits");
}

#[test]
fn what_is_given_is_kept() {
    let choice = ParserChoice::named(
        "gate-endpoint",
        &BackendOptions {
            model_alone: Some(0.95),
            bears_failures: true,
            threshold: Some(0.6),
            ..given()
        },
    );
    let ParserChoice::Gate {
        model: Model::Endpoint(remote),
        threshold: 0.6,
        model_alone: Some(0.95),
        bears_failures: true,
    } = choice.unwrap()
    else {
        panic!("a gate and an endpoint were named");
    };
    assert_eq!(
        (remote.url.as_str(), remote.model.as_str()),
        ("http://127.0.0.1:9/v1", "small")
    );
    assert_eq!(remote.timeout.unwrap().as_millis(), 1_500);
    assert!(!remote.in_the_clear);
}

/// What a build does not hold is told with the feature to build with; what it holds is begun, and
/// says why it cannot be.
#[test]
fn a_build_says_what_it_does_not_hold() {
    let begun = |name: &str| {
        let parser = PARSERS.contains(&name);
        match parser {
            true => ParserChoice::named(name, &given()).unwrap().begin().err(),
            false => EmbedderChoice::named(name, &given()).unwrap().begin().err(),
        }
    };
    for (name, feature, held) in [
        ("gguf", "gguf", cfg!(feature = "gguf")),
        ("gate-gguf", "gguf", cfg!(feature = "gguf")),
        ("static", "static", cfg!(feature = "static")),
        ("minilm", "minilm", cfg!(feature = "minilm")),
    ] {
        let told = begun(name).unwrap();
        match told {
            Unavailable::Unusable { .. } if held => {
                assert!(told.to_string().contains("/nowhere/at/all"), "{told}");
            }
            Unavailable::NotBuilt { .. } if !held => assert_eq!(
                told.to_string(),
                format!("this build has no `{feature}`: build with --features {feature}")
            ),
            other => panic!("{name}: {other}"),
        }
    }
    // An endpoint connects to nothing before it is asked.
    for name in ["endpoint", "gate-endpoint"] {
        assert_eq!(begun(name).is_none(), cfg!(feature = "endpoint"), "{name}");
    }
}
