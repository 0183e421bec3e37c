//! A headless Chromium, spoken to by its debugging pipe.

use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub(crate) struct Browser {
    child: Child,
    requests: File,
    replies: BufReader<File>,
    session: Value,
    next_id: u64,
    /// The errors of the page.
    pub(crate) errors: Vec<String>,
    #[allow(dead_code, reason = "removed when it is dropped")]
    folder: TempDir,
}

impl Browser {
    /// `None` where there is no Chromium.
    pub(crate) fn start() -> Option<Self> {
        let there = |name: &&&str| {
            let version = Command::new(name).arg("--version").stdout(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        };
        let name = NAMES.iter().find(there)?;
        let folder = tempfile::tempdir().unwrap();
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            path
        };
        let (requests, replies) = (pipe("requests"), pipe("replies"));
        // The debugging pipe is file 3 in and file 4 out.
        let script = format!(
            "exec {name} --headless --no-sandbox --disable-gpu --remote-debugging-pipe \
             --user-data-dir='{0}/profile' --window-size=1200,800 about:blank \
             3<'{0}/requests' 4>'{0}/replies'",
            folder.path().display()
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).stdout(Stdio::null()).stderr(Stdio::null());
        let child = shell.spawn().unwrap();
        // Opened in the shell's order: each end waits for the other.
        let requests = OpenOptions::new().write(true).open(requests).unwrap();
        let replies = BufReader::new(File::open(replies).unwrap());
        let (session, errors) = (Value::Null, Vec::new());
        let mut browser = Self { child, requests, replies, session, next_id: 0, errors, folder };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        browser.session = browser.call("Target.attachToTarget", &attach)["sessionId"].clone();
        for domain in ["Runtime", "Log", "Page"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Calls a method and takes note of errors until its answer comes.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.next_id += 1;
        let mut request = json!({"id": self.next_id, "method": method, "params": parameters});
        if !self.session.is_null() {
            request["sessionId"] = self.session.clone();
        }
        self.requests.write_all(format!("{request}\0").as_bytes()).unwrap();
        loop {
            let mut message = Vec::new();
            self.replies.read_until(0, &mut message).unwrap();
            assert_eq!(message.pop(), Some(0), "the browser has ended");
            let message: Value = serde_json::from_slice(&message).unwrap();
            if message["id"] == self.next_id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            let bad = match message["method"].as_str() {
                Some("Runtime.exceptionThrown") => true,
                Some("Runtime.consoleAPICalled") => message["params"]["type"] == "error",
                Some("Log.entryAdded") => message["params"]["entry"]["level"] == "error",
                _ => false,
            };
            if bad {
                self.errors.push(message["params"].to_string());
            }
        }
    }

    /// The value of an expression, awaited if it is a promise.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let result = self.call("Runtime.evaluate", &parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Opens a report and waits until it is ready.
    pub(crate) fn open(&mut self, report: &Path) {
        self.call("Page.navigate", &json!({"url": format!("file://{}", report.display())}));
        let begin = Instant::now();
        while self.evaluate("document.readyState === 'complete' && !!window.namiji") != true {
            assert!(begin.elapsed() < Duration::from_secs(60), "the page does not load");
            std::thread::sleep(Duration::from_millis(50));
        }
        self.evaluate("namiji.ready.then(() => true)");
    }

    /// Clicks where a place of the canvas, in its pixels, is on the page.
    pub(crate) fn click(&mut self, x: f64, y: f64) {
        let corner = self.evaluate(
            "(() => { const r = namiji.canvas.getBoundingClientRect(); \
             return [r.left, r.top, devicePixelRatio]; })()",
        );
        let [left, top, ratio] = [0, 1, 2].map(|i| corner[i].as_f64().unwrap());
        for kind in ["mousePressed", "mouseReleased"] {
            let (x, y) = (left + x / ratio, top + y / ratio);
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &event);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
