//! Whatever a file holds, reading it ends, and every record is either read or counted.

use crate::fuzz::files;
use proptest::prelude::*;

/// Beginnings that get a reader past its first line.
const BEGINNINGS: [&str; 16] = [
    "",
    "timeStamp,elapsed,label,success,Latency\n",
    "metric_name,timestamp,metric_value,name\n",
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st UTC\n",
    "Timestamp S0C EU OU YGC\n",
    "\u{1f}\u{8b}",
    "# hostname;interval;timestamp;CPU;%user\n",
    "Linux 6.1.0 (db1) \t11/26/2026 \t_x86_64_\t(4 CPU)\n\n10:58:00 PM CPU %user %idle\n10:58:01 PM all ",
    "GROUP TOPIC PARTITION LAG\n",
    "Timestamp,User Count,Type,Name,Total Request Count,Total Failure Count\n",
    "RUN\tlab.Shop\tshop\t1795690680000\t \t3.9.5\nREQUEST\t\thome\t1795690680400\t",
    "\0\0\0\0\u{6}3.13.5\0",
    "#[BaseTime: 1795690680.0 (seconds)]\n0.0,1.0,",
    "Running 3s test\nDetailed Percentile spectrum:\n",
    "[0.010s][info][gc] GC(0) Pause Young (Normal) ",
    "<testResults><sample t=\"1\" ts=\"1\">",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_of_any_kind_are_read_or_counted(
        beginning in 0..BEGINNINGS.len(),
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("\n".as_bytes().to_vec()), Just(b",".to_vec()), Just(b"\"".to_vec()), Just(b"\r\n".to_vec()),
                Just(b" ".to_vec()), Just(b"1795690680000".to_vec()), Just(b"true".to_vec()), Just(b"99999999999999999".to_vec()),
                Just(b"http_req_duration".to_vec()), Just(b"{\"metric\":".to_vec()), Just(b"-".to_vec()),
                proptest::collection::vec(any::<u8>(), 0..9),
            ],
            0..60,
        ),
    ) {
        let bytes = [BEGINNINGS[beginning].as_bytes().to_vec(), pieces.concat()].concat();
        files(&bytes);
    }
}
