//! The real curl and a real server, where curl, openssl and python3 are installed.
//!
//! No host of this machine may be asked, so the server is `plugins.example`: the user's own `.curlrc` says where that is.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use super::archive::{digest, is_full, is_none, list, told, zipped};
use super::lab::Lab;

/// Serves what its paths say, and notes the address and the headers of what it is asked.
const SERVER: &str = r#"
import http.server, ssl, sys

class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def lead(self, to):
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"moved")
    def do_GET(self):
        with open("asked", "a") as log:
            log.write("%s %s %s\n" % (self.headers["Host"], self.path, self.headers.get("Authorization")))
        where = {
            "/moved": "https://files.example/p.zip?signature=s3cret",
            "/near": "/p.zip",
            "/plain": "http://plugins.example/p.zip",
            "/local": "https://127.0.0.1:%d/p.zip" % port,
            "/loop": "/loop",
        }.get(self.path)
        if where: return self.lead(where)
        if self.path.startswith("/p.zip"):
            body = open("p.zip", "rb").read()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            return self.wfile.write(body)
        if self.path == "/announced":
            self.send_response(200)
            self.send_header("Content-Length", str(300 << 20))
            return self.end_headers()
        if self.path == "/endless":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                while True: self.wfile.write(bytes(1 << 20))
            except OSError: return
        self.send_error(404)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
port = server.server_address[1]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(port, flush=True)
server.serve_forever()
"#;

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _status = self.0.wait();
    }
}

/// The programs that the test needs and that are not installed.
fn missing() -> Vec<&'static str> {
    let is_there = |name: &str, argument: &str| {
        let mut command = Command::new(name);
        command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let all = [("curl", "--version"), ("openssl", "version"), ("python3", "--version")];
    all.into_iter().filter(|(name, ask)| !is_there(name, ask)).map(|(name, _)| name).collect()
}

/// Starts the server; gives the lines of a `.curlrc` that leads to it.
fn serve(lab: &Lab) -> (Server, String) {
    let request = "req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem -subj /CN=plugins.example \
        -addext subjectAltName=DNS:plugins.example,DNS:files.example";
    let mut openssl = Command::new("openssl");
    let output =
        openssl.args(request.split_whitespace()).current_dir(lab.path("")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut python = Command::new("python3");
    python.args(["-c", SERVER]).current_dir(lab.path("")).stdout(Stdio::piped());
    let mut child = python.spawn().unwrap();
    let mut port = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let to = |host: &str| format!("connect-to = \"{host}:443:127.0.0.1:{}\"\n", port.trim());
    let lines = to("plugins.example") + &to("files.example") + "noproxy = \"*\"\n";
    (Server(child), lines)
}

#[test]
fn the_real_curl_downloads_from_a_real_server() {
    let missing = missing();
    if !missing.is_empty() {
        // Past the test runner, which shows the words of a failure only.
        let told = format!(
            "\nleft out: archives from a real server. To run it, install {}:\n  cargo test --test golden https\n",
            missing.join(", ")
        );
        let _ = std::io::stderr().write_all(told.as_bytes());
        return;
    }
    let mut lab = Lab::new();
    let bytes = zipped("one-1.0/", "one");
    fs::write(lab.path("p.zip"), &bytes).unwrap();
    let (server, lines) = serve(&lab);
    let settings = lab.path("settings");
    fs::create_dir(&settings).unwrap();
    lab.environment.push(("CURL_HOME", settings.clone()));
    let (right, wrong) = (digest(&bytes), "0".repeat(64));
    list(&lab, &[("https://plugins.example/p.zip", Some(&right))]);
    // A certificate that nobody trusts.
    fs::write(settings.join(".curlrc"), &lines).unwrap();
    let told_of_it = is_none(&told(&lab, &[])[0], "source/unreachable");
    assert!(told_of_it.contains("certificate"), "{told_of_it}");
    // The user's own settings count, but for what would change what is asked and how it is answered.
    let trust = format!("cacert = \"{}\"\n", lab.path("cert.pem").display());
    fs::write(settings.join(".curlrc"), lines + &trust + "location\ninclude\nverbose\n").unwrap();
    list(
        &lab,
        &[
            ("https://plugins.example/p.zip", Some(&right)),
            ("https://plugins.example/moved", None),
            ("https://plugins.example/near", Some(&wrong)),
            ("https://plugins.example/plain", None),
            ("https://plugins.example/local", None),
            ("https://plugins.example/loop", None),
            ("https://plugins.example/announced", None),
            ("https://plugins.example/endless", None),
            ("https://plugins.example/[1-3]{a,b}", None),
        ],
    );
    let all = told(&lab, &[]);
    assert!(is_full(&all[0]) && all[1]["mapped"]["skills"] == 1, "{}\n{}", all[0], all[1]);
    is_none(&all[2], "source/digest-differs");
    is_none(&all[3], "source/address-refused");
    is_none(&all[4], "source/host-barred");
    assert!(is_none(&all[5], "source/unreachable").contains("more than 5 times"));
    is_none(&all[6], "source/archive-too-large");
    is_none(&all[7], "source/archive-too-large");
    assert!(is_none(&all[8], "source/unreachable").contains("404"));
    assert!(!all.iter().any(|one| one.to_string().contains("s3cret")));
    let asked = fs::read_to_string(lab.path("asked")).unwrap();
    let count = |line: &str| asked.lines().filter(|other| *other == line).count();
    assert_eq!(count("files.example /p.zip?signature=s3cret None"), 1, "{asked}");
    assert_eq!(count("plugins.example /loop None"), 6, "{asked}");
    assert_eq!(count("plugins.example /[1-3]{a,b} None"), 1, "{asked}");
    assert!(!asked.contains("127.0.0.1"), "{asked}");
    // What is pinned is there for good.
    drop(server);
    list(&lab, &[("https://plugins.example/p.zip", Some(&right))]);
    assert!(is_full(&told(&lab, &["--no-cache"])[0]));
}
