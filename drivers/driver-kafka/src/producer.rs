//! A client that produces, shared by the sessions of a load thread. The only file that hands records to librdkafka.

use crate::config::{Exchange, Way};
use crate::slot::Mailbox;
use contract::Failure;
use kafka_client::{Access, Complaints};
use rdkafka::Message;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, Producer as _, ProducerContext, ThreadedProducer};
use std::sync::Arc;
use terms::Outcome;

/// Whose record it was.
pub(crate) struct Ticket {
    pub(crate) mailbox: Arc<Mailbox>,
    pub(crate) number: usize,
}

/// Hears of acknowledgments on the client's thread.
#[derive(Clone, Default)]
struct Acks(Complaints);

impl ClientContext for Acks {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        self.0.complain(&error, reason);
    }
}

impl ProducerContext for Acks {
    type DeliveryOpaque = Box<Ticket>;

    fn delivery(&self, result: &DeliveryResult<'_>, ticket: Self::DeliveryOpaque) {
        let (outcome, why) = match result {
            Ok(_) => (Outcome::Ok, String::new()),
            Err((error, message)) => {
                let code = error.rdkafka_error_code();
                let why = format!("`{}` / {}: {}", message.topic(), message.partition(), self.0.why(error));
                (code.map_or(Outcome::Fault, outcome_of), why)
            }
        };
        ticket.mailbox.heard(ticket.number, outcome, &why);
    }
}

/// One client.
pub(crate) struct Producer {
    access: Access,
    way: Way,
    client: ThreadedProducer<Acks>,
    complaints: Complaints,
}

impl Producer {
    /// # Errors
    /// What librdkafka cannot do with these settings.
    pub(crate) fn new(access: &Access, way: &Way) -> Result<Self, Failure> {
        let mut config = access.client();
        config.set("client.id", "loadproof");
        way.set(&mut config);
        let acks = Acks::default();
        let complaints = acks.0.clone();
        let client = config.create_with_context(acks);
        let client = client.map_err(|error| Failure::new(format!("the Kafka client cannot be set up: {error}")))?;
        Ok(Self { access: access.clone(), way: way.clone(), client, complaints })
    }

    /// Whether it produces as an exchange wants it.
    pub(crate) fn is_for(&self, access: &Access, way: &Way) -> bool {
        self.access == *access && self.way == *way
    }

    /// Connects and asks for a topic, so that the first record waits for neither.
    ///
    /// # Errors
    /// Why the cluster did not answer, or that it has no such topic.
    pub(crate) fn ready(&self, exchange: &Exchange) -> Result<(), Failure> {
        let topic = exchange.topic.as_str();
        let found = kafka_client::partitions(self.client.client(), &self.access, topic, &self.complaints, || ())?;
        match exchange.partition {
            Some(partition) if !found.contains(&partition) => {
                let count = found.len();
                Err(Failure::new(format!("the topic `{topic}` has no partition {partition}: it has {count}, from 0")))
            }
            _ => Ok(()),
        }
    }

    /// Hands a record over; the client copies it. What becomes of it is told to the ticket's mailbox.
    ///
    /// # Errors
    /// Why the client did not take it: nobody is told of it then.
    pub(crate) fn send(
        &self,
        exchange: &Exchange,
        (key, value): (Option<&[u8]>, Option<&[u8]>),
        headers: &[(&str, &[u8])],
        ticket: Ticket,
    ) -> Result<(), (Outcome, String)> {
        let record = BaseRecord::<[u8], [u8], Box<Ticket>> {
            topic: &exchange.topic,
            partition: exchange.partition,
            payload: value,
            key,
            timestamp: None,
            headers: (!headers.is_empty()).then(|| {
                headers.iter().fold(OwnedHeaders::new_with_capacity(headers.len()), |all, (key, value)| {
                    all.insert(Header { key, value: Some(*value) })
                })
            }),
            delivery_opaque: Box::new(ticket),
        };
        self.client.send(record).map_err(|(error, _)| {
            let code = error.rdkafka_error_code();
            (code.map_or(Outcome::Fault, outcome_of), error.to_string())
        })
    }
}

/// What an error of the client or of a broker means.
fn outcome_of(code: RDKafkaErrorCode) -> Outcome {
    use RDKafkaErrorCode as Code;
    match code {
        Code::MessageTimedOut | Code::RequestTimedOut | Code::OperationTimedOut => Outcome::Timeout,
        Code::BrokerTransportFailure | Code::NetworkException => Outcome::Reset,
        Code::AllBrokersDown | Code::Resolve | Code::SSL | Code::Authentication | Code::SaslAuthenticationFailed => {
            Outcome::Refused
        }
        // The client's own bounds.
        Code::QueueFull | Code::CriticalSystemResource => Outcome::NoResource,
        Code::PurgeQueue | Code::PurgeInflight => Outcome::Aborted,
        // The client refuses what the study would send.
        Code::InvalidArgument | Code::UnknownPartition => Outcome::BadStudy,
        _ => Outcome::Status,
    }
}
