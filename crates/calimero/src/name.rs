//! Names of generated tools.

/// The part of a tool's name that stands for the application: the last dot-separated segment of the package, in lower
/// case, every run of characters outside `[a-z0-9_]` collapsed to one `_`.
#[must_use]
pub fn application_slug(package: &str) -> String {
    let segment = package.rsplit('.').next().unwrap_or(package);
    let mut slug = String::with_capacity(segment.len());
    let mut in_run = false;
    for character in segment.chars().flat_map(char::to_lowercase) {
        let kept = character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_';
        if kept {
            slug.push(character);
        } else if !in_run {
            slug.push('_');
        }
        in_run = !kept;
    }
    slug
}

/// The name of the tool of a method: `<app>_<method>`, and `<app>_<service>_<method>` for an application of several
/// services.
#[must_use]
pub fn tool_name(application: &str, service: Option<&str>, method: &str) -> String {
    match service {
        None => format!("{application}_{method}"),
        Some(service) => format!("{application}_{service}_{method}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segment_of_the_package_names_the_application() {
        assert_eq!(application_slug("com.calimero.kv-store"), "kv_store");
        assert_eq!(application_slug("com.example.My  Shop!!v2"), "my_shop_v2");
        assert_eq!(application_slug("plain"), "plain");
    }

    #[test]
    fn a_service_stands_between_application_and_method() {
        assert_eq!(tool_name("kv_store", None, "get"), "kv_store_get");
        assert_eq!(tool_name("shop", Some("cart"), "add"), "shop_cart_add");
    }
}
