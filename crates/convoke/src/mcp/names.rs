//! The names of tools: stable, unique, and of letters, digits, `_` and `-` only.
//!
//! MCP also allows dots; the interfaces of some models do not, and 64 characters are supported by
//! all. Read next: [`super::offers`].

use base16ct::lower::encode_string;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The longest name, in characters.
const LONGEST: usize = 64;

/// The number of hexadecimal digits of a digest that make a name unique.
const MARK: usize = 8;

/// A name for each list of words, in order: the words joined by `_`. A name that would be too long,
/// contain other characters or clash with another ends with the beginning of the SHA-256 of its
/// words instead.
pub(super) fn names(all: &[Vec<&str>]) -> Vec<String> {
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for words in all {
        *wanted.entry(words.join("_")).or_default() += 1;
    }
    let name = |words: &Vec<&str>| {
        let plain = words.join("_");
        match is_legal(&plain) && wanted[&plain] == 1 {
            true => plain,
            false => marked(&plain, words),
        }
    };
    all.iter().map(name).collect()
}

fn is_legal(name: &str) -> bool {
    name.len() <= LONGEST && name.chars().all(is_of_names)
}

fn is_of_names(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

fn marked(plain: &str, words: &[&str]) -> String {
    let legal = plain.chars().map(|c| if is_of_names(c) { c } else { '-' });
    let begin: String = legal.take(LONGEST - MARK - 1).collect();
    // Words hold no NUL, as XML has none.
    let digest = Sha256::digest(words.join("\0"));
    let mark = encode_string(&digest);
    format!("{begin}-{}", &mark[..MARK])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_and_unique() {
        let long = "a".repeat(80);
        let all = [
            vec!["ip-fault", "fault-diagnosis"],
            vec!["north", "repair", "fault_repair_v1"],
            vec!["a.b", "诊断"],
            vec!["a.b", "修复"],
            vec![&*long, "one"],
            vec![&*long, "two"],
            vec!["a_b", "c"],
            vec!["a", "b_c"],
        ];
        let names = names(&all);
        insta::assert_snapshot!(names.join("\n"), @r"
        ip-fault_fault-diagnosis
        north_repair_fault_repair_v1
        a-b_---88070670
        a-b_---68df2d06
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1b6e04c9
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-a57eda92
        a_b_c-0c1d18f5
        a_b_c-662f0bbb
        ");
        for name in &names {
            assert!(is_legal(name), "{name}");
        }
        let unique: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(unique.len(), all.len());
    }

    #[test]
    fn a_name_stays_whoever_else_comes() {
        let alone = names(&[vec!["north", "quality-check"]]);
        let beside = names(&[vec!["aside", "x"], vec!["north", "quality-check"]]);
        assert_eq!(alone[0], beside[1]);
    }
}
