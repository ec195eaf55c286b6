//! Where a store's database is, as programs in Java are told.

use anyhow::{Context, Result, bail};
use mysql_async::Opts;
use serde::Serialize;
use tokio_postgres::config::Host;

use super::table::Dialect;

/// Ports of servers whose URL names none.
const POSTGRES_PORT: u16 = 5432;

/// What JDBC needs for a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Jdbc {
    url: String,
    /// Class of the driver.
    driver: &'static str,
    user: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
}

impl Jdbc {
    /// That of `mysql://user@host:port/database` or `postgres://…`.
    ///
    /// # Errors
    /// A URL without host, user or database.
    pub(crate) fn of(url: &str) -> Result<Self> {
        match Dialect::of(url) {
            Dialect::MariaDb => Self::of_mariadb(url),
            Dialect::Postgres => Self::of_postgres(url),
        }
    }

    fn of_mariadb(url: &str) -> Result<Self> {
        let opts = Opts::from_url(url).with_context(|| format!("`{url}` is not `mysql://user@host:port/database`"))?;
        let (host, port) = (bracketed(opts.ip_or_hostname()), opts.tcp_port());
        let database = opts.db_name().with_context(|| format!("`{url}` names no database"))?;
        Ok(Self {
            // Spark quotes names as MariaDB wants them only where the URL begins as that of MySQL.
            url: format!("jdbc:mysql://{host}:{port}/{database}?permitMysqlScheme"),
            driver: "org.mariadb.jdbc.Driver",
            user: opts.user().with_context(|| format!("`{url}` names no user"))?.to_owned(),
            password: opts.pass().map(str::to_owned),
        })
    }

    fn of_postgres(url: &str) -> Result<Self> {
        let config: tokio_postgres::Config =
            url.parse().with_context(|| format!("`{url}` is not `postgres://user@host:port/database`"))?;
        let Some(Host::Tcp(host)) = config.get_hosts().first() else { bail!("`{url}` names no host") };
        let (host, port) = (bracketed(host), config.get_ports().first().copied().unwrap_or(POSTGRES_PORT));
        let database = config.get_dbname().with_context(|| format!("`{url}` names no database"))?;
        let password = config.get_password().map(|password| String::from_utf8_lossy(password).into_owned());
        Ok(Self {
            url: format!("jdbc:postgresql://{host}:{port}/{database}"),
            driver: "org.postgresql.Driver",
            user: config.get_user().with_context(|| format!("`{url}` names no user"))?.to_owned(),
            password,
        })
    }
}

/// A host as it stands in a URL.
fn bracketed(host: &str) -> String {
    if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_of_either_server_becomes_one_of_java() {
        let jdbc = |url: &str, driver, password: Option<&str>| Jdbc {
            url: url.to_owned(),
            driver,
            user: "lab".into(),
            password: password.map(str::to_owned),
        };
        assert_eq!(
            Jdbc::of("mysql://lab@127.0.0.1:3307/lab").unwrap(),
            jdbc("jdbc:mysql://127.0.0.1:3307/lab?permitMysqlScheme", "org.mariadb.jdbc.Driver", None)
        );
        assert_eq!(
            Jdbc::of("postgres://lab:p%40ss@db.example/store").unwrap(),
            jdbc("jdbc:postgresql://db.example:5432/store", "org.postgresql.Driver", Some("p@ss"))
        );
        for (url, what) in [
            ("mysql://lab@127.0.0.1:3307", "names no database"),
            ("mysql://127.0.0.1:3307/lab", "names no user"),
            ("postgres://lab@/lab", "names no host"),
            ("mysql:/lab", "is not `mysql://"),
        ] {
            let why = format!("{:#}", Jdbc::of(url).unwrap_err());
            assert!(why.contains(what), "{url}: {why}");
        }
    }
}
