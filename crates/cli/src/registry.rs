//! The one list of plug-ins. A new driver or monitor is a line here and a line in `Cargo.toml`.

use contract::{DriverKind, MonitorKind};
use study::Registry;

/// Drivers, by the names that studies use.
pub(crate) const DRIVERS: &[DriverKind] = &[
    driver_http::HTTP,
    driver_http::JOB,
    driver_ebms::EBMS,
    driver_sse::SSE,
    driver_websub::WEBSUB,
    driver_ws::WS,
    driver_thrift::THRIFT,
    #[cfg(feature = "kafka")]
    driver_kafka::KAFKA,
    import::IMPORTED,
];

/// Monitors, by the names that studies use.
pub(crate) const MONITORS: &[MonitorKind] = &[
    monitor_host::HOST,
    monitor_process::PROCESS,
    monitor_sql::SQL,
    monitor_jvm::JVM,
    monitor_access_log::ACCESS_LOG,
    monitor_cgroup::CGROUP,
    monitor_prometheus::PROMETHEUS,
    #[cfg(feature = "kafka")]
    monitor_kafka_lag::KAFKA_LAG,
    import::IMPORTED_VALUES,
];

/// Both lists with the blocks of reports, as `study` takes them.
pub(crate) fn registry() -> Registry<'static> {
    Registry { drivers: DRIVERS, monitors: MONITORS, blocks: report::BLOCKS }
}
