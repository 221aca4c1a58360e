//! The configuration block by which an MCP client starts or finds this server.

use std::net::SocketAddr;

use clap::ValueEnum;
use toolmesh::json::{ObjectBuilder, Value};

/// An MCP client whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Desktop and Claude Code
    Claude,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
}

/// How the client reaches the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It starts this command and speaks over its standard input and output.
    Command {
        program: String,
        arguments: Vec<String>,
        /// Variables that the client sets for it.
        environment: Vec<(String, String)>,
    },
    /// It connects to a server that runs already.
    Http(SocketAddr),
}

/// The whole content of the client's configuration file when this is its only server.
pub(crate) fn client_block(client: Client, name: &str, reach: &Reach) -> Value {
    let entry = match reach {
        Reach::Command {
            program,
            arguments,
            environment,
        } => typed(client, "stdio", matches!(client, Client::Vscode))
            .put("command", program.as_str())
            .put("args", arguments.iter().map(Value::from).collect::<Value>())
            .put_opt("env", variables(environment)),
        Reach::Http(address) => typed(client, "http", !matches!(client, Client::Cursor))
            .put("url", format!("http://{address}/mcp")),
    };
    let servers = match client {
        Client::Claude | Client::Cursor => "mcpServers",
        Client::Vscode => "servers",
    };
    Value::object()
        .put(servers, Value::object().put(name, entry))
        .build()
}

/// Variables as an object; none when there are none.
fn variables(environment: &[(String, String)]) -> Option<Value> {
    let mut object = Value::object();
    for (name, value) in environment {
        object.insert(name.as_str(), value.as_str());
    }
    (!object.is_empty()).then(|| object.build())
}

/// Begins an entry with its transport where the client wants that said.
fn typed(_: Client, transport: &str, said: bool) -> ObjectBuilder {
    if said {
        Value::object().put("type", transport)
    } else {
        Value::object()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::pretty;

    #[test]
    fn each_client_has_its_own_form() {
        let command = Reach::Command {
            program: "/usr/bin/toolmesh".to_owned(),
            arguments: vec!["serve".to_owned(), "/contracts/token.json".to_owned()],
            environment: Vec::new(),
        };
        let http = Reach::Http(([127, 0, 0, 1], 8080).into());
        let mut shown = String::new();
        for client in [Client::Claude, Client::Cursor, Client::Vscode] {
            for reach in [&command, &http] {
                let block = pretty(client_block(client, "token", reach).view());
                shown.push_str(&format!("{client:?}\n{block}\n\n"));
            }
        }
        insta::assert_snapshot!(shown.trim_end());
    }
}
