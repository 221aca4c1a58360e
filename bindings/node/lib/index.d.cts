/// <reference lib="esnext.disposable" />
/** Typed tools that AI agents can call: served, found and called on a mesh, over MCP, and in every provider's format. */

/** A JSON value; integers beyond 2^53 are `bigint`. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json }

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = { [keyword: string]: unknown }

/** A schema of a library such as zod that can tell its JSON Schema (the Standard JSON Schema interface). */
export interface StandardSchema {
  /** What the interface asks for. */
  readonly '~standard': { readonly vendor: string; readonly version: number }
}

/** What a tool tells of itself; `toolId` and `version` together are its identity. */
export interface ToolDescriptor {
  /** The identifier under which it is called: letters, digits and `_`, `.`, `-`. */
  toolId: string
  /** The name. */
  name: string
  /** A semantic version. */
  version: string
  /** What it does, for models and people. */
  description?: string | null
  /** The JSON Schema of the arguments: a JSON text in a list, and null where it is too large to be announced; `describeTool` fetches it. */
  inputSchema?: string | JsonSchema | null
  /** The JSON Schema of the result, likewise. */
  outputSchema?: string | JsonSchema | null
  /** What the host needs to have, as tags. */
  requires: string[]
  /** The usual duration in milliseconds; 0 is unknown. */
  estimatedTimeMs?: number
  /** Whether a call leaves nothing behind at the host, so that it may be tried again elsewhere. */
  stateless: boolean
  /** Whether it sends events while it runs. */
  streaming: boolean
  /** Words to find it by. */
  tags: string[]
  /** Terms of whoever asks for a price; tools with some cannot be served here. */
  pricingTerms?: string
  /** How many nodes serve it, in a list. */
  nodeCount?: number
  /** A name for people. */
  title?: string
  /** Icons, as MCP has them. */
  icons?: object[]
  /** Hints for clients, as MCP has them. */
  annotations?: object
}

/** A tool to be served. */
export interface ToolOptions {
  /** The identifier under which it is called: letters, digits and `_`, `.`, `-`. */
  name: string
  /** The identifier, where the name is another. */
  toolId?: string
  /** What it does, for models and people. */
  description?: string
  /** A semantic version; `1.0.0` unless said. */
  version?: string
  /** The schema of the arguments: JSON Schema, or one of zod; arguments that do not fit reach no handler. */
  inputSchema?: string | JsonSchema | StandardSchema
  /** The schema of the result: one that does not fit does not leave. */
  outputSchema?: string | JsonSchema | StandardSchema
  /** What the host needs to have, as tags. */
  requires?: string[]
  /** The usual duration in milliseconds; 0 is unknown. */
  estimatedTimeMs?: number
  /**
   * Whether a call leaves nothing behind, so that it may be made again, also when its host is lost in the middle; true unless said.
   * Say `false` for what pays, sends or writes. A call whose handler has answered, or failed, is never made again.
   */
  stateless?: boolean
  /** Whether it sends events while it runs; `serveToolStreaming` says so by itself. */
  streaming?: boolean
  /** Words to find it by. */
  tags?: string[]
  /** A name for people. */
  title?: string
  /** Icons, as MCP has them. */
  icons?: object[]
  /** Hints for clients, as MCP has them. */
  annotations?: object
}

/**
 * One event of a call, as every language writes it: the last is a result or an error, and nothing follows it. `call_id` is the
 * host's number of the call, `pct` is percent done, `code` the stable word for what failed.
 */
export type ToolEvent =
  | { type: 'start'; tool_id: string; call_id?: number | bigint; metadata?: any }
  | { type: 'progress'; pct?: number; message?: string }
  | { type: 'delta'; data: any }
  | { type: 'result'; data: any }
  | { type: 'error'; code: string; message: string; details?: any }

/**
 * Chooses nodes by their tags: those of which any tag matches. `exact` matches that tag, `prefix` tags that begin so, `axis` tags
 * of an axis (`hardware`, `software`, `devices`, `dataforts`), `axis_key` tags of a key of an axis with any value, `regex` tags in
 * which the pattern is found, `version_range` tags such as `software.python=3.12.1` whose version lies between the two, each of which
 * may be missing.
 */
export type TagMatcher =
  | { kind: 'exact' | 'prefix'; value: string }
  | { kind: 'axis'; axis: string }
  | { kind: 'axis_key'; axis: string; key: string }
  | { kind: 'regex'; pattern: string }
  | { kind: 'version_range'; axis_key: string; min?: string | null; max?: string | null }

/**
 * One change of the list of tools: a tool is there (`added`), gone (`removed`), tells something else of itself under the same
 * version (`changed`), or is served by more or fewer nodes (`node_count_changed`). After `resync` changes were lost: list again.
 */
export type ToolListChange =
  | { type: 'added' | 'removed' | 'changed'; descriptor: ToolDescriptor }
  | { type: 'node_count_changed'; descriptor: ToolDescriptor; prevNodeCount: number }
  | { type: 'resync' }

/** How a call is made; everything is optional, and an option that there is not is refused. */
export interface CallOptions {
  /** How long the call may take in all, in milliseconds: 30,000 unless said, a stream 600,000; more than an hour is taken as an hour. */
  deadlineMs?: number
  /** Which versions of the tool, as a semantic version requirement: `^1.2`. Unless said, the highest there is. */
  version?: string
  /** Which hosts: a predicate on their tags and metadata. */
  where?: { nodes: object[]; root_idx: number }
  /** How one of several hosts is chosen; `round_robin` unless said. */
  routing?: 'round_robin' | 'random' | 'sticky' | 'lowest_latency'
  /** The key of `sticky`, of 64 bits: calls with one key go to one host, as long as it is there. */
  stickyKey?: number | bigint
  /** Headers for the handler; names are lower case. */
  requestHeaders?: Record<string, string>
  /** How far the host of a stream may run ahead of its reader, in credits: an event takes one for each 16 KiB that it begins; 1,024 unless said. */
  streamWindowInitial?: number
  /** The key by which the handler knows tries of one logical call; a random one unless said. */
  idempotencyKey?: string
  /** Aborting it cancels the call, here and at its handler. */
  signal?: AbortSignal
}

/** Who asks. */
export interface Caller {
  /** What the front has verified, never what a client says of itself; null when nothing is known. */
  identity: string | null
  /** The way by which the call came. */
  transport: 'stdio' | 'http' | 'mesh' | 'command_line' | 'in_process'
  /** The gateways between, that of the client first. */
  onBehalfOf: string[]
}

/** What a handler may know of its call, and say while it runs. */
export declare class Context {
  private constructor()
  /** Aborted when the caller gives up, or the deadline passes. */
  readonly signal: AbortSignal
  /** Who asks. */
  readonly caller: Caller
  /** How many milliseconds are left, when there is a deadline. */
  readonly deadlineMs: number | undefined
  /** The headers that came with the call, names in lower case. */
  readonly headers: Record<string, string>
  /** The key by which tries of one logical call know each other. */
  readonly idempotencyKey: string
  /** Whether the caller has given up, or the deadline has passed. */
  readonly cancelled: boolean
  /**
   * Reports progress in percent, with a text; waits while the reader is behind. Events go out in the order in which they are given,
   * awaited or not, and before the result. Whoever does not await one does not hear that the call is over.
   */
  progress(pct?: number, message?: string): Promise<void>
  /** Sends a piece of partial output; waits while the reader is behind. */
  delta(data: unknown): Promise<void>
  /** Sends an event; waits while the reader is behind. Rejects with `Closed` when the call is over, as the two above. */
  event(event: ToolEvent): Promise<void>
}

/**
 * A handler: gives the result, or a promise of it. Its `ToolError` is told to the caller. A result that has no JSON form, such as
 * a function, a `Map`, a `Set` or an `ArrayBuffer`, fails the call.
 */
export type ToolHandler = (args: any, context: Context) => unknown

/**
 * A handler that yields events, or a promise of what does; it ends at the first result or error, and without either gets the error
 * `missing_terminal`.
 */
export type StreamingToolHandler = (args: any, context: Context) => ToolEvents | Promise<ToolEvents>

/** What yields events: a generator, async or not, or a list of them. */
export type ToolEvents = AsyncIterable<ToolEvent> | Iterable<ToolEvent>

/** A tool that is served. Closing it withdraws the tool; one whose handle nobody keeps is served until its node is closed. */
export declare class ToolServeHandle {
  private constructor()
  /** What is announced of the tool. */
  readonly descriptor: ToolDescriptor
  /** Withdraws the tool: it is gone for others at once, and calls that run go on. Closing twice is no fault. */
  close(): void
  /** As `close`, for `using`. */
  [Symbol.dispose](): void
}

/** An MCP server on a port. Closing it, or its node, stops it. */
export declare class McpServer {
  private constructor()
  /** Where to point a client: `http://HOST:PORT/mcp`. */
  readonly url: string
  /** Stops: calls in flight are finished. Closing twice is no fault. */
  close(): Promise<void>
}

/** Who may: everybody, nobody, or whoever one of the members names. The names are those of `access` in `[mesh]`. */
export type Who =
  | 'everybody'
  | 'nobody'
  | { nodes?: string[]; names?: string[]; subnets?: number[]; groups?: string[]; clients?: string[]; any_client?: boolean }

/** Who may see and call what at a node. What is not understood is refused. */
export interface AccessRules {
  /** Who may use the node at all. */
  host?: Who
  /**
   * Who may use which tools, by any of their names, or by a pattern: `*` stands for any characters, `?` for one. A name goes before
   * patterns, and of these the one with most characters of its own.
   */
  tools?: Record<string, Who>
  /** What holds for tools that no entry of `tools` names; `allow` unless said. */
  unlisted?: 'allow' | 'deny'
  /** Who may call for somebody else; nobody unless said. */
  gateways?: Who
}

/** How a node is set up; everything is optional, and an option that there is not is refused. */
export interface NodeOptions {
  /** What the node is called, for logs and as the identity of its calls, where it has no certificate. */
  name?: string
  /** The 32 bytes of the mesh's key: nodes with another neither see nor reach this one. Without it the node is in a mesh of its own. */
  key?: Uint8Array
  /** The file that holds the key as 64 hexadecimal digits, in its place (`toolmesh mesh keys` makes one). */
  keyFile?: string | URL
  /** What carries the mesh: a network when there is a key; `memory` joins the nodes of this process alone. */
  engine?: 'memory' | 'zenoh'
  /** Where this node listens, as `HOST:PORT`: on this machine, at a free port, unless said. */
  listen?: string
  /** Nodes that are there, as `HOST:PORT`; the others are found through them. They need not be up yet. */
  connect?: string[]
  /** Routers to connect to instead, as `HOST:PORT`. */
  routers?: string[]
  /** Whether nodes of the network segment are found without any name. */
  multicast?: boolean
  /** Whether the node may listen beyond this machine without a certificate. */
  plaintext?: boolean
  /** The PEM file of the authority whose nodes are believed: nodes meet only nodes with a certificate of it, over TLS. */
  authority?: string | URL
  /** The PEM file of the node's certificate, which says who it is. */
  certificate?: string | URL
  /** The PEM file of the certificate's key. */
  privateKey?: string | URL
  /** Who may see and call what; everybody in the mesh unless said. */
  access?: AccessRules
  /**
   * Whose tools the node sees and calls beside its own; everybody's unless said. Set it where the members of the mesh do not all
   * trust each other: whoever serves a tool of the same name takes a share of its calls.
   */
  trust?: Who
  /** What the node tells of itself: `region.eu`, `hardware.gpu=h100`. */
  tags?: string[]
  /** Who may use the node at all: by numbers of nodes, subnets, groups (64 hexadecimal digits each). */
  allowed?: { nodes?: (number | bigint)[]; subnets?: number[]; groups?: string[] }
  /** A file `toolmesh.toml` with sources, policies, limits and `[mesh]`; what is said here goes before it. */
  config?: string | URL
  /** What `toolmesh serve` takes: files with contracts, `0x...@mainnet`, `calimero:URL`, `mcp:COMMAND`, and `mesh:` for MCP clients to have what other nodes serve. */
  sources?: (string | URL)[]
}

/** What is watched. */
export interface WatchOptions {
  /** Chooses nodes; all unless given. */
  matcher?: TagMatcher
  /** The shortest time between two looks, in whole milliseconds, at most an hour. */
  intervalMs?: number
  /** Aborting it ends the watch. */
  signal?: AbortSignal
  /** Whether the program may end while the watch waits. */
  background?: boolean
}

/** What an MCP server says of itself: `toolmesh` and `0` unless said. */
export interface ServerInfo {
  /** Its name. */
  name?: string
  /** Its version. */
  version?: string
}

/** What a host answers who is asked for a tool. */
export type ToolMetadata = { type: 'found'; descriptor: ToolDescriptor } | { type: 'not_found'; name: string }

/** A whole Toolmesh program: its own tools, its sources, its place in a mesh, and an MCP server. */
export declare class Node {
  private constructor()
  /**
   * Starts a node: its sources are started, and it joins the mesh. Rejects with `InvalidInput` for options that are not allowed,
   * `ConfigurationError` for a source, certificate or file that cannot be used, `SystemFault` when the address is taken,
   * `TransportError` when no router answers.
   */
  static start(options?: NodeOptions): Promise<Node>
  /** The number of this node in its mesh. */
  readonly id: bigint
  /** Where other nodes can connect to this one: what `connect` of another takes; empty in memory and behind a router. */
  readonly listensAt: string[]
  /**
   * Serves a tool: registered, announced and callable when this returns. Throws `AlreadyServing` when this node serves that version
   * already, `InvalidInput` for a name, a schema or an option that is not allowed, `Closed`.
   */
  serveTool(options: ToolOptions, handler: ToolHandler): ToolServeHandle
  /** As `serveTool`, with a generator of events, async or not. */
  serveToolStreaming(options: ToolOptions, handler: StreamingToolHandler): ToolServeHandle
  /**
   * Calls a tool, wherever in the mesh it is served, and gives its result, within 30 s unless the options say. Rejects with `NoRoute`,
   * `DeadlineExceeded`, `CallCancelled`, `CapabilityDenied`, `InvalidArguments`, `ToolFailed` with the tool's own words,
   * `ServerError` for another status of the host, `TransportError`, `InvalidInput` for the options, `Closed`.
   */
  callTool(tool: string, args?: unknown, options?: CallOptions): Promise<any>
  /**
   * Calls a tool, and reads its events while it runs, at most 10 minutes unless the options say: awaited for the stream, or read by
   * `for await` at once. Leaving the loop cancels the call, and so do `return()` and the signal, read or not. Rejects as `callTool` before the first event; what fails later is the
   * last event, an `error`.
   */
  callToolStreaming(tool: string, args?: unknown, options?: CallOptions): ToolEventStreamOpening
  /** The tools that this node sees, its own included; nothing is asked of the network. Throws `InvalidInput` for the matcher, `Closed`. */
  listTools(matcher?: TagMatcher): ToolDescriptor[]
  /**
   * Changes from now on. Waiting for one keeps the program running, unless the watch is in the `background`. Throws as `listTools`, and
   * `TypeError` for the options.
   */
  watchTools(options?: WatchOptions): AsyncGenerator<ToolListChange, void, void>
  /** The whole descriptor of the tool that a call would reach, large schemas included. Rejects as `callTool`. */
  describeTool(tool: string, options?: CallOptions): Promise<ToolDescriptor>
  /** Asks one node, by its number, for the whole descriptor of a tool. Rejects as `callTool`, with `TypeError` for what is no number. */
  fetchToolMetadata(node: number | bigint, tool: string): Promise<ToolMetadata>
  /** The numbers of the nodes that serve the tool which a call would reach. */
  hosts(tool: string, options?: CallOptions): bigint[]
  /**
   * Serves all tools of this program, its own and those of its sources, over MCP at `/mcp`. The address is `HOST:PORT`, `:PORT` or a
   * port; 0 lets the system choose. Rejects with `InvalidInput` for the address, `TypeError` for what the server is to say of itself,
   * `ConfigurationError`, `SystemFault` when the address is taken, `Closed`.
   */
  serveMcp(address?: string | number, info?: ServerInfo): Promise<McpServer>
  /** Serves MCP on standard input and output, until the input ends. Nothing else may print. Rejects with `SystemFault`, `Closed`. */
  serveMcpStdio(info?: ServerInfo): Promise<void>
  /**
   * Keeps the program running until the node is closed, which Ctrl-C (SIGINT) and SIGTERM do meanwhile. A program that only
   * serves awaits this; what is waited for otherwise keeps a program running as well, a tool that is served does not.
   */
  untilClosed(): Promise<void>
  /**
   * Leaves the mesh: what is served is withdrawn, calls end, and so do sources. Closing twice is no fault; the end of the program
   * closes too.
   */
  close(): void
  /** As `close`, for `using`. */
  [Symbol.dispose](): void
}

/** A stream that is being opened: `await` it for the stream, or read it by `for await` at once. */
export type ToolEventStreamOpening = Promise<AsyncGenerator<ToolEvent, void, void>> & AsyncIterable<ToolEvent>

/** The service by which a host tells the whole descriptor of a tool. */
export declare const TOOL_METADATA_FETCH_SERVICE: 'tool.metadata.fetch'

/** The descriptor that options describe. Throws `TypeError` for a schema that cannot tell its JSON Schema. */
export declare function descriptorFrom(options: ToolOptions): ToolDescriptor

/** Whether nothing follows this event. */
export declare function isTerminalEvent(event: ToolEvent): boolean

/** See `Node.serveTool`. */
export declare function serveTool(mesh: Node, options: ToolOptions, handler: ToolHandler): ToolServeHandle

/** See `Node.serveToolStreaming`. */
export declare function serveToolStreaming(mesh: Node, options: ToolOptions, handler: StreamingToolHandler): ToolServeHandle

/** See `Node.callTool`. */
export declare function callTool(mesh: Node, tool: string, args?: unknown, options?: CallOptions): Promise<any>

/** See `Node.callToolStreaming`. */
export declare function callToolStreaming(mesh: Node, tool: string, args?: unknown, options?: CallOptions): ToolEventStreamOpening

/** See `Node.listTools`. */
export declare function listTools(mesh: Node, matcher?: TagMatcher): ToolDescriptor[]

/** See `Node.watchTools`. */
export declare function watchTools(mesh: Node, options?: WatchOptions): AsyncGenerator<ToolListChange, void, void>

/** See `Node.fetchToolMetadata`. */
export declare function fetchToolMetadata(mesh: Node, node: number | bigint, tool: string): Promise<ToolMetadata>

/** A model's call of a tool. */
export interface ToolCallSpec {
  /** The tool's name, as the model was given it. */
  name: string
  /** The arguments as a JSON text. */
  argumentsJson: string
  /** The arguments, read. */
  arguments: any
  /** The provider's id of the call, which its result needs; undefined where the provider has none. */
  providerCallId: string | undefined
}

/** A tool, in either form. */
export type Described = ToolDescriptor | ToolOptions

/** OpenAI's plain tool format, to the letter that other programs of the tool mesh know; see `Toolset` for what it accepts today. */
export declare const openai: {
  /** The tool as OpenAI writes it. */
  toOpenaiTool(tool: Described): any
  /** The call in an entry of `tool_calls`; throws `ToolCallParseError` when there is none. */
  lowerOpenaiToolCall(reply: unknown): ToolCallSpec
}

/** Anthropic's plain tool format, likewise. */
export declare const anthropic: {
  /** The tool as Anthropic writes it. */
  toAnthropicTool(tool: Described): any
  /** The call in a block `tool_use`; throws `ToolCallParseError` when there is none. */
  lowerAnthropicToolUse(reply: unknown): ToolCallSpec
}

/** MCP's plain tool format, likewise. */
export declare const mcp: {
  /** The tool as MCP writes it. */
  toMcpTool(tool: Described): any
  /** The call in the params of `tools/call`; throws `ToolCallParseError` when there is none. */
  lowerMcpToolsCall(reply: unknown): ToolCallSpec
}

/** Gemini's plain tool format, likewise. */
export declare const gemini: {
  /** The tool as Gemini writes it. */
  toGeminiFunctionDeclaration(tool: Described): any
  /** The call in a `functionCall`; throws `ToolCallParseError` when there is none. */
  lowerGeminiFunctionCall(reply: unknown): ToolCallSpec
}

/** Tools translated as a whole for one provider: names that it allows, schemas that it takes, and the way back. */
export declare class Toolset {
  /** Translates the tools. Throws `InvalidInput` for another provider, or a descriptor that cannot be translated. */
  constructor(provider: 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'mcp', tools: Iterable<Described>)
  /** What to send as the request's tools. */
  readonly tools: any[]
  /** What was changed or could not be carried over. */
  readonly warnings: { tool: string; place: string; message: string }[]
  /**
   * The calls in a model's whole reply; `error` where a call cannot be made. Throws `InvalidInput` when it is no reply in the form of
   * this provider, or says that the service failed.
   */
  calls(reply: unknown): { name: string; arguments?: any; callId: string | undefined; error?: string }[]
  /** The results of a turn as the messages that go back to the model. */
  messages(replies: Iterable<{ name: string; callId?: string; result: unknown; isError?: boolean }>): any[]
}

/** Something failed; the message says what, where, and what to do. */
export declare class ToolmeshError extends Error {
  /** The stable word for what failed, one a class. */
  readonly kind: string
  /** The number with which a host answered, when one did. */
  readonly status: number | undefined
}

/** `no_route`: no node that this one can see serves the tool, meets the predicate and has the version. */
export declare class NoRoute extends ToolmeshError {}

/** `timeout`: the deadline passed. */
export declare class DeadlineExceeded extends ToolmeshError {}

/** `cancelled`: the caller gave up; `cause` is the reason of its signal. */
export declare class CallCancelled extends ToolmeshError {}

/** `denied`: the host does not let this node call. */
export declare class CapabilityDenied extends ToolmeshError {}

/** `invalid_arguments`: the arguments do not fit the tool's schema; the message tells the places that are wrong. */
export declare class InvalidArguments extends ToolmeshError {}

/** `tool_failed`: the tool itself says no; the message is its own. */
export declare class ToolFailed extends ToolmeshError {}

/** `server`: the host answered with another status. */
export declare class ServerError extends ToolmeshError {}

/** `transport`: the way to the host failed. */
export declare class TransportError extends ToolmeshError {}

/** `json`: a text is not the JSON that it has to be. */
export declare class InvalidJson extends ToolmeshError {}

/** `invalid`: a descriptor, an option or another argument is not allowed. */
export declare class InvalidInput extends ToolmeshError {}

/** `already_serving`: this node serves this version of the tool already; it goes on serving it as it is. */
export declare class AlreadyServing extends ToolmeshError {}

/** `configuration`: a source, a certificate or a configuration cannot be used. */
export declare class ConfigurationError extends ToolmeshError {}

/** `closed`: the node, stream or call is over. */
export declare class Closed extends ToolmeshError {}

/** `system`: the system refuses something: threads, an address, a file. */
export declare class SystemFault extends ToolmeshError {}

/**
 * Thrown by a handler: its text reaches the caller as it is. The text of any other error does not leave the process: it goes to
 * standard error, and the caller is told that the tool failed.
 */
export declare class ToolError extends Error {
  /** With the code of a streaming tool's error event; that of any failed handler unless given. */
  constructor(message: string, code?: string)
  /** The code. */
  readonly code: string | undefined
}

/** A model's reply holds no tool call of this provider's form. */
export declare class ToolCallParseError extends Error {}
