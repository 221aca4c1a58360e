//! Networks that break between two nodes, and mend. They are network namespaces (`ip netns`), which is a right that not
//! everybody has; without it a test says so and checks nothing.

use std::{
    io::Write as _,
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use crate::{process::Other, support::Net};

/// A namespace; its name is no other test's.
struct Namespace(String);

impl Namespace {
    /// `None` where namespaces are not permitted.
    fn make() -> Option<Self> {
        static MADE: AtomicU32 = AtomicU32::new(1);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let made = Self(format!("toolmesh-{}-{number}", std::process::id()));
        if !ip(&["netns", "add", &made.0]) {
            return None;
        }
        assert!(made.ip(&["link", "set", "lo", "up"]));
        Some(made)
    }

    fn ip(&self, arguments: &[&str]) -> bool {
        ip(&[&["-n", &self.0], arguments].concat())
    }

    /// Lays a wire to another namespace, as `name` in both, with these addresses.
    fn wire(&self, name: &str, other: &Self, addresses: [&str; 2]) {
        let (here, there) = (&self.0, &other.0);
        let peer = ["type", "veth", "peer", "name", name, "netns", there];
        assert!(ip(&[&["link", "add", name, "netns", here], &peer[..]].concat()));
        for (end, address) in [self, other].into_iter().zip(addresses) {
            assert!(end.ip(&["address", "add", address, "dev", name]));
            assert!(end.ip(&["link", "set", name, "up"]));
        }
    }

    /// This program, in the namespace.
    fn program(&self) -> Command {
        let mut command = Command::new("ip");
        command
            .args(["netns", "exec", &self.0])
            .arg(std::env::current_exe().unwrap());
        command
    }

    /// Lets nothing through a wire, either way; whoever is at the other end is not told.
    fn cut(&self, wire: &str) {
        assert!(self.ip(&["link", "set", wire, "down"]));
    }

    fn mend(&self, wire: &str) {
        assert!(self.ip(&["link", "set", wire, "up"]));
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        ip(&["netns", "delete", &self.0]);
    }
}

fn ip(arguments: &[&str]) -> bool {
    let mut command = Command::new("ip");
    command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Namespaces, or a notice that there are none; past the capture of the test's output, so that it is seen.
fn namespaces<const N: usize>() -> Option<[Namespace; N]> {
    let made: Option<Vec<_>> = (0..N).map(|_| Namespace::make()).collect();
    let made = made.and_then(|made| made.try_into().ok());
    if made.is_none() {
        let notice = "skipped: network namespaces are not permitted here (`ip netns add`)\n";
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
    }
    made
}

/// What the agent says of a host that is lost while it calls it.
fn calls_end(agent: &mut Other) {
    assert_eq!(agent.says(), "call host_lost");
    assert_eq!(agent.says(), "stream host_lost");
    assert_eq!(agent.says(), "gone no_route");
}

/// What the agent says when the host is back.
fn works_again(agent: &mut Other) {
    assert_eq!(agent.says(), "back host: x");
    assert_eq!(agent.says(), "streams");
}

#[test]
fn calls_over_a_broken_network_end_with_typed_errors_and_work_again_when_it_is_mended() {
    let Some([a, b]) = namespaces() else {
        return;
    };
    a.wire("wire", &b, ["10.77.0.1/30", "10.77.0.2/30"]);
    let key = Net::zenoh().key();
    let host = Other::start_by(a.program(), "host", &key, "10.77.0.1:0");
    let places = format!("10.77.0.2:0 {}", host.place);
    let mut agent = Other::start_by(b.program(), "agent", &key, &places);
    assert_eq!(agent.says(), "calls");
    b.cut("wire");
    calls_end(&mut agent);
    b.mend("wire");
    works_again(&mut agent);
}

#[test]
fn nodes_of_two_networks_go_on_when_their_router_is_killed_and_another_takes_its_place() {
    let Some([a, middle, b]) = namespaces() else {
        return;
    };
    // Nothing goes from one end to the other but by the router.
    a.wire("left", &middle, ["10.77.1.1/30", "10.77.1.2/30"]);
    b.wire("right", &middle, ["10.77.2.1/30", "10.77.2.2/30"]);
    let key = Net::zenoh().key();
    let route = || Other::start_by(middle.program(), "router", &key, "0.0.0.0:7447");
    let mut router = route();
    let _host = Other::start_by(a.program(), "host", &key, "10.77.1.1:0 via:10.77.1.2:7447");
    let mut agent = Other::start_by(b.program(), "agent", &key, "10.77.2.1:0 via:10.77.2.2:7447");
    assert_eq!(agent.says(), "calls");
    router.kill();
    calls_end(&mut agent);
    let _again = route();
    works_again(&mut agent);
}

#[test]
fn calls_by_a_router_end_with_typed_errors_when_its_way_to_the_host_breaks_and_work_again() {
    let Some([a, middle, b]) = namespaces() else {
        return;
    };
    a.wire("left", &middle, ["10.77.1.1/30", "10.77.1.2/30"]);
    b.wire("right", &middle, ["10.77.2.1/30", "10.77.2.2/30"]);
    let key = Net::zenoh().key();
    let _router = Other::start_by(middle.program(), "router", &key, "0.0.0.0:7447");
    let _host = Other::start_by(a.program(), "host", &key, "10.77.1.1:0 via:10.77.1.2:7447");
    let mut agent = Other::start_by(b.program(), "agent", &key, "10.77.2.1:0 via:10.77.2.2:7447");
    assert_eq!(agent.says(), "calls");
    middle.cut("left");
    calls_end(&mut agent);
    middle.mend("left");
    works_again(&mut agent);
}
