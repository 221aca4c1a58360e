//! The node as a server on this machine.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    Router,
    body::to_bytes,
    extract::{Request, State as Shared},
    http::{StatusCode, header},
};
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    App, Fault, IdForm,
    admin::{self, Ask},
    answer::{self, Answer},
    auth, rpc, socket, sse,
    state::State,
};

/// The largest body that the node reads, in bytes.
const MAX_BODY: usize = 16 << 20;

/// How a node starts.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How ids are written.
    pub ids: IdForm,
    /// Users with their passwords; without any, everybody may ask.
    pub users: Vec<(String, String)>,
}

/// A request that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// `GET`, `POST`, ...
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The header `traceparent`.
    pub traceparent: Option<String>,
    /// The body as text.
    pub body: String,
}

/// A running node; it stops when this is dropped.
#[derive(Debug)]
pub struct LoopbackNode {
    url: String,
    inner: Arc<Inner>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
pub(crate) struct Inner {
    pub(crate) state: Mutex<State>,
    log: Mutex<Vec<Recorded>>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LoopbackNode {
    /// Starts a node on a free port, within the runtime that this is called in.
    ///
    /// # Panics
    /// When the port cannot be opened.
    pub async fn start(options: Options) -> Self {
        let listener = match TcpListener::bind("127.0.0.1:0").await {
            Ok(listener) => listener,
            Err(error) => panic!("a free port cannot be opened: {error}"),
        };
        let port = listener
            .local_addr()
            .map(|address| address.port())
            .unwrap_or_default();
        let inner = Arc::new(Inner::default());
        {
            let mut state = lock(&inner.state);
            state.form = options.ids;
            state.auth.users = options.users.into_iter().collect();
        }
        let router = Router::new().fallback(handle).with_state(Arc::clone(&inner));
        let task = tokio::spawn(async move {
            // It ends with the task.
            let _ = axum::serve(listener, router).await;
        });
        Self {
            url: format!("http://127.0.0.1:{port}"),
            inner,
            task,
        }
    }

    /// Its URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Installs an application, or upgrades it in place; its id.
    pub fn install(&self, app: App) -> String {
        lock(&self.inner.state).install(app)
    }

    /// Puts an application into the registry that `install-application` takes from.
    pub fn publish(&self, app: App) {
        let key = format!("{}@{}", app.package, app.version);
        lock(&self.inner.state).registry.insert(key, app);
    }

    /// Removes an application; its contexts stay.
    pub fn uninstall(&self, id: &str) {
        lock(&self.inner.state).apps.remove(id);
    }

    /// Makes a context without running `init`; its id.
    pub fn create_context(&self, application: &str, service: Option<&str>) -> String {
        let group = "0".repeat(64);
        lock(&self.inner.state).create_context(application, service, &group, None)
    }

    /// Deletes a context.
    pub fn delete_context(&self, context: &str) {
        lock(&self.inner.state).contexts.remove(context);
    }

    /// Gives a context another name.
    pub fn create_alias(&self, alias: &str, context: &str) {
        lock(&self.inner.state)
            .aliases
            .insert(alias.to_owned(), context.to_owned());
    }

    /// Switches a fault on.
    pub fn switch_on(&self, fault: Fault) {
        lock(&self.inner.state).faults.insert(fault);
    }

    /// Switches a fault off.
    pub fn switch_off(&self, fault: Fault) {
        lock(&self.inner.state).faults.remove(&fault);
    }

    /// Tells whoever subscribed to a context that its application emitted an event.
    pub fn emit(&self, context: &str, kind: &str, payload: &Value) {
        self.emit_bytes(context, kind, payload.to_string().as_bytes());
    }

    /// The same with a payload that may be no JSON.
    pub fn emit_bytes(&self, context: &str, kind: &str, payload: &[u8]) {
        lock(&self.inner.state).events.emit(context, kind, payload);
    }

    /// Tells whoever subscribed to a group what happened in it.
    pub fn emit_in_group(&self, group: &str, kind: &str, data: &Value) {
        lock(&self.inner.state).events.group_event(group, kind, data);
    }

    /// Whether somebody is subscribed to a context or group.
    #[must_use]
    pub fn is_subscribed(&self, id: &str) -> bool {
        lock(&self.inner.state).events.has(id)
    }

    /// How many pings were answered on WebSockets.
    #[must_use]
    pub fn pongs(&self) -> u64 {
        lock(&self.inner.state).pongs
    }

    /// Ends every connection that events are told on.
    pub fn cut_events(&self) {
        lock(&self.inner.state).events.cut();
    }

    /// A good pair of tokens, access and refresh.
    #[must_use]
    pub fn tokens(&self) -> (String, String) {
        lock(&self.inner.state).auth.new_family()
    }

    /// Lets every access token end.
    pub fn expire_tokens(&self) {
        lock(&self.inner.state).auth.expire_all();
    }

    /// Revokes every token that there is.
    pub fn revoke_tokens(&self) {
        lock(&self.inner.state).auth.revoke_all();
    }

    /// Forgets every token.
    pub fn forget_tokens(&self) {
        lock(&self.inner.state).auth.forget_all();
    }

    /// What was asked so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.inner.log).clone()
    }

    /// How often a path was asked.
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        lock(&self.inner.log)
            .iter()
            .filter(|request| request.path == path)
            .count()
    }
}

impl Drop for LoopbackNode {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn handle(Shared(inner): Shared<Arc<Inner>>, request: Request) -> Answer {
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, MAX_BODY).await else {
        return answer::empty(StatusCode::PAYLOAD_TOO_LARGE.as_u16(), None);
    };
    let text = |name: &str| {
        parts
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned)
    };
    let path = parts.uri.path().to_owned();
    lock(&inner.log).push(Recorded {
        method: parts.method.to_string(),
        path: parts.uri.to_string(),
        traceparent: text("traceparent"),
        body: String::from_utf8_lossy(&bytes).into_owned(),
    });
    if lock(&inner.state).has(Fault::Silence) && path != "/admin-api/health" {
        return std::future::pending().await;
    }
    let query = |name: &str| {
        let pairs = parts.uri.query().unwrap_or_default().split('&');
        pairs
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.to_owned())
    };
    let bearer = text(header::AUTHORIZATION.as_str());
    let token = match bearer.as_deref() {
        Some(header) => header.strip_prefix("Bearer ").map(str::to_owned),
        None => query("token"),
    };
    let is_json = text("content-type").as_deref() == Some("application/json");
    // Some clients name a type where there is no body; only routes that read one look.
    let reads_json = match parts.method.as_str() {
        "POST" => is_json || !bytes.is_empty(),
        "PUT" => is_json,
        "DELETE" => is_json && path.starts_with("/admin-api/namespaces/"),
        _ => false,
    };
    let body = match serde_json::from_slice::<Value>(&bytes) {
        Ok(body) => body,
        Err(error) if reads_json => return answer::error(400, &format!("Invalid JSON data: {error}")),
        Err(_) => Value::Null,
    };
    let open = ["/admin-api/health", "/admin-api/ready", "/admin-api/is-authed"];
    if !open.contains(&path.as_str())
        && !path.starts_with("/auth/")
        && let Some(refusal) = refusal(&inner, token.as_deref())
    {
        return refusal;
    }
    if path == "/ws" {
        return socket::open(parts, inner).await;
    }
    let mut state = lock(&inner.state);
    match path.as_str() {
        "/sse" if state.has(Fault::NoEventStream) => return answer::empty(404, None),
        "/sse" => return sse::open(&mut state.events, text("last-event-id").as_deref()),
        "/sse/subscription" => return sse::subscription(&mut state.events, &body),
        "/jsonrpc" => return rpc::route(&mut state, &body),
        path if path.starts_with("/auth/") => return auth::route(&mut state, path, &body),
        _ => {}
    }
    let Some(rest) = path.strip_prefix("/admin-api/") else {
        return answer::empty(404, None);
    };
    let decoded: Vec<String> = rest.split('/').map(decode).collect();
    let segments: Vec<&str> = decoded.iter().map(String::as_str).collect();
    let service = query("service_name").as_deref().map(decode);
    let ask = Ask {
        method: parts.method.as_str(),
        segments: &segments,
        service: service.as_deref(),
        body: &body,
        bytes: &bytes,
    };
    admin::route(&mut state, &ask)
}

/// Why a request is not looked at.
fn refusal(inner: &Inner, token: Option<&str>) -> Option<Answer> {
    let mut state = lock(&inner.state);
    let garbage = state
        .has(Fault::Garbage)
        .then(|| answer::text(200, "<html>not JSON</html>"));
    auth::guard(&mut state, token).or(garbage)
}

/// Percent-decoding.
fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend(before.bytes());
        let code = after
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(b'%'));
        rest = if code.is_some() {
            after.get(2..).unwrap_or_default()
        } else {
            after
        };
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}
