//! Generated Rust clients. They stand in the folder `generated` and are part of this crate's tests, so the compiler
//! checks them; one of them calls a contract. That they are up to date is a test in `clients`.

use toolmesh_json::Value;

use crate::dispatch::Served;
use crate::mapping::interface;

#[path = "generated/handmade.rs"]
#[rustfmt::skip]
#[expect(dead_code, unreachable_pub, reason = "it is checked as it is written, and most of it is not called")]
mod handmade;
#[path = "generated/token.rs"]
#[rustfmt::skip]
#[expect(dead_code, unreachable_pub, reason = "it is checked as it is written, and most of it is not called")]
mod token;
#[path = "generated/torture.rs"]
#[rustfmt::skip]
#[expect(dead_code, unreachable_pub, reason = "it is checked as it is written, and most of it is not called")]
mod torture;

struct InProcess(Served);

impl token::Call for InProcess {
    async fn call(
        &self,
        tool: &str,
        arguments: serde_json::Value,
    ) -> Result<serde_json::Value, token::Error> {
        let answer: Value = self.0.done(tool, &arguments.to_string()).await;
        Ok(serde_json::from_str(&answer.to_text())?)
    }
}

#[tokio::test]
async fn a_generated_client_moves_tokens() {
    const OTHER: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    let served = Served::start(interface("examples/token.json"), None)
        .await
        .unwrap();
    let token = token::Token::new(InProcess(served));
    let tried = token
        .transfer(OTHER.to_owned(), "5".to_owned(), token::Options::default())
        .await
        .unwrap();
    assert!(tried.simulated && tried.success && tried.result == Some(true));
    let options = token::Options {
        simulate: Some(false),
        ..token::Options::default()
    };
    let sent = token
        .transfer(OTHER.to_owned(), "5".to_owned(), options)
        .await
        .unwrap();
    assert!(!sent.simulated && sent.tx_hash.is_some());
    assert_eq!(sent.events[0].name.as_deref(), Some("Transfer"));
    let balance = token
        .balance_of(OTHER.to_owned(), token::Options::default())
        .await
        .unwrap();
    assert_eq!(balance.result, "5");
}
