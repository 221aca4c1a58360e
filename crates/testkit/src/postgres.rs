//! A real PostgreSQL server on a free port of this machine, with a data folder of its own.

use std::{
    env, fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::process::{Running, run_command};

/// How long the server may take to listen: the first start of a fresh data folder on a busy machine, generously.
const START_LIMIT: Duration = Duration::from_secs(60);

/// How long the server may take to stop before it is killed.
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// How often another port is tried when somebody took the free one first.
const PORT_TRIES: u32 = 5;

/// Where Debian puts the servers: one folder a major version.
const DEBIAN_DIR: &str = "/usr/lib/postgresql";

/// The superuser of the server, who needs no password.
const USER: &str = "toolmesh";

/// A running PostgreSQL server. It is stopped, and its data removed, when this is dropped.
#[derive(Debug)]
pub struct Postgres {
    port: u16,
    // Dropped in this order: the server first, then what it wrote.
    process: Running,
    folder: Folder,
}

/// A folder that is removed when dropped.
#[derive(Debug)]
struct Folder(PathBuf);

impl Postgres {
    /// Whether the server's programs are installed.
    #[must_use]
    pub fn is_installed() -> bool {
        programs().is_some()
    }

    /// Starts a server on a fresh data folder. As root it runs as the user `postgres` or `nobody`, because it
    /// refuses to be run by root.
    ///
    /// # Panics
    /// When the server is not installed, or does not start.
    #[must_use]
    #[track_caller]
    pub fn start() -> Self {
        let programs = programs().unwrap_or_else(|| {
            panic!(
                "no PostgreSQL under {DEBIAN_DIR} or on the PATH: run `cargo xtask test --only install` as root, or \
                 install the package `postgresql`"
            )
        });
        let user = unprivileged_user();
        let folder = Folder::new();
        if let Some(user) = user {
            own(&folder.0, user);
        }
        let data = folder.0.join("data");
        let mut initdb = as_user(user, &programs.join("initdb"));
        initdb
            .current_dir(&folder.0)
            .args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"])
            .args(["--username", USER, "--pgdata"])
            .arg(&data);
        let made = run_command(&mut initdb);
        assert!(
            made.status.success(),
            "initdb failed: {}{}",
            made.stdout,
            made.stderr
        );
        for _ in 0..PORT_TRIES {
            let port = free_port();
            let process = serve(user, &programs, &folder.0, &data, port);
            if wait_until_ready(&process) {
                return Self {
                    port,
                    process,
                    folder,
                };
            }
        }
        panic!("PostgreSQL found no free port in {PORT_TRIES} tries");
    }

    /// The URL of its database `postgres`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/postgres", self.port)
    }

    /// Its data folder.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.folder.0.join("data")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // An immediate stop: its children end with it, as they would not if it were killed outright.
        let stopped = Command::new("kill")
            .args(["-QUIT", &self.process.id().to_string()])
            .status();
        let end = Instant::now() + STOP_LIMIT;
        while stopped.is_ok() && Instant::now() < end {
            if !matches!(self.process.child().try_wait(), Ok(None)) {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "toolmesh-postgres-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap_or_else(|error| panic!("cannot create {}: {error}", path.display()));
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed lies in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn serve(user: Option<u32>, programs: &Path, folder: &Path, data: &Path, port: u16) -> Running {
    let mut command = as_user(user, &programs.join("postgres"));
    command
        .current_dir(folder)
        .arg("-D")
        .arg(data)
        .args(["-p", &port.to_string()])
        .args(["-c", "listen_addresses=127.0.0.1"])
        .args(["-c", "unix_socket_directories="])
        // The data does not outlive the test, let alone a loss of power.
        .args(["-c", "fsync=off", "-c", "full_page_writes=off"])
        .stdin(Stdio::null());
    Running::start(&mut command)
}

/// Whether the server came up; false when its port was taken.
#[track_caller]
fn wait_until_ready(process: &Running) -> bool {
    process.stderr_line("that it is ready, or why not", START_LIMIT, |line| {
        if line.contains("ready to accept connections") {
            Some(true)
        } else {
            line.contains("could not bind").then_some(false)
        }
    })
}

/// The folder with the newest `initdb` and `postgres`.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir(DEBIAN_DIR)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let mut versions: Vec<_> = versions
        .filter_map(|version| {
            let number: u32 = version.file_name().to_str()?.parse().ok()?;
            let folder = version.path().join("bin");
            has_programs(&folder).then_some((number, folder))
        })
        .collect();
    versions.sort();
    let newest = versions.pop().map(|(_, folder)| folder);
    newest.or_else(|| {
        let path = env::var_os("PATH")?;
        env::split_paths(&path).find(|folder| has_programs(folder))
    })
}

fn has_programs(folder: &Path) -> bool {
    ["initdb", "postgres"]
        .iter()
        .all(|program| folder.join(program).is_file())
}

/// The command, as another user where one is given.
fn as_user(user: Option<u32>, program: &Path) -> Command {
    let Some(user) = user else {
        return Command::new(program);
    };
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", &user.to_string(), "--regid", &user.to_string()])
        .args(["--clear-groups", "--"])
        .arg(program);
    command
}

/// The number of the user that a server of root's runs as; `None` when this is not root.
fn unprivileged_user() -> Option<u32> {
    let id = run_command(Command::new("id").arg("-u"));
    if id.stdout.trim() != "0" {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let number = |name: &str| {
        users.lines().find_map(|line| {
            let mut parts = line.split(':');
            (parts.next() == Some(name)).then_some(())?;
            parts.nth(1)?.parse().ok()
        })
    };
    let user = number("postgres").or_else(|| number("nobody"));
    Some(
        user.unwrap_or_else(|| {
            panic!("there is neither a user `postgres` nor `nobody` to run PostgreSQL as")
        }),
    )
}

#[cfg(unix)]
fn own(folder: &Path, user: u32) {
    std::os::unix::fs::chown(folder, Some(user), Some(user))
        .unwrap_or_else(|error| panic!("cannot give {} away: {error}", folder.display()));
}

#[cfg(not(unix))]
fn own(_: &Path, _: u32) {}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .unwrap_or_else(|error| panic!("no free port on the loopback interface: {error}"));
    listener.port()
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn a_server_listens_while_it_is_held_and_leaves_nothing_behind() {
        let server = Postgres::start();
        let address = (Ipv4Addr::LOCALHOST, server.port);
        assert!(TcpStream::connect(address).is_ok());
        let data = server.data_dir();
        assert!(data.join("PG_VERSION").is_file());
        drop(server);
        assert!(TcpStream::connect(address).is_err());
        assert!(!data.exists());
    }
}
