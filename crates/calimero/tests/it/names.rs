//! Names do not depend on the order in which applications come.

use proptest::prelude::{Strategy, any, prop, proptest};
use toolmesh_calimero::{Application, MAX_NAME_CHARS, NameRules, Service, read, tool_names};

fn applications() -> impl Strategy<Value = Vec<Application>> {
    let segment = prop::sample::select(vec![
        "kv",
        "kv-store",
        "KV Store",
        "node",
        "a-very-long-name-of-an-application",
    ]);
    let method = prop::sample::select(vec![
        "get",
        "store_get",
        "status",
        "set_the_value_of_something_with_a_long_name",
    ]);
    let service = (
        prop::option::of(prop::sample::select(vec!["game", "lobby", "Main"])),
        method,
    );
    let application = (
        segment,
        "[a-c]{1,2}",
        "[A-Za-z0-9]{1,8}",
        prop::collection::vec(service, 1..4),
        any::<bool>(),
    );
    prop::collection::vec(application, 1..7).prop_map(|made| {
        let mut applications: Vec<Application> = made
            .into_iter()
            .map(|(segment, vendor, id, services, has_package)| Application {
                package: has_package.then(|| format!("com.{vendor}.{segment}")),
                id: Some(id),
                services: services.into_iter().map(service_of).collect(),
                ..Application::default()
            })
            .collect();
        // A node never has two applications of one id.
        applications.sort_by(|one, other| one.id.cmp(&other.id));
        applications.dedup_by(|one, other| one.id == other.id);
        applications
    })
}

fn service_of((name, method): (Option<&str>, &str)) -> Service {
    let manifest = format!(
        r#"{{"schema_version":"wasm-abi/1","types":{{}},"methods":[{{"name":"{method}","params":[]}}],"events":[]}}"#
    );
    let read = read(manifest.as_bytes(), "x").unwrap();
    Service {
        name: name.map(str::to_owned),
        manifest: read.services[0].manifest.clone(),
    }
}

/// The names of each application's tools, by its id.
fn by_id(applications: &[Application], rules: NameRules) -> Vec<(String, usize, String, String)> {
    let mut names: Vec<_> = tool_names(applications, &["node_status"], rules)
        .into_iter()
        .map(|named| {
            let id = applications[named.application].id.clone().unwrap();
            (id, named.service, named.method, named.name)
        })
        .collect();
    names.sort();
    names
}

#[test]
fn one_interface_of_91_methods_gives_91_names() {
    let methods: Vec<String> = (0..91)
        .map(|place| format!(r#"{{"name":"method_of_an_interface_with_long_names_{place}","params":[]}}"#))
        .collect();
    let manifest = format!(
        r#"{{"schema_version":"wasm-abi/1","types":{{}},"methods":[{}],"events":[]}}"#,
        methods.join(",")
    );
    let application = read(manifest.as_bytes(), "com.x.large").unwrap();
    let names = tool_names(&[application], &[], NameRules::default());
    let distinct: std::collections::BTreeSet<&str> = names.iter().map(|named| named.name.as_str()).collect();
    assert_eq!((names.len(), distinct.len()), (91, 91));
}

proptest! {
    #[test]
    fn every_order_of_applications_gives_every_method_the_same_name(
        applications in applications(),
        seed in any::<u64>(),
    ) {
        for rules in [NameRules::default(), NameRules::short()] {
            let names = by_id(&applications, rules);
            let mut turned = applications.clone();
            let mut state = seed;
            for place in (1..turned.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let other = usize::try_from(state >> 33).unwrap() % (place + 1);
                turned.swap(place, other);
            }
            assert_eq!(by_id(&turned, rules), names);
            let mut distinct: Vec<&str> = names.iter().map(|(.., name)| name.as_str()).collect();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), names.len());
            assert!(names.iter().all(|(.., name)| name.len() <= MAX_NAME_CHARS && name != "node_status"));
        }
    }
}
