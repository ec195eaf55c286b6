//! The queries of Spark on a standalone cluster of its own: a master, a worker, and the executor that it starts.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{Launch, every_query_is_right, spark};

/// A process of a standalone cluster of Spark on loopback, and the address that it says it serves; asked to end with the
/// test, so that it ends its executors.
struct ClusterPart {
    child: Child,
    port: u16,
}

impl ClusterPart {
    fn start(class: &str, service: &str, arguments: &[&str]) -> Self {
        let home = "import os, pyspark; print(os.path.dirname(pyspark.__file__))";
        let home = Command::new(spark::find().unwrap()).args(["-c", home]).output().unwrap().stdout;
        let home = Path::new(std::str::from_utf8(&home).unwrap().trim()).to_owned();
        let mut command = Command::new(home.join("bin/spark-class"));
        command.arg(format!("org.apache.spark.deploy.{class}"));
        command.args(["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]).args(arguments);
        command.env("SPARK_HOME", &home).env("SPARK_LOCAL_IP", "127.0.0.1");
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let begin = format!("Successfully started service '{service}' on port ");
        let mut words = String::new();
        let port = loop {
            let from = words.len();
            assert!(told.read_line(&mut words).unwrap() > 0, "it does not start: {words}");
            if let Some((_, port)) = words[from..].split_once(&begin) {
                break port.trim().trim_end_matches('.').parse().unwrap();
            }
        };
        std::thread::spawn(move || io::copy(&mut told, &mut io::sink()));
        Self { child, port }
    }
}

impl Drop for ClusterPart {
    fn drop(&mut self) {
        let asked = Command::new("kill").arg(self.child.id().to_string()).status();
        if asked.is_ok_and(|asked| asked.success()) {
            _ = self.child.wait();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Spark (`make spark`, 500 MB) and four Java machines; run with `-- --ignored spark`"]
async fn every_query_of_a_cluster_of_spark_is_right() {
    let work = tempfile::tempdir().unwrap();
    let master = ClusterPart::start("master.Master", "sparkMaster", &[]);
    let master_url = format!("spark://127.0.0.1:{}", master.port);
    let arguments = ["--cores", "2", "--memory", "1g", "--work-dir", work.path().to_str().unwrap(), &master_url];
    let _worker = ClusterPart::start("worker.Worker", "sparkWorker", &arguments);
    every_query_is_right(Launch::Spark { python: spark::find().unwrap(), master: master_url }, 1).await;
    // The worker gave the session an executor: what was asked ran on the cluster.
    let applications = std::fs::read_dir(work.path()).unwrap().map(|entry| entry.unwrap().path());
    let executors = applications.filter(|path| path.join("0/stderr").exists()).count();
    assert_eq!(executors, 1);
}
