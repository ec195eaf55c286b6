//! A Chromium of our own, driven over its DevTools protocol.

use crate::child::on_path;
use anyhow::{Context, Result, anyhow, bail, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::fs::File;
use std::net::{IpAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

/// Names under which distributions have it.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Until it can be driven: a busy machine takes its time.
const STARTING: Duration = Duration::from_secs(60);
/// One command to it.
const ANSWERING: Duration = Duration::from_secs(60);
/// Until a page and its scripts are there.
const LOADING: Duration = Duration::from_secs(60);
/// From being asked to close until it is killed.
const CLOSING: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(100);
/// Longest answer: a picture of a long page.
const ANSWER_MAX: usize = 256 * 1024 * 1024;

/// What a page said on its console, or the browser of it there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    /// A request that came to nothing, and no slip of the page.
    pub(crate) is_network: bool,
    /// Said while the way to the page was cut.
    pub(crate) is_cut: bool,
    pub(crate) text: String,
}

/// One process of it with one page; ends with this value.
pub(crate) struct Browser {
    child: Child,
    profile: PathBuf,
    tools: WebSocket<TcpStream>,
    session: String,
    number: u64,
    /// Errors, in order.
    pub(crate) said: Vec<Said>,
    /// Whether the way to the page is cut at present.
    pub(crate) is_cut: bool,
}

/// The program that was named, or one that is installed.
///
/// # Errors
/// None is.
pub(crate) fn program(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named {
        let known = named.to_str().filter(|name| !name.contains('/')).and_then(on_path);
        let found = known.or_else(|| named.is_file().then(|| named.to_owned()));
        return found.with_context(|| format!("`{}` is missing", named.display()));
    }
    let found = PROGRAMS.iter().find_map(|name| on_path(name));
    found.context(
        "no Chromium is on the PATH (`chromium`, `chromium-browser`, `google-chrome`): type `sudo apt-get install chromium`, \
         or name one with `--chromium PROGRAM`",
    )
}

impl Browser {
    /// Starts it with a profile of its own; to it `localhost` is the address that is given.
    ///
    /// # Errors
    /// A program that does not start, or that cannot be driven.
    pub(crate) fn start(program: &Path, profile: &Path, localhost: Option<IpAddr>) -> Result<Self> {
        std::fs::create_dir_all(profile)?;
        let log = profile.join("said.log");
        let mut command = Command::new(program);
        command.args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--remote-debugging-port=0",
        ]);
        command.arg(format!("--user-data-dir={}", profile.display()));
        command.args(localhost.map(|ip| format!("--host-resolver-rules=MAP localhost {ip}")));
        command.arg("about:blank").stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        let mut child = command.spawn().with_context(|| format!("`{}` cannot be started", program.display()))?;
        match driven(&mut child, profile) {
            Ok(tools) => {
                let (profile, session) = (profile.to_owned(), String::new());
                let mut own = Self { child, profile, tools, session, number: 0, said: Vec::new(), is_cut: false };
                own.attach()?;
                Ok(own)
            }
            Err(why) => {
                let _ = (child.kill(), child.wait());
                let said = std::fs::read_to_string(log).unwrap_or_default();
                let said = said.lines().last().unwrap_or("nothing").to_owned();
                Err(why.context(format!("`{}` cannot be driven; it last said: {said}", program.display())))
            }
        }
    }

    /// Takes hold of the page that it opened with.
    fn attach(&mut self) -> Result<()> {
        let targets = self.call("Target.getTargets", json!({}))?;
        let pages = targets["targetInfos"].as_array().into_iter().flatten();
        let page = pages.into_iter().find(|target| target["type"] == "page").context("the browser has no page")?;
        let target = page["targetId"].clone();
        let attached = self.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }))?;
        attached["sessionId"].as_str().context("the page has no session")?.clone_into(&mut self.session);
        for domain in ["Page", "Runtime", "Log", "Performance"] {
            self.call(&format!("{domain}.enable"), json!({}))?;
        }
        Ok(())
    }

    /// Goes to an address, and waits until all of the page is there.
    pub(crate) fn open(&mut self, url: &str) -> Result<()> {
        let gone = self.call("Page.navigate", json!({ "url": url }))?;
        let error = gone["errorText"].as_str().filter(|text| !text.is_empty());
        ensure!(error.is_none(), "the browser cannot open {url}: {}", error.unwrap_or_default());
        self.wait(url, "document.readyState === 'complete'", LOADING)
    }

    /// What an expression is, in the page.
    pub(crate) fn ask(&mut self, expression: &str) -> Result<Value> {
        let asked = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
        });
        let mut answer = self.call("Runtime.evaluate", asked)?;
        if let Some(details) = answer.get("exceptionDetails") {
            bail!("`{expression}`: {}", thrown(details));
        }
        Ok(answer["result"]["value"].take())
    }

    /// Waits until an expression is true; whether it came to that.
    pub(crate) fn comes_to(&mut self, expression: &str, within: Duration) -> Result<bool> {
        let began = Instant::now();
        loop {
            if self.ask(expression)? == true {
                return Ok(true);
            }
            if began.elapsed() > within {
                return Ok(false);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until an expression is true.
    ///
    /// # Errors
    /// It does not come to that.
    pub(crate) fn wait(&mut self, what: &str, expression: &str, within: Duration) -> Result<()> {
        let came = self.comes_to(expression, within)?;
        ensure!(came, "{what}: gave up after {} s of waiting for `{expression}`", within.as_secs());
        Ok(())
    }

    /// Gives the page another size, and the look of a phone if it is narrow.
    pub(crate) fn resize(&mut self, (width, height): (u32, u32), is_phone: bool) -> Result<()> {
        let ratio = if is_phone { 2 } else { 1 };
        let wanted = json!({ "width": width, "height": height, "deviceScaleFactor": ratio, "mobile": is_phone });
        self.call("Emulation.setDeviceMetricsOverride", wanted).map(drop)
    }

    /// Whether the user likes it dark.
    pub(crate) fn darken(&mut self, is_dark: bool) -> Result<()> {
        let scheme = if is_dark { "dark" } else { "light" };
        let wanted = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", wanted).map(drop)
    }

    /// Writes what is shown as a PNG file.
    pub(crate) fn picture(&mut self, path: &Path) -> Result<()> {
        let taken = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        let bytes =
            BASE64_STANDARD.decode(taken["data"].as_str().unwrap_or_default()).context("a picture is not base64")?;
        std::fs::write(path, bytes).with_context(|| format!("`{}` cannot be written", path.display()))
    }

    /// A command of the protocol.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        let number = self.send(method, &parameters, true)?;
        loop {
            let mut message = self.read().with_context(|| format!("`{method}` got no answer of the browser"))?;
            if message["id"] == number {
                let error = message.get("error").map(|error| error["message"].as_str().unwrap_or_default().to_owned());
                return error.map_or_else(|| Ok(message["result"].take()), |why| bail!("`{method}`: {why}"));
            }
            self.hear(&message)?;
        }
    }

    fn send(&mut self, method: &str, parameters: &Value, is_of_page: bool) -> Result<u64> {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": parameters });
        if is_of_page && !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.tools.send(Message::text(message.to_string())).context("the browser does not listen")?;
        Ok(self.number)
    }

    fn read(&mut self) -> Result<Value> {
        loop {
            if let Message::Text(text) = self.tools.read()? {
                return serde_json::from_str(&text).context("the browser sent something that is not JSON");
            }
        }
    }

    fn hear(&mut self, message: &Value) -> Result<()> {
        let parameters = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            // Whoever asks the page a question waits for the answer of its dialogs.
            "Page.javascriptDialogOpening" => {
                self.send("Page.handleJavaScriptDialog", &json!({ "accept": true }), true)?;
            }
            "Inspector.targetCrashed" => bail!("the page has crashed"),
            method => {
                if let Some((is_network, text)) = complaint(method, parameters) {
                    self.said.push(Said { is_network, is_cut: self.is_cut, text });
                }
            }
        }
        Ok(())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.send("Browser.close", &json!({}), false);
        let began = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && began.elapsed() < CLOSING {
            std::thread::sleep(LOOK);
        }
        let _ = (self.child.kill(), self.child.wait());
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// What it can be driven by, once it listens.
fn driven(child: &mut Child, profile: &Path) -> Result<WebSocket<TcpStream>> {
    let began = Instant::now();
    let (port, path) = loop {
        let told = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        if let Some(told) = place(&told) {
            break told;
        }
        if let Some(ended) = child.try_wait()? {
            bail!("it has ended ({ended})");
        }
        ensure!(began.elapsed() < STARTING, "it does not say where it listens");
        std::thread::sleep(LOOK);
    };
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(ANSWERING))?;
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default().max_message_size(Some(ANSWER_MAX)).max_frame_size(Some(ANSWER_MAX));
    let tools = tungstenite::client::client_with_config(format!("ws://127.0.0.1:{port}{path}"), stream, Some(config));
    tools.map(|(tools, _)| tools).map_err(|why| anyhow!("{why}"))
}

/// Port and path in `DevToolsActivePort`, which has a line for each.
fn place(told: &str) -> Option<(u16, String)> {
    let (port, rest) = told.split_once('\n')?;
    let path = rest.trim();
    path.starts_with('/').then_some((port.trim().parse().ok()?, path.to_owned()))
}

/// What an event of the protocol complains of, and whether that is the network.
fn complaint(method: &str, parameters: &Value) -> Option<(bool, String)> {
    match method {
        "Runtime.exceptionThrown" => Some((false, thrown(&parameters["exceptionDetails"]))),
        "Runtime.consoleAPICalled" if ["error", "assert"].iter().any(|kind| parameters["type"] == *kind) => {
            Some((false, parameters["args"].to_string()))
        }
        "Log.entryAdded" if parameters["entry"]["level"] == "error" => {
            let entry = &parameters["entry"];
            let text = |name: &str| entry[name].as_str().unwrap_or_default();
            Some((entry["source"] == "network", format!("{} {}", text("text"), text("url")).trim().to_owned()))
        }
        _ => None,
    }
}

fn thrown(details: &Value) -> String {
    let described = details["exception"]["description"].as_str().or(details["text"].as_str());
    described.unwrap_or("an exception").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_where_a_browser_listens() {
        let told = "40671\n/devtools/browser/9f0a\n";
        assert_eq!(place(told), Some((40671, "/devtools/browser/9f0a".to_owned())));
        for text in ["", "40671", "40671\n", "x\n/devtools"] {
            assert_eq!(place(text), None, "{text}");
        }
    }

    #[test]
    fn only_errors_are_complaints() {
        let thrown = json!({ "exceptionDetails": { "text": "Uncaught", "exception": { "description": "Error: x" } } });
        assert_eq!(complaint("Runtime.exceptionThrown", &thrown), Some((false, "Error: x".to_owned())));
        let entry = |level: &str, source: &str| json!({ "entry": { "level": level, "source": source, "text": "no" } });
        assert_eq!(complaint("Log.entryAdded", &entry("error", "network")), Some((true, "no".to_owned())));
        assert_eq!(complaint("Log.entryAdded", &entry("error", "security")), Some((false, "no".to_owned())));
        assert_eq!(complaint("Log.entryAdded", &entry("verbose", "other")), None);
        assert_eq!(complaint("Runtime.consoleAPICalled", &json!({ "type": "log", "args": [] })), None);
        assert!(complaint("Runtime.consoleAPICalled", &json!({ "type": "error", "args": [1] })).is_some());
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        let told = program(Some(Path::new("/nowhere/chromium"))).unwrap_err().to_string();
        assert_eq!(told, "`/nowhere/chromium` is missing");
    }
}
