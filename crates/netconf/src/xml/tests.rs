//! Tests of the parser: what it accepts, what it refuses, and its invariants.
#![allow(clippy::unwrap_used)]

use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;

fn outcome(bytes: impl Into<Vec<u8>>) -> String {
    match XmlDocument::parse(bytes, &Limits::default()) {
        Ok(document) => outline(document.root()),
        Err(error) => format!("! {error}"),
    }
}

/// `{namespace}name[attributes]"text"(children)`.
fn outline(element: XmlElement<'_>) -> String {
    let mut line = String::new();
    if !element.namespace().is_empty() {
        line.push_str(&format!("{{{}}}", element.namespace()));
    }
    line.push_str(element.name());
    for one in element.attributes() {
        line.push_str(&format!(
            "[{{{}}}{}={}]",
            one.namespace, one.name, one.value
        ));
    }
    if !element.text().is_empty() {
        line.push_str(&format!("{:?}", element.text()));
    }
    if element.has_mixed_content() {
        line.push('~');
    }
    let children: Vec<String> = element.children().map(outline).collect();
    if !children.is_empty() {
        line.push_str(&format!("({})", children.join(" ")));
    }
    line
}

#[test]
fn namespaces_and_text_are_resolved() {
    assert_snapshot!(outcome("<a/>"), @"a");
    assert_snapshot!(outcome("\u{FEFF}<a></a >"), @"a");
    assert_snapshot!(outcome("<?xml version='1.0' encoding='utf-8'?>\r\n<a x = '1'/>\n"), @"a[{}x=1]");
    assert_snapshot!(outcome("<a xmlns='u'><b xmlns=''/><p:c xmlns:p='v' p:x='1' x='2'/><d/></a>"),
        @"{u}a(b {v}c[{v}x=1][{}x=2] {u}d)");
    assert_snapshot!(outcome("<a> <b> x </b> <!-- - --> <c>1<![CDATA[<&]]>&#x41;&lt;</c></a>"),
        @r#"a(b" x " c"1<&A<")"#);
    assert_snapshot!(outcome("<a>x<b/>y</a>"), @r#"a"x"~(b)"#);
    assert_snapshot!(outcome("<a><b/>&amp;<b/>z</a>"), @"a~(b b)");
    assert_snapshot!(outcome("<a>&#32;<b/></a>"), @"a(b)");
    assert_snapshot!(outcome("<a>1\r\n2\r3&#13;</a>"), @r#"a"1\n2\n3\r""#);
    assert_snapshot!(outcome("<a x='&lt;&#10; \t\r\n&quot;'/>"), @"
    a[{}x=<
       \"]
    ");
    assert_snapshot!(outcome("<a xml:lang='en'>é中😀</a>"), @r#"a[{http://www.w3.org/XML/1998/namespace}lang=en]"é中😀""#);
    assert_snapshot!(outcome("<é中/>"), @"é中");
    assert_snapshot!(outcome("<a b='>' c=']]>'>]]&gt;></a>"), @r#"a[{}b=>][{}c=]]>]"]]>>""#);
}

#[test]
fn what_is_no_acceptable_document() {
    let cases: &[&[u8]] = &[
        b"",
        b"  ",
        b"x",
        b"<!-- c -->",
        b"<a>",
        b"<a",
        b"<a></b>",
        b"</a>",
        b"<a></a></a>",
        b"<a/><b/>",
        b"<a/>x",
        b"x<a/>",
        b"<a/>&amp;",
        b"<a/><![CDATA[]]>",
        b"<a>&nope;</a>",
        b"<a>&</a>",
        b"<a>& b;</a>",
        b"<a>&#0;</a>",
        b"<a>&#xD800;</a>",
        b"<a>&#x110000;</a>",
        b"<a>&#+65;</a>",
        b"<a>&#;</a>",
        b"<a>\0</a>",
        b"<a>\x08</a>",
        b"<a>\xEF\xBF\xBE</a>",
        b"<a>\xFF</a>",
        b"<a>\xED\xA0\x80</a>",
        b"<!DOCTYPE a><a/>",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        b"<?pi x?><a/>",
        b"<a><?pi?></a>",
        b" <?xml version='1.0'?><a/>",
        b"<a/><?xml version='1.0'?>",
        b"<?xml version='1.0' encoding='latin1'?><a/>",
        b"<?xml encoding='utf-8'?><a/>",
        b"<?xml version='2.0'?><a/>",
        b"<p:a/>",
        b"<a p:b='1'/>",
        b"<a b='1' b='2'/>",
        b"<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
        b"<a xmlns:p='u' xmlns:p='v'/>",
        b"<a xmlns='u' xmlns='u'/>",
        b"<a xmlns:p=''/>",
        b"<a xmlns:xml='u'/>",
        b"<a xmlns:xmlns='u'/>",
        b"<xmlns:a/>",
        b"<a b='1'c='2'/>",
        b"<a b/>",
        b"<a b=1/>",
        b"<a b='1/>",
        b"<a b='<'/>",
        b"<a b='&x;'/>",
        b"<a ='1'/>",
        b"<1a/>",
        b"<a:/>",
        b"<:a/>",
        b"<a:b:c xmlns:a='u'/>",
        b"< a/>",
        b"<a><!-- -- --></a>",
        b"<a><!-- </a>",
        b"<a>]]></a>",
        b"<a><![CDATA[</a>",
        b"<a><![CDAT[x]]></a>",
        b"\xEF\xBB\xBF\xEF\xBB\xBF<a/>",
        b"<a/ >",
        b"<a / >",
        b"<a b=''/c=''>",
        b"<a b='\x01'/>",
    ];
    for case in cases {
        let text = outcome(*case);
        assert!(
            text.starts_with("! "),
            "accepted {:?} as {text}",
            String::from_utf8_lossy(case)
        );
    }
}

#[test]
fn errors_are_told_apart() {
    assert_snapshot!(outcome("<a/><b/>"), @"! the document has a second root element");
    assert_snapshot!(outcome(" "), @"! the document has no root element");
    assert_snapshot!(outcome("<a>&nope;</a>"), @"! undefined or malformed reference at byte 3");
    assert_snapshot!(outcome("<!DOCTYPE a><a/>"), @"! a document type declaration is not accepted");
    assert_snapshot!(outcome("<a><b></a></b>"), @r#"! element "b" is not closed properly"#);
    assert_snapshot!(outcome("<p:a/>"), @r#"! prefix "p" is not bound to a namespace"#);
    assert_snapshot!(outcome("<a b='' b=''/>"), @r#"! duplicate attribute "b""#);
}

#[test]
fn limits_are_exact_and_a_class_of_their_own() {
    let limits = Limits {
        message_bytes: 4000,
        depth: 3,
        elements: 5,
        attributes: 2,
        namespaces: 2,
        name_bytes: 8,
    };
    let check = |xml: &str| match XmlDocument::parse(xml, &limits) {
        Ok(_) => "fine".to_owned(),
        Err(error) => {
            assert!(error.is_too_big(), "{error}");
            error.to_string()
        }
    };
    assert_snapshot!(check("<a><b><c/></b></a>"), @"fine");
    assert_snapshot!(check("<a><b><c><d/></c></b></a>"), @"nesting depth exceeds the limit of 3");
    assert_snapshot!(check("<a><b/><b/><b/><b/></a>"), @"fine");
    assert_snapshot!(check("<a><b/><b/><b/><b/><b/></a>"), @"number of elements exceeds the limit of 5");
    assert_snapshot!(check("<a a='' b=''/>"), @"fine");
    assert_snapshot!(check("<a a='' b='' c=''/>"), @"attributes of one element exceeds the limit of 2");
    assert_snapshot!(check("<a xmlns='u' xmlns:b='u' a='' b=''/>"), @"fine");
    assert_snapshot!(check("<a xmlns='u' xmlns:b='u' xmlns:c='u'/>"), @"namespace declarations of one element exceeds the limit of 2");
    assert_snapshot!(check("<abcdefgh/>"), @"fine");
    assert_snapshot!(check("<abcdefghi/>"), @"length of a name in bytes exceeds the limit of 8");
    assert_snapshot!(check("<a abcdefghi=''/>"), @"length of a name in bytes exceeds the limit of 8");
    assert_snapshot!(check(&format!("<a>{}</a>", " ".repeat(3993))), @"fine");
    assert_snapshot!(check(&format!("<a>{}</a>", " ".repeat(3994))), @"message size in bytes exceeds the limit of 4000");
}

#[test]
fn declarations_in_scope_are_bounded_through_all_levels() {
    let limits = Limits {
        namespaces: 2,
        ..Limits::default()
    };
    let nested = |levels: usize| {
        let open: String = (0..levels)
            .map(|level| format!("<a xmlns='u' xmlns:p{level}='v'>"))
            .collect();
        XmlDocument::parse(open + &"</a>".repeat(levels), &limits)
    };
    assert!(nested(4).is_ok());
    assert!(nested(5).is_err_and(|error| error.is_too_big()));
}

#[test]
fn a_child_stands_alone_with_every_prefix_it_may_need() {
    let xml = "<r xmlns='u' xmlns:p='v' xmlns:q='w&amp;x'><a xmlns:p='own' p:t='1'>q:name</a><b xmlns=''/></r>";
    let document = XmlDocument::parse(xml, &Limits::default()).unwrap();
    let children: Vec<_> = document.root().children().collect();
    assert_snapshot!(children[0].standalone(),
        @r#"<a xmlns:q="w&amp;x" xmlns="u" xmlns:p='own' p:t='1'>q:name</a>"#);
    assert_snapshot!(children[1].standalone(), @r#"<b xmlns:q="w&amp;x" xmlns:p="v" xmlns=''/>"#);
    assert_eq!(children[0].namespace_of_prefix("q"), Some("w&x"));
    assert_eq!(children[0].namespace_of_prefix("p"), Some("own"));
    assert_eq!(children[1].namespace_of_prefix(""), None);
    assert_eq!(children[0].verbatim_attributes(), " xmlns:p='own' p:t='1'");
    assert_eq!(
        children[0].verbatim(),
        "<a xmlns:p='own' p:t='1'>q:name</a>"
    );
    assert_eq!(children[0].parent().unwrap().name(), "r");
}

/// The content of a child can be left out; its tags, attributes and the rest stay.
#[test]
fn a_child_can_be_hollow() {
    let text = "<a xmlns='u'><f t='x'>in<f>side</f><![CDATA[</f>]]></f> and <f/><g>on</g></a>";
    let document = XmlDocument::parse(text, &Limits::default()).unwrap();
    let mut hollow = Vec::new();
    let root = document.root();
    root.write_hollow(|child| child.name() == "f", &mut hollow);
    let hollow = String::from_utf8(hollow).unwrap();
    assert_eq!(hollow, "<a xmlns='u'><f t='x'></f> and <f/><g>on</g></a>");
}

/// Who checks the copy sees the values that are read here: some end a value where a comment begins.
#[test]
fn a_copy_has_no_comments() {
    let text = "<a><!--1--><b>x<!-- <c> --> y</b><![CDATA[<!--2-->]]><!--3--></a>";
    let document = XmlDocument::parse(text, &Limits::default()).unwrap();
    let copy = document.root().standalone();
    assert_eq!(copy, "<a><b>x y</b><![CDATA[<!--2-->]]></a>");
}

#[test]
fn prefixes_are_told() {
    let document = XmlDocument::parse("<p:a xmlns:p='u'><b/></p:a>", &Limits::default()).unwrap();
    assert_eq!(document.root().prefix(), "p");
    assert_eq!(document.root().children().next().unwrap().prefix(), "");
}

fn tree(depth: u32) -> impl Strategy<Value = String> {
    let text = "[ -~\u{e9}\u{4e2d}\n\t\r]{0,12}";
    let leaf = text.prop_map(|text| {
        let mut out = b"<leaf>".to_vec();
        write::text(&text, &mut out);
        out.extend_from_slice(b"</leaf>");
        String::from_utf8(out).unwrap()
    });
    leaf.prop_recursive(depth, 24, 4, |inner| {
        (prop::collection::vec(inner, 0..4), 0..3u8).prop_map(|(children, kind)| {
            let children = children.concat();
            match kind {
                0 => format!("<p:n xmlns:p='urn:p' p:k='1'>{children}</p:n>"),
                1 => format!("<n xmlns='urn:d' k='&lt;'>{children}</n>"),
                _ => format!("<n> {children}<!-- c --> </n>"),
            }
        })
    })
}

/// Unicode §23.7.
fn is_noncharacter(c: char) -> bool {
    u32::from(c) & 0xFFFE == 0xFFFE || ('\u{FDD0}'..='\u{FDEF}').contains(&c)
}

#[test]
fn every_noncharacter_is_replaced_and_its_neighbours_are_not() {
    for c in '\u{80}'..=char::MAX {
        let mut out = Vec::new();
        write::text(c.encode_utf8(&mut [0; 4]), &mut out);
        let kept = if is_noncharacter(c) { '\u{FFFD}' } else { c };
        assert_eq!(out, kept.to_string().as_bytes(), "U+{:04X}", u32::from(c));
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = XmlDocument::parse(bytes, &Limits::default());
    }

    #[test]
    fn arbitrary_markup_never_panics(text in "[<>/!?&;#x'\"= a-c:\\[\\]\r\n-]{0,60}") {
        if let Ok(document) = XmlDocument::parse(text.as_str(), &Limits::default()) {
            let again = XmlDocument::parse(document.root().standalone(), &Limits::default()).unwrap();
            prop_assert_eq!(outline(again.root()), outline(document.root()));
        }
    }

    #[test]
    fn an_element_that_stands_alone_is_the_same_element(xml in tree(4)) {
        let wrapped = format!("<r xmlns='urn:r' xmlns:p='urn:outer'><x/>{xml}</r>");
        let document = XmlDocument::parse(wrapped, &Limits::default()).unwrap();
        let element = document.root().children().nth(1).unwrap();
        let alone = XmlDocument::parse(element.standalone(), &Limits::default()).unwrap();
        prop_assert_eq!(outline(alone.root()), outline(element));
    }

    #[test]
    fn reading_undoes_escaping(text in any::<String>()) {
        let carried = |one: &char| lexical::is_character(*one) && !is_noncharacter(*one);
        let text: String = text.chars().filter(carried).collect();
        let mut out = b"<a x=\"".to_vec();
        write::attribute_value(&text, &mut out);
        out.extend_from_slice(b"\">");
        write::text(&text, &mut out);
        out.extend_from_slice(b"</a>");
        prop_assert!(!out.windows(6).any(|window| window == b"]]>]]>"));
        let document = XmlDocument::parse(out, &Limits::default()).unwrap();
        prop_assert_eq!(document.root().text(), text.as_str());
        prop_assert_eq!(document.root().attribute("", "x"), Some(text.as_str()));
    }

    #[test]
    fn whatever_is_escaped_is_acceptable(text in any::<String>()) {
        let mut out = b"<a>".to_vec();
        write::text(&text, &mut out);
        out.extend_from_slice(b"</a>");
        prop_assert!(XmlDocument::parse(out, &Limits::default()).is_ok());
    }

    #[test]
    fn cutting_a_document_never_leaves_one(xml in tree(3), at in any::<prop::sample::Index>()) {
        let xml = format!("<r>{xml}</r>");
        let mut cut = at.index(xml.len());
        while !xml.is_char_boundary(cut) { cut -= 1; }
        prop_assert!(XmlDocument::parse(&xml[..cut], &Limits::default()).is_err());
    }
}

#[test]
fn what_is_in_scope_is_declared_once_for_all_children() {
    let (long, children) = (
        "u".repeat(10_000),
        "<b:x/><y><!-- --><a:z/></y>".repeat(100),
    );
    let text = format!(
        "<a:in xmlns:a=\"urn:a\" xmlns=\"urn:d\" xmlns:b=\"{long}\" k=\"1\">{children}</a:in>"
    );
    let document = XmlDocument::parse(text.as_bytes().to_vec(), &Limits::default()).unwrap();
    let mut out = Vec::new();
    document
        .root()
        .write_renamed("call", |child| child.name() != "x", &mut out);
    assert!(out.len() < text.len() + 10, "{}", out.len());
    let renamed = XmlDocument::parse(out, &Limits::default()).unwrap();
    let root = renamed.root();
    assert!(root.is("urn:a", "call") && root.children().count() == 100);
    let first = root.children().next().unwrap();
    assert!(first.is("urn:d", "y") && first.children().next().unwrap().is("urn:a", "z"));
    assert_eq!(first.namespace_of_prefix("b"), Some(&*long));
}
