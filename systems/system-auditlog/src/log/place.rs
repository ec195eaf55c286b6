//! Where a log is: one of this program's own, or a Kafka.

use axum::http::uri::Authority;
use system_common::authority;

/// How the address of a broker begins.
const KAFKA: &str = "kafka://";

/// The address of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `system-auditlog log`.
    Embedded(Authority),
    /// A broker of Kafka.
    Kafka(Authority),
}

/// `HOST:PORT` of a log, or `kafka://HOST:PORT` of a broker.
pub(crate) fn place(text: &str) -> Result<Place, String> {
    match text.strip_prefix(KAFKA) {
        Some(broker) => authority(broker).map(Place::Kafka),
        None => authority(text).map(Place::Embedded).map_err(|why| format!("{why}, or of a Kafka `kafka://HOST:PORT`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broker_is_told_by_its_scheme() {
        let address: Authority = "127.0.0.1:9092".parse().unwrap();
        assert_eq!(place("127.0.0.1:9092"), Ok(Place::Embedded(address.clone())));
        assert_eq!(place("kafka://127.0.0.1:9092"), Ok(Place::Kafka(address)));
        for wrong in ["9092", "kafka://9092", "kafka://a:1/topic"] {
            assert!(place(wrong).unwrap_err().contains("is not an address"), "{wrong}");
        }
    }
}
