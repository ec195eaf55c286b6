//! Where instances answer, and what is known only during a run.

use crate::Secrets;
use crate::model::{Instance, Listener, Study};
use crate::names::names;
use contract::{Place, compile_template};

/// Where instances answer, and the names of this run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    /// `$(run.id)`.
    pub run_id: String,
    /// `$(scratch)`: a folder of this run.
    pub scratch: String,
    pub instances: Vec<InstancePlace>,
    /// The lab's listeners, by name.
    pub listeners: Vec<(String, ReplicaPlace)>,
}

/// Where an instance answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstancePlace {
    /// Its name in the study.
    pub name: String,
    /// Its replicas, first to last; one when it runs already.
    pub replicas: Vec<ReplicaPlace>,
}

/// Where a replica answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplicaPlace {
    /// Host name or address.
    pub host: String,
    /// Its first port.
    pub port: u16,
    /// Its ports by name, the first included.
    pub ports: Vec<(String, u16)>,
    /// `http://host:port`, or as the study wrote it; without a slash at the end.
    pub url: String,
}

/// What only the instance that is being started may name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Own {
    /// Where it will answer.
    pub place: ReplicaPlace,
    /// Number of the replica, from 1.
    pub replica: u32,
    /// `$(nonce)`: what its identity must repeat.
    pub nonce: String,
    /// `$(faults)`: its fault switches as they are typed.
    pub faults: String,
}

impl ReplicaPlace {
    /// On this host, with ports by name; the first is the main one.
    pub fn local(host: &str, ports: Vec<(String, u16)>) -> Self {
        let port = ports.first().map_or(0, |(_, port)| *port);
        Self { host: host.to_owned(), port, url: format!("http://{}:{port}", bracketed(host)), ports }
    }

    /// One that is started: `https://` where the study says that it speaks TLS.
    pub fn started(instance: &Instance, host: &str, ports: Vec<(String, u16)>) -> Self {
        let mut place = Self::local(host, ports);
        if instance.tls.is_some() {
            place.url = format!("https://{}", place.address());
        }
        place
    }

    /// From a URL of the study. The port follows from the scheme when it is not written: 443 for `https` and `wss`,
    /// else 80. `None` without a host.
    pub fn from_url(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let default = if matches!(scheme, "https" | "wss") { 443 } else { 80 };
        let (host, port) = match authority.strip_prefix('[') {
            Some(v6) => {
                let (host, rest) = v6.split_once(']')?;
                (host, rest.strip_prefix(':').map_or(Some(default), |port| port.parse().ok())?)
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, port.parse().ok()?),
                None => (authority, default),
            },
        };
        let is_host = !host.is_empty() && !host.contains(char::is_whitespace);
        is_host.then(|| Self {
            host: host.to_owned(),
            port,
            ports: vec![("port".to_owned(), port)],
            url: url.trim_end_matches('/').to_owned(),
        })
    }

    /// `host:port`.
    pub fn address(&self) -> String {
        format!("{}:{}", bracketed(&self.host), self.port)
    }
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

impl Own {
    /// A stand-in, for checking what an instance's command names.
    pub fn placeholder(instance: &Instance) -> Self {
        Self { place: placeholder(instance), replica: 1, nonce: "nonce".into(), faults: String::new() }
    }
}

impl Places {
    /// Stand-ins for `check`: instances that run already stand where their URL says, the others on port 1 of this
    /// machine, where nothing answers.
    pub fn placeholders(study: &Study) -> Self {
        let instances = study.system.instances.iter().map(|instance| {
            let replicas = (0..instance.replicas.max(1)).map(|_| placeholder(instance)).collect();
            InstancePlace { name: instance.name.clone(), replicas }
        });
        let listener = |listener: &Listener| {
            let port = listener.port.unwrap_or(1);
            let place = ReplicaPlace::local(&listener.bind, vec![("port".to_owned(), port)]);
            let public = listener.public.as_deref().and_then(ReplicaPlace::from_url);
            (listener.name.clone(), public.unwrap_or(place))
        };
        let mut places = Self {
            run_id: "run".into(),
            scratch: "scratch".into(),
            instances: instances.collect(),
            listeners: study.listeners.iter().map(listener).collect(),
        };
        for instance in &study.system.instances {
            if let Some(real) = running(study, instance, &places)
                && let Some(place) = places.instances.iter_mut().find(|place| place.name == instance.name)
            {
                place.replicas = vec![real];
            }
        }
        places
    }

    /// The place of an instance.
    pub fn instance(&self, name: &str) -> Option<&InstancePlace> {
        self.instances.iter().find(|instance| instance.name == name)
    }
}

/// Where an instance that runs already answers, as its URL says; `None` when it is started, or its URL has no host.
fn running(study: &Study, instance: &Instance, places: &Places) -> Option<ReplicaPlace> {
    let url = instance.url.as_ref()?;
    let secrets = Secrets::ignored();
    let template = compile_template(url.text()?, Place::default(), &names(study, &secrets, &[], None, places)).ok()?;
    ReplicaPlace::from_url(std::str::from_utf8(template.as_fixed()?).ok()?)
}

fn placeholder(instance: &Instance) -> ReplicaPlace {
    let names: &[String] = if instance.ports.is_empty() { &["port".to_owned()] } else { &instance.ports };
    ReplicaPlace::started(instance, "127.0.0.1", names.iter().map(|name| (name.clone(), 1)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        for (url, host, port) in [
            ("http://127.0.0.1:8080", "127.0.0.1", 8080),
            ("https://shop.example/base/", "shop.example", 443),
            ("http://user:pw@shop:81/x?y", "shop", 81),
            ("http://[::1]:9/", "::1", 9),
            ("ws://[::1]", "::1", 80),
        ] {
            let place = ReplicaPlace::from_url(url).unwrap();
            assert_eq!((place.host.as_str(), place.port), (host, port), "{url}");
        }
        for wrong in ["shop:80", "http://", "http://shop:http", "http://a b", "http://[::1"] {
            assert_eq!(ReplicaPlace::from_url(wrong), None, "{wrong}");
        }
        assert_eq!(ReplicaPlace::from_url("http://[::1]:9").unwrap().address(), "[::1]:9");
    }
}
