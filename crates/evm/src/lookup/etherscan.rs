//! Etherscan's `getsourcecode`, which Blockscout speaks as well.

use alloy_primitives::Address;
use toolmesh_json::{Limits, View, parse_with};

use super::{Explorer, Found, Refusal, addresses, artifact};
use crate::text::clean;

/// The most characters of an explorer's own words that are shown.
const SHOWN_CHARS: usize = 120;

pub(super) fn query(address: Address) -> String {
    format!("module=contract&action=getsourcecode&address={address}")
}

pub(super) fn read(bytes: &[u8], explorer: Explorer) -> Result<Found, Refusal> {
    let not_understood = |what: &str| Refusal::NotUnderstood(what.to_owned());
    let answer = parse_with(bytes, &Limits::ceiling()).map_err(|_| not_understood("it is not JSON"))?;
    let text = |member| answer.get(member).and_then(View::as_str);
    if text("status") != Some("1") {
        return Err(refusal(
            text("result").or_else(|| text("message")).unwrap_or_default(),
            explorer,
        ));
    }
    let contract = answer
        .pointer("/result/0")
        .ok_or_else(|| not_understood("no `result`"))?;
    let member = |name| contract.get(name).and_then(View::as_str);
    let abi = member("ABI").ok_or(Refusal::NotVerified)?;
    // The interface is JSON in a text, or a sentence when there is none.
    let Ok(abi) = parse_with(abi.as_bytes(), &Limits::ceiling()) else {
        return Err(refusal(abi, explorer));
    };
    let artifact =
        artifact(abi.view(), member("ContractName"), None).ok_or_else(|| not_understood("no ABI"))?;
    // Etherscan says `Implementation`, Blockscout `ImplementationAddress`, and of several `ImplementationAddresses`.
    let listed = contract.get("ImplementationAddresses").and_then(View::as_array);
    let listed = listed.into_iter().flat_map(|list| list.iter().map(View::as_str));
    let named = [member("Implementation"), member("ImplementationAddress")];
    Ok(Found {
        artifact,
        explorer,
        implementations: addresses(named.into_iter().chain(listed)),
    })
}

/// What the words of a refusal mean.
fn refusal(words: &str, explorer: Explorer) -> Refusal {
    let lower = words.to_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    // "Max rate limit reached, please use API Key" is about the rate, so that comes first.
    if says(&["rate limit", "max calls", "too many"]) {
        Refusal::RateLimited { retry_after: None }
    } else if says(&["api key", "apikey"]) {
        Refusal::of_key(explorer)
    } else if says(&["chainid", "for this chain", "unsupported chain"]) {
        Refusal::NoSuchChain
    } else if says(&["not verified", "not found", "no contract"]) {
        Refusal::NotVerified
    } else {
        Refusal::NotUnderstood(clean(words, SHOWN_CHARS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::address;

    #[test]
    fn refusals_are_told_apart_by_their_words() {
        let limited = Refusal::RateLimited { retry_after: None };
        for (words, expected) in [
            ("Contract source code not verified", Refusal::NotVerified),
            ("Invalid API Key (#err2)|SomeKey-", Refusal::BadKey),
            ("Missing/Invalid API Key", Refusal::BadKey),
            ("Max calls per sec rate limit reached (3/sec)", limited.clone()),
            (
                "Max rate limit reached, please use API Key for higher rate limit",
                limited,
            ),
            (
                "Free API access is not supported for this chain. Please upgrade your api plan",
                Refusal::NoSuchChain,
            ),
            (
                "Missing or unsupported chainid parameter (required for v2 api)",
                Refusal::NoSuchChain,
            ),
            (
                "You are using a deprecated V1 endpoint",
                Refusal::NotUnderstood("You are using a deprecated V1 endpoint".to_owned()),
            ),
        ] {
            let answer = format!(r#"{{"status":"0","message":"NOTOK","result":"{words}"}}"#);
            assert_eq!(
                read(answer.as_bytes(), Explorer::Etherscan),
                Err(expected),
                "{words}"
            );
        }
        let unverified = br#"{"status":"1","message":"OK","result":[{"SourceCode":"","ABI":"Contract source code not verified","ContractName":""}]}"#;
        assert_eq!(read(unverified, Explorer::Etherscan), Err(Refusal::NotVerified));
        // Blockscout leaves the member out.
        let bare = br#"{"status":"1","message":"OK","result":[{"Address":"0x00"}]}"#;
        assert_eq!(read(bare, Explorer::Blockscout), Err(Refusal::NotVerified));
        assert!(matches!(
            read(b"<html>", Explorer::Etherscan),
            Err(Refusal::NotUnderstood(_))
        ));
    }

    #[test]
    fn a_proxy_is_told_with_its_implementation_in_both_dialects() {
        let first = address!("0x43506849D7C04F9138D1A2050bbF3A0c054402dd");
        let etherscan = format!(
            r#"{{"status":"1","message":"OK","result":[{{"ABI":"[]","ContractName":"Proxy","Proxy":"1","Implementation":"{first}"}}]}}"#
        );
        let found = read(etherscan.as_bytes(), Explorer::Etherscan).unwrap();
        assert_eq!(found.implementations, [first]);
        assert_eq!(found.artifact.to_text(), r#"{"abi":[],"contractName":"Proxy"}"#);
        let blockscout = format!(
            r#"{{"status":"1","message":"OK","result":[{{"ABI":"[]","ContractName":"Proxy","IsProxy":"true","ImplementationAddress":"{first}","ImplementationAddresses":["{first}"]}}]}}"#
        );
        let found = read(blockscout.as_bytes(), Explorer::Blockscout).unwrap();
        assert_eq!(found.implementations, [first]);
    }
}
