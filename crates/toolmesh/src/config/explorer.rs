//! `[explorer]`: where interfaces of contracts are looked up.

use super::{
    key::{Key, Section},
    setting::Setting,
};

/// Where interfaces of contracts are looked up by their address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExplorerConfig {
    /// Etherscan.
    pub etherscan: Place,
    /// Sourcify.
    pub sourcify: Place,
    /// The folder where what was found is kept.
    pub cache: Place,
}

/// A place that has a default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Place {
    /// The default one.
    #[default]
    Default,
    /// None.
    Off,
    /// This one: a URL or a folder.
    At(String),
}

impl Section for ExplorerConfig {
    const PLACE: &'static str = "in [explorer]";
    const VARIABLE: &'static str = "TOOLMESH_EXPLORER_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "etherscan",
            about: "the URL of Etherscan (version 2); false: never ask it",
            set: |explorer, value| {
                explorer.etherscan = place(value)?;
                Ok(())
            },
        },
        Key {
            name: "sourcify",
            about: "the URL of Sourcify (version 2); false: never ask it",
            set: |explorer, value| {
                explorer.sourcify = place(value)?;
                Ok(())
            },
        },
        Key {
            name: "cache",
            about: "the folder where interfaces that were found are kept; false: keep none",
            set: |explorer, value| {
                explorer.cache = place(value)?;
                Ok(())
            },
        },
    ];
}

fn place(value: &Setting<'_>) -> Result<Place, String> {
    if let Ok(flag) = value.flag() {
        return Ok(if flag { Place::Default } else { Place::Off });
    }
    let text = value.text().map_err(|_| "a text, true or false".to_owned())?;
    if text.is_empty() {
        return Err("a text, true or false".to_owned());
    }
    Ok(Place::At(text))
}
