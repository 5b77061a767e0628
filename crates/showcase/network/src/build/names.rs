//! Short codes of cities, for the names of their sites.
//!
//! Knows only spelling. Read next: [`super::access`].

use crate::topology::Backbone;
use std::collections::BTreeSet;

/// A code for each city, unique in the network: its first letter and a later one, else three.
pub(super) fn site_codes(topology: &Backbone) -> Vec<String> {
    let mut taken = BTreeSet::new();
    topology
        .cities
        .iter()
        .map(|city| {
            let code = spellings(&city.name)
                .find(|code| !taken.contains(code))
                .expect("the numbered spellings never end");
            taken.insert(code.clone());
            code
        })
        .collect()
}

fn spellings(name: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_uppercase)
        .collect();
    let first = letters.first().copied().unwrap_or('X');
    let second: Vec<char> = letters.iter().skip(1).copied().chain('A'..='Z').collect();
    second
        .into_iter()
        .map(move |c| format!("{first}{c}"))
        .chain((2..).map(move |number| format!("{first}{number}")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_short_and_unique() {
        let codes = site_codes(&Backbone::named("Polska").unwrap());
        insta::assert_snapshot!(codes.join(" "), @"GD BY KO KA KR BI LO PO RZ SZ WA WR");
        for entry in crate::catalogue() {
            let codes = site_codes(&entry.topology());
            assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
        }
    }
}
