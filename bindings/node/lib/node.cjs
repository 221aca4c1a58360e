'use strict'
// A node: a whole Toolmesh program.

const native = require('./native.cjs')
const { descriptorFrom, fromWire, toWire } = require('./descriptor.cjs')
const { raising } = require('./errors.cjs')
const { begin } = require('./handler.cjs')
const { parse, stringify } = require('./json.cjs')
const { addressOf, callOptions, named, nodeOptions, numberOf, serverInfo, watchOptions } = require('./options.cjs')
const { parsedBy } = require('./schema.cjs')
const { changeFrom, read, readable } = require('./streams.cjs')
const { started } = require('./waiting.cjs')

// They leave the mesh at the end of the program at the latest, however it ends, so that others see their tools go.
const openNodes = new Set()
process.on('exit', () => openNodes.forEach((node) => node.close()))

// What asks a program to end; the first time it may do so in its own way.
const REQUESTS_TO_END = ['SIGINT', 'SIGTERM']
// The longest time that a timer takes: it is there to keep the program running, not to do anything.
const LONGEST_MS = 2 ** 31 - 1

const TOOL_METADATA_FETCH_SERVICE = 'tool.metadata.fetch'

/** A tool that is served. */
class ToolServeHandle {
  #served
  #closed
  constructor(served, descriptor, closed) {
    this.#served = served
    this.#closed = closed
    this.descriptor = descriptor
  }

  close() {
    this.#served.close()
    this.#closed(this)
  }

  [Symbol.dispose ?? Symbol.for('dispose')]() {
    this.close()
  }
}

/** An MCP server on a port. */
class McpServer {
  #endpoint
  #closed
  constructor(endpoint, url, closed) {
    this.#endpoint = endpoint
    this.#closed = closed
    this.url = url
  }

  async close() {
    await started((told) => this.#endpoint.close(told))
    this.#closed(this)
  }
}

const matched = (matcher) => (matcher === undefined ? undefined : stringify(matcher))

class Node {
  #native
  // What nobody keeps is served until the node is closed.
  #handles = new Set()
  #servers = new Set()
  // Those who wait for the end.
  #waiting = new Set()

  constructor(made = undefined) {
    if (!(made instanceof native.Node)) throw new TypeError('a node is started: await Node.start(...)')
    this.#native = made
    openNodes.add(this)
  }

  static async start(options = undefined) {
    const how = nodeOptions(options)
    const made = new native.Node()
    await started((told) => made.start(how, told))
    return new Node(made)
  }

  get id() {
    return raising(() => this.#native.id)
  }

  get listensAt() {
    return raising(() => this.#native.listensAt).map((place) => place.slice(place.lastIndexOf('/') + 1))
  }

  serveTool(options, handler) {
    return this.#serve(options, handler, options?.streaming ?? false)
  }

  serveToolStreaming(options, handler) {
    return this.#serve(options, handler, true)
  }

  #serve(options, handler, streaming) {
    if (typeof handler !== 'function') throw new TypeError('a handler is a function of the arguments and the context')
    const descriptor = { ...descriptorFrom(options), streaming }
    const run = options.inputSchema?.['~standard'] === undefined ? handler : parsing(options.inputSchema, handler)
    const served = raising(() => this.#native.serve(stringify(toWire(descriptor)), begin(run, streaming)))
    const handle = new ToolServeHandle(served, descriptor, (closed) => this.#handles.delete(closed))
    this.#handles.add(handle)
    return handle
  }

  async callTool(tool, args = {}, options = undefined) {
    const [given, how] = [stringify(args), callOptions(options)]
    return parse(await started((told) => this.#native.call(named(tool), given, how, told), options?.signal))
  }

  callToolStreaming(tool, args = {}, options = undefined) {
    return readable(this.#open(tool, args, options))
  }

  async #open(tool, args, options) {
    const [given, how] = [stringify(args), callOptions(options)]
    const events = raising(() => this.#native.callStreaming(named(tool), given, how))
    try {
      await started((told) => events.open(told), options?.signal)
    } catch (error) {
      events.cancel() // It may have been opened meanwhile.
      throw error
    }
    return read(events, (event) => event, options?.signal)
  }

  listTools(matcher = undefined) {
    return parse(raising(() => this.#native.list(matched(matcher)))).map(fromWire)
  }

  watchTools(options = undefined) {
    const { matcher, intervalMs, signal, background } = watchOptions(options)
    const changes = raising(() => this.#native.watch(matched(matcher), intervalMs))
    const next = background ? (told) => changes.nextInBackground(told) : (told) => changes.next(told)
    return read(changes, changeFrom, signal, next)
  }

  async describeTool(tool, options = undefined) {
    const how = callOptions(options)
    return fromWire(parse(await started((told) => this.#native.describe(named(tool), how, told), options?.signal)))
  }

  async fetchToolMetadata(node, tool) {
    const answer = parse(await started((told) => this.#native.fetchMetadata(numberOf(node), named(tool), told)))
    return answer.type === 'found' ? { ...answer, descriptor: fromWire(answer.descriptor) } : answer
  }

  hosts(tool, options = undefined) {
    return raising(() => this.#native.hosts(named(tool), callOptions(options)))
  }

  async serveMcp(address = '127.0.0.1:0', info = undefined) {
    let endpoint
    const [place, { name, version }] = [addressOf(address), serverInfo(info)]
    const url = await started((told) => (endpoint = this.#native.serveMcp(place, name, version, told)))
    const server = new McpServer(endpoint, url, (closed) => this.#servers.delete(closed))
    this.#servers.add(server)
    return server
  }

  async serveMcpStdio(info = undefined) {
    const { name, version } = serverInfo(info)
    await started((told) => this.#native.serveMcpStdio(name, version, told))
  }

  async untilClosed() {
    if (!openNodes.has(this)) return
    const close = () => this.close()
    const running = setInterval(() => {}, LONGEST_MS)
    for (const signal of REQUESTS_TO_END) process.on(signal, close)
    await new Promise((resolve) => this.#waiting.add(resolve))
    clearInterval(running)
    for (const signal of REQUESTS_TO_END) process.off(signal, close)
  }

  close() {
    for (const handle of this.#handles) handle.close()
    this.#native.close()
    this.#servers.clear()
    openNodes.delete(this)
    for (const told of this.#waiting) told()
    this.#waiting.clear()
  }

  [Symbol.dispose ?? Symbol.for('dispose')]() {
    this.close()
  }
}

/** A handler that gets what the program's schema makes of the arguments: defaults, transforms. */
function parsing(schema, handler) {
  return async (args, context) => handler(await parsedBy(schema, args), context)
}

module.exports = { McpServer, Node, TOOL_METADATA_FETCH_SERVICE, ToolServeHandle }
