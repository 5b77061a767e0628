//! The fuzz target of sessions over seeds and a few thousand small changes to them: what a
//! stranger's bytes may never do. The function is in `tests/fuzz`, where libFuzzer runs it for as
//! long as one likes (`make fuzz`).
#![allow(missing_docs, unreachable_pub)]

#[path = "../../../tests/fuzz/src/mutation.rs"]
mod mutation;
#[path = "../../../tests/fuzz/src/netconf.rs"]
mod target;

/// Of base:1.0 after a hello, of base:1.1, and without one.
const SEEDS: [&str; 7] = [
    "0<rpc message-id=\"1\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><get/></rpc>]]>]]>",
    "0<nc:rpc xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" xmlns:t=\"urn:t\" message-id=\"&quot;2&#10;\" t:x=\"y\"><nc:get-config><nc:source><nc:running/></nc:source></nc:get-config></nc:rpc>]]>]]>",
    "1\n#59\n<rpc message-id=\"1\" xmlns=\"urn:ietf:params:xml:ns:netconf:\n#27\nbase:1.0\"><get><filter/></get>\n#6\n</rpc>\n##\n",
    "1\n#170\n<rpc message-id=\"3\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><get><filter type=\"subtree\"><f xmlns=\"urn:f\"><n>a</n><m x=\"1\"/></f></filter></get><!-- c --><?p i?></rpc>\n##\n\n#3\n<a>\n#4\n</a>\n##\n",
    "1\n#182\n<rpc message-id=\"4\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><get><filter type=\"xpath\" xmlns:f=\"urn:f\" select=\"/f:fleet/f:ship[f:name='Argo']/f:crew | //f:x[2]\"/></get></rpc><!--xx-->\n##\n",
    "<hello xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities><capability> urn:ietf:params:netconf:base:1.1 </capability></capabilities></hello>]]>]]>\n#5\n<a/>\n",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a xmlns:p=\"u\" p:b=\"&lt;\"><![CDATA[ ]] ]]><p:c>&#x1F600;</p:c></a>",
];

const WORDS: [&str; 24] = [
    "<",
    ">",
    "</",
    "/>",
    "&",
    "&lt;",
    "&#",
    ";",
    "\"",
    "'",
    "=",
    "]]>]]>",
    "\n#",
    "\n##\n",
    "#4294967295\n",
    "xmlns",
    "xmlns:",
    "<![CDATA[",
    "<!--",
    "-->",
    "<!DOCTYPE a>",
    "message-id",
    "<rpc",
    "\u{0}",
];

/// How many times as long: CONVOKE_FUZZ_TIMES, for `make soak`.
#[allow(clippy::disallowed_methods)]
fn times() -> usize {
    let told = std::env::var("CONVOKE_FUZZ_TIMES");
    told.map_or(1, |times| times.parse().expect("a number"))
}

/// How bytes are parted makes no difference, every request is answered, and what passes the guard
/// is written as it means.
#[test]
fn no_bytes_break_a_session() {
    let seeds = SEEDS.map(|seed| seed.as_bytes().to_vec());
    mutation::feed(target::session, &seeds, &WORDS, 6_000 * times());
}
