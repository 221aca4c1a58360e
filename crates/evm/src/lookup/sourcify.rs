//! Sourcify's version 2.

use toolmesh_json::{Limits, View, parse_with};

use super::{Explorer, Found, Refusal, addresses, artifact};

pub(super) fn read(bytes: &[u8]) -> Result<Found, Refusal> {
    let not_understood = |what: &str| Refusal::NotUnderstood(what.to_owned());
    let answer = parse_with(bytes, &Limits::ceiling()).map_err(|_| not_understood("it is not JSON"))?;
    let abi = answer
        .get("abi")
        .filter(|abi| !abi.is_null())
        .ok_or(Refusal::NotVerified)?;
    let name = answer.pointer("/compilation/name").and_then(View::as_str);
    let artifact = artifact(abi, name, Some(answer.view())).ok_or_else(|| not_understood("no ABI"))?;
    let listed = answer
        .pointer("/proxyResolution/implementations")
        .and_then(View::as_array);
    let listed = listed.into_iter().flat_map(|list| list.iter());
    Ok(Found {
        artifact,
        explorer: Explorer::Sourcify,
        implementations: addresses(listed.map(|item| item.get("address").and_then(View::as_str))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_interface_its_comments_and_what_is_behind_it() {
        let answer = br#"{"abi":[],"compilation":{"language":"Solidity","name":"Token","fullyQualifiedName":"a.sol:Token"},
            "userdoc":{"methods":{}},"devdoc":null,
            "proxyResolution":{"isProxy":true,"proxyType":"EIP1967Proxy","implementations":[{"address":"0x43506849D7C04F9138D1A2050bbF3A0c054402dd","name":"X"}]},
            "match":"exact_match","chainId":"1","address":"0x6B175474E89094C44Da98b954EedeAC495271d0F"}"#;
        let found = read(answer).unwrap();
        assert_eq!(found.implementations.len(), 1);
        assert_eq!(
            found.artifact.to_text(),
            r#"{"abi":[],"contractName":"Token","userdoc":{"methods":{}},"devdoc":null}"#
        );
        assert_eq!(read(br#"{"match":null,"abi":null}"#), Err(Refusal::NotVerified));
        assert!(matches!(read(b"[]"), Err(Refusal::NotVerified)));
    }
}
