//! Properties and edge cases of framing.
#![allow(clippy::unwrap_used)]

use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;

/// Every message and the end, as one line.
fn decode(framing: Framing, limit: usize, pieces: &[&[u8]]) -> String {
    let mut decoder = Decoder::new(limit);
    decoder.switch_to(framing);
    let mut line = String::new();
    for piece in pieces {
        decoder.push(piece);
        loop {
            match decoder.next_message() {
                Ok(Some(message)) => {
                    line.push_str(&format!("{} ", String::from_utf8_lossy(&message)));
                }
                Ok(None) => break,
                Err(error) => return line + "! " + &error.to_string(),
            }
        }
    }
    line + if decoder.is_within_message() {
        "…"
    } else {
        "."
    }
}

#[test]
fn the_chunk_grammar() {
    let chunked = |bytes: &str| decode(Framing::Chunked, 100, &[bytes.as_bytes()]);
    assert_snapshot!(chunked("\n#3\nabc\n##\n"), @"abc .");
    assert_snapshot!(chunked("\n#1\na\n#2\nbc\n##\n\n#1\nd\n##\n\n#1"), @"abc d …");
    assert_snapshot!(chunked("\n#03\nabc\n##\n"), @"! bad chunk framing: a chunk size that starts with 0");
    assert_snapshot!(chunked("\n#0\n\n##\n"), @"! bad chunk framing: a chunk size that starts with 0");
    assert_snapshot!(chunked("\n##\n"), @"! bad chunk framing: a message without chunk");
    assert_snapshot!(chunked("#3\nabc"), @r##"! bad chunk framing: no line feed before "#""##);
    assert_snapshot!(chunked("\n3\nabc"), @r##"! bad chunk framing: no "#" after the line feed"##);
    assert_snapshot!(chunked("\n#3\r\nabc"), @"! bad chunk framing: no line feed after the chunk size");
    assert_snapshot!(chunked("\n#3\nabcd"), @r##"! bad chunk framing: no line feed before "#""##);
    assert_snapshot!(chunked("\n#3\nabc\n##x"), @r###"! bad chunk framing: no line feed after "##""###);
    assert_snapshot!(chunked("\n#x"), @"! bad chunk framing: no chunk size");
    assert_snapshot!(chunked("\n#-1\n"), @"! bad chunk framing: no chunk size");
    assert_snapshot!(chunked("\n#4294967296\n"), @"! bad chunk framing: a chunk size above 4294967295");
    assert_snapshot!(chunked("\n#4294967295\n"), @"! the message is larger than 100 bytes");
    assert_snapshot!(chunked("\n#99999999999999999999999"), @"! bad chunk framing: a chunk size above 4294967295");
    assert_snapshot!(chunked("\n#60\n"), @"…");
    let sixty = format!("\n#60\n{}\n#41\n", "x".repeat(60));
    assert_snapshot!(chunked(&sixty), @"! the message is larger than 100 bytes");
}

#[test]
fn a_message_may_be_as_large_as_the_limit_in_both_framings() {
    for framing in [Framing::Chunked, Framing::EndOfMessage] {
        for (size, fits) in [(99, true), (100, true), (101, false), (5000, false)] {
            let mut bytes = Vec::new();
            encode(&vec![b'x'; size], framing, &mut bytes);
            let outcome = decode(framing, 100, &[&bytes]);
            assert_eq!(
                outcome.ends_with("x ."),
                fits,
                "{framing:?} {size} {outcome}"
            );
            assert_eq!(outcome.contains("larger"), !fits);
        }
    }
}

#[test]
fn blank_messages_between_end_marks_are_no_messages() {
    let marked = |bytes: &str| decode(Framing::EndOfMessage, 100, &[bytes.as_bytes()]);
    assert_snapshot!(marked("a]]>]]>]]>]]>\n]]>]]> b ]]>]]>\n"), @"a b  .");
    assert_snapshot!(marked("]]]>]]]>]]>]]>"), @"]]]>] …");
    assert_snapshot!(marked("a]]>]]"), @"…");
}

#[test]
fn blank_input_is_not_kept() {
    let mut decoder = Decoder::new(100);
    decoder.push(&[b' '; 1000]);
    assert_eq!(decoder.next_message(), Ok(None));
    assert_eq!(decoder.held_bytes(), 0);
    assert!(!decoder.is_within_message());
}

#[test]
fn the_framing_may_change_between_two_messages_of_one_packet() {
    let mut decoder = Decoder::new(100);
    decoder.push(b"hello]]>]]>\n#2\nab\n##\n");
    assert_eq!(decoder.next_message(), Ok(Some(b"hello".to_vec())));
    decoder.switch_to(Framing::Chunked);
    assert_eq!(decoder.next_message(), Ok(Some(b"ab".to_vec())));
    assert_eq!(decoder.next_message(), Ok(None));
}

#[test]
fn an_end_mark_inside_a_message_cannot_break_out() {
    let mut bytes = Vec::new();
    encode(b"<a x=']]>]]>]]>'/>", Framing::EndOfMessage, &mut bytes);
    assert_snapshot!(decode(Framing::EndOfMessage, 100, &[&bytes]), @"<a x=']]>]]&gt;]]&gt;'/> .");
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    // Starts and ends like XML, holds anything but the mark.
    prop::collection::vec(
        prop_oneof![any::<u8>(), Just(b']'), Just(b'>'), Just(b'\n'), Just(b'#')],
        0..40,
    )
    .prop_map(|mut inside| {
        inside.insert(0, b'<');
        inside.extend_from_slice(b"/>");
        inside
    })
    .prop_filter("no mark", |message| {
        !message.windows(6).any(|window| window == END_OF_MESSAGE)
    })
}

fn split<'b>(bytes: &'b [u8], cuts: &[prop::sample::Index]) -> Vec<&'b [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in cuts {
        pieces.push(&bytes[from..cut]);
        from = cut;
    }
    pieces.push(&bytes[from..]);
    pieces
}

proptest! {
    #[test]
    fn decoding_undoes_encoding_under_any_split(
        messages in prop::collection::vec(message(), 1..5),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        chunked in any::<bool>(),
    ) {
        let framing = if chunked { Framing::Chunked } else { Framing::EndOfMessage };
        let mut bytes = Vec::new();
        for message in &messages {
            encode(message, framing, &mut bytes);
        }
        let mut decoder = Decoder::new(1000);
        decoder.switch_to(framing);
        let mut found = Vec::new();
        for piece in split(&bytes, &cuts) {
            decoder.push(piece);
            while let Some(message) = decoder.next_message().unwrap() {
                found.push(message);
            }
        }
        prop_assert_eq!(found, messages);
        prop_assert!(!decoder.is_within_message());
        prop_assert_eq!(decoder.held_bytes(), 0);
    }

    #[test]
    fn a_message_written_in_place_is_framed_like_a_copy(
        before in prop::collection::vec(any::<u8>(), 0..8),
        message in prop::collection::vec(any::<u8>(), 0..2_000),
        expected in 0usize..20_000,
    ) {
        let (mut in_place, mut copied) = (before.clone(), before);
        encode_chunked(expected, |out| out.extend_from_slice(&message), &mut in_place);
        if message.is_empty() {
            // There is no empty message; what is written for one cannot be read either way.
            return Ok(());
        }
        encode(&message, Framing::Chunked, &mut copied);
        prop_assert_eq!(in_place, copied);
    }

    #[test]
    fn the_split_never_matters(
        bytes in prop::collection::vec(prop_oneof![
            Just(b'\n'), Just(b'#'), Just(b'1'), Just(b'2'), Just(b'0'), Just(b'>'), Just(b']'), any::<u8>()
        ], 0..80),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        chunked in any::<bool>(),
    ) {
        let framing = if chunked { Framing::Chunked } else { Framing::EndOfMessage };
        let at_once = decode(framing, 10, &[&bytes]);
        prop_assert_eq!(decode(framing, 10, &split(&bytes, &cuts)), at_once);
    }
}
