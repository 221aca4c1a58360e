/** Typed tools that AI agents can call: served, found and called on a mesh, over MCP, and in every provider's format. */

export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json }
export type JsonSchema = { [keyword: string]: unknown }

/** A schema of a library such as zod that can tell its JSON Schema (the Standard JSON Schema interface). */
export interface StandardSchema {
  readonly '~standard': { readonly vendor: string; readonly version: number }
}

/** What a tool tells of itself. Schemas from the mesh are JSON texts, or null when they are too large to be announced. */
export interface ToolDescriptor {
  toolId: string
  name: string
  version: string
  description?: string | null
  inputSchema?: string | JsonSchema | null
  outputSchema?: string | JsonSchema | null
  requires: string[]
  estimatedTimeMs?: number
  stateless: boolean
  streaming: boolean
  tags: string[]
  pricingTerms?: string
  nodeCount?: number
  title?: string
}

/** A tool to be served. */
export interface ToolOptions {
  name: string
  toolId?: string
  description?: string
  version?: string
  inputSchema?: string | JsonSchema | StandardSchema
  outputSchema?: string | JsonSchema | StandardSchema
  requires?: string[]
  estimatedTimeMs?: number
  stateless?: boolean
  streaming?: boolean
  tags?: string[]
  title?: string
}

/** One event of a call, as every language writes it: the last is a result or an error. */
export type ToolEvent =
  | { type: 'start'; tool_id: string; call_id?: number | bigint; metadata?: any }
  | { type: 'progress'; pct?: number; message?: string }
  | { type: 'delta'; data: any }
  | { type: 'result'; data: any }
  | { type: 'error'; code: string; message: string; details?: any }

export type TagMatcher =
  | { kind: 'exact' | 'prefix'; value: string }
  | { kind: 'axis'; axis: string }
  | { kind: 'axis_key'; axis: string; key: string }
  | { kind: 'regex'; pattern: string }
  | { kind: 'version_range'; axis_key: string; min?: string | null; max?: string | null }

export type ToolListChange =
  | { type: 'added' | 'removed' | 'changed'; descriptor: ToolDescriptor }
  | { type: 'node_count_changed'; descriptor: ToolDescriptor; prevNodeCount: number }
  | { type: 'resync' }

/** How a call is made; everything is optional. */
export interface CallOptions {
  deadlineMs?: number
  /** A semantic version requirement: `^1.2`. */
  version?: string
  /** A predicate on the tags and metadata of hosts. */
  where?: { nodes: object[]; root_idx: number }
  routing?: 'round_robin' | 'random' | 'sticky' | 'lowest_latency'
  stickyKey?: number | bigint
  requestHeaders?: Record<string, string>
  streamWindowInitial?: number
  idempotencyKey?: string
  /** Aborting it cancels the call, here and at its handler. */
  signal?: AbortSignal
}

export interface Caller {
  identity: string | null
  transport: 'stdio' | 'http' | 'mesh' | 'command_line' | 'in_process'
  onBehalfOf: string[]
}

/** What a handler may know of its call, and say while it runs. */
export declare class Context {
  private constructor()
  /** Aborted when the caller gives up, or the deadline passes. */
  readonly signal: AbortSignal
  readonly caller: Caller
  readonly deadlineMs: number | undefined
  readonly headers: Record<string, string>
  readonly idempotencyKey: string
  readonly cancelled: boolean
  progress(pct?: number, message?: string): Promise<void>
  delta(data: unknown): Promise<void>
  /** Sends an event; waits while the reader is behind. */
  event(event: ToolEvent): Promise<void>
}

export type ToolHandler = (args: any, context: Context) => unknown
export type StreamingToolHandler = (args: any, context: Context) => AsyncIterable<ToolEvent> | Iterable<ToolEvent>

/** A tool that is served. Closing it withdraws the tool. */
export declare class ToolServeHandle {
  private constructor()
  readonly descriptor: ToolDescriptor
  close(): void
}

/** An MCP server on a port. */
export declare class McpServer {
  private constructor()
  readonly url: string
  /** Stops: calls in flight are finished. */
  close(): Promise<void>
}

export interface NodeOptions {
  name?: string
  /** The 32 bytes of the mesh's key; without it the node is in a mesh of its own. */
  key?: Uint8Array
  /** What carries the mesh: a network when there is a key; `memory` joins the nodes of this process alone. */
  engine?: 'memory' | 'zenoh'
  /** Where this node listens: on this machine, at a free port, unless said. */
  listen?: string
  /** Nodes that are there, as `HOST:PORT`. */
  connect?: string[]
  routers?: string[]
  multicast?: boolean
  tags?: string[]
  allowed?: { nodes?: (number | bigint)[]; subnets?: number[]; groups?: string[] }
  /** A file `toolmesh.toml`. */
  config?: string
  /** What `toolmesh serve` takes: files with contracts, `calimero:URL`, `mcp:COMMAND`. */
  sources?: string[]
}

export interface WatchOptions {
  matcher?: TagMatcher
  /** The shortest time between two looks. */
  intervalMs?: number
  /** Aborting it ends the watch. */
  signal?: AbortSignal
  background?: boolean
}

/** A whole Toolmesh program: its own tools, its sources, its place in a mesh, and an MCP server. */
export declare class Node {
  private constructor()
  static start(options?: NodeOptions): Promise<Node>
  readonly id: bigint
  /** Where other nodes can connect to this one: what `connect` of another takes. */
  readonly listensAt: string[]
  serveTool(options: ToolOptions, handler: ToolHandler): ToolServeHandle
  serveToolStreaming(options: ToolOptions, handler: StreamingToolHandler): ToolServeHandle
  callTool(tool: string, args?: unknown, options?: CallOptions): Promise<any>
  callToolStreaming(tool: string, args?: unknown, options?: CallOptions): Promise<AsyncGenerator<ToolEvent, void, void>>
  listTools(matcher?: TagMatcher): ToolDescriptor[]
  /** Changes from now on. Waiting for one keeps the program running, unless the watch is in the `background`. */
  watchTools(options?: WatchOptions): AsyncGenerator<ToolListChange, void, void>
  describeTool(tool: string, options?: CallOptions): Promise<ToolDescriptor>
  fetchToolMetadata(
    node: number | bigint,
    tool: string
  ): Promise<{ type: 'found'; descriptor: ToolDescriptor } | { type: 'not_found'; name: string }>
  hosts(tool: string, options?: CallOptions): bigint[]
  /** Serves all tools of this program over MCP at `/mcp`; port 0 lets the system choose. */
  serveMcp(address?: string, info?: { name?: string; version?: string }): Promise<McpServer>
  /** Serves MCP on standard input and output, until the input ends. Nothing else may print. */
  serveMcpStdio(info?: { name?: string; version?: string }): Promise<void>
  /**
   * Keeps the program running until the node is closed, which Ctrl-C (SIGINT) and SIGTERM do meanwhile. A program that only
   * serves awaits this; what is waited for otherwise keeps a program running as well, a tool that is served does not.
   */
  untilClosed(): Promise<void>
  /** Leaves the mesh: what is served is withdrawn, and calls end. Closing twice is no fault; the end of the program closes too. */
  close(): void
}

export declare const TOOL_METADATA_FETCH_SERVICE: 'tool.metadata.fetch'
export declare function descriptorFrom(options: ToolOptions): ToolDescriptor
export declare function isTerminalEvent(event: ToolEvent): boolean

export declare function serveTool(mesh: Node, options: ToolOptions, handler: ToolHandler): ToolServeHandle
export declare function serveToolStreaming(mesh: Node, options: ToolOptions, handler: StreamingToolHandler): ToolServeHandle
export declare function callTool(mesh: Node, tool: string, args?: unknown, options?: CallOptions): Promise<any>
export declare function callToolStreaming(
  mesh: Node,
  tool: string,
  args?: unknown,
  options?: CallOptions
): Promise<AsyncGenerator<ToolEvent, void, void>>
export declare function listTools(mesh: Node, matcher?: TagMatcher): ToolDescriptor[]
export declare function watchTools(mesh: Node, options?: WatchOptions): AsyncGenerator<ToolListChange, void, void>
export declare function fetchToolMetadata(mesh: Node, node: number | bigint, tool: string): ReturnType<Node['fetchToolMetadata']>

/** A model's call of a tool. */
export interface ToolCallSpec {
  name: string
  argumentsJson: string
  arguments: any
  providerCallId: string | undefined
}

type Described = ToolDescriptor | ToolOptions
export declare const openai: { toOpenaiTool(tool: Described): any; lowerOpenaiToolCall(reply: unknown): ToolCallSpec }
export declare const anthropic: { toAnthropicTool(tool: Described): any; lowerAnthropicToolUse(reply: unknown): ToolCallSpec }
export declare const mcp: { toMcpTool(tool: Described): any; lowerMcpToolsCall(reply: unknown): ToolCallSpec }
export declare const gemini: {
  toGeminiFunctionDeclaration(tool: Described): any
  lowerGeminiFunctionCall(reply: unknown): ToolCallSpec
}

/** Tools translated as a whole for one provider: names that it allows, schemas that it takes, and the way back. */
export declare class Toolset {
  constructor(provider: 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'mcp', tools: Iterable<Described>)
  readonly tools: any[]
  readonly warnings: { tool: string; place: string; message: string }[]
  calls(reply: unknown): { name: string; arguments?: any; callId: string | undefined; error?: string }[]
  messages(replies: Iterable<{ name: string; callId?: string; result: unknown; isError?: boolean }>): any[]
}

/** Something failed; `kind` is the stable word for what, `status` the host's number when a host answered with one. */
export declare class ToolmeshError extends Error {
  readonly kind: string
  readonly status: number | undefined
}
export declare class NoRoute extends ToolmeshError {}
export declare class DeadlineExceeded extends ToolmeshError {}
export declare class CallCancelled extends ToolmeshError {}
export declare class CapabilityDenied extends ToolmeshError {}
export declare class InvalidArguments extends ToolmeshError {}
export declare class ToolFailed extends ToolmeshError {}
export declare class ServerError extends ToolmeshError {}
export declare class TransportError extends ToolmeshError {}
export declare class InvalidJson extends ToolmeshError {}
export declare class InvalidInput extends ToolmeshError {}
export declare class AlreadyServing extends ToolmeshError {}
export declare class ConfigurationError extends ToolmeshError {}
export declare class Closed extends ToolmeshError {}
export declare class SystemFault extends ToolmeshError {}

/** Thrown by a handler: its text reaches the caller as it is. The text of any other error does not leave the process. */
export declare class ToolError extends Error {
  constructor(message: string, code?: string)
  readonly code: string | undefined
}

/** A model's reply holds no tool call of this provider's form. */
export declare class ToolCallParseError extends Error {}
