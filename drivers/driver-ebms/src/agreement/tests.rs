use super::*;
use crate::testing::{RELIABLE, agreement, document, read};
use proptest::prelude::*;

#[test]
fn what_was_agreed_on_is_read() {
    let agreement = agreement(&[RELIABLE]);
    assert_eq!(agreement.id, "urn:cpa:1");
    assert_eq!(agreement.side_of(b"00000001"), Some(0));
    assert_eq!(agreement.side_of(b"urn:osb:oin:00000002"), Some(1));
    assert_eq!(agreement.side_of(b"urn:other:00000002"), None);
    let order = agreement.message(0, None, "Order").unwrap();
    assert_eq!(order.receiving.endpoint.as_deref(), Some("http://127.0.0.1:2/ebms"));
    assert_eq!((order.channel.acknowledgment, order.channel.no_duplicates), (Requested::Always, Requested::Always));
    assert_eq!((order.channel.retries, order.channel.interval), (3, Nanos::from_secs(5)));
    assert_eq!(order.patience(), Nanos::from_secs(20), "(3 + 1) × 5 s");
    let (sent, received) = order.action.unwrap();
    assert_eq!((sent.role.as_str(), received.role.as_str()), ("Buyer", "Seller"));
    assert_eq!((sent.service.name.as_str(), sent.service.kind.as_deref()), ("orders", Some("urn:osb:services")));
    let ping = agreement.signal(0, "Ping");
    assert_eq!((ping.channel.id.as_str(), ping.receiving.id.as_str()), ("A_signals", "B_channel"));
    let confirm = agreement.message(1, Some("orders"), "Confirm").unwrap();
    assert_eq!(confirm.receiving.endpoint.as_deref(), Some("http://127.0.0.1:1/pong"));
}

#[test]
fn what_may_not_be_sent_is_told_with_what_may() {
    let agreement = agreement(&[]);
    let why = |side, service, action| agreement.message(side, service, action).unwrap_err();
    assert_eq!(
        why(0, None, "Confirm"),
        "party `00000001` may not send action `Confirm`; it may send `Order` of service `orders`"
    );
    assert!(why(0, Some("other"), "Order").contains("action `Order` of service `other`"));
    let one_sided = document(&[]).replace(
        "tns:action=\"Order\" tns:packageId=\"P\">\n            <tns:ChannelId>B",
        "tns:action=\"X\"><tns:ChannelId>B",
    );
    let one_sided = one_sided.replace(">B_order<", ">gone<");
    assert!(read(&one_sided).unwrap().message(0, None, "Order").unwrap_err().contains("may not receive"));
}

#[test]
fn signature_and_encryption_are_those_of_the_action_or_of_the_channel() {
    let wants = |wants: &str, sender: &str| {
        let agreement = agreement(&[("WANTS", wants), ("SENDER", sender)]);
        let terms = agreement.message(0, None, "Order").unwrap();
        (terms.is_signed(), terms.is_encrypted())
    };
    assert_eq!(wants("", ""), (false, false));
    assert_eq!(wants("", "<tns:SenderNonRepudiation/><tns:SenderDigitalEnvelope/>"), (true, true));
    assert_eq!(
        wants("tns:isNonRepudiationRequired='true' tns:isConfidential='none'", "<tns:SenderDigitalEnvelope/>"),
        (true, false)
    );
    assert_eq!(
        wants("tns:isNonRepudiationRequired='false' tns:isConfidential='persistent'", "<tns:SenderNonRepudiation/>"),
        (false, true)
    );
    assert_eq!(wants("tns:isNonRepudiationRequired='false' tns:isAuthenticated='persistent'", ""), (true, false));
}

#[test]
fn a_signal_may_have_a_channel_of_its_own() {
    let own = "<tns:OverrideMshActionBinding tns:action='Ping' tns:channelId='B_pings'/><tns:DeliveryChannel \
               tns:channelId='B_pings'/><tns:DeliveryChannel tns:channelId=\"B_channel\"";
    let text = document(&[]).replace("<tns:DeliveryChannel tns:channelId=\"B_channel\"", own);
    let agreement = read(&text).unwrap();
    let channel = |name| agreement.signal(0, name).receiving.id.clone();
    assert_eq!((channel("Ping"), channel("Acknowledgment")), ("B_pings".to_owned(), "B_channel".to_owned()));
    let gone = text.replace("'Ping' tns:channelId='B_pings'", "'Ping' tns:channelId='gone'");
    assert_eq!(read(&gone).unwrap_err(), "there is no channel `gone`");
}

#[test]
fn with_what_is_signed_is_read_with_its_certificate() {
    let sender = "<tns:SenderNonRepudiation><tns:HashFunction> urn:hash </tns:HashFunction><tns:SignatureAlgorithm \
                  tns:w3c='urn:method'>RSA</tns:SignatureAlgorithm><tns:SigningCertificateRef tns:certId='c'/>\
                  </tns:SenderNonRepudiation>";
    let own = "<tns:Certificate tns:certId='c'><ds:KeyInfo xmlns:ds='http://www.w3.org/2000/09/xmldsig#'><ds:X509Data>\
               <ds:X509Certificate>aGVs\n bG8=</ds:X509Certificate></ds:X509Data></ds:KeyInfo></tns:Certificate>\
               <tns:DeliveryChannel tns:channelId=\"A_signals\"";
    let with = |certificate: &str| {
        document(&[("SENDER", sender)]).replacen("<tns:DeliveryChannel tns:channelId=\"A_signals\"", certificate, 1)
    };
    let agreement = read(&with(own)).unwrap();
    let expected = Signing {
        hash: Some("urn:hash".into()),
        method: Some("urn:method".into()),
        certificate: Some(b"hello".to_vec()),
    };
    let terms = agreement.message(0, None, "Order").unwrap();
    assert_eq!(terms.channel.signing, expected);
    // A channel of signals that says nothing of it.
    let signals = agreement.signal(0, "Acknowledgment");
    assert_eq!(signals.from.signing(signals.channel), &expected);
    assert_eq!(agreement.parties[1].signing(&agreement.parties[1].channels[0]), &Signing::default());
    let broken = read(&with(&own.replace("aGVs", "?"))).unwrap_err();
    assert_eq!(broken, "certificate `c` is not a certificate in base64");
}

#[test]
fn the_other_side_forgets_a_message_after_a_while() {
    let text = document(&[RELIABLE, ("RETRIES", "9"), ("INTERVAL", "PT1M")]).replace("P1D", "PT5M");
    let agreement = read(&text).unwrap();
    assert_eq!(agreement.message(0, None, "Order").unwrap().patience(), Nanos::from_secs(300));
}

#[test]
fn what_is_no_agreement_is_told() {
    let instead = |from: &str, to: &str| read(&document(&[]).replace(from, to)).unwrap_err();
    for (from, to, part) in [
        ("tns:CollaborationProtocolAgreement", "tns:Other", "its root is `Other`"),
        ("cpp-cpa-2_0", "cpp-cpa-3_0", "not `CollaborationProtocolAgreement` of CPPA 2.0"),
        ("tns:cpaid=\"urn:cpa:1\"", "", "no `cpaid`"),
        ("tns:value=\"agreed\"", "tns:value=\"proposed\"", "status is `proposed`"),
        ("2099-12-31T23:59:59Z", "soon", "`End` is `soon`"),
        ("00000002", "00000001", "both its parties have the same id"),
        ("tns:defaultMshChannelId=\"A_signals\"", "", "no `defaultMshChannelId`"),
        ("tns:defaultMshChannelId=\"A_signals\"", "tns:defaultMshChannelId=\"gone\"", "no channel `gone`"),
        ("<tns:ChannelId>A_channel<", "<tns:ChannelId>gone<", "no channel `gone`"),
        ("tns:transportId=\"A_transport\">\n", "tns:transportId=\"other\">\n", "names the Transport `A_transport`"),
        ("<tns:Retries>3<", "<tns:Retries>many<", "`Retries` of channel `A_channel` is `many`"),
        ("PT5S", "5s", "`RetryInterval` of channel `A_channel` is `5s`"),
        ("P1D", "a day", "`PersistDuration` of channel `A_channel` is `a day`"),
        ("tns:ackRequested=\"perMessage\"", "tns:ackRequested=\"maybe\"", "`ackRequested` of channel"),
        ("tns:action=\"Order\"", "tns:action=\"\"", "an action has no name"),
        ("<tns:PartyId tns:type=\"urn:osb:oin\">00000001</tns:PartyId>", "", "party `A` has no `PartyId`"),
    ] {
        let found = instead(from, to);
        assert!(found.contains(part), "{from}: {found}");
    }
    let one = document(&[]);
    let second = one.rfind("<tns:PartyInfo").unwrap();
    let one = format!("{}</tns:CollaborationProtocolAgreement>", &one[..second]);
    assert_eq!(read(&one).unwrap_err(), "it has 1 parties, not two");
}

proptest! {
    #[test]
    fn a_mangled_agreement_is_read_or_refused(at in 0usize..6000, with in "\\PC{0,20}") {
        let mut text = document(&[]);
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        text.insert_str(at, &with);
        let _ = read(&text);
    }
}
