//! The table of a stream in a database, in the words of either kind of server.

use crate::stream::{Stream, Type};

/// Signs of a text that an index of MariaDB holds.
const INDEXED_SIGNS: usize = 64;

/// Which words a server knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    MariaDb,
    Postgres,
}

impl Dialect {
    /// That of the server that a URL names.
    pub(super) fn of(url: &str) -> Self {
        if url.starts_with("postgres") { Self::Postgres } else { Self::MariaDb }
    }

    /// A name that may be anything.
    pub(super) fn quoted(self, name: &str) -> String {
        let sign = if self == Self::MariaDb { '`' } else { '"' };
        format!("{sign}{}{sign}", name.replace(sign, &format!("{sign}{sign}")))
    }

    /// What tells how many bytes all tables and indexes have; of InnoDB as it estimates them.
    pub(super) fn size(self) -> String {
        let select = match self {
            Self::MariaDb => {
                "SELECT CAST(COALESCE(SUM(data_length + index_length), 0) AS UNSIGNED) FROM information_schema.tables \
                 WHERE table_schema = DATABASE()"
            }
            Self::Postgres => "SELECT pg_database_size(current_database())",
        };
        select.to_owned()
    }

    fn kind(self, kind: Type) -> &'static str {
        match (kind, self) {
            (Type::Int, _) => "INT",
            (Type::Long, _) => "BIGINT",
            (Type::Float | Type::Double, Self::MariaDb) => "DOUBLE",
            (Type::Float | Type::Double, Self::Postgres) => "DOUBLE PRECISION",
            (Type::Bool, _) => "BOOLEAN",
            // Its `TEXT` ends at 64 KiB, and a row with a longer one is refused with all of its batch.
            (Type::String, Self::MariaDb) => "LONGTEXT",
            (Type::String, Self::Postgres) => "TEXT",
        }
    }

    /// The columns of a stream's attributes, with commas.
    pub(super) fn columns(self, stream: &Stream) -> String {
        let names: Vec<String> = stream.attributes.iter().map(|attribute| self.quoted(&attribute.name)).collect();
        names.join(", ")
    }

    /// What makes the table of a stream with indexes on so many attributes, where it does not exist yet.
    pub(super) fn create(self, stream: &Stream, indexed: usize) -> Vec<String> {
        let table = self.quoted(&stream.table);
        let columns = stream.attributes.iter();
        let columns =
            columns.map(|attribute| format!("{} {} NOT NULL", self.quoted(&attribute.name), self.kind(attribute.kind)));
        let attributes = stream.attributes.iter().take(indexed);
        match self {
            Self::MariaDb => {
                let indexes = attributes.map(|attribute| {
                    let is_text = attribute.kind == Type::String;
                    let part = if is_text { format!("({INDEXED_SIGNS})") } else { String::new() };
                    format!("INDEX ({}{part})", self.quoted(&attribute.name))
                });
                let all: Vec<String> = columns.chain(indexes).collect();
                vec![format!(
                    "CREATE TABLE IF NOT EXISTS {table} (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, at BIGINT NOT \
                     NULL, {}) ENGINE=InnoDB",
                    all.join(", ")
                )]
            }
            Self::Postgres => {
                let all: Vec<String> = columns.collect();
                let create = format!(
                    "CREATE TABLE IF NOT EXISTS {table} (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at BIGINT NOT NULL, {})",
                    all.join(", ")
                );
                let index = |(place, attribute): (usize, &crate::stream::Attribute)| {
                    let name = self.quoted(&format!("{}_{place}", stream.table));
                    format!("CREATE INDEX IF NOT EXISTS {name} ON {table} ({})", self.quoted(&attribute.name))
                };
                std::iter::once(create).chain(attributes.enumerate().map(index)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_an_index_on_its_first_attributes() {
        let home = r#"{"name":"home","version":"1","payloadData":[{"name":"house","type":"INT"},
            {"name":"met-ro","type":"STRING"},{"name":"power","type":"FLOAT"}]}"#;
        let stream = Stream::read(home).unwrap();
        assert_eq!(
            Dialect::MariaDb.create(&stream, 2),
            [
                "CREATE TABLE IF NOT EXISTS `HOME` (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, at BIGINT NOT \
              NULL, `house` INT NOT NULL, `met-ro` LONGTEXT NOT NULL, `power` DOUBLE NOT NULL, INDEX (`house`), INDEX \
              (`met-ro`(64))) ENGINE=InnoDB"
            ]
        );
        assert_eq!(
            Dialect::Postgres.create(&stream, 1),
            [
                "CREATE TABLE IF NOT EXISTS \"HOME\" (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at BIGINT NOT NULL, \
                 \"house\" INT NOT NULL, \"met-ro\" TEXT NOT NULL, \"power\" DOUBLE PRECISION NOT NULL)",
                "CREATE INDEX IF NOT EXISTS \"HOME_0\" ON \"HOME\" (\"house\")",
            ]
        );
        assert_eq!(
            (Dialect::MariaDb.quoted("a`b"), Dialect::Postgres.quoted("a\"b")),
            ("`a``b`".into(), "\"a\"\"b\"".into())
        );
    }
}
