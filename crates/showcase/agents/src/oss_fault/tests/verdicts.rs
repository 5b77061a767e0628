//! W1 where documents are wrong, and where no site tells whether a repair helped: what is believed then.

use super::at_scale::{cleared, located};
use super::*;

/// A link that is documented at another site is measured broken: it is not believed to be why the site is
/// out that it does not serve by the documents, and is repaired for its own alarms.
#[test]
fn a_broken_link_that_documents_hold_elsewhere_is_repaired_for_its_own_alarms_only() {
    use AlarmType::*;
    let (mut play, wireless, ip) = watching();
    let dark = [("link:B-b6", LossOfSignal, 1), ("link:B-b6", LinkDown, 6)];
    let out = [
        ("site:b5", SiteUnreachable, 80),
        ("site:b5", CellsOutOfService, 81),
    ];
    tell(&mut play, &ip, Domain::Ip, "i", &dark, 40);
    tell(&mut play, &wireless, Domain::Wireless, "w", &out, 120);
    play.pass_until(20_000);
    let broken = ("link:B-b6", Cause::FibreCut);
    let mut believed = None;
    for s in (20_000..).step_by(10).take(200) {
        play.pass_until(s);
        let Some((token, message)) = (!play.sent.is_empty()).then(|| play.next()) else {
            continue;
        };
        match message.verb {
            Verb::FeasibilityNegotiate => play.reply(token, Reply::accepted(), s),
            Verb::TaskAssign => {
                believed = Repair::in_content(&message.content).map(|r| r.element);
                if believed.is_some() {
                    break;
                }
                play.reply(token, Reply::accepted(), s);
                let (task, from) = (&message.task, &message.to);
                let told = found(Some(broken));
                play.notify(task, from, Status::InputRequired, told, s + 5);
            }
            _ => {}
        }
    }
    let doubt = "is refuted, link:B-b6 explains 0 of 1 site out of service only";
    assert!(
        play.notes.iter().any(|n| n.contains(doubt)),
        "{:?}",
        play.notes
    );
    assert_eq!(believed, Some(id("link:B-b6")), "{:?}", play.notes);
}

/// A fibre between routers takes no site out: its case is closed when the alarms are gone that it raised,
/// and not before.
#[test]
fn where_no_site_was_out_a_repair_is_believed_when_its_alarms_are_gone() {
    use AlarmType::*;
    let cut = [("link:A-C", LossOfSignal, 1), ("link:A-C", LinkDown, 6)];
    let root = ("link:A-C", Cause::FibreCut);
    let closed = |play: &Play, why: &str| {
        let mut notes = play.notes.iter();
        notes.any(|n| n.contains("Case 1 is closed") && n.contains(why))
    };
    let repaired_link = || {
        let (mut play, _, ip) = watching();
        tell(&mut play, &ip, Domain::Ip, "i", &cut, 40);
        // No site is out: it is looked into once alarms of its types have stood for longer than false ones do.
        play.pass_until(4_000);
        let ticket = located(&mut play, root, 4_001);
        repaired(&mut play, &ticket, 20_000);
        play.pass_until(20_300);
        assert!(!closed(&play, ""), "{:?}", play.notes);
        (play, ip)
    };
    let (mut play, ip) = repaired_link();
    let over = cleared("i", Domain::Ip);
    play.notify(&ip, "TMF-ip-fault", Status::Processing, over, 20_310);
    play.pass_until(20_400);
    assert!(
        closed(&play, "none of its alarms stands"),
        "{:?}",
        play.notes
    );
    // They stand on: the ticket is closed, and what is still broken is diagnosed anew.
    let (mut play, _) = repaired_link();
    play.pass_until(22_000);
    assert!(closed(&play, "looked into anew"), "{:?}", play.notes);
    play.sent
        .retain(|(_, m)| m.verb == Verb::FeasibilityNegotiate);
    play.pass_until(26_000);
    assert!(!play.sent.is_empty(), "{:?}", play.notes);
}
