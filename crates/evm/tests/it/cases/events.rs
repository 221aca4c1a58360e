use alloy_primitives::{Address, B256, Bytes, Log, U256, address, keccak256};
use toolmesh_evm::{Events, Interface};

use super::declared;

const CONTRACT: Address = address!("0x5FbDB2315678afecb367f032d93F642f64180aa3");

fn word(number: u64) -> B256 {
    U256::from(number).into()
}

fn explained(interface: &Interface, topics: Vec<B256>, data: &[B256]) -> String {
    let data: Vec<u8> = data.iter().flat_map(|word| word.0).collect();
    let log = Log::new(CONTRACT, topics, Bytes::from(data)).unwrap();
    Events::of(interface).explain(&log, CONTRACT).to_text()
}

/// Case 20.
#[test]
fn an_anonymous_event_is_known_by_its_shape_and_marked() {
    let interface = declared(
        "event Anon(uint256 indexed a, uint256 indexed b, uint256 indexed c, uint256 indexed d, uint256 e) anonymous",
    );
    let topics = (1..=4).map(word).collect();
    assert_eq!(
        explained(&interface, topics, &[word(5)]),
        format!(
            r#"{{"name":"Anon","address":"{CONTRACT}","args":{{"a":"1","b":"2","c":"3","d":"4","e":"5"}},"anonymous":true}}"#
        )
    );
    let note = declared(
        "event LogNote(bytes4 indexed sig, address indexed guy, bytes32 indexed foo, bytes32 indexed bar, uint256 wad, bytes fax) anonymous",
    );
    let sig: B256 = format!("0xa9059cbb{}", "0".repeat(56)).parse().unwrap();
    let topics = vec![sig, word(1), word(2), word(3)];
    let told = explained(&note, topics, &[word(9), word(64), word(0)]);
    assert!(
        told.contains(r#""sig":"0xa9059cbb""#) && told.contains(r#""fax":"0x""#),
        "{told}"
    );
}

/// Case 21.
#[test]
fn an_indexed_value_longer_than_a_word_is_its_hash() {
    let interface = declared("event Note(string indexed note, bytes indexed blob, uint256[] indexed list)");
    let topic = interface.events().next().unwrap().topic();
    let hello = keccak256("hello");
    assert!(hello.to_string().starts_with("0x1c8aff95"));
    let told = explained(&interface, vec![topic, hello, hello, hello], &[]);
    assert!(
        told.contains(&format!(
            r#""args":{{"note":{{"hash":"{hello}"}},"blob":{{"hash":"{hello}"}},"list":{{"hash":"{hello}"}}}}"#
        )),
        "{told}"
    );
}

/// Case 22.
#[test]
fn events_of_one_signature_are_told_apart_by_what_they_index() {
    let both = declared(
        "event Transfer(address indexed from, address indexed to, uint256 value)\nevent Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
    );
    let topic = both.events().next().unwrap().topic();
    let fungible = explained(&both, vec![topic, word(1), word(2)], &[word(3)]);
    assert!(fungible.contains(r#""value":"3""#), "{fungible}");
    let unique = explained(&both, vec![topic, word(1), word(2), word(3)], &[]);
    assert!(unique.contains(r#""tokenId":"3""#), "{unique}");
    let one = declared("event Transfer(address indexed from, address indexed to, uint256 value)");
    let other = explained(&one, vec![topic, word(1), word(2), word(3)], &[]);
    assert!(other.contains(r#""name":null"#), "{other}");
}
