//! Makes the agreements of the studies: as many partners as wanted, each with one, all with the same adapter.
//!
//! Party ids are made up: their form is that of an OIN (20 digits, type `urn:osb:oin`), their prefix is given to nobody.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::ValueEnum;

use super::read::CPA;

/// A profile of Digikoppeling for ebMS 2.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// osb-be: best effort
    Be,
    /// osb-rm: reliable
    Rm,
}

/// The adapter's party.
const ADAPTER: &str = "99990000000000000000";
/// Type of party ids.
const OIN: &str = "urn:osb:oin";
/// The business service, and its type.
const SERVICE: (&str, &str) = ("osb:proefbericht:1.0", "urn:osb:services");
/// What the partner sends, and what the adapter sends back.
const ACTIONS: [&str; 2] = ["Aanleveren", "Bevestigen"];
/// Roles of the partner and of the adapter.
const ROLES: [&str; 2] = ["Aanleveraar", "Verwerker"];

impl Profile {
    fn word(self) -> &'static str {
        match self {
            Self::Be => "be",
            Self::Rm => "rm",
        }
    }
}

/// Writes `count` agreements into a folder, and beside it the CSV `cpa,from,to` with the folder's name.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write_all(folder: &Path, profile: Profile, count: u16) -> Result<()> {
    let written = |path: &Path| format!("`{}` cannot be written", path.display());
    fs::create_dir_all(folder).with_context(|| written(folder))?;
    for number in 1..=count {
        let path = folder.join(format!("{}.xml", id(profile, number)));
        fs::write(&path, agreement(profile, number)).with_context(|| written(&path))?;
    }
    let path = folder.with_extension("csv");
    fs::write(&path, table(profile, count)).with_context(|| written(&path))
}

fn id(profile: Profile, number: u16) -> String {
    format!("cpa-{}-{number:02}", profile.word())
}

fn partner(number: u16) -> String {
    format!("9999{number:016}")
}

/// The data file of a study: one row a stream.
fn table(profile: Profile, count: u16) -> String {
    let mut text = "cpa,from,to\n".to_owned();
    for number in 1..=count {
        let _ = writeln!(text, "{},{},{ADAPTER}", id(profile, number), partner(number));
    }
    text
}

pub(super) fn agreement(profile: Profile, number: u16) -> String {
    let (id, partner) = (id(profile, number), partner(number));
    let adapter = Side {
        name: "Proefadapter".to_owned(),
        key: "adapter",
        oin: ADAPTER,
        other: "partner",
        role: ROLES[1],
        sends: ACTIONS[1],
        receives: ACTIONS[0],
        endpoint: "http://127.0.0.1:8080/ebms",
    };
    let partner = Side {
        name: format!("Proefpartij {number}"),
        key: "partner",
        oin: &partner,
        other: "adapter",
        role: ROLES[0],
        sends: ACTIONS[0],
        receives: ACTIONS[1],
        endpoint: "http://127.0.0.1:8081/pong",
    };
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<tp:CollaborationProtocolAgreement xmlns:tp="{CPA}" xmlns:xlink="http://www.w3.org/1999/xlink" tp:cpaid="{id}" tp:version="2_0b">
  <tp:Status tp:value="agreed"/>
  <tp:Start>2020-01-01T00:00:00Z</tp:Start>
  <tp:End>2045-01-01T00:00:00Z</tp:End>
{}{}</tp:CollaborationProtocolAgreement>
"#,
        adapter.info(profile),
        partner.info(profile)
    )
}

struct Side<'a> {
    name: String,
    key: &'a str,
    oin: &'a str,
    other: &'a str,
    role: &'a str,
    sends: &'a str,
    receives: &'a str,
    endpoint: &'a str,
}

impl Side<'_> {
    fn info(&self, profile: Profile) -> String {
        let Self { name, key, oin, role, endpoint, .. } = self;
        let (service, kind) = SERVICE;
        let agreed = match profile {
            Profile::Be => "never",
            Profile::Rm => "always",
        };
        format!(
            r#"  <tp:PartyInfo tp:partyName="{name}" tp:defaultMshChannelId="{key}-channel" tp:defaultMshPackageId="signals">
    <tp:PartyId tp:type="{OIN}">{oin}</tp:PartyId>
    <tp:PartyRef xlink:type="simple" xlink:href="urn:example:{key}"/>
    <tp:CollaborationRole>
      <tp:ProcessSpecification tp:name="proefbericht" tp:version="1.0" xlink:type="simple" xlink:href="urn:example:proefbericht" tp:uuid="urn:example:proefbericht:1.0"/>
      <tp:Role tp:name="{role}" xlink:type="simple" xlink:href="urn:example:proefbericht#{role}"/>
      <tp:ServiceBinding>
        <tp:Service tp:type="{kind}">{service}</tp:Service>
{}{}      </tp:ServiceBinding>
    </tp:CollaborationRole>
    <tp:DeliveryChannel tp:channelId="{key}-channel" tp:transportId="{key}-transport" tp:docExchangeId="{key}-exchange">
      <tp:MessagingCharacteristics tp:syncReplyMode="none" tp:ackRequested="{agreed}" tp:actor="urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH" tp:ackSignatureRequested="never" tp:duplicateElimination="{agreed}"/>
    </tp:DeliveryChannel>
    <tp:Transport tp:transportId="{key}-transport">
      <tp:TransportSender>
        <tp:TransportProtocol tp:version="1.1">HTTP</tp:TransportProtocol>
      </tp:TransportSender>
      <tp:TransportReceiver>
        <tp:TransportProtocol tp:version="1.1">HTTP</tp:TransportProtocol>
        <tp:Endpoint tp:uri="{endpoint}" tp:type="allPurpose"/>
      </tp:TransportReceiver>
    </tp:Transport>
    <tp:DocExchange tp:docExchangeId="{key}-exchange">
{}{}    </tp:DocExchange>
  </tp:PartyInfo>
"#,
            self.can("CanSend", self.sends),
            self.can("CanReceive", self.receives),
            exchange("ebXMLSenderBinding", profile),
            exchange("ebXMLReceiverBinding", profile),
        )
    }

    fn can(&self, can: &str, action: &str) -> String {
        let Self { key, other, .. } = self;
        format!(
            r#"        <tp:{can}>
          <tp:ThisPartyActionBinding tp:id="{key}-{can}-{action}" tp:action="{action}" tp:packageId="message">
            <tp:BusinessTransactionCharacteristics tp:isNonRepudiationRequired="false" tp:isNonRepudiationReceiptRequired="false" tp:isConfidential="none" tp:isAuthenticated="none" tp:isTamperProof="none" tp:isAuthorizationRequired="false"/>
            <tp:ChannelId>{key}-channel</tp:ChannelId>
          </tp:ThisPartyActionBinding>
          <tp:OtherPartyActionBinding>{other}-{}-{action}</tp:OtherPartyActionBinding>
        </tp:{can}>
"#,
            if can == "CanSend" { "CanReceive" } else { "CanSend" }
        )
    }
}

/// With three retries after 2 s each a message is given up after 8 s, and what is kept longer than that, 10 s, tells
/// duplicates even of the last one.
fn exchange(name: &str, profile: Profile) -> String {
    match profile {
        Profile::Be => format!("      <tp:{name} tp:version=\"2.0\"/>\n"),
        Profile::Rm => format!(
            r#"      <tp:{name} tp:version="2.0">
        <tp:ReliableMessaging>
          <tp:Retries>3</tp:Retries>
          <tp:RetryInterval>PT2S</tp:RetryInterval>
          <tp:MessageOrderSemantics>NotGuaranteed</tp:MessageOrderSemantics>
        </tp:ReliableMessaging>
        <tp:PersistDuration>PT10S</tp:PersistDuration>
      </tp:{name}>
"#
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_studies_are_what_is_made_here() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/messaging/data");
        for (folder, profile) in [("cpas", Profile::Be), ("cpas-rm", Profile::Rm)] {
            let again = format!(
                "`system-messaging cpas --out studies/messaging/data/{folder} --profile {} --count 20`",
                profile.word()
            );
            for number in 1..=20 {
                let path = data.join(folder).join(format!("{}.xml", id(profile, number)));
                let text = fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{}: {error}; type {again}", path.display()));
                assert_eq!(text, agreement(profile, number), "{}; type {again}", path.display());
            }
            assert_eq!(fs::read_dir(data.join(folder)).unwrap().count(), 20);
            assert_eq!(
                fs::read_to_string(data.join(format!("{folder}.csv"))).unwrap(),
                table(profile, 20),
                "type {again}"
            );
        }
    }

    #[test]
    fn every_stream_has_its_own_agreement_and_partner() {
        let table = table(Profile::Be, 20);
        let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 20);
        for (number, row) in rows.iter().enumerate() {
            assert!(row[1].len() == 20 && row[2].len() == 20 && row[1] != row[2], "{row:?}");
            assert!(rows[..number].iter().all(|earlier| earlier[0] != row[0] && earlier[1] != row[1]), "{row:?}");
        }
    }
}
