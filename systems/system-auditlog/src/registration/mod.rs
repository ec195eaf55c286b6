//! Registration: `register` takes calls in and writes them to a log, `mirror` brings them to the central one, `consume`
//! from there into the store.

mod consume;
mod mirror;
mod register;

use serde::{Deserialize, Serialize};

pub(crate) use consume::Consumer;
pub(crate) use mirror::Mirror;
pub(crate) use register::{ROUTES, Register};

use crate::store::Row;

/// What somebody did with a citizen's data, as it is to be logged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Registration {
    /// Known to whoever registers; what comes again under it is a duplicate.
    pub(crate) id: String,
    /// As the table has it.
    pub(crate) row: Row,
}

impl Registration {
    /// Whose record was seen: what is about one citizen stays in its order.
    pub(crate) fn key(&self) -> &str {
        &self.row[1]
    }

    /// As the value of a record.
    pub(crate) fn to_value(&self) -> Vec<u8> {
        serde_json::to_vec(&(&self.id, &self.row)).unwrap_or_default()
    }

    /// From the value of a record; `None` if it is none.
    pub(crate) fn from_value(value: &[u8]) -> Option<Self> {
        serde_json::from_slice(value).ok().map(|(id, row)| Self { id, row })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_reads_as_what_was_written() {
        let row = ["a", "0101000001", "\"ø\"", "", "e", "f", "g", "h", "2026-10-31 12:34:56"].map(str::to_owned);
        let registration = Registration { id: "1".into(), row };
        assert_eq!(registration.key(), "0101000001");
        assert_eq!(Registration::from_value(&registration.to_value()), Some(registration));
        for value in ["", "[]", "[\"1\",[\"a\"]]", "{}"] {
            assert_eq!(Registration::from_value(value.as_bytes()), None, "{value}");
        }
    }
}
