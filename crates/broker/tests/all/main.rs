//! Runs and nodes at real servers: who is let in, with which rights, and what is said to whoever is not.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

mod entered;
mod refused;

use broker::{Address, Login, Server};

/// A server of the group `lab` at this address, for nobody in particular.
fn server(url: &str) -> Server {
    Server {
        address: Address::of(url).unwrap(),
        login: Login::Nobody,
        authorities: None,
        identity: None,
        may_be_plain: false,
        group: "lab".into(),
    }
}

/// The passwords of node and run.
const PASSWORDS: [&str; 2] = ["node-Marten-5530-x", "run-Badger-8841-y"];

fn password(name: &str, password: &str) -> Login {
    Login::Password { name: name.into(), password: password.into() }
}

/// Files of one side, in a folder of its own.
fn kept(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    folder
}
