import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { ToolError, isTerminalEvent } from 'toolmesh'
import { all, gate, vectors, withNodes } from './support.mjs'

test('a generator is a stream and stops at its first terminal event', () =>
  withNodes(async (host, agent) => {
    let wentOn = false
    host.serveToolStreaming({ name: 'counts' }, async function* () {
      yield { type: 'progress', pct: 50, message: 'half' }
      for (let n = 0; n < 100; n += 1) yield { type: 'delta', data: n }
      yield { type: 'result', data: { done: true } }
      wentOn = true
    })
    const told = await all(await agent.callToolStreaming('counts'))
    assert.equal(told[0].type, 'start')
    assert.deepEqual(told.slice(2, -1).map((event) => event.data), Array.from({ length: 100 }, (_, n) => n))
    assert.deepEqual(told.at(-1), { type: 'result', data: { done: true } })
    assert.deepEqual(told.filter(isTerminalEvent).length, 1)
    assert.equal(wentOn, false)
  }))

test('a stream without an end gets one', (t) =>
  withNodes(async (host, agent) => {
    t.mock.method(console, 'error', () => {})
    const cases = [
      [null, 'missing_terminal'],
      [new Error('a secret'), 'handler_error'],
      [new ToolError('the disk is full', 'disk_full'), 'disk_full']
    ]
    for (const [error, code] of cases) {
      const served = host.serveToolStreaming({ name: 'ends' }, function* () {
        yield { type: 'delta', data: 1 }
        if (error) throw error
      })
      const told = await all(await agent.callToolStreaming('ends'))
      assert.deepEqual(told.map((event) => event.type), ['start', 'delta', 'error'])
      assert.equal(told.at(-1).code, code)
      assert.ok(!told.at(-1).message.includes('secret'))
      served.close()
    }
  }))

test('leaving the loop reaches the handler', () =>
  withNodes(async (host, agent) => {
    const { open, opened } = gate()
    const { open: end, opened: ended } = gate()
    host.serveToolStreaming({ name: 'endless' }, async function* (_, { signal }) {
      signal.addEventListener('abort', open)
      try {
        for (let n = 0; ; n += 1) yield { type: 'delta', data: n }
      } finally {
        end(signal.aborted)
      }
    })
    for await (const event of await agent.callToolStreaming('endless')) {
      if (event.type === 'delta' && event.data === 10) break
    }
    await opened
    assert.equal(await ended, true)
  }))

for (const { name, wire, is_terminal } of vectors('tool_event_vectors').cases) {
  test(`events cross as every language writes them: ${name}`, () =>
    withNodes(async (host, agent) => {
      host.serveToolStreaming({ name: 'sends' }, function* () {
        yield wire
        yield { type: 'result', data: null }
      })
      const told = await all(await agent.callToolStreaming('sends'))
      assert.equal(isTerminalEvent(wire), is_terminal)
      if (wire.type === 'start' && wire.call_id === undefined) delete told[0].call_id // The host numbers the call.
      assert.ok(told.some((event) => isDeepStrictEqual(event, wire)), JSON.stringify(told))
    }))
}
