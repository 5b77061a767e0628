//! Forged addresses, one row each, and their outcomes.

use super::*;
use proptest::prelude::*;

fn allowed() -> AllowList {
    let public = [
        "https://oss.example:8443",
        "http://192.0.2.7",
        "https://[2001:db8::7]",
    ];
    let private = ["http://oss.corp"];
    let texts = |entries: &[&str]| entries.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>();
    AllowList::new(&texts(&public), &texts(&private)).unwrap()
}

fn verdict(protocol: &str, method: &str, url: &str) -> String {
    let subscription = Subscription {
        protocol: protocol.to_owned(),
        method: method.to_owned(),
        url: url.to_owned(),
    };
    match allowed().admit(&subscription) {
        Ok(Some(target)) => format!("goes to {target}"),
        Ok(None) => "no webhook".to_owned(),
        Err(why) => why.to_string(),
    }
}

/// A row for each way in which an address can look like one thing and be another.
const FORGED: &[(&str, &str)] = &[
    // Another scheme, host or port than the entry.
    (
        "http://oss.example:8443/",
        "http://oss.example:8443 is not allowed here",
    ),
    (
        "https://oss.example/",
        "https://oss.example is not allowed here",
    ),
    (
        "https://oss.example:443/",
        "https://oss.example is not allowed here",
    ),
    (
        "https://oss.example.evil.test:8443/",
        "https://oss.example.evil.test:8443 is not allowed here",
    ),
    (
        "https://evil-oss.example:8443/",
        "https://evil-oss.example:8443 is not allowed here",
    ),
    (
        "ftp://oss.example:8443/",
        "it does not begin with http:// or https://",
    ),
    (
        "file:///etc/passwd",
        "it does not begin with http:// or https://",
    ),
    (
        "gopher://oss.example:8443/",
        "it does not begin with http:// or https://",
    ),
    (
        "https:oss.example:8443",
        "it does not begin with http:// or https://",
    ),
    (
        "//oss.example:8443/",
        "it does not begin with http:// or https://",
    ),
    ("", "it does not begin with http:// or https://"),
    // User names and passwords, before and behind the host.
    (
        "https://oss.example:8443@127.0.0.1/",
        "it holds a user name or password",
    ),
    (
        "https://user:secret@oss.example:8443/",
        "it holds a user name or password",
    ),
    (
        "https://127.0.0.1#@oss.example:8443/",
        "it holds a fragment",
    ),
    (
        "https://oss.example:8443#@127.0.0.1/",
        "it holds a fragment",
    ),
    // Ports.
    (
        "https://oss.example:8443:22/",
        "its port is not a number from 1 to 65535",
    ),
    (
        "https://oss.example:08443/",
        "its port is not a number from 1 to 65535",
    ),
    (
        "https://oss.example:+8443/",
        "its port is not a number from 1 to 65535",
    ),
    (
        "https://oss.example:73979/",
        "its port is not a number from 1 to 65535",
    ),
    (
        "https://oss.example:0/",
        "its port is not a number from 1 to 65535",
    ),
    (
        "https://oss.example:/",
        "its port is not a number from 1 to 65535",
    ),
    (
        "https://[2001:db8::7]8443/",
        "its port is not a number from 1 to 65535",
    ),
    // Addresses in forms that only some readers take for addresses.
    (
        "http://2130706433/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "http://0x7f000001/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "http://0x7f.1/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "http://127.1/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "http://0177.0.0.1/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "http://192.0.2.7./",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "http://[::ffff:127.0.0.1]/",
        "http://127.0.0.1 is not allowed here",
    ),
    (
        "http://[::ffff:7f00:1]/",
        "http://127.0.0.1 is not allowed here",
    ),
    ("http://[::1]/", "http://[::1] is not allowed here"),
    (
        "http://[fe80::1%25eth0]/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "http://[::1/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    // Names.
    (
        "https://oss.example.:8443/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "https://oss..example:8443/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "https://:8443/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "https://oss%2eexample:8443/",
        "its host is neither a plain name nor an address in its usual form",
    ),
    (
        "https://oss。example:8443/",
        "it holds a space, a control character, one of \"<>\\^`{|} or one outside ASCII",
    ),
    (
        "https://ｏss.example:8443/",
        "it holds a space, a control character, one of \"<>\\^`{|} or one outside ASCII",
    ),
    (
        "https://oss.example:8443\\@127.0.0.1/",
        "it holds a space, a control character, one of \"<>\\^`{|} or one outside ASCII",
    ),
    // Bytes that would begin another field or request.
    (
        "https://oss.example:8443/\r\nHost: x",
        "it holds a space, a control character, one of \"<>\\^`{|} or one outside ASCII",
    ),
    (
        "https://oss.example:8443/ HTTP/1.1",
        "it holds a space, a control character, one of \"<>\\^`{|} or one outside ASCII",
    ),
    (
        " https://oss.example:8443/",
        "it holds a space, a control character, one of \"<>\\^`{|} or one outside ASCII",
    ),
    (
        "https://oss.example:8443/\0",
        "it holds a space, a control character, one of \"<>\\^`{|} or one outside ASCII",
    ),
];

#[test]
fn forged_addresses_are_refused_each_for_its_reason() {
    for (url, expected) in FORGED {
        let protocol = if url.starts_with("http:") {
            "http"
        } else {
            "https"
        };
        assert_eq!(&verdict(protocol, "POST", url), expected, "{url}");
    }
    let long = format!("https://oss.example:8443/{}", "x".repeat(LONGEST));
    assert_eq!(
        verdict("https", "POST", &long),
        "it is longer than 2048 bytes"
    );
}

#[test]
fn what_is_on_the_list_is_admitted_in_one_spelling() {
    for (protocol, url, expected) in [
        (
            "https",
            "https://oss.example:8443",
            "https://oss.example:8443/",
        ),
        (
            "HTTPS",
            "https://OSS.example:8443/in?a=%20b",
            "https://oss.example:8443/in?a=%20b",
        ),
        (
            "https",
            "https://oss.example:8443?x",
            "https://oss.example:8443/?x",
        ),
        ("http", "http://192.0.2.7:80/in", "http://192.0.2.7/in"),
        (
            "http",
            "http://[::ffff:192.0.2.7]/in",
            "http://192.0.2.7/in",
        ),
        (
            "https",
            "https://[2001:0db8::0007]/",
            "https://[2001:db8::7]/",
        ),
    ] {
        assert_eq!(
            verdict(protocol, "POST", url),
            format!("goes to {expected}")
        );
    }
    assert_eq!(verdict("netconf", "create-subscription", ""), "no webhook");
}

#[test]
fn protocol_and_method_must_be_those_of_a_webhook() {
    let url = "https://oss.example:8443/";
    let other = |protocol: &str, method: &str| {
        format!("'{protocol}' with '{method}' is not offered; http and https with POST are")
    };
    assert_eq!(verdict("https", "GET", url), other("https", "GET"));
    assert_eq!(verdict("mqtt", "POST", url), other("mqtt", "POST"));
    assert_eq!(
        verdict("http", "POST", url),
        "it is not of the protocol 'http'"
    );
}

#[test]
fn an_empty_list_allows_nothing_and_entries_are_origins() {
    let subscription = Subscription {
        protocol: "https".to_owned(),
        method: "POST".to_owned(),
        url: "https://oss.example/".to_owned(),
    };
    assert!(AllowList::default().admit(&subscription).is_err());
    let refused = |entry: &str| AllowList::new(&[entry.to_owned()], &[]).unwrap_err();
    assert_eq!(
        refused("https://a/b"),
        BadEntry::Path("https://a/b".to_owned())
    );
    assert!(matches!(
        refused("a.example"),
        BadEntry::Url {
            why: BadUrl::Scheme,
            ..
        }
    ));
}

/// Every reserved range: its first and last address, and the public ones beside it.
#[test]
fn a_name_leads_only_to_addresses_of_the_public_network() {
    let list = allowed();
    let may = |origin: &str, address: &str| {
        list.may_connect(
            &Target::parse(origin).unwrap().origin,
            address.parse().unwrap(),
        )
    };
    let name = "https://oss.example:8443";
    for inside in [
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.1",
        "100.64.0.0",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.0",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.0",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "3fff::1",
        "fc00::1",
        "fd00::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        assert!(!may(name, inside), "{inside}");
    }
    for outside in [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.0.0.1",
        "128.0.0.1",
        "169.253.0.1",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.1",
        "192.167.0.1",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2001:200::1",
        "2400::1",
        "2606:4700::1111",
        "3fff:1000::1",
    ] {
        assert!(may(name, outside), "{outside}");
    }
    // An entry that is the address itself, and one that is marked as private.
    assert!(may("http://192.0.2.7", "192.0.2.7") && may("http://192.0.2.7", "::ffff:192.0.2.7"));
    assert!(!may("http://192.0.2.7", "192.0.2.8"));
    assert!(may("http://oss.corp", "127.0.0.1") && may("http://oss.corp", "fd00::1"));
    for nobody in [
        "224.0.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "ff02::1",
        "::ffff:224.0.0.1",
    ] {
        assert!(!may("http://oss.corp", nobody), "{nobody}");
    }
}

proptest! {
    #[test]
    fn a_url_that_was_read_is_written_in_a_form_that_is_read_the_same(
        url in "https?://([a-z0-9.-]{1,12}|\\[[0-9a-f:.]{2,12}\\])(:[0-9]{1,5})?([/?][!-~]{0,12})?",
    ) {
        if let Ok(target) = Target::parse(&url) {
            prop_assert_eq!(Target::parse(&target.to_string()), Ok(target));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}", more in "https?://[\\[\\]:@/?#.%0-9a-fx-]{0,30}") {
        let _ = (Target::parse(&text), Target::parse(&more));
    }
}
