//! Collaboration protocol agreements (CPA, ebXML CPPA 2.0): who the two parties are, where each listens, and what they
//! have agreed on for a message.

mod read;

#[cfg(any(test, feature = "fuzz"))]
pub(crate) use read::from_document;
pub(crate) use read::load;

use terms::Nanos;

/// Namespace of agreements.
pub(crate) const CPA: &str = "http://www.oasis-open.org/committees/ebxml-cppa/schema/cpp-cpa-2_0.xsd";
/// The service of Pings, Pongs, acknowledgments and errors.
pub(crate) const SIGNAL_SERVICE: &str = "urn:oasis:names:tc:ebxml-msg:service";

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Agreement {
    /// `cpaid`.
    pub(crate) id: String,
    /// Name of its file, for messages.
    pub(crate) file: String,
    /// Its two parties, in the file's order.
    pub(crate) parties: [Party; 2],
}

/// A party to an agreement.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Party {
    /// Its name for people.
    pub(crate) name: String,
    /// What it is known by; at least one.
    pub(crate) ids: Vec<PartyId>,
    /// Index of the channel of signals.
    pub(crate) default_channel: usize,
    /// Signals that have another one: their names, and its index.
    pub(crate) signal_channels: Vec<(String, usize)>,
    /// Its delivery channels.
    pub(crate) channels: Vec<Channel>,
    /// What it may send and receive.
    pub(crate) actions: Vec<Action>,
}

/// What a party is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PartyId {
    /// Whose numbers these are, such as `urn:osb:oin`.
    pub(crate) kind: Option<String>,
    pub(crate) value: String,
}

/// An action that a party may send or receive.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Action {
    pub(crate) direction: Direction,
    /// `id` of its binding.
    pub(crate) id: Option<String>,
    /// `id` of the other party's binding that belongs to it.
    pub(crate) other: Option<String>,
    pub(crate) service: Service,
    /// The party's role in it.
    pub(crate) role: String,
    pub(crate) name: String,
    /// Index of its channel.
    pub(crate) channel: usize,
    /// Whether messages are to be signed and encrypted, where the action says so.
    pub(crate) is_signed: Option<bool>,
    pub(crate) is_encrypted: Option<bool>,
    /// Whether its receipt is to be signed, where the channel leaves that open.
    pub(crate) is_receipt_signed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Send,
    Receive,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Service {
    pub(crate) kind: Option<String>,
    pub(crate) name: String,
}

/// A delivery channel with all that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Channel {
    pub(crate) id: String,
    /// Where the party listens.
    pub(crate) endpoint: Option<String>,
    /// Whether answers come on the same connection.
    pub(crate) is_synchronous: bool,
    pub(crate) acknowledgment: Requested,
    pub(crate) signed_acknowledgment: Requested,
    pub(crate) no_duplicates: Requested,
    /// Acknowledgments by the next node on the way rather than by the party itself.
    pub(crate) is_multi_hop: bool,
    pub(crate) is_ordered: bool,
    pub(crate) is_signed: bool,
    /// With what the party signs what it sends.
    pub(crate) signing: Signing,
    pub(crate) is_encrypted: bool,
    pub(crate) retries: u32,
    pub(crate) interval: Nanos,
    /// How long the other side remembers a message; sending it again after that would store it twice.
    pub(crate) persist: Option<Nanos>,
}

/// With what a party signs, as far as the agreement says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signing {
    /// `HashFunction`.
    pub(crate) hash: Option<String>,
    /// `SignatureAlgorithm`.
    pub(crate) method: Option<String>,
    /// The certificate, as DER.
    pub(crate) certificate: Option<Vec<u8>>,
}

/// `always`, `never` or `perMessage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requested {
    Always,
    Never,
    PerMessage,
}

/// What an agreement says of one message in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub(crate) from: &'a Party,
    pub(crate) to: &'a Party,
    /// The action on both sides; `None` for a signal.
    pub(crate) action: Option<(&'a Action, &'a Action)>,
    /// The sender's channel: how it is sent.
    pub(crate) channel: &'a Channel,
    /// The receiver's channel: where it goes.
    pub(crate) receiving: &'a Channel,
}

impl Agreement {
    /// The party of that id, written with or without its kind before it: `kind:value`.
    pub(crate) fn side_of(&self, id: &[u8]) -> Option<usize> {
        self.parties.iter().position(|party| party.ids.iter().any(|known| known.is(id)))
    }

    /// What holds for a signal of that name that this side sends.
    pub(crate) fn signal(&self, side: usize, name: &str) -> Terms<'_> {
        let (from, to) = (&self.parties[side], &self.parties[1 - side]);
        let (channel, receiving) = (from.signal_channel(name), to.signal_channel(name));
        Terms { from, to, action: None, channel, receiving }
    }

    /// What holds for a message that this side sends; `service` may be left out where one only has the action.
    ///
    /// # Errors
    /// What the agreement has instead: one sentence.
    pub(crate) fn message(&self, side: usize, service: Option<&str>, action: &str) -> Result<Terms<'_>, String> {
        let (from, to) = (&self.parties[side], &self.parties[1 - side]);
        let is_meant = |known: &&Action, direction| {
            known.direction == direction
                && known.name == action
                && service.is_none_or(|service| known.service.name == service)
        };
        let mut sent = from.actions.iter().filter(|known| is_meant(known, Direction::Send));
        let Some(first) = sent.next() else { return Err(self.not_there(from, service, action)) };
        if sent.any(|other| other.service != first.service) {
            return Err(format!("action `{action}` belongs to more than one service of it: write `service`, too"));
        }
        let belongs = |known: &&Action| match &first.other {
            Some(other) => known.id.as_ref() == Some(other),
            None => is_meant(known, Direction::Receive) && known.service == first.service,
        };
        let received = to.actions.iter().find(belongs).or_else(|| {
            to.actions.iter().find(|known| is_meant(known, Direction::Receive) && known.service == first.service)
        });
        let Some(received) = received else {
            return Err(format!("the other party may not receive action `{action}`"));
        };
        let (channel, receiving) = (&from.channels[first.channel], &to.channels[received.channel]);
        Ok(Terms { from, to, action: Some((first, received)), channel, receiving })
    }

    fn not_there(&self, from: &Party, service: Option<&str>, action: &str) -> String {
        let known: Vec<_> = from
            .actions
            .iter()
            .filter(|known| known.direction == Direction::Send)
            .map(|known| format!("`{}` of service `{}`", known.name, known.service.name))
            .collect();
        let of = service.map(|service| format!(" of service `{service}`")).unwrap_or_default();
        let can = if known.is_empty() { "nothing but signals".to_owned() } else { known.join(", ") };
        format!("party `{}` may not send action `{action}`{of}; it may send {can}", from.ids[0].value)
    }
}

impl Party {
    fn signal_channel(&self, name: &str) -> &Channel {
        let own = self.signal_channels.iter().find(|(known, _)| known == name);
        &self.channels[own.map_or(self.default_channel, |(_, channel)| *channel)]
    }

    /// With what it signs what goes by that channel. One that says nothing of it, as a channel of signals may, has the
    /// party's first.
    pub(crate) fn signing<'a>(&'a self, channel: &'a Channel) -> &'a Signing {
        let says = |channel: &&Channel| channel.signing != Signing::default();
        [channel].into_iter().chain(&self.channels).find(says).map_or(&channel.signing, |channel| &channel.signing)
    }
}

impl PartyId {
    fn is(&self, id: &[u8]) -> bool {
        let of_kind = |kind: &String| {
            id.strip_prefix(kind.as_bytes()).and_then(|rest| rest.strip_prefix(b":")) == Some(self.value.as_bytes())
        };
        id == self.value.as_bytes() || self.kind.as_ref().is_some_and(of_kind)
    }
}

impl Terms<'_> {
    /// Whether the agreement has the message signed.
    pub(crate) fn is_signed(&self) -> bool {
        self.action.is_some_and(|(action, _)| action.is_signed.unwrap_or(self.channel.is_signed))
    }

    /// Whether the agreement has the message encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.action.is_some_and(|(action, _)| action.is_encrypted.unwrap_or(self.channel.is_encrypted))
    }

    /// How long an acknowledgment is waited for: (retries + 1) × interval, as long as the other side remembers.
    pub(crate) fn patience(&self) -> Nanos {
        let Channel { retries, interval, persist, .. } = self.channel;
        let all = Nanos::from_secs_f64(interval.as_secs_f64() * (f64::from(*retries) + 1.0));
        persist.filter(|persist| *persist > Nanos::ZERO).map_or(all, |persist| persist.min(all))
    }
}

#[cfg(test)]
mod tests;
