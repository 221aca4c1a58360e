// Every kind of matcher, every option of a call, and what is wrong with options.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { InvalidInput, Node } from 'toolmesh'
import { gate, withNodes } from './support.mjs'

const tags = ['region.eu', 'hardware.gpu=h100', 'software.python=3.12.1']
const range = { kind: 'version_range', axis_key: 'software.python' }
const matchers = [
  [{ kind: 'exact', value: 'region.eu' }, { kind: 'exact', value: 'region' }],
  [{ kind: 'prefix', value: 'region.' }, { kind: 'prefix', value: 'egion' }],
  [{ kind: 'axis', axis: 'hardware' }, { kind: 'axis', axis: 'dataforts' }],
  [{ kind: 'axis_key', axis: 'hardware', key: 'gpu' }, { kind: 'axis_key', axis: 'hardware', key: 'cpu' }],
  [{ kind: 'regex', pattern: 'gpu=h.00' }, { kind: 'regex', pattern: '^gpu' }],
  [{ ...range, min: '3.10.0', max: null }, { ...range, max: '3.11.0' }]
]

for (const [matcher, other] of matchers) {
  test(`the matcher ${matcher.kind} chooses nodes`, async () => {
    const node = await Node.start({ tags })
    try {
      const change = node.watchTools({ matcher }).next()
      node.serveTool({ name: 'one' }, () => null)
      assert.equal(node.listTools(matcher).length, 1)
      assert.deepEqual(node.listTools(other), [])
      assert.equal((await change).value.type, 'added')
    } finally {
      node.close()
    }
  })
}

test('routing and predicates choose the host', async () => {
  const [key, engine] = [randomBytes(32), 'memory']
  const [a, b, agent] = [
    await Node.start({ key, engine }),
    await Node.start({ key, engine, tags: ['hardware.gpu=h100'] }),
    await Node.start({ key, engine })
  ]
  try {
    for (const host of [a, b]) host.serveTool({ name: 'id' }, () => host.id)
    const chosen = async (options) => {
      const ids = new Set()
      for (let n = 0; n < 8; n += 1) ids.add(BigInt(await agent.callTool('id', {}, options)))
      return [...ids].sort()
    }
    const both = [a.id, b.id].sort()
    assert.deepEqual(await chosen({ routing: 'round_robin' }), both)
    assert.deepEqual(await chosen(), both)
    assert.equal((await chosen({ routing: 'sticky', stickyKey: 2n ** 64n - 1n })).length, 1)
    for (const routing of ['random', 'lowest_latency']) {
      for (const id of await chosen({ routing })) assert.ok(both.includes(id))
    }
    const where = { nodes: [{ kind: 'exists', key: { axis: 'hardware', key: 'gpu' } }], root_idx: 0 }
    assert.deepEqual(await chosen({ where }), [b.id])
    assert.deepEqual(agent.hosts('id', { where }), [b.id])
    await assert.rejects(chosen({ routing: 'nearest' }), { name: 'InvalidInput', message: /lowest_latency/ })
  } finally {
    for (const node of [a, b, agent]) node.close()
  }
})

test('the window of a stream holds its host back', () =>
  withNodes(async (host, agent) => {
    const made = gate()
    let [taken, ahead] = [0, 0]
    host.serveTool({ name: 'same' }, (args) => args)
    host.serveToolStreaming({ name: 'counts' }, async function* () {
      for (let number = 0; number < 100; number += 1) {
        ahead = Math.max(ahead, number - taken)
        // Small events go together; each of these takes a credit.
        yield { type: 'delta', data: 'x'.repeat(16 * 1024) }
      }
      made.open()
      yield { type: 'result', data: null }
    })
    const unread = await agent.callToolStreaming('counts')
    // The window unless said has room for all.
    await made.opened
    await unread.return()
    ahead = 0
    for await (const _ of agent.callToolStreaming('counts', {}, { streamWindowInitial: 1 })) {
      await agent.callTool('same') // It reads slowly.
      taken += 1
    }
    assert.ok(ahead <= 16, `${ahead}`)
  }))

test('a stream is read with or without awaiting it first', () =>
  withNodes(async (host, agent) => {
    const result = { type: 'result', data: 1 }
    host.serveToolStreaming({ name: 'one' }, () => [result])
    for (const stream of [agent.callToolStreaming('one'), await agent.callToolStreaming('one')]) {
      let last
      for await (const event of stream) last = event
      assert.deepEqual(last, result)
    }
    await assert.rejects(async () => {
      for await (const _ of agent.callToolStreaming('none')) assert.fail('there is nobody to send this')
    }, { name: 'NoRoute' })
  }))

test('what is wrong with options is said by its name', () =>
  withNodes(async (host) => {
    await assert.rejects(Node.start({ nmae: 'x' }), { name: 'InvalidInput', message: /nmae/ })
    await assert.rejects(Node.start({ connect: ['127.0.0.1:1'] }), { name: 'InvalidInput', message: /`connect`.*`key`/ })
    await assert.rejects(Node.start({ key: '00'.repeat(32) }), { name: 'TypeError', message: /`keyFile`/ })
    await assert.rejects(Node.start('node'), TypeError)
    const refused = [
      [{ name: 'x', inputschema: {} }, /`inputschema`/],
      [{ name: 'x', tags: 'web' }, /`tags`.*a list of texts/],
      [{ name: 'x', stateless: 'no' }, /`stateless`.*true or false/]
    ]
    for (const [options, message] of refused) {
      assert.throws(() => host.serveTool(options, () => null), (error) => {
        assert.ok(error instanceof InvalidInput)
        assert.match(error.message, message)
        return true
      })
    }
    for (const options of ['x', undefined, []]) assert.throws(() => host.serveTool(options, () => null), TypeError)
    await assert.rejects(host.callTool('x', {}, { signal: 5 }), { name: 'TypeError', message: /AbortSignal/ })
    assert.throws(() => host.watchTools({ interval: 5 }), { name: 'TypeError', message: /`interval`/ })
    assert.throws(() => host.serveTool({}, () => null), { name: 'InvalidInput', message: /needs a `name`/ })
    await assert.rejects(host.serveMcp({ port: 0 }), { name: 'TypeError', message: /HOST:PORT/ })
    await (await host.serveMcp(0)).close()
    for (const intervalMs of ['x', -1, 1.5, 1e300, NaN, null]) {
      assert.throws(() => host.watchTools({ intervalMs }), { name: 'TypeError', message: /`intervalMs`/ })
    }
    for (const info of [null, 5, { name: 5 }, { version: null }, { title: 'x' }]) {
      await assert.rejects(host.serveMcp(0, info), TypeError)
      await assert.rejects(host.serveMcpStdio(info), TypeError)
    }
    for (const number of ['x', '5', 1.5, NaN, undefined, null, {}]) {
      await assert.rejects(host.fetchToolMetadata(number, 'x'), { name: 'TypeError', message: /number/ })
    }
    for (const number of [-1, -1n, 2n ** 64n]) await assert.rejects(host.fetchToolMetadata(number, 'x'), InvalidInput)
    assert.throws(() => new Node(), { name: 'TypeError', message: /Node\.start/ })
    await assert.rejects(host.callTool(7), { name: 'TypeError', message: /by its name/ })
    await assert.rejects(host.callTool('x', {}, 'fast'), { name: 'TypeError', message: /options of a call/ })
    assert.throws(() => host.serveTool({ name: 'x' }), { name: 'TypeError', message: /handler/ })
  }))
