//! The torture contract on the sandbox chain: every kind of type, both ways.

use crate::dispatch::Served;
use crate::mapping::interface;

async fn torture() -> Served {
    let artifact = interface("testdata/solidity/solc_torture_artifact.json");
    Served::start(artifact, Some(r#"{"start":7,"label":"label"}"#))
        .await
        .unwrap()
}

const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const TAG: &str = "0x1111111111111111111111111111111111111111111111111111111111111111";

#[tokio::test]
async fn a_struct_is_written_and_read_back() {
    let torture = torture().await;
    let inner =
        format!(r#"{{"who":"{ALICE}","amount":"340282366920938463463374607431768211456","tag":"{TAG}"}}"#);
    let order = format!(
        r#"{{"kind":3,"inner":{inner},"list":[{inner},{inner}],"grid":[[1,2],[3,4]],"note":"grüße 🦀"}}"#
    );
    let arguments = format!(r#"{{"id":"5","o":{order},"side":1,"simulate":false}}"#);
    let sent = torture.done("place_order", &arguments).await;
    let names: Vec<_> = sent
        .get("events")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event.get("name").unwrap().to_text())
        .collect();
    assert_eq!(
        names,
        [
            r#""Stored""#,
            r#""Anon""#,
            r#""StoredHashed""#,
            r#""Overl""#,
            r#""Overl""#
        ]
    );
    assert_eq!(torture.result("get_order", r#"{"id":"5"}"#).await, order);
    // The same struct as arrays in the order of the members.
    let inner = format!(r#"["{ALICE}","0x100000000000000000000000000000000","{TAG}"]"#);
    let order_as_array = format!(r#"[3,{inner},[{inner},{inner}],[[1,2],[3,4]],"grüße 🦀"]"#);
    let arguments = format!(r#"{{"id":"6","o":{order_as_array},"side":1,"simulate":false}}"#);
    torture.done("place_order", &arguments).await;
    assert_eq!(torture.result("get_order", r#"{"id":"6"}"#).await, order);
}

#[tokio::test]
async fn several_results_are_an_object() {
    let torture = torture().await;
    assert_eq!(
        torture.result("many", "{}").await,
        r#"{"a":"1","output1":"0x0000000000000000000000000000000000000001","ok":true,"data":"0xbeef","tick":-5}"#
    );
}

#[tokio::test]
async fn overloads_and_case_pairs_are_all_reachable() {
    let torture = torture().await;
    assert_eq!(torture.result("f(uint256)", r#"{"a":"1"}"#).await, r#""1""#);
    assert_eq!(torture.result("f(int256)", r#"{"a":"-1"}"#).await, r#""-1""#);
    let two = format!(r#"{{"a":"1","b":"{ALICE}"}}"#);
    assert_eq!(torture.result("f__uint256_address", &two).await, r#""2""#);
    let inner = format!(r#"{{"a":{{"who":"{ALICE}","amount":"9","tag":"{TAG}"}}}}"#);
    assert_eq!(torture.result("f__tuple", &inner).await, r#""9""#);
    assert_eq!(torture.result("F(uint256)", r#"{"a":"1"}"#).await, r#""101""#);
}

#[tokio::test]
async fn integers_of_every_size_keep_their_value_and_their_form() {
    let torture = torture().await;
    let largest = r#"{"a":255,"b":16777215,"c":4294967295,"d":"1099511627775","e":"281474976710655","g":"18446744073709551615","h":-128,"i":-8388608,"j":"-9223372036854775808","k":"115792089237316195423570985008687907853269984665640564039457584007913129639935"}"#;
    let expected = r#"{"output0":255,"output1":16777215,"output2":4294967295,"output3":"1099511627775","output4":"281474976710655","output5":"18446744073709551615","output6":-128,"output7":-8388608,"output8":"-9223372036854775808","output9":"115792089237316195423570985008687907853269984665640564039457584007913129639935"}"#;
    assert_eq!(torture.result("small_ints", largest).await, expected);
    assert_eq!(torture.result("signed_value", "{}").await, r#""-1""#);
}

#[tokio::test]
async fn bytes_strings_arrays_and_functions_go_both_ways() {
    let torture = torture().await;
    let arguments = format!(
        r#"{{"a":"0x01","b":"0x01020304","c":"{}","d":"{TAG}","e":"0x","s":"ø🦀"}}"#,
        ALICE.to_lowercase()
    );
    let expected = format!(
        r#"{{"output0":"0x01","output1":"0x01020304","output2":"{}","output3":"{TAG}","output4":"0x","output5":"ø🦀"}}"#,
        ALICE.to_lowercase()
    );
    assert_eq!(torture.result("bytes_n", &arguments).await, expected);
    let grid = r#"{"g":[[1,2],[3,4]],"h":[["1","2","3"],["4","5","6"]]}"#;
    let expected = r#"{"output0":[[1,2],[3,4]],"output1":[["1","2","3"],["4","5","6"]]}"#;
    assert_eq!(torture.result("grid", grid).await, expected);
    let function = format!(r#"{{"fn":{{"address":"{ALICE}","selector":"0xdeadbeef"}}}}"#);
    assert_eq!(torture.result("cb", &function).await, r#""0xdeadbeef""#);
    assert_eq!(torture.result("name", "{}").await, r#""Tørture 🦀""#);
}

#[tokio::test]
async fn names_that_collide_with_controls_or_each_other_all_arrive() {
    let torture = torture().await;
    let arguments = format!(
        r#"{{"from":"{ALICE}","type_":"1","class":"{TAG}","simulate":"2","value_wei":"3","self":"4","lambda":"5"}}"#
    );
    assert_eq!(torture.result("keywords", &arguments).await, r#""5""#);
    assert_eq!(
        torture
            .result("dup_snake", r#"{"fooBar":"9","foo_bar":"4"}"#)
            .await,
        r#""5""#
    );
    let unnamed = format!(r#"{{"arg0_2":"1","arg1":"{ALICE}","arg0":"8"}}"#);
    assert_eq!(torture.result("unnamed", &unnamed).await, r#""8""#);
    assert_eq!(torture.result("_dollar", r#"{"$v":"3"}"#).await, r#""3""#);
}

#[tokio::test]
async fn ether_is_paid_with_value_wei() {
    let torture = torture().await;
    let tried = torture.done("pay", r#"{"x":"1","value_wei":"1000"}"#).await;
    assert_eq!(tried.get("result").unwrap().as_str(), Some("1001"));
}

#[tokio::test]
async fn a_string_that_is_no_utf8_keeps_its_bytes_beside_it() {
    let torture = torture().await;
    let read = torture.done("bad_utf8", "{}").await;
    assert_eq!(read.get("result").unwrap().as_str(), Some("\u{fffd}\0\u{fffd}A"));
    assert_eq!(
        read.get("invalid_utf8").unwrap().to_text(),
        r#"{"/result":"0xff00fe41"}"#
    );
}

#[tokio::test]
async fn every_way_to_revert_is_told_apart() {
    let torture = torture().await;
    let mut told = String::new();
    for mode in 0..=6 {
        let result = torture.call("boom", &format!(r#"{{"mode":"{mode}"}}"#)).await;
        assert!(result.is_error, "{mode}");
        let error = result.structured.unwrap().get("error").unwrap().to_value();
        told.push_str(&format!(
            "{mode} {}: {}\n",
            error.get("kind").unwrap(),
            error.get("message").unwrap()
        ));
    }
    insta::assert_snapshot!(told);
}
