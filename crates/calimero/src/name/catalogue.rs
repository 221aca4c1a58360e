//! The names of the tools of several applications at once.

use std::collections::{BTreeSet, HashSet};

use sha2::{Digest, Sha256};

use super::{MAX_NAME_CHARS, NameRules, application_slug, slug::slug_of_service};
use crate::model::Application;

/// How many characters of a name that is too long are kept before its hash.
const KEPT_CHARS: usize = 42;

/// How many hexadecimal digits of the hash stand behind them.
const HASH_DIGITS: usize = 6;

/// How many characters of an application's id tell it from a namesake.
const ID_TAIL_CHARS: usize = 6;

/// The name of the tool of one method.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedMethod {
    /// The place of the application in what was given.
    pub application: usize,
    /// The place of the service in the application.
    pub service: usize,
    /// The method.
    pub method: String,
    /// The name of its tool.
    pub name: String,
}

/// Names a tool for every method of these applications; `reserved` are names that other tools have.
///
/// The result depends on the applications alone, not on their order: they are named in the order of package and id.
#[must_use]
pub fn tool_names(applications: &[Application], reserved: &[&str], rules: NameRules) -> Vec<NamedMethod> {
    let mut namer = Namer {
        taken: reserved.iter().map(|name| (*name).to_owned()).collect(),
        slugs: HashSet::new(),
        rules,
    };
    let mut order: Vec<usize> = (0..applications.len()).collect();
    order.sort_by_key(|place| applications.get(*place).map(order_key));
    let mut names = Vec::new();
    for place in order {
        if let Some(application) = applications.get(place) {
            namer.application(place, application, &mut names);
        }
    }
    names.sort();
    names
}

/// Package, then id, compared by UTF-16 code units as the reference servers do.
fn order_key(application: &Application) -> (Vec<u16>, Vec<u16>) {
    let units = |text: &str| text.encode_utf16().collect();
    (
        units(application.key()),
        units(application.id.as_deref().unwrap_or_default()),
    )
}

struct Namer {
    taken: HashSet<String>,
    slugs: HashSet<String>,
    rules: NameRules,
}

impl Namer {
    fn application(&mut self, place: usize, application: &Application, names: &mut Vec<NamedMethod>) {
        let tail = id_tail(application);
        for (index, slug) in self.slugs(application, &tail).into_iter().enumerate() {
            let Some(service) = application.services.get(index) else {
                continue;
            };
            // By name, so that the order of the manifest does not matter.
            let methods: BTreeSet<&str> = service
                .manifest
                .methods()
                .map(|method| method.name.as_str())
                .collect();
            names.extend(methods.into_iter().map(|method| NamedMethod {
                application: place,
                service: index,
                method: method.to_owned(),
                name: self.name(&slug, &tail, method),
            }));
        }
    }

    /// What stands before the method's name, for each service.
    fn slugs(&mut self, application: &Application, tail: &str) -> Vec<String> {
        let base = application_slug(application.key());
        let with_service = application.services.len() > 1 || self.rules.only_service_in_name;
        let of_service = |base: &str, name: Option<&str>| match name {
            Some(name) if with_service => format!("{base}_{}", slug_of_service(name)),
            _ => base.to_owned(),
        };
        let services = application.services.iter().map(|service| service.name.as_deref());
        match self.rules.max_slug_chars {
            None => {
                let base = self.unique_slug(&base, tail);
                services.map(|name| of_service(&base, name)).collect()
            }
            Some(max) => services
                .map(|name| {
                    let slug: String = of_service(&base, name).chars().take(max).collect();
                    self.unique_slug(&slug, tail)
                })
                .collect(),
        }
    }

    /// The slug, with the beginning of the application's id when another one has it.
    fn unique_slug(&mut self, slug: &str, tail: &str) -> String {
        let free = alternatives(slug, tail).find(|slug| !self.slugs.contains(slug));
        let slug = free.unwrap_or_default();
        self.slugs.insert(slug.clone());
        slug
    }

    fn name(&mut self, slug: &str, tail: &str, method: &str) -> String {
        let free = alternatives(slug, tail)
            .map(|slug| shortened(format!("{slug}_{method}")))
            .find(|name| !self.taken.contains(name));
        let name = free.unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }
}

/// The slug, the slug with the id's beginning, and then that with numbers; never ends.
fn alternatives<'a>(slug: &'a str, tail: &'a str) -> impl Iterator<Item = String> + 'a {
    (0_u64..).map(move |number| match number {
        0 => slug.to_owned(),
        1 => format!("{slug}_{tail}"),
        number => format!("{slug}_{tail}_{number}"),
    })
}

/// The beginning of the application's id, by which namesakes are told apart; without an id, of its package's hash.
fn id_tail(application: &Application) -> String {
    let Some(id) = &application.id else {
        return hash(application.key());
    };
    let letters = id.chars().filter(char::is_ascii_alphanumeric);
    letters
        .map(|letter| letter.to_ascii_lowercase())
        .take(ID_TAIL_CHARS)
        .collect()
}

/// A name that is too long keeps its beginning and gets a hash of the whole.
fn shortened(name: String) -> String {
    if name.chars().count() <= MAX_NAME_CHARS {
        return name;
    }
    let kept: String = name.chars().take(KEPT_CHARS).collect();
    format!("{kept}_{}", hash(&name))
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.chars().take(HASH_DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Manifest, Method, MethodEntry, Service};

    fn application(package: &str, id: &str, services: &[(Option<&str>, &[&str])]) -> Application {
        let service = |(name, methods): &(Option<&str>, &[&str])| Service {
            name: name.map(str::to_owned),
            manifest: Manifest {
                methods: methods
                    .iter()
                    .map(|name| {
                        MethodEntry::Method(
                            Method {
                                name: (*name).to_owned(),
                                ..Method::default()
                            }
                            .into(),
                        )
                    })
                    .collect(),
                ..Manifest::default()
            }
            .into(),
        };
        Application {
            package: (!package.is_empty()).then(|| package.to_owned()),
            id: (!id.is_empty()).then(|| id.to_owned()),
            services: services.iter().map(service).collect(),
            ..Application::default()
        }
    }

    fn names(applications: &[Application], reserved: &[&str], rules: NameRules) -> Vec<String> {
        let names = tool_names(applications, reserved, rules).into_iter();
        names.map(|named| named.name).collect()
    }

    fn default_names(applications: &[Application], reserved: &[&str]) -> Vec<String> {
        names(applications, reserved, NameRules::default())
    }

    #[test]
    fn a_single_service_has_no_part_in_the_name_and_several_have() {
        let single = application("com.calimero.kv-store", "x", &[(Some("main"), &["get"])]);
        assert_eq!(
            default_names(std::slice::from_ref(&single), &[]),
            ["kv_store_get"]
        );
        assert_eq!(names(&[single], &[], NameRules::short()), ["kv_store_main_get"]);
        let several = application(
            "com.x.shop",
            "x",
            &[(Some("cart"), &["add"]), (Some("Pay-Desk"), &["pay"])],
        );
        assert_eq!(
            default_names(&[several], &[]),
            ["shop_cart_add", "shop_pay_desk_pay"]
        );
    }

    #[test]
    fn the_second_package_of_a_slug_gets_a_suffix_from_its_id_whatever_the_order() {
        let first = application("com.a.kv-store", "Zz99-1", &[(None, &["get"])]);
        let second = application("com.b.kv_store", "AB-cdefGH", &[(None, &["get"])]);
        let third = application("com.c.KV.Store", "q", &[(None, &["get"])]);
        let expected = ["kv_store_get", "kv_store_abcdef_get", "store_get"];
        assert_eq!(
            default_names(&[first.clone(), second.clone(), third.clone()], &[]),
            expected
        );
        let turned = default_names(&[third, second, first], &[]);
        assert_eq!(turned, ["store_get", "kv_store_abcdef_get", "kv_store_get"]);
    }

    #[test]
    fn two_signers_of_one_package_are_told_apart() {
        let signers = [
            application("com.a.kv", "bbb", &[(None, &["get"])]),
            application("com.a.kv", "aaa", &[(None, &["get"])]),
            application("com.a.kv", "aaa", &[(None, &["get"])]),
        ];
        assert_eq!(
            default_names(&signers, &[]),
            ["kv_bbb_get", "kv_get", "kv_aaa_get"]
        );
    }

    #[test]
    fn a_whole_name_that_is_taken_is_made_again_with_the_id() {
        let node = application("com.x.node", "nodeapp-id", &[(None, &["status"])]);
        assert_eq!(default_names(&[node], &["node_status"]), ["node_nodeap_status"]);
        let kv = application("com.x.kv", "a1", &[(None, &["store_get"])]);
        let store = application("com.y.kv-store", "bid", &[(None, &["get"])]);
        assert_eq!(
            default_names(&[kv, store], &[]),
            ["kv_store_get", "kv_store_bid_get"]
        );
    }

    #[test]
    fn a_name_over_49_characters_keeps_its_beginning_and_gets_a_hash() {
        let fits = "m".repeat(MAX_NAME_CHARS - "kv_".len());
        let long = format!("{fits}m");
        let kv = application("com.x.kv", "a", &[(None, &[&fits, &long])]);
        let names = default_names(&[kv], &[]);
        assert_eq!(names[0], format!("kv_{fits}"));
        assert_eq!(names[1].len(), MAX_NAME_CHARS);
        let full = format!("kv_{long}");
        assert_eq!(names[1], format!("{}_{}", &full[..42], hash(&full)));
    }

    #[test]
    fn the_short_rules_cut_the_slug_at_20_characters_before_they_tell_slugs_apart() {
        let cut = application("com.x.abcdefghijklmnopqrstuvwxyz", "one", &[(None, &["go"])]);
        let same = application("com.y.abcdefghijklmnopqrstuvwx", "two", &[(None, &["go"])]);
        assert_eq!(
            names(&[cut, same], &[], NameRules::short()),
            ["abcdefghijklmnopqrst_go", "abcdefghijklmnopqrst_two_go"]
        );
    }

    #[test]
    fn an_application_without_a_package_is_named_by_its_id() {
        let application = application("", "Abc.Def", &[(None, &["get"])]);
        assert_eq!(default_names(&[application], &[]), ["def_get"]);
    }
}
