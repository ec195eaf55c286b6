//! Tokens by which a NATS server knows users of whom it has no list.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

/// A claim signed by a key, in the form of NATS: <https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/jwt>.
fn token(claim: &Value, by: &KeyPair) -> String {
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(&json!({ "typ": "JWT", "alg": "ed25519-nkey" })), part(claim));
    let signature = BASE64_URL_SAFE_NO_PAD.encode(by.sign(text.as_bytes()).unwrap());
    format!("{text}.{signature}")
}

/// What an account's token bounds; -1 is without bound.
const UNBOUNDED: [&str; 11] = [
    "subs",
    "data",
    "payload",
    "imports",
    "exports",
    "conn",
    "leaf",
    "mem_storage",
    "disk_storage",
    "streams",
    "consumer",
];

/// An operator with one account, whose users are known by tokens alone.
pub struct Operator {
    account: KeyPair,
    /// What the server is configured with.
    pub config: String,
}

impl Operator {
    /// Keys and tokens that nobody else has.
    pub fn create() -> Self {
        let [operator, system, account] = [KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_account()];
        let claim = |name: &str, of: &KeyPair, nats: Value| {
            let (issuer, subject) = (operator.public_key(), of.public_key());
            let claim =
                json!({ "jti": name, "iat": 1_700_000_000, "iss": issuer, "sub": subject, "name": name, "nats": nats });
            token(&claim, &operator)
        };
        let of_account = |name: &str, of: &KeyPair, has_jetstream: bool| {
            let kept = ["mem_storage", "disk_storage", "streams", "consumer"];
            let bound = |name: &&str| if kept.contains(name) && !has_jetstream { 0 } else { -1 };
            let mut limits: serde_json::Map<String, Value> =
                UNBOUNDED.iter().map(|name| ((*name).to_owned(), json!(bound(name)))).collect();
            limits.insert("wildcards".into(), json!(true));
            claim(
                name,
                of,
                json!({ "limits": limits, "default_permissions": { "pub": {}, "sub": {} }, "type": "account", "version": 2 }),
            )
        };
        // The server has no JetStream under an operator without an account of its own.
        let config = format!(
            "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {}: {}, {}: {} }}\n",
            claim("operator", &operator, json!({ "type": "operator", "version": 2 })),
            system.public_key(),
            system.public_key(),
            of_account("system", &system, false),
            account.public_key(),
            of_account("lab", &account, true)
        );
        Self { account, config }
    }

    /// A file of credentials of a new user of the account, and its seed.
    pub fn user(&self, name: &str) -> (String, String) {
        let user = KeyPair::new_user();
        let claim = json!({
            "jti": name, "iat": 1_700_000_000, "iss": self.account.public_key(), "sub": user.public_key(), "name": name,
            "nats": { "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2 },
        });
        let (token, seed) = (token(&claim, &self.account), user.seed().unwrap());
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             ************************* IMPORTANT *************************\n\
             NKEY Seed printed below can be used to sign and prove identity.\n\
             NKEYs are sensitive and should be treated as secrets.\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        (text, seed)
    }
}
