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

/** Serves an endless stream; the calls whose handlers have ended are told. */
function endless(host) {
  const ended = new Map()
  const endOf = (id) => ended.get(id) ?? ended.set(id, gate()).get(id)
  host.serveToolStreaming({ name: 'endless' }, async function* ({ id }) {
    try {
      for (let n = 0; ; n += 1) yield { type: 'delta', data: n }
    } finally {
      endOf(id).open()
    }
  })
  return (id) => endOf(id).opened
}

test('a stream that nobody has read is cancelled by its signal, by return, by throw and by disposal', () =>
  withNodes(async (host, agent) => {
    const ended = endless(host)
    const open = (id, options) => agent.callToolStreaming('endless', { id }, options)
    const controller = new AbortController()
    const aborted = await open('aborted', { signal: controller.signal })
    controller.abort()
    await ended('aborted')
    assert.deepEqual((await all(aborted)).map(({ type, code }) => [type, code]), [['error', 'cancelled']])
    const returned = await open('returned')
    assert.deepEqual(await returned.return(), { value: undefined, done: true })
    await ended('returned')
    assert.equal((await returned.next()).done, true)
    const thrown = await open('thrown')
    await assert.rejects(thrown.throw(new RangeError('enough')), RangeError)
    await ended('thrown')
    const disposed = await open('disposed')
    await disposed[Symbol.asyncDispose]()
    await ended('disposed')
  }))

test('a signal is listened to once, however many calls it is for, and not any more when they have ended', (t) =>
  withNodes(async (host, agent) => {
    const ended = endless(host)
    const { signal } = new AbortController()
    const [added, removed] = ['addEventListener', 'removeEventListener'].map((name) => t.mock.method(signal, name).mock)
    host.serveTool({ name: 'same' }, (args) => args)
    const streams = []
    for (let id = 0; id < 5; id += 1) streams.push(await agent.callToolStreaming('endless', { id }, { signal }))
    await Promise.all(Array.from({ length: 50 }, () => agent.callTool('same', {}, { signal })))
    for (const stream of streams) await stream.return()
    for (const id of streams.keys()) await ended(id)
    assert.equal(added.callCount(), removed.callCount())
    const before = added.callCount()
    const calls = Array.from({ length: 50 }, () => agent.callTool('same', {}, { signal }))
    assert.equal(added.callCount(), before + 1)
    await Promise.all(calls)
    assert.equal(removed.callCount(), before + 1)
  }))

test('a promise of a generator is a stream too', () =>
  withNodes(async (host, agent) => {
    host.serveToolStreaming({ name: 'later' }, async () =>
      (async function* () {
        yield { type: 'delta', data: 1 }
        yield { type: 'result', data: 2 }
      })()
    )
    const told = await all(await agent.callToolStreaming('later'))
    assert.deepEqual(told.map(({ type, data }) => [type, data]).slice(1), [['delta', 1], ['result', 2]])
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

test('events that nobody awaits come in their order, and before the end', () =>
  withNodes(async (host, agent) => {
    const many = 100
    const deltas = Array.from({ length: many }, (_, data) => ({ type: 'delta', data }))
    host.serveToolStreaming({ name: 'ends' }, (_, context) => {
      for (const { data } of deltas) context.delta(data)
      return 1
    })
    host.serveToolStreaming({ name: 'yields' }, function* (_, context) {
      for (const { data } of deltas.slice(0, -1)) context.delta(data)
      yield deltas.at(-1)
      yield { type: 'result', data: 1 }
    })
    host.serveToolStreaming({ name: 'fails' }, (_, context) => {
      for (const { data } of deltas) context.delta(data)
      throw new ToolError('no')
    })
    const result = { type: 'result', data: 1 }
    const ends = { ends: result, yields: result, fails: { type: 'error', code: 'handler_error', message: 'no' } }
    for (const [name, end] of Object.entries(ends)) {
      assert.deepEqual((await all(agent.callToolStreaming(name))).slice(1), [...deltas, end], name)
    }
    host.serveToolStreaming({ name: 'half' }, (_, context) => {
      context.progress(50)
      return 1
    })
    for (let n = 0; n < 200; n += 1) {
      const told = (await all(agent.callToolStreaming('half'))).map(({ type }) => type)
      assert.deepEqual(told, ['start', 'progress', 'result'])
    }
  }))

test('an event that is refused is told to whoever awaits it, and to the log once', (t) =>
  withNodes(async (host, agent) => {
    const log = t.mock.method(console, 'error', () => {})
    const data = new Map()
    host.serveToolStreaming({ name: 'waits' }, async (_, context) => {
      await context.delta(data)
    })
    host.serveToolStreaming({ name: 'goes_on' }, (_, context) => {
      context.delta(1)
      context.delta(data)
      context.delta(2)
      return 3
    })
    const failed = { type: 'error', code: 'handler_error', message: 'the tool failed' }
    assert.deepEqual((await all(agent.callToolStreaming('waits'))).slice(1), [failed])
    assert.equal(log.mock.callCount(), 1)
    const went = (await all(agent.callToolStreaming('goes_on'))).slice(1)
    assert.deepEqual(went.map(({ data }) => data), [1, 2, 3])
    assert.equal(log.mock.callCount(), 2)
  }))
