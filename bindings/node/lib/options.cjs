'use strict'
// Options as they cross: camelCase here, snake_case there. Whether they are allowed is said there as well, except what would cross
// as something else.

const { fileURLToPath } = require('node:url')
const { stringify } = require('./json.cjs')

const PATHS = { authority: 'authority', certificate: 'certificate', config: 'config', keyFile: 'key_file', privateKey: 'private_key' }

const CALL = {
  deadlineMs: 'deadline_ms',
  stickyKey: 'sticky_key',
  streamWindowInitial: 'stream_window',
  requestHeaders: 'headers',
  idempotencyKey: 'idempotency_key'
}

const LONGEST_INTERVAL_MS = 3_600_000

const given = (options) => Object.entries(options).filter(([, value]) => value !== undefined)

/** A path as a text; files of a program are often named by URLs. */
const pathOf = (path) => (path instanceof URL ? fileURLToPath(path) : path)

function object(options, what) {
  if (options === undefined) return {}
  if (options === null || typeof options !== 'object' || Array.isArray(options)) throw new TypeError(`${what} are an object`)
  return options
}

/** How a node is set up. */
function nodeOptions(options) {
  const wire = {}
  for (const [name, value] of given(object(options, 'the options of a node'))) {
    if (name === 'key') wire.key = keyOf(value)
    else if (name === 'sources' && Array.isArray(value)) wire.sources = value.map(pathOf)
    else wire[PATHS[name] ?? name] = name in PATHS ? pathOf(value) : value
  }
  return stringify(wire)
}

/** What is watched. */
function watchOptions(options) {
  const { matcher, intervalMs, signal, background = false, ...unknown } = object(options, 'the options of a watch')
  const [name] = Object.keys(unknown)
  if (name !== undefined) throw new TypeError(`a watch has no option \`${name}\``)
  checkSignal(signal)
  if (intervalMs !== undefined && !(Number.isInteger(intervalMs) && intervalMs >= 0 && intervalMs <= LONGEST_INTERVAL_MS)) {
    throw new TypeError('`intervalMs` is a whole number of milliseconds, at most an hour')
  }
  return { matcher, intervalMs, signal, background }
}

/** What an MCP server says of itself. */
function serverInfo(info) {
  const { name = 'toolmesh', version = '0', ...unknown } = object(info, 'the words of a server about itself')
  const [other] = Object.keys(unknown)
  if (other !== undefined) throw new TypeError(`a server says nothing of itself as \`${other}\``)
  if (typeof name !== 'string' || typeof version !== 'string') throw new TypeError('`name` and `version` of a server are texts')
  return { name, version }
}

/** The number of a node. */
function numberOf(node) {
  if (typeof node === 'bigint') return node
  if (Number.isSafeInteger(node)) return BigInt(node)
  throw new TypeError('a node is named by its number, `node.id` for instance')
}

function checkSignal(signal) {
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError('`signal` is an AbortSignal')
}

/** Where a server listens. */
function addressOf(address) {
  if (typeof address === 'string' || Number.isInteger(address)) return String(address)
  throw new TypeError('the address is HOST:PORT, :PORT or a port')
}

/** The name of a tool. */
function named(tool) {
  if (typeof tool === 'string') return tool
  throw new TypeError('a tool is called by its name')
}

function keyOf(key) {
  if (key instanceof Uint8Array) return Buffer.from(key).toString('hex')
  throw new TypeError('`key` is a Uint8Array of 32 bytes; for a file with 64 hexadecimal digits there is `keyFile`')
}

/** How a call is made. */
function callOptions(options) {
  const { signal, ...rest } = object(options, 'the options of a call')
  checkSignal(signal)
  return stringify(Object.fromEntries(given(rest).map(([name, value]) => [CALL[name] ?? name, value])))
}

module.exports = { addressOf, callOptions, named, nodeOptions, numberOf, serverInfo, watchOptions }
