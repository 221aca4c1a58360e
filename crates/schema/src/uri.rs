//! Resolving a URI reference against a base: RFC 3986, section 5.2. Fragments are cut off before.

/// The parts of a reference without its fragment.
struct Parts<'u> {
    scheme: Option<&'u str>,
    authority: Option<&'u str>,
    path: &'u str,
    query: Option<&'u str>,
}

impl<'u> Parts<'u> {
    fn of(text: &'u str) -> Self {
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, text),
        };
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                (Some(authority), path)
            }
            None => (None, rest),
        };
        Self {
            scheme,
            authority,
            path,
            query,
        }
    }

    fn join(&self, path: &str) -> String {
        let mut text = String::with_capacity(path.len() + 16);
        if let Some(scheme) = self.scheme {
            text.push_str(scheme);
            text.push(':');
        }
        if let Some(authority) = self.authority {
            text.push_str("//");
            text.push_str(authority);
        }
        text.push_str(path);
        if let Some(query) = self.query {
            text.push('?');
            text.push_str(query);
        }
        text
    }
}

/// A letter, then letters, digits, `+`, `-` and `.`.
pub(crate) fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// The reference as it reads from the base; an empty base leaves it as it is.
pub(crate) fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    let (from, mut to) = (Parts::of(base), Parts::of(reference));
    if to.scheme.is_some() || base.is_empty() {
        return to.join(&without_dots(to.path));
    }
    to.scheme = from.scheme;
    if to.authority.is_some() {
        return to.join(&without_dots(to.path));
    }
    to.authority = from.authority;
    if to.path.is_empty() {
        to.query = to.query.or(from.query);
        return to.join(from.path);
    }
    if to.path.starts_with('/') {
        return to.join(&without_dots(to.path));
    }
    to.join(&without_dots(&merged(&from, to.path)))
}

/// The last segment of the base's path gives way to the reference's path.
fn merged(base: &Parts<'_>, path: &str) -> String {
    if base.authority.is_some() && base.path.is_empty() {
        return format!("/{path}");
    }
    let folder = base.path.rfind('/').map_or(0, |slash| slash + 1);
    format!("{}{path}", base.path.get(..folder).unwrap_or_default())
}

/// RFC 3986, 5.2.4: takes `.` and `..` out of a path.
fn without_dots(path: &str) -> String {
    if !path.contains('.') {
        return path.to_owned();
    }
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(usize::from(rooted)).collect();
    let last = segments.len().saturating_sub(1);
    for (index, segment) in segments.into_iter().enumerate() {
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if index == last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    let joined = kept.join("/");
    if rooted { format!("/{joined}") } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_as_the_examples_of_rfc_3986_say() {
        const BASE: &str = "http://a/b/c/d;p?q";
        for (reference, wanted) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g;x=1/../y", "http://a/b/c/y"),
        ] {
            assert_eq!(resolve(BASE, reference), wanted, "{reference}");
        }
    }

    #[test]
    fn names_and_relative_bases_resolve_too() {
        assert_eq!(resolve("urn:uuid:1", "urn:uuid:2"), "urn:uuid:2");
        assert_eq!(resolve("", "list"), "list");
        assert_eq!(resolve("folder/a", "b"), "folder/b");
        assert_eq!(resolve("http://a", "b"), "http://a/b");
    }
}
