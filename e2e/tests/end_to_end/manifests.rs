//! The manifests of `deploy/kubernetes`, carried out as a cluster would: the command of each container, with its mounts, its
//! environment and its index, as a process here.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::site::serve;
use crate::yaml::documents;
use e2e::{Place, assert_balanced, program, step, wait};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use testkit::nats::{Authority, as_deployed, deployed};

/// What a cluster has beside the manifests: secrets and config maps, by name and key.
type Kept = BTreeMap<&'static str, BTreeMap<&'static str, String>>;

fn manifest(name: &str) -> Vec<Value> {
    documents(&std::fs::read_to_string(deployed("kubernetes").join(name)).unwrap())
}

fn job(documents: &[Value]) -> &Value {
    documents.iter().find(|document| document["kind"] == "Job").unwrap()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// The pod's one container as a command. Its mounts are folders below `root`, whose names take the place of theirs; the
/// service `nats` is at `port` of loopback. Nothing else is changed.
fn command(job: &Value, kept: &Kept, root: &Path, port: u16) -> Command {
    let pod = &job["spec"]["template"]["spec"];
    let [container] = pod["containers"].as_array().unwrap().as_slice() else { panic!("one container: {pod:#}") };
    let mut mounts: Vec<(String, String)> = Vec::new();
    for mount in container["volumeMounts"].as_array().unwrap() {
        let volumes = pod["volumes"].as_array().unwrap();
        let volume = volumes.iter().find(|volume| volume["name"] == mount["name"]).expect("its volume");
        let at = root.join(mount["name"].as_str().unwrap());
        std::fs::create_dir_all(&at).unwrap();
        if volume["persistentVolumeClaim"].is_null() {
            fill(&at, volume, kept);
        }
        mounts.push((mount["mountPath"].as_str().unwrap().to_owned(), at.to_string_lossy().into_owned()));
    }
    let here = |text: &str| {
        let text = text.replace("nats:4222", &format!("127.0.0.1:{port}"));
        let mount = mounts.iter().find(|(path, _)| text == *path || text.starts_with(&format!("{path}/")));
        let Some((path, at)) = mount else {
            assert!(!text.starts_with('/'), "`{text}` is not mounted");
            return text;
        };
        let found = text.replacen(path, at, 1);
        assert!(Path::new(&found).exists(), "`{text}` is missing");
        found
    };
    let line = [texts(&container["command"]), texts(&container["args"])].concat();
    let (first, rest) = line.split_first().expect("a command");
    let mut command = Command::new(program(first));
    command.args(rest.iter().map(|text| here(text))).stdin(Stdio::null());
    command.current_dir(container["workingDir"].as_str().map_or(root.to_string_lossy().into_owned(), here));
    command.env_clear().env("PATH", "/usr/bin:/bin");
    for variable in container["env"].as_array().into_iter().flatten() {
        command.env(variable["name"].as_str().unwrap(), here(variable["value"].as_str().unwrap()));
    }
    for source in container["envFrom"].as_array().into_iter().flatten() {
        command.envs(&kept[source["secretRef"]["name"].as_str().unwrap()]);
    }
    command
}

/// A mounted secret or config map: each key is a link to a link, as the kubelet makes them.
fn fill(at: &Path, volume: &Value, kept: &Kept) {
    let name =
        volume["secret"]["secretName"].as_str().or(volume["configMap"]["name"].as_str()).expect("a known volume");
    let all = kept.get(name).unwrap_or_else(|| panic!("no `{name}` was made"));
    let items = volume["secret"]["items"].as_array();
    let wanted: Vec<(&str, &str)> = match items {
        Some(items) => {
            items.iter().map(|item| (item["key"].as_str().unwrap(), item["path"].as_str().unwrap())).collect()
        }
        None => all.keys().map(|key| (*key, *key)).collect(),
    };
    std::fs::create_dir_all(at.join("..1")).unwrap();
    std::os::unix::fs::symlink("..1", at.join("..data")).unwrap();
    for (key, path) in wanted {
        let text = all.get(key).unwrap_or_else(|| panic!("`{name}` has no `{key}`"));
        std::fs::write(at.join("..1").join(path), text).unwrap();
        std::os::unix::fs::symlink(Path::new("..data").join(path), at.join(path)).unwrap();
    }
}

#[test]
fn the_commands_of_the_manifests_carry_out_a_study() {
    let (nodes, run) = (manifest("nodes.yaml"), manifest("run.yaml"));
    let (nodes, run) = (job(&nodes), job(&run));
    let count = nodes["spec"]["completions"].as_u64().unwrap();
    assert_eq!((&nodes["spec"]["completionMode"], &nodes["spec"]["parallelism"]), (&"Indexed".into(), &count.into()));
    let site = serve(|_| ("200 OK", String::new(), "row".to_owned()));
    let study = format!(
        "study: In a cluster\nsystem: {{ name: site }}\nnodes: {{ count: {count}, cores: 1 }}\n\
         data: {{ rows: {{ file: rows.csv }} }}\nexchanges:\n\
         \x20 row: {{ http.get: {{ url: 'http://127.0.0.1:{site}/$(rows.id)', headers: {{ x-key: $(secret.KEY) }} }} }}\n\
         scenarios:\n\x20 open: {{ load: {{ arrivals: 10/s per node, hold: 3s }}, run: [row] }}\n\
         requirements: {{ right: share(row.failed) <= 5% }}\n"
    );
    let rows: String = (0..200).map(|row| format!("{row}\n")).collect();
    let authority = Authority::create();
    let passwords = ["node-Marten-5530-x", "run-Badger-8841-y"];
    let entries = |all: &[(&'static str, &str)]| all.iter().map(|(key, text)| (*key, (*text).to_owned())).collect();
    let kept: Kept = [
        (
            "loadproof-nats",
            entries(&[("ca.pem", &authority.pem), ("node-password", passwords[0]), ("run-password", passwords[1])]),
        ),
        ("study-secrets", entries(&[("KEY", "kEy-Ocelot-7719")])),
        ("study", entries(&[("study.yaml", &study), ("rows.csv", &format!("id\n{rows}"))])),
    ]
    .into();
    let nats = as_deployed(&authority.server(), passwords);
    let place = Place::new();
    // The last index first: places come from it, not from who is there first.
    let pods: Vec<(u64, Child)> = (0..count)
        .rev()
        .map(|index| {
            let root = place.path().join(format!("pods/{index}"));
            let mut command = command(nodes, &kept, &root, nats.port());
            assert!(!root.join("nats/run-password").exists(), "a node needs no password but its own");
            command.env("JOB_COMPLETION_INDEX", index.to_string());
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            (index, command.spawn().unwrap())
        })
        .collect();
    let root = place.path().join("pods/run");
    let ran = command(run, &kept, &root, nats.port()).arg("--json").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!([Some(0), Some(3)].contains(&ran.status.code()), "{said}");
    let result: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let hold = step(&result, "open", "hold");
    assert_balanced(hold);
    assert_eq!((&hold["intended"], &hold["failed"]), (&(count * 30).into(), &0.into()), "{hold:#}");
    // The run folder is on the claimed volume.
    let folders: Vec<_> = std::fs::read_dir(root.join("runs/runs")).unwrap().flatten().collect();
    let head = std::fs::read(folders[0].path().join("evidence/run.json")).unwrap();
    let head: Value = serde_json::from_slice(&head).unwrap();
    for (index, pod) in pods {
        let pid = pod.id();
        assert_eq!(head["nodes"][index as usize]["pid"], pid, "{head:#}");
        let ended = wait(pod);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
    }
}

#[test]
fn what_manifests_refer_to_is_made_by_the_commands_of_the_readme() {
    let readme = std::fs::read_to_string(deployed("README.md")).unwrap();
    for name in ["nodes.yaml", "run.yaml"] {
        let documents = manifest(name);
        let pod = &job(&documents)["spec"]["template"]["spec"];
        for volume in pod["volumes"].as_array().unwrap() {
            let claim = &volume["persistentVolumeClaim"]["claimName"];
            if !claim.is_null() {
                let is_it = |document: &Value| {
                    document["kind"] == "PersistentVolumeClaim" && document["metadata"]["name"] == *claim
                };
                assert!(documents.iter().any(is_it), "nobody makes {claim}");
                continue;
            }
            let (kind, source) = if volume["secret"].is_null() {
                ("configmap", &volume["configMap"]["name"])
            } else {
                ("secret generic", &volume["secret"]["secretName"])
            };
            let made = format!("kubectl create {kind} {} ", source.as_str().unwrap());
            let line = readme.lines().find(|line| line.starts_with(&made)).unwrap_or_else(|| panic!("no `{made}`"));
            for item in volume["secret"]["items"].as_array().into_iter().flatten() {
                let key = format!("--from-file={}", item["key"].as_str().unwrap());
                assert!(line.split(' ').any(|word| word == key), "`{key}` is not in `{line}`");
            }
        }
    }
}
