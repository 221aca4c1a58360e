//! The end of what is granted for a time.

use std::time::SystemTime;

/// Waits for a moment by the clock that tokens go by; for ever where there is none.
pub(super) async fn come(moment: Option<SystemTime>) {
    let Some(moment) = moment else {
        return std::future::pending().await;
    };
    while let Ok(left) = moment.duration_since(SystemTime::now())
        && !left.is_zero()
    {
        tokio::time::sleep(left).await;
    }
}
