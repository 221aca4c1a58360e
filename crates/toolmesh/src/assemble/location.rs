//! Where a source is, as people write it.

use std::path::{Path, PathBuf};

use toolmesh_tool::url_origin;

/// What the name of a file of tool descriptors ends with.
const DESCRIPTORS_SUFFIX: &str = ".tools.json";

/// The name of a source that has no better one.
const FALLBACK_NAME: &str = "source";

/// Where a source is, and with it what kind of source it is.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A Solidity interface or a Calimero application in a file: what it is, its contents say.
    File(PathBuf),
    /// The same on standard input (`-`).
    Stdin,
    /// An array of tool descriptors in a file (`*.tools.json`).
    Descriptors(PathBuf),
    /// A Solidity interface behind a URL; it may hold secrets.
    Url(String),
    /// A contract whose interface is looked up (`0xADDRESS@CHAIN`).
    Contract {
        /// The contract's address.
        address: String,
        /// The chain it stands on.
        chain: String,
    },
    /// A Calimero node and its applications (`calimero:URL`).
    Calimero(String),
    /// Another MCP server, by command or URL (`mcp:...`).
    Mcp(String),
    /// The mesh (`mesh:`).
    Mesh,
}

impl Location {
    /// Reads a location. Every text is one: what has no other form is a path.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text == "-" {
            return Self::Stdin;
        }
        if text == "mesh:" {
            return Self::Mesh;
        }
        if let Some(rest) = text.strip_prefix("mcp:") {
            return Self::Mcp(rest.to_owned());
        }
        if let Some(rest) = text.strip_prefix("calimero:") {
            return Self::Calimero(rest.to_owned());
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            return Self::Url(text.to_owned());
        }
        if let Some((address, chain)) = contract(text) {
            return Self::Contract { address, chain };
        }
        if text.ends_with(DESCRIPTORS_SUFFIX) {
            Self::Descriptors(text.into())
        } else {
            Self::File(text.into())
        }
    }

    /// The same location for someone in another folder: a relative path is taken from `folder`.
    #[must_use]
    pub fn relative_to(self, folder: &Path) -> Self {
        match self {
            Self::File(path) => Self::File(folder.join(path)),
            Self::Descriptors(path) => Self::Descriptors(folder.join(path)),
            other => other,
        }
    }

    /// The path, when the location is a file that is read here.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Descriptors(path) => Some(path),
            _ => None,
        }
    }

    /// The name of a source that nobody named: the file's name up to its first dot, with `_` for what a tool name
    /// cannot have.
    #[must_use]
    pub fn source_name(&self) -> String {
        let text = match self {
            Self::File(path) | Self::Descriptors(path) => stem(path),
            Self::Calimero(_) => "calimero".to_owned(),
            Self::Contract { address, .. } => address.clone(),
            Self::Mesh => "mesh".to_owned(),
            #[cfg(feature = "mcp")]
            Self::Mcp(text) => Self::upstream_name(text),
            #[cfg(not(feature = "mcp"))]
            Self::Mcp(_) => FALLBACK_NAME.to_owned(),
            Self::Stdin | Self::Url(_) => FALLBACK_NAME.to_owned(),
        };
        let allowed = |c: char| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        };
        // A prefix must leave room for the tool's own name.
        let name: String = text.chars().map(allowed).take(48).collect();
        if name.is_empty() {
            FALLBACK_NAME.to_owned()
        } else {
            name
        }
    }
}

impl std::fmt::Display for Location {
    /// What messages call it: a path as it was given, a URL without what may be secret in it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) | Self::Descriptors(path) => write!(f, "{}", path.display()),
            Self::Stdin => f.write_str("standard input"),
            Self::Url(url) => f.write_str(&url_origin(url)),
            Self::Contract { address, chain } if chain.is_empty() => f.write_str(address),
            Self::Contract { address, chain } => write!(f, "{address}@{chain}"),
            Self::Calimero(rest) if rest.is_empty() => f.write_str("calimero:"),
            Self::Calimero(rest) => write!(f, "calimero:{}", url_origin(rest)),
            Self::Mcp(rest) if rest.contains("://") => write!(f, "mcp:{}", url_origin(rest)),
            // Arguments may be secrets.
            Self::Mcp(rest) => {
                let mut words = rest.split_whitespace();
                write!(f, "mcp:{}", words.next().unwrap_or_default())?;
                f.write_str(words.next().map_or("", |_| " .."))
            }
            Self::Mesh => f.write_str("mesh:"),
        }
    }
}

impl std::fmt::Debug for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Location({self})")
    }
}

/// `0xADDRESS@CHAIN`, or the address alone.
fn contract(text: &str) -> Option<(String, String)> {
    let (address, chain) = text.split_once('@').unwrap_or((text, ""));
    let digits = address.strip_prefix("0x")?;
    let is_address = digits.len() == 40 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_address.then(|| (address.to_owned(), chain.to_owned()))
}

fn stem(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    name.split('.')
        .find(|part| !part.is_empty())
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_its_kind() {
        let address = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
        assert_eq!(Location::parse("-"), Location::Stdin);
        assert_eq!(Location::parse("a/b.json"), Location::File("a/b.json".into()));
        assert_eq!(Location::parse("b.abi"), Location::File("b.abi".into()));
        assert_eq!(
            Location::parse("b.tools.json"),
            Location::Descriptors("b.tools.json".into())
        );
        assert_eq!(
            Location::parse("https://h/x.json"),
            Location::Url("https://h/x.json".to_owned())
        );
        let chain = "mainnet".to_owned();
        assert_eq!(
            Location::parse(&format!("{address}@mainnet")),
            Location::Contract {
                address: address.to_owned(),
                chain
            }
        );
        assert_eq!(
            Location::parse("0x12@mainnet"),
            Location::File("0x12@mainnet".into())
        );
        assert_eq!(Location::parse("app.wasm"), Location::File("app.wasm".into()));
        assert_eq!(
            Location::parse("calimero:http://n"),
            Location::Calimero("http://n".to_owned())
        );
        assert_eq!(Location::parse("mcp:npx x"), Location::Mcp("npx x".to_owned()));
        assert_eq!(Location::parse("mesh:"), Location::Mesh);
    }

    #[test]
    fn a_source_is_named_after_its_file() {
        for (text, name) in [
            ("examples/token.json", "token"),
            ("a/My Token.sol.json", "My_Token"),
            ("x.tools.json", "x"),
            (".hidden.json", "hidden"),
            ("..", "source"),
            ("-", "source"),
            ("https://host/token.json", "source"),
        ] {
            assert_eq!(Location::parse(text).source_name(), name, "{text}");
        }
    }

    #[test]
    fn a_url_is_shown_without_what_may_be_secret_in_it() {
        let location = Location::parse("https://user:pass@host:1/key?token=x");
        assert_eq!(location.to_string(), "https://host:1");
        assert_eq!(format!("{location:?}"), "Location(https://host:1)");
        for (text, shown) in [
            ("mcp:https://h/?key=secret", "mcp:https://h"),
            ("mcp:npx server --key secret", "mcp:npx .."),
            ("mcp:./server", "mcp:./server"),
        ] {
            assert_eq!(Location::parse(text).to_string(), shown);
        }
    }

    #[test]
    fn a_relative_path_is_taken_from_a_folder_and_an_absolute_one_is_not() {
        let folder = Path::new("conf");
        assert_eq!(
            Location::parse("a.json").relative_to(folder),
            Location::File("conf/a.json".into())
        );
        assert_eq!(
            Location::parse("/a.json").relative_to(folder),
            Location::File("/a.json".into())
        );
        assert_eq!(Location::parse("mesh:").relative_to(folder), Location::Mesh);
    }
}
