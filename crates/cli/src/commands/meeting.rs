//! The server at which runs and load nodes meet, as the command line and the environment name it.

use crate::exit::Failed;
use crate::options::{CollectOptions, MeetingOptions};
use broker::{Address, Identity, Login, Server};
use record::MeetingHead;
use std::path::{Path, PathBuf};

/// A file of credentials or certificates is far smaller.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Where the password of the user is who is named before the host. Instances do not inherit them (`launch`).
const PASSWORD: &str = "LOADPROOF_NATS_PASSWORD";
const PASSWORD_FILE: &str = "LOADPROOF_NATS_PASSWORD_FILE";

/// The server that the command line names; files and the environment are looked at before anything is connected.
pub(crate) fn server(options: &MeetingOptions) -> Result<Option<Server>, Failed> {
    let Some(address) = &options.nats else { return Ok(None) };
    let address = Address::of(address).map_err(Failed::because)?;
    let certificates = |option: &str, file: &Option<PathBuf>| -> Result<Option<PathBuf>, Failed> {
        file.as_deref().map_or(Ok(()), |file| holds(option, file, "-----BEGIN CERTIFICATE-----"))?;
        Ok(file.clone())
    };
    let authorities = certificates("--nats-ca", &options.nats_ca)?;
    let identity = match (certificates("--nats-cert", &options.nats_cert)?, &options.nats_key) {
        (Some(certificate), Some(key)) => {
            holds("--nats-key", key, "PRIVATE KEY-----")?;
            Some(Identity { certificate, key: key.clone() })
        }
        _ => None,
    };
    let login = login(options, &address, |name| std::env::var(name).ok())?;
    let (may_be_plain, group) = (options.nats_plain, options.group.clone());
    Ok(Some(Server { address, login, authorities, identity, may_be_plain, group }))
}

/// The server as the run folder names it: credentials and keys by their files, and never a password.
pub(crate) fn head(options: &MeetingOptions, server: &Server) -> MeetingHead {
    let file = |path: &Option<PathBuf>| {
        path.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()).display().to_string())
    };
    MeetingHead {
        url: server.address.to_string(),
        user: server.address.user().map(str::to_owned),
        credentials: file(&options.nats_creds),
        authorities: file(&options.nats_ca),
        certificate: file(&options.nats_cert),
        key: file(&options.nats_key),
        may_be_plain: server.may_be_plain,
        group: server.group.clone(),
        ..MeetingHead::default()
    }
}

/// The server that a run folder names, or the command line in its place. Who is named there takes the place of whoever
/// the folder names.
pub(crate) fn known(options: &CollectOptions, known: &MeetingHead) -> Result<Server, Failed> {
    let file = |given: &Option<PathBuf>, known: &Option<String>| given.clone().or(known.as_ref().map(PathBuf::from));
    let url = options.nats.as_ref().unwrap_or(&known.url);
    let names_user = Address::of(url).map_err(Failed::because)?.user().is_some();
    let (nats, nats_creds) = match (&options.nats_creds, &known.user) {
        (Some(file), _) => (url.clone(), Some(file.clone())),
        (None, Some(user)) if !names_user => {
            let (scheme, host) = url.split_once("://").unwrap_or(("nats", url));
            (format!("{scheme}://{user}@{host}"), None)
        }
        (None, _) if names_user => (url.clone(), None),
        (None, _) => (url.clone(), known.credentials.as_ref().map(PathBuf::from)),
    };
    let meeting = MeetingOptions {
        nats: Some(nats),
        nats_creds,
        nats_ca: file(&options.nats_ca, &known.authorities),
        nats_cert: file(&options.nats_cert, &known.certificate),
        nats_key: file(&options.nats_key, &known.key),
        nats_plain: known.may_be_plain,
        group: known.group.clone(),
    };
    server(&meeting)?.ok_or_else(|| Failed::because("the run folder names no server; name it with `--nats`"))
}

fn login(
    options: &MeetingOptions,
    address: &Address,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Login, Failed> {
    match (&options.nats_creds, address.user()) {
        (Some(_), Some(_)) => Err(Failed::because(
            "two users are named, one by `--nats-creds` and one before the host behind `--nats`; leave one of them out",
        )),
        (Some(file), None) => {
            let text = text("--nats-creds", file)?;
            Login::of_file(&text).map_err(|why| Failed::because(format!("`{}` {why}", file.display())))
        }
        (None, Some(name)) => {
            let password = match (environment(PASSWORD), environment(PASSWORD_FILE)) {
                (Some(password), _) => password,
                (None, Some(file)) => text(PASSWORD_FILE, Path::new(&file))?.trim_end_matches(['\r', '\n']).to_owned(),
                (None, None) => {
                    return Err(Failed::because(format!(
                        "a user is named in the address of the NATS server, and no password; set `{PASSWORD}`, or name \
                         its file in `{PASSWORD_FILE}`"
                    )));
                }
            };
            Ok(Login::Password { name: name.to_owned(), password })
        }
        (None, None) => Ok(Login::Nobody),
    }
}

/// Makes sure that a file is what it is named for, before a library says something less clear of it.
fn holds(option: &str, file: &Path, what: &str) -> Result<(), Failed> {
    if text(option, file)?.contains(what) {
        return Ok(());
    }
    Err(Failed::because(format!("`{}` behind `{option}` has no line `{what}`: name a file in PEM", file.display())))
}

/// What a file holds. It is not part of the study, so it goes to no node.
fn text(option: &str, file: &Path) -> Result<String, Failed> {
    contract::read_secret_file(file, FILE_BYTES_MAX)
        .map_err(|why| Failed::because(format!("`{}`, which `{option}` names, {why}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(creds: Option<&Path>) -> MeetingOptions {
        MeetingOptions {
            nats: None,
            nats_creds: creds.map(Path::to_owned),
            nats_ca: None,
            nats_cert: None,
            nats_key: None,
            nats_plain: false,
            group: "default".into(),
        }
    }

    #[test]
    fn a_password_comes_from_the_environment_or_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "from-a-file\n").unwrap();
        let ada = Address::of("tls://ada@nats.lab").unwrap();
        let both = |name: &str| match name {
            PASSWORD => Some("direct".to_owned()),
            _ => Some(file.to_string_lossy().into_owned()),
        };
        let found = |login: Login| match login {
            Login::Password { name, password } => (name, password),
            other => panic!("{other:?}"),
        };
        assert_eq!(found(login(&options(None), &ada, both).unwrap()), ("ada".into(), "direct".into()));
        let alone = |name: &str| (name == PASSWORD_FILE).then(|| file.to_string_lossy().into_owned());
        assert_eq!(found(login(&options(None), &ada, alone).unwrap()), ("ada".into(), "from-a-file".into()));
        let why = login(&options(None), &ada, |_| None).unwrap_err().text();
        assert!(why.contains("LOADPROOF_NATS_PASSWORD_FILE") && !why.contains("ada"), "{why}");
        let nobody = Address::of("tls://nats.lab").unwrap();
        assert!(matches!(login(&options(None), &nobody, both), Ok(Login::Nobody)));
    }

    #[test]
    fn a_run_folder_names_the_server_again_but_no_password() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.nk");
        std::fs::write(&file, "SUAIO3FHUX5PNV2LQIIP7TZ3N4L7TX3W53MQGEIVYFIGA635OZCKEYHFLM").unwrap();
        let collect = |nats: Option<&str>| CollectOptions {
            run: "run".into(),
            nats: nats.map(str::to_owned),
            nats_creds: None,
            nats_ca: None,
            nats_cert: None,
            nats_key: None,
            give_up: false,
            json: false,
        };
        let with = MeetingOptions { nats: Some("tls://nats.lab".into()), nats_plain: true, ..options(Some(&file)) };
        let head = head(&with, &server(&with).unwrap().unwrap());
        assert_eq!((head.url.as_str(), &head.user, head.may_be_plain), ("tls://nats.lab", &None, true));
        let again = known(&collect(None), &head).unwrap();
        assert!(matches!(again.login, Login::Seed(_)) && again.may_be_plain);
        // A user before the host takes the place of the file, and needs a password.
        let why = known(&collect(Some("tls://ada@nats.lab")), &head).unwrap_err().text();
        assert!(why.contains("LOADPROOF_NATS_PASSWORD") && !why.contains("two users"), "{why}");
        let ada = MeetingHead { url: "tls://nats.lab:4222".into(), user: Some("ada".into()), ..MeetingHead::default() };
        let why = known(&collect(None), &ada).unwrap_err().text();
        assert!(why.contains("LOADPROOF_NATS_PASSWORD"), "{why}");
        let other = CollectOptions { nats_creds: Some(file), ..collect(None) };
        assert!(matches!(known(&other, &ada).unwrap().login, Login::Seed(_)));
    }

    #[test]
    fn a_file_that_is_something_else_is_named_and_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("node.creds");
        std::fs::write(&file, "hunter2").unwrap();
        let nobody = Address::of("tls://nats.lab").unwrap();
        let why = login(&options(Some(&file)), &nobody, |_| None).unwrap_err().text();
        assert!(why.contains("node.creds") && why.contains("nsc") && !why.contains("hunter2"), "{why}");
        let ada = Address::of("tls://ada@nats.lab").unwrap();
        let why = login(&options(Some(&file)), &ada, |_| None).unwrap_err().text();
        assert!(why.contains("two users"), "{why}");
        let away = folder.path().join("away.pem");
        for (file, said) in [(&away, "cannot be read"), (&file, "has no line")] {
            let with_ca =
                MeetingOptions { nats: Some("tls://nats.lab".into()), nats_ca: Some(file.clone()), ..options(None) };
            let why = server(&with_ca).unwrap_err().text();
            assert!(why.contains(said) && why.contains("--nats-ca") && !why.contains("hunter2"), "{why}");
        }
    }
}
