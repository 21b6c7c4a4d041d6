//! A laboratory: repositories in a folder of their own, which stands in for the service on the web.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::{fs, thread, time};

use serde_json::Value;
use tempfile::TempDir;

/// What a plugin is made of; its name is the branch's affair.
pub const MANIFEST: &str = ".claude-plugin/plugin.json";

/// Repositories, a store and a git without the settings of whoever runs the tests.
pub struct Lab {
    folder: TempDir,
    /// More for the environment of the program.
    pub environment: Vec<(&'static str, PathBuf)>,
}

impl Lab {
    /// One with the repository `owner/repo`, in which `plugins/one` is a plugin.
    pub fn new() -> Lab {
        let lab = Lab { folder: tempfile::tempdir().unwrap(), environment: Vec::new() };
        let hub = lab.path("hub");
        lab.settings(&format!(
            "[url \"file://{}/\"]\n\tinsteadOf = https://github.com/\n",
            hub.display()
        ));
        fs::create_dir_all(lab.path("work")).unwrap();
        fs::create_dir_all(lab.hub()).unwrap();
        lab.git("work", &["init", "--quiet", "-b", "main"]);
        lab.git("hub/owner/repo", &["init", "--quiet", "--bare", "-b", "main"]);
        lab.git("hub/owner/repo", &["config", "uploadpack.allowFilter", "true"]);
        lab.plugin("one");
        lab.push("main");
        lab
    }

    /// A path in it.
    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// The repository that is fetched from.
    pub fn hub(&self) -> PathBuf {
        self.path("hub/owner/repo")
    }

    /// The address of that repository as one on disk.
    pub fn file_url(&self) -> String {
        format!("file://{}", self.hub().display())
    }

    /// Writes git's settings of the user, with more behind those that are always there.
    pub fn settings(&self, more: &str) {
        let text = "[user]\n\tname = x\n\temail = x@example.com\n[safe]\n\tdirectory = *\n";
        fs::write(self.path("gitconfig"), format!("{text}{more}")).unwrap();
    }

    /// Adds to git's settings of the user.
    pub fn more_settings(&self, more: &str) {
        let text = fs::read_to_string(self.path("gitconfig")).unwrap();
        fs::write(self.path("gitconfig"), text + more).unwrap();
    }

    fn clean(&self, command: &mut Command) {
        command
            .env("GIT_CONFIG_GLOBAL", self.path("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("PLUGC_CACHE", self.path("cache"))
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
    }

    /// Runs git, which must do what it is told, and gives what it prints.
    pub fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        self.clean(&mut command);
        let output = command.current_dir(self.path(folder)).args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Writes a file of the next commit.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path("work").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Makes `plugins/one` a plugin of that name.
    pub fn plugin(&self, name: &str) {
        self.write(&format!("plugins/one/{MANIFEST}"), format!("{{ \"name\": \"{name}\" }}"));
        let skill = "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n";
        self.write("plugins/one/skills/greet/SKILL.md", skill);
    }

    /// Commits all that was written and pushes it by force; gives the commit.
    pub fn push(&self, branch: &str) -> String {
        self.git("work", &["add", "-A"]);
        self.commit(branch)
    }

    /// Commits what was added and pushes it by force; gives the commit.
    pub fn commit(&self, branch: &str) -> String {
        self.git("work", &["commit", "--quiet", "--allow-empty", "-m", "x"]);
        let hub = self.hub();
        let to = format!("HEAD:refs/heads/{branch}");
        self.git("work", &["push", "--quiet", "--force", hub.to_str().unwrap(), &to]);
        self.git("work", &["rev-parse", "HEAD"])
    }

    /// The program, to be run here.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plugc"));
        self.clean(&mut command);
        command.current_dir(self.folder.path()).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program.
    pub fn plugc(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Compiles a source that is a plugin, and gives the report on it.
    pub fn compiled(&self, arguments: &[&str]) -> Value {
        let output = self.plugc(&[&["compile", "--format", "json"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{}", text(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["plugins"][0].clone()
    }

    /// Compiles a source and holds the name of the plugin in it.
    pub fn holds(&self, arguments: &[&str], name: &str) {
        let report = self.compiled(arguments);
        assert_eq!(
            (&report["name"], &report["mapped"]["skills"]),
            (&name.into(), &1.into()),
            "{report}"
        );
    }

    /// Holds that a source cannot be asked about, and why; gives all that is said.
    pub fn refuses(&self, arguments: &[&str], code: &str) -> String {
        let output = self.plugc(&[&["compile"], arguments].concat());
        let text = text(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{text}");
        assert!(text.contains(code), "{code} is not in\n{text}");
        text
    }

    /// Starts git's own server for the repositories here.
    pub fn daemon(&self, port: u16) -> Server {
        let mut command = Command::new("git");
        self.clean(&mut command);
        let hub = self.path("hub");
        let child = command
            .args(["daemon", "--reuseaddr", "--export-all", "--listen=127.0.0.1"])
            .arg(format!("--port={port}"))
            .arg(format!("--base-path={}", hub.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Server(child);
        for _ in 0..100 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return server;
            }
            thread::sleep(time::Duration::from_millis(50));
        }
        panic!("git daemon does not listen");
    }

    /// How many bytes the store holds.
    pub fn stored(&self) -> u64 {
        files(&self.path("cache")).iter().map(|file| fs::metadata(file).unwrap().len()).sum()
    }
}

/// A server that ends with its test.
pub struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _status = self.0.wait();
    }
}

/// All files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            all.extend(files(&entry.path()));
        } else {
            all.push(entry.path());
        }
    }
    all
}

/// All that a program said.
pub fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

/// Bytes that cannot be packed any smaller.
pub fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..count / 8).flat_map(|_| next()).collect()
}
