//! The part of a name that stands for an application.

/// The part of a tool's name that stands for the application: the last dot-separated segment of the package, in lower
/// case, every run of characters outside `[a-z0-9_]` collapsed to one `_`.
#[must_use]
pub fn application_slug(package: &str) -> String {
    collapse(package.rsplit('.').next().unwrap_or(package))
}

/// The part of a tool's name that stands for a service, by the same rule over the whole name.
#[must_use]
pub fn slug_of_service(service: &str) -> String {
    collapse(service)
}

fn collapse(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    let mut in_run = false;
    for character in text.chars().flat_map(char::to_lowercase) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segment_of_the_package_names_the_application() {
        assert_eq!(application_slug("com.calimero.kv-store"), "kv_store");
        assert_eq!(application_slug("com.example.My  Shop!!v2"), "my_shop_v2");
        assert_eq!(application_slug("plain"), "plain");
        assert_eq!(application_slug("com.x.ÄpfelÖl"), "_pfel_l");
    }
}
