//! A bundle (`.mpk`): a gzipped tar archive with `manifest.json`, and a module and its interface for each service.

use std::collections::HashSet;
use std::sync::Arc;

use toolmesh_json::{Value, View};

use super::archive::{Files, normal, unpack};
use super::{Metadata, ReadError, document, manifest_value, parse_json};
use crate::model::{Application, Service, ServiceModule};
use crate::validate::{Problem, problems};

const MANIFEST: &str = "manifest.json";

/// The most services of a bundle. Applications have a handful; each is compiled, and has a state of its own.
pub const MAX_SERVICES: usize = 32;

/// Reads a bundle. A bundle without `manifest.json` is the application called `name`.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<Application, ReadError> {
    let files = unpack(bytes)?;
    let manifest = bundle_manifest(&files)?;
    let manifest = manifest.view();
    let text = |key: &str| {
        let text = manifest.get(key).and_then(View::as_str)?;
        (!text.is_empty()).then(|| text.to_owned())
    };
    let metadata = manifest.get("metadata").map(Metadata::of).unwrap_or_default();
    Ok(Application {
        package: Some(text("package").unwrap_or_else(|| name.to_owned())),
        id: None,
        version: text("appVersion"),
        display_name: metadata.name,
        icon: metadata.icon,
        guide: metadata.guide,
        signer: text("signerId"),
        metadata: None,
        services: documents(manifest, &files)?
            .into_iter()
            .map(|(name, document)| {
                let manifest = manifest_value(document.view())?.into();
                Ok(Service { name, manifest })
            })
            .collect::<Result<_, _>>()?,
    })
}

/// What the manifests of a bundle break of their format's rules.
pub(super) fn check(bytes: &[u8]) -> Result<Vec<Problem>, ReadError> {
    let files = unpack(bytes)?;
    let mut found = Vec::new();
    for (name, document) in documents(bundle_manifest(&files)?.view(), &files)? {
        manifest_value(document.view())?;
        found.extend(problems(document.view()).into_iter().map(|problem| Problem {
            reason: match &name {
                Some(name) => format!("{} (service `{name}`)", problem.reason),
                None => problem.reason,
            },
            ..problem
        }));
    }
    Ok(found)
}

fn bundle_manifest(files: &Files) -> Result<Value, ReadError> {
    match files.get(MANIFEST) {
        Some(bytes) => parse_json(bytes, "the bundle's manifest.json"),
        None => Ok(Value::object().build()),
    }
}

/// The module of each service that has one in a bundle.
pub(super) fn modules(bytes: &[u8]) -> Result<Vec<ServiceModule>, ReadError> {
    let files = unpack(bytes)?;
    let manifest = bundle_manifest(&files)?;
    let services = services(manifest.view())?;
    let module = |service: Listed<'_>| {
        let wasm = service.file("wasm", &files)?.clone();
        Some(ServiceModule {
            service: service.name,
            wasm,
        })
    };
    Ok(services.into_iter().filter_map(module).collect())
}

/// A service as a bundle's manifest lists it.
struct Listed<'a> {
    name: Option<String>,
    owner: View<'a>,
    /// What its files are called when the manifest does not say.
    abi: String,
    wasm: String,
}

/// The services of a bundle; one without a name when its manifest lists none.
fn services(manifest: View<'_>) -> Result<Vec<Listed<'_>>, ReadError> {
    let listed = manifest.get("services").and_then(View::as_array);
    let Some(listed) = listed.filter(|services| !services.is_empty()) else {
        return Ok(vec![Listed {
            name: None,
            owner: manifest,
            abi: "abi.json".to_owned(),
            wasm: "app.wasm".to_owned(),
        }]);
    };
    if listed.len() > MAX_SERVICES {
        return Err(ReadError::Bundle(format!(
            "it has more than {MAX_SERVICES} services"
        )));
    }
    let mut names = HashSet::new();
    let listed: Vec<Listed<'_>> = listed.iter().map(Listed::of).collect::<Result<_, _>>()?;
    match listed.iter().find(|service| !names.insert(service.name.clone())) {
        Some(_) => Err(ReadError::Bundle(
            "two of its services have the same name".to_owned(),
        )),
        None => Ok(listed),
    }
}

impl<'a> Listed<'a> {
    fn of(service: View<'a>) -> Result<Self, ReadError> {
        let name = service.get("name").and_then(View::as_str);
        let name = name.filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| ReadError::Bundle("a service has no name".to_owned()))?;
        Ok(Self {
            name: Some(name.to_owned()),
            owner: service,
            abi: format!("{name}-abi.json"),
            wasm: format!("{name}.wasm"),
        })
    }

    /// Its `abi` or its `wasm`.
    fn file<'f>(&self, key: &str, files: &'f Files) -> Option<&'f Arc<[u8]>> {
        let usual = if key == "abi" { &self.abi } else { &self.wasm };
        let path = self.owner.pointer(&format!("/{key}/path")).and_then(View::as_str);
        files.get(normal(path.unwrap_or(usual)))
    }
}

/// The name of each service and the JSON of its interface: the file of the one, else what the other carries.
fn documents(manifest: View<'_>, files: &Files) -> Result<Vec<(Option<String>, Value)>, ReadError> {
    let interface = |service: Listed<'_>| {
        let found = service.file("abi", files).or_else(|| service.file("wasm", files));
        let document = found.map_or(Err(ReadError::NothingInBundle), |bytes| document(bytes))?;
        Ok((service.name, document))
    };
    services(manifest)?.into_iter().map(interface).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::archive::tests::bundle;

    fn abi(method: &str) -> String {
        format!(
            r#"{{"schema_version":"wasm-abi/1","types":{{}},"methods":[{{"name":"{method}","params":[]}}],"events":[]}}"#
        )
    }

    fn methods(application: &Application) -> Vec<(Option<&str>, &str)> {
        let services = application.services.iter();
        services
            .flat_map(|service| {
                let methods = service.manifest.methods();
                methods.map(|method| (service.name.as_deref(), method.name.as_str()))
            })
            .collect()
    }

    #[test]
    fn a_bundle_of_one_service_has_one_without_a_name() {
        let manifest = br#"{"package":"com.x.shop","appVersion":"1.2.0","metadata":{"name":"Shop","icon":""},"abi":{"path":"./i.json"}}"#;
        let bytes = bundle(&[("manifest.json", manifest), ("./i.json", abi("get").as_bytes())]);
        let application = read(&bytes, "other").unwrap();
        assert_eq!(methods(&application), [(None, "get")]);
        assert_eq!(application.package.as_deref(), Some("com.x.shop"));
        assert_eq!(application.version.as_deref(), Some("1.2.0"));
        assert_eq!(application.label(), "Shop");
        assert_eq!(application.icon, None);
    }

    #[test]
    fn each_service_of_a_bundle_has_its_own_interface() {
        let manifest = br#"{"package":"p","services":[{"name":"lobby","abi":{"path":"l.json"}},{"name":"game","wasm":{"path":"g.wasm"}}]}"#;
        let module = crate::read::wasm::tests::module(&[(crate::read::SECTION, &abi("play"))]);
        let bytes = bundle(&[
            ("manifest.json", manifest),
            ("l.json", b"{}"),
            ("l.json", abi("join").as_bytes()),
            ("g.wasm", &module),
        ]);
        let application = read(&bytes, "other").unwrap();
        assert_eq!(
            methods(&application),
            [(Some("lobby"), "join"), (Some("game"), "play")]
        );
    }

    #[test]
    fn each_service_has_its_module_under_the_name_that_its_interface_has() {
        let manifest =
            br#"{"services":[{"name":"lobby","wasm":{"path":"./l.wasm"}},{"name":"game"},{"name":"old"}]}"#;
        let bytes = bundle(&[
            ("manifest.json", manifest),
            ("l.wasm", b"first"),
            ("game.wasm", b"second"),
        ]);
        let of = |service: Option<&str>, wasm: &[u8]| ServiceModule {
            service: service.map(str::to_owned),
            wasm: wasm.into(),
        };
        let both = vec![of(Some("lobby"), b"first"), of(Some("game"), b"second")];
        assert_eq!(crate::modules(&bytes), Ok(both));
        let one = bundle(&[("app.wasm", b"module")]);
        assert_eq!(crate::modules(&one), Ok(vec![of(None, b"module")]));
        let module = crate::read::wasm::tests::module(&[]);
        assert_eq!(crate::modules(&module), Ok(vec![of(None, &module)]));
        assert_eq!(crate::modules(b"{}"), Ok(Vec::new()));
    }

    #[test]
    fn the_number_of_services_is_bounded_and_each_has_a_name_of_its_own() {
        let with = |names: &[String]| {
            let services: Vec<String> = names
                .iter()
                .map(|name| format!(r#"{{"name":"{name}","abi":{{"path":"a.json"}}}}"#))
                .collect();
            let manifest = format!(r#"{{"services":[{}]}}"#, services.join(","));
            let bytes = bundle(&[
                ("manifest.json", manifest.as_bytes()),
                ("a.json", abi("get").as_bytes()),
            ]);
            read(&bytes, "n").map(|application| application.services.len())
        };
        let names = |count: usize| (0..count).map(|name| name.to_string()).collect::<Vec<_>>();
        let refused = |text: &str| Err(ReadError::Bundle(text.to_owned()));
        assert_eq!(with(&names(MAX_SERVICES)), Ok(MAX_SERVICES));
        assert_eq!(
            with(&names(MAX_SERVICES + 1)),
            refused("it has more than 32 services")
        );
        assert_eq!(with(&[String::new()]), refused("a service has no name"));
        let twice = ["game".to_owned(), "game".to_owned()];
        assert_eq!(with(&twice), refused("two of its services have the same name"));
    }

    #[test]
    fn a_file_is_found_by_its_name_in_the_archive_and_nowhere_else() {
        let path = std::env::current_exe().unwrap().display().to_string();
        for path in ["../../abi.json", "/etc/passwd", &path] {
            let manifest = format!(r#"{{"abi":{{"path":{path:?}}}}}"#);
            let outside = bundle(&[("manifest.json", manifest.as_bytes())]);
            assert_eq!(read(&outside, "n"), Err(ReadError::NothingInBundle), "{path}");
        }
    }

    #[test]
    fn a_bundle_without_an_interface_and_a_damaged_one_are_refused() {
        assert_eq!(read(&bundle(&[("x", b"")]), "n"), Err(ReadError::NothingInBundle));
        let whole = bundle(&[("abi.json", abi("a").as_bytes())]);
        assert_eq!(read(&whole, "n").unwrap().package.as_deref(), Some("n"));
        assert!(matches!(
            read(&whole[..whole.len() / 2], "n"),
            Err(ReadError::Bundle(_))
        ));
    }
}
