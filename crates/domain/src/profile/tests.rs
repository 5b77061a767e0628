//! Profiles that can be used, and those that cannot. Read next: [`super`].

use super::*;

fn profile(name: &str) -> Profile {
    Profile {
        name: name.into(),
        alias: None,
        description: "d".into(),
        agent_type: None,
        version: "1.0.0".into(),
        provider: "p".into(),
        domain: None,
        management_object: None,
        layer: Layer::Service,
        province: None,
        capability: Capability::default(),
        skills: vec![],
        authentication: vec![],
    }
}

#[test]
fn names_that_cannot_be_users_are_refused() {
    for bad in ["", "../x", ".x", "-x", "a b", "a/b", &"x".repeat(65)] {
        assert!(profile(bad).check().is_err(), "{bad}");
    }
    assert!(profile("TMF-Convoke-IP-1.0.0").check().is_ok());
}

#[test]
fn a_name_cannot_show_what_it_is_not() {
    for c in [
        '\u{1b}',
        '\n',
        '\t',
        '\u{9b}',
        '\u{202e}',
        '\u{2066}',
        '\u{200f}',
        '\u{ad}',
        '\u{1160}',
        '\u{2800}',
        '\u{3164}',
        '\u{ffa0}',
        '\u{e0041}',
    ] {
        let text = format!("ip{c}noc");
        let alias = Profile {
            alias: Some(text.clone()),
            ..profile("ip")
        };
        assert_eq!(
            alias.check(),
            Err(ProfileError::Deceptive { leaf: "alias", c })
        );
        let provider = Profile {
            provider: text.clone(),
            ..profile("ip")
        };
        assert!(provider.check().is_err(), "{c:?}");
        let skill = Skill {
            name: text.clone(),
            ..Skill::default()
        };
        let skilled = Profile {
            skills: vec![skill],
            ..profile("ip")
        };
        assert!(skilled.check().is_err(), "{c:?}");
        let words = Profile {
            description: text,
            ..profile("ip")
        };
        assert_eq!(words.check().is_ok(), matches!(c, '\n' | '\t'), "{c:?}");
    }
    for fine in ["基站 IP", "مشغل الشبكة", "Zürich – Süd", "a b"] {
        let alias = Profile {
            alias: Some(fine.to_owned()),
            ..profile("ip")
        };
        assert_eq!(alias.check(), Ok(()), "{fine}");
    }
}

#[test]
fn the_recommended_form_is_advised_not_demanded() {
    assert!(profile("TMF-Convoke-IP-1.0.0").advice().is_empty());
    assert_eq!(profile("ip").advice().len(), 1);
    assert!(profile("ip").check().is_ok());
}

fn skilled(name: String, examples: Vec<String>) -> Skill {
    Skill {
        name,
        examples,
        ..Skill::default()
    }
}

#[test]
fn a_profile_has_an_end() {
    let mut long = profile("ip");
    let skill = |i: usize| skilled(format!("s{i}"), vec!["x".repeat(470); 2]);
    long.skills = (0..60).map(skill).collect();
    assert_eq!(long.check(), Ok(()));
    long.skills.extend((60..70).map(skill));
    assert!(matches!(long.check(), Err(ProfileError::TooLong { bytes }) if bytes > 70_000));
}

/// What has no length has a size: texts that say nothing are bounded too.
#[test]
fn empty_texts_count() {
    let mut long = profile("ip");
    let tagged = |tags: usize| Skill {
        tags: vec![String::new(); tags],
        ..skilled("s".to_owned(), vec![])
    };
    long.skills = vec![tagged(2_000)];
    assert_eq!(long.check(), Ok(()));
    long.skills = vec![tagged(800_000)];
    assert!(matches!(long.check(), Err(ProfileError::TooLong { .. })));
}

#[test]
fn a_skill_has_so_many_examples_of_such_a_length() {
    let check = |examples: Vec<String>| {
        let mut told = profile("ip");
        told.skills = vec![skilled("s".to_owned(), examples)];
        told.check()
    };
    let skill = || "s".to_owned();
    let example = |bytes: usize| "x".repeat(bytes);
    assert_eq!(check(vec![example(3); 64]), Ok(()));
    let many = check(vec![example(3); 65]);
    let (count, bytes) = (65, 513);
    assert_eq!(
        many,
        Err(ProfileError::Examples {
            skill: skill(),
            count
        })
    );
    assert_eq!(check(vec![example(512)]), Ok(()));
    let long = check(vec![example(3), example(bytes)]);
    assert_eq!(
        long,
        Err(ProfileError::Example {
            skill: skill(),
            bytes
        })
    );
    let (empty, bytes) = (check(vec![String::new()]), 0);
    assert_eq!(
        empty,
        Err(ProfileError::Example {
            skill: skill(),
            bytes
        })
    );
    // That of a hostile one: what it said of itself took a gigabyte to read.
    assert!(check(vec![example(3); 21_000]).is_err());
}

#[test]
fn versions_are_semantic() {
    for (text, good) in [
        ("1.0.0", true),
        ("1.0.0-rc.1", true),
        ("1.0", false),
        ("01.0.0", false),
        ("v1.0.0", false),
    ] {
        assert_eq!(semantic_version(text), good, "{text}");
    }
}
