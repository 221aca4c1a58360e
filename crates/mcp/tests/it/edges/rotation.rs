//! Keys of an issuer come and go.

use std::{sync::atomic::Ordering, time::Duration};

use toolmesh_mcp::{
    HttpOptions, HttpService,
    server::auth::{AuthOptions, OAuthOptions},
};

use super::{
    auth::{AUDIENCE, bearer, server},
    issuer::{Answering, Issuer, Key},
};

fn service(issuer: &Issuer) -> HttpService {
    let oauth = OAuthOptions::new(&issuer.url, AUDIENCE);
    let auth = AuthOptions::default().oauth(oauth);
    server().http_service(HttpOptions::default().auth(auth).expect("sound"))
}

/// Lets time pass for everything that looks at the clock; nothing is waited for meanwhile.
async fn later(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

async fn status(service: &HttpService, issuer: &Issuer, key: &Key) -> u16 {
    let token = key.sign(&issuer.claims(AUDIENCE, ""));
    bearer(service, "who", &token).await.0
}

#[tokio::test]
async fn a_new_key_is_learned_by_its_first_token_and_the_old_one_is_not_believed_then() {
    let (old, new) = (Key::new("old"), Key::new("new"));
    let issuer = Issuer::start(&[&old]).await;
    let service = service(&issuer);
    assert_eq!(status(&service, &issuer, &old).await, 200);
    issuer.publish(&[&new]);
    assert_eq!(status(&service, &issuer, &old).await, 200, "keys are kept");
    assert_eq!(status(&service, &issuer, &new).await, 401, "asked a moment ago");
    later(Duration::from_secs(30)).await;
    assert_eq!(status(&service, &issuer, &new).await, 200);
    assert_eq!(status(&service, &issuer, &old).await, 401);
    assert_eq!(issuer.asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_key_that_was_taken_back_is_not_believed_for_longer_than_keys_are_kept() {
    let (old, new) = (Key::new("old"), Key::new("new"));
    let issuer = Issuer::start(&[&old]).await;
    let service = service(&issuer);
    assert_eq!(status(&service, &issuer, &old).await, 200);
    issuer.publish(&[&new]);
    later(Duration::from_secs(599)).await;
    assert_eq!(status(&service, &issuer, &old).await, 200);
    assert_eq!(issuer.asked.load(Ordering::Relaxed), 1);
    later(Duration::from_secs(1)).await;
    assert_eq!(status(&service, &issuer, &old).await, 401);
    assert_eq!(issuer.asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_flood_of_tokens_by_unknown_keys_asks_the_issuer_once_in_half_a_minute() {
    let known = Key::new("known");
    let issuer = Issuer::start(&[&known]).await;
    let service = service(&issuer);
    assert_eq!(status(&service, &issuer, &known).await, 200);
    later(Duration::from_secs(30)).await;
    let unknown: Vec<Key> = (0..200)
        .map(|number| Key::new(&format!("key {number}")))
        .collect();
    let flood = unknown.iter().map(|key| status(&service, &issuer, key));
    assert!(
        futures_util::future::join_all(flood)
            .await
            .iter()
            .all(|status| *status == 401)
    );
    assert_eq!(issuer.asked.load(Ordering::Relaxed), 2);
    assert_eq!(status(&service, &issuer, &known).await, 200);
    later(Duration::from_secs(29)).await;
    assert_eq!(status(&service, &issuer, &unknown[0]).await, 401);
    assert_eq!(issuer.asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn an_issuer_that_is_asked_goes_on_being_asked_when_its_asker_goes_away() {
    let (old, new) = (Key::new("old"), Key::new("new"));
    let issuer = Issuer::start(&[&old]).await;
    let service = service(&issuer);
    assert_eq!(status(&service, &issuer, &old).await, 200);
    issuer.publish(&[&new]);
    issuer.answers(Answering::Held);
    later(Duration::from_secs(30)).await;
    let stranger = Key::new("stranger");
    let gone = tokio::time::timeout(Duration::from_millis(50), status(&service, &issuer, &stranger));
    assert!(gone.await.is_err(), "the issuer does not answer yet");
    assert_eq!(status(&service, &issuer, &old).await, 200, "nobody else waits");
    issuer.answers(Answering::Keys);
    assert_eq!(status(&service, &issuer, &new).await, 200);
    assert_eq!(issuer.asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn old_keys_are_believed_while_the_issuer_is_down_but_not_for_more_than_a_day() {
    let key = Key::new("one");
    let issuer = Issuer::start(&[&key]).await;
    let service = service(&issuer);
    assert_eq!(status(&service, &issuer, &key).await, 200);
    issuer.answers(Answering::Failure);
    later(Duration::from_secs(600)).await;
    assert_eq!(status(&service, &issuer, &key).await, 200);
    assert_eq!(status(&service, &issuer, &Key::new("other")).await, 401);
    assert_eq!(
        issuer.asked.load(Ordering::Relaxed),
        2,
        "asked again, and not at once again"
    );
    later(Duration::from_secs(5)).await;
    assert_eq!(status(&service, &issuer, &key).await, 200);
    later(Duration::from_secs(24 * 3_600 - 606)).await;
    assert_eq!(status(&service, &issuer, &key).await, 200);
    later(Duration::from_secs(2)).await;
    assert_eq!(status(&service, &issuer, &key).await, 401);
    issuer.answers(Answering::Keys);
    later(Duration::from_secs(5)).await;
    assert_eq!(status(&service, &issuer, &key).await, 200);
}

#[tokio::test]
async fn nobody_is_let_in_before_the_issuer_answered_and_too_much_is_no_answer() {
    let key = Key::new("one");
    let issuer = Issuer::start(&[&key]).await;
    let service = service(&issuer);
    for wrong in [Answering::Failure, Answering::Huge, Answering::Nonsense] {
        issuer.answers(wrong);
        assert_eq!(status(&service, &issuer, &key).await, 401, "{wrong:?}");
        later(Duration::from_secs(5)).await;
    }
    // Keys of kinds that are not known here, and those that do not sign, are passed over.
    issuer.answers(Answering::Mixed);
    assert_eq!(status(&service, &issuer, &key).await, 200);
}
