import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import * as toolmesh from 'toolmesh'
import { all, example, gate, withNodes } from './support.mjs'

const require = createRequire(import.meta.url)

const typed = {
  name: 'typed',
  inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  outputSchema: { type: 'string' }
}

test('no digit is lost in either direction', () =>
  withNodes(async (host, agent) => {
    host.serveTool({ name: 'same' }, (args) => args)
    const exact = { n: 2n ** 200n, deep: [{ m: -(2n ** 64n) }], small: 9007199254740991, text: '"\u2028 12345678901234567890' }
    assert.deepEqual(await agent.callTool('same', exact), exact)
    await assert.rejects(agent.callTool('same', { n: NaN }), TypeError)
  }))

test('a long text is read beside a number that needs every digit', () => {
  const { parse } = require(require.resolve('toolmesh').replace(/index\.cjs$/, 'json.cjs'))
  for (const long of ['x'.repeat(9_000_000), '\\"'.repeat(4_500_000), '\\\\'.repeat(10)]) {
    const { text, n } = parse(`{"text":"${long}","n":18446744073709551616}`)
    assert.ok(text === JSON.parse(`"${long}"`) && n === 2n ** 64n)
  }
})

test('what has no JSON form is refused in both directions', (t) =>
  withNodes(async (host, agent) => {
    t.mock.method(console, 'error', () => {})
    const formless = {
      map: new Map([[1, 2]]),
      set: new Set([1]),
      buffer: new ArrayBuffer(3),
      bytes: new Uint8Array(3),
      generator: (function* () {})(),
      generators: (async function* () {})(),
      promise: Promise.resolve(1),
      pattern: /x/,
      error: new Error('x')
    }
    for (const [name, value] of Object.entries(formless)) {
      host.serveTool({ name }, () => ({ deep: [value] }))
      await assert.rejects(agent.callTool(name), toolmesh.ToolFailed, name)
      await assert.rejects(agent.callTool(name, { value }), { name: 'TypeError', message: /no JSON form/ }, name)
    }
    class Point {
      x = 1
      toJSON() {
        return { at: this.x }
      }
    }
    host.serveTool({ name: 'forms' }, () => [new Point(), new Date(0), Object.create(null), Buffer.from('x'), -0])
    const expected = [{ at: 1 }, '1970-01-01T00:00:00.000Z', {}, { type: 'Buffer', data: [120] }, 0]
    assert.deepEqual(await agent.callTool('forms'), expected)
  }))

test('every fault is a class of its own', () =>
  withNodes(async (host, agent) => {
    const served = host.serveTool(typed, () => ({ n: 1 }))
    await assert.rejects(agent.callTool('typed', { n: 'x' }), toolmesh.InvalidArguments)
    await assert.rejects(agent.callTool('typed', { n: 1 }), toolmesh.ServerError)
    assert.throws(() => host.serveTool(typed, () => null), toolmesh.AlreadyServing)
    assert.throws(() => host.serveTool({ name: 'Not a name!' }, () => null), toolmesh.InvalidInput)
    await assert.rejects(agent.callTool('typed', {}, { deadline: 1 }), toolmesh.InvalidInput)
    served.close()
    served.close()
    await assert.rejects(agent.callTool('typed', { n: 1 }), toolmesh.NoRoute)
  }))

test('arguments that do not fit are told by their places', () =>
  withNodes(async (host, agent) => {
    host.serveTool(typed, () => '')
    host.serveToolStreaming({ ...typed, name: 'streams', outputSchema: undefined }, () => [])
    const message = "Arguments do not match the tool's inputSchema.\n/n: expected an integer"
    await assert.rejects(agent.callTool('typed', { n: 'x' }), { name: 'InvalidArguments', message })
    const told = await all(await agent.callToolStreaming('streams', { n: 'x' }))
    assert.deepEqual(told.at(-1), { type: 'error', code: 'invalid_arguments', message })
  }))

test('a handler whose result does not fit is run once', () =>
  withNodes(async (host, agent) => {
    let runs = 0
    host.serveTool(typed, () => ((runs += 1), { id: 5 }))
    await assert.rejects(agent.callTool('typed', { n: 1 }), { name: 'ServerError', status: 6 })
    assert.equal(runs, 1)
  }))

test('only a tool error tells its text', (t) =>
  withNodes(async (host, agent) => {
    t.mock.method(console, 'error', () => {})
    host.serveTool({ name: 'no' }, () => {
      throw new toolmesh.ToolError('no such city')
    })
    host.serveTool({ name: 'breaks' }, async () => {
      throw new Error('a secret')
    })
    host.serveTool({ name: 'odd' }, () => () => {})
    await assert.rejects(agent.callTool('no'), { name: 'ToolFailed', message: 'no such city', kind: 'tool_failed' })
    for (const name of ['breaks', 'odd']) {
      await assert.rejects(agent.callTool(name), { name: 'ToolFailed', message: 'the tool failed' })
    }
  }))

test('what a handler finds closed is a failure that the log tells once', (t) =>
  withNodes(async (host, agent) => {
    const log = t.mock.method(console, 'error', () => {})
    const other = await toolmesh.Node.start()
    other.close()
    host.serveTool({ name: 'asks' }, () => other.callTool('any'))
    host.serveToolStreaming({ name: 'streams' }, async function* () {
      yield { type: 'result', data: await other.callTool('any') }
    })
    await assert.rejects(agent.callTool('asks'), { name: 'ToolFailed', message: 'the tool failed' })
    assert.equal(log.mock.callCount(), 1)
    const last = (await all(agent.callToolStreaming('streams'))).at(-1)
    assert.deepEqual(last, { type: 'error', code: 'handler_error', message: 'the tool failed' })
    assert.equal(log.mock.callCount(), 2)
  }))

test('a handler that goes on behind the end of its call is no news', (t) =>
  withNodes(async (host, agent) => {
    const log = t.mock.method(console, 'error', () => {})
    const late = gate()
    host.serveTool({ name: 'goes_on' }, async (_, context) => {
      await context.event({ type: 'result', data: 1 })
      await context.delta(2).finally(late.open)
    })
    assert.equal(await agent.callTool('goes_on'), 1)
    await late.opened
    assert.equal(await agent.callTool('goes_on'), 1)
    assert.equal(log.mock.callCount(), 0)
  }))

test('the context tells of the call', () =>
  withNodes(async (host, agent) => {
    host.serveTool({ name: 'told' }, (_, context) => {
      assert.ok(context.deadlineMs <= 5000)
      return [context.caller.identity, context.caller.transport, context.headers['x-shard'], context.idempotencyKey]
    })
    const options = { deadlineMs: 5000, requestHeaders: { 'x-shard': '7' }, idempotencyKey: 'k1' }
    assert.deepEqual(await agent.callTool('told', {}, options), ['agent', 'mesh', '7', 'k1'])
  }))

test('a deadline ends the call for both', () =>
  withNodes(async (host, agent) => {
    const { open, opened } = gate()
    host.serveTool({ name: 'waits' }, (_, { signal }) => new Promise(() => signal.addEventListener('abort', open)))
    await assert.rejects(agent.callTool('waits', {}, { deadlineMs: 50 }), toolmesh.DeadlineExceeded)
    await opened
  }))

test('an aborted signal reaches the handler, and one that was aborted before makes no call', () =>
  withNodes(async (host, agent) => {
    const [began, seen] = [gate(), gate()]
    let calls = 0
    host.serveTool({ name: 'waits' }, (_, { signal }) => {
      calls += 1
      began.open()
      return new Promise(() => signal.addEventListener('abort', seen.open))
    })
    const controller = new AbortController()
    const call = agent.callTool('waits', {}, { signal: controller.signal })
    await began.opened
    controller.abort()
    await assert.rejects(call, toolmesh.CallCancelled)
    await seen.opened
    await assert.rejects(agent.callTool('waits', {}, { signal: AbortSignal.abort() }), toolmesh.CallCancelled)
    assert.equal(calls, 1)
  }))

test('many calls at once are all answered', () =>
  withNodes(async (host, agent) => {
    host.serveTool({ name: 'double' }, async ({ n }) => n * 2)
    const calls = Array.from({ length: 500 }, (_, n) => agent.callTool('double', { n }))
    assert.deepEqual(await Promise.all(calls), Array.from({ length: 500 }, (_, n) => n * 2))
  }))

test('a closed node says so', () =>
  withNodes(async (host, agent) => {
    agent.close()
    assert.throws(() => agent.listTools(), toolmesh.Closed)
    await assert.rejects(agent.callTool('any'), toolmesh.Closed)
  }))

test('what the types declare is what the package has', () => {
  const types = readFileSync(require.resolve('toolmesh').replace(/index\.cjs$/, 'index.d.cts'), 'utf8')
  const declared = [...types.matchAll(/^export declare (?:class|function|const) (\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(declared.sort(), Object.keys(toolmesh).filter((name) => name !== 'default').sort())
})

test('a contract is a source, and the program an MCP server', async () => {
  const node = await toolmesh.Node.start({ sources: [example('token.json')] })
  try {
    const own = node.serveTool({ name: 'own' }, () => 1)
    const names = node.listTools().map((tool) => tool.toolId)
    assert.ok(names.includes('own') && names.includes('transfer'), names.join())
    const server = await node.serveMcp()
    const request = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const answer = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(request)
    })
    assert.ok(answer.headers.get('content-type'))
    await answer.arrayBuffer()
    await server.close()
    own.close()
  } finally {
    node.close()
  }
  await assert.rejects(toolmesh.Node.start({ sources: ['/nowhere/at/all.json'] }), toolmesh.ConfigurationError)
})
