//! A network that breaks between two nodes, and mends. Needs network namespaces (`ip netns`), which is a right that not
//! everybody has; without it the test says so and checks nothing.

use std::process::{Command, Stdio};

use crate::{process::Other, support::Net};

/// Two namespaces with a wire between them.
struct Wire {
    ends: [String; 2],
}

impl Wire {
    /// `None` where namespaces are not permitted.
    fn lay() -> Option<Self> {
        let ends = ["a", "b"].map(|end| format!("toolmesh-{}-{end}", std::process::id()));
        if !ip(&["netns", "add", &ends[0]]) {
            return None;
        }
        let [a, b] = &ends;
        assert!(ip(&["netns", "add", b]));
        assert!(ip(&[
            "link", "add", "wire", "netns", a, "type", "veth", "peer", "name", "wire", "netns", b
        ]));
        for (end, address) in [(a, "10.77.0.1/30"), (b, "10.77.0.2/30")] {
            assert!(ip(&["-n", end, "address", "add", address, "dev", "wire"]));
            assert!(ip(&["-n", end, "link", "set", "wire", "up"]));
            assert!(ip(&["-n", end, "link", "set", "lo", "up"]));
        }
        Some(Self { ends })
    }

    /// This program, at one end.
    fn program(&self, end: usize) -> Command {
        let mut command = Command::new("ip");
        command
            .args(["netns", "exec", &self.ends[end]])
            .arg(std::env::current_exe().unwrap());
        command
    }

    /// Lets nothing through, either way; neither end is told.
    fn cut(&self) {
        assert!(ip(&["-n", &self.ends[1], "link", "set", "wire", "down"]));
    }

    fn mend(&self) {
        assert!(ip(&["-n", &self.ends[1], "link", "set", "wire", "up"]));
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        for end in &self.ends {
            ip(&["netns", "delete", end]);
        }
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

#[test]
fn calls_over_a_broken_network_end_with_typed_errors_and_work_again_when_it_is_mended() {
    let Some(wire) = Wire::lay() else {
        println!("skipped: network namespaces are not permitted here (`ip netns add`)");
        return;
    };
    let key = Net::zenoh().key();
    let host = Other::start_by(wire.program(0), "host", &key, "10.77.0.1:0");
    let places = format!("10.77.0.2:0 {}", host.place);
    let mut agent = Other::start_by(wire.program(1), "agent", &key, &places);
    assert_eq!(agent.says(), "calls");
    wire.cut();
    assert_eq!(agent.says(), "call transport");
    assert_eq!(agent.says(), "stream missing_terminal");
    assert_eq!(agent.says(), "gone no_route");
    wire.mend();
    assert_eq!(agent.says(), "back host: x");
}
