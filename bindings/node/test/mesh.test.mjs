import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidInput, NoRoute } from 'toolmesh'
import { withNodes } from './support.mjs'

test('serving announces and closing withdraws', () =>
  withNodes(async (host, agent) => {
    const changes = agent.watchTools()
    const first = changes.next()
    const served = host.serveTool({ name: 'hello', description: 'Says hello.', tags: ['greeting'] }, () => null)
    const { value: added } = await first
    assert.equal(added.type, 'added')
    assert.deepEqual([added.descriptor.toolId, added.descriptor.description, added.descriptor.tags], ['hello', 'Says hello.', ['greeting']])
    served.close()
    assert.equal((await changes.next()).value.type, 'removed')
    await changes.return()
    assert.deepEqual(agent.listTools(), [])
  }))

test('a tool whose handle is not kept stays until its node is closed', () =>
  withNodes(async (host, agent) => {
    host.serveTool({ name: 'hello' }, () => 1)
    globalThis.gc?.()
    assert.equal(await agent.callTool('hello'), 1)
    host.close()
    assert.deepEqual(agent.listTools(), [])
  }))

test('a signal ends a watch', () =>
  withNodes(async (_, agent) => {
    const controller = new AbortController()
    const next = agent.watchTools({ signal: controller.signal }).next()
    controller.abort()
    assert.deepEqual(await next, { done: true, value: undefined })
  }))

test('matchers and versions choose', () =>
  withNodes(async (host, agent) => {
    host.serveTool({ name: 'v', version: '1.0.0' }, () => 1)
    host.serveTool({ name: 'v', version: '2.0.0' }, () => 2)
    assert.equal(agent.listTools({ kind: 'prefix', value: 'region.eu' }).length, 2)
    assert.deepEqual(agent.listTools({ kind: 'exact', value: 'region.us' }), [])
    assert.throws(() => agent.listTools({ kind: 'regex', pattern: '(' }), InvalidInput)
    assert.equal(await agent.callTool('v'), 2)
    assert.equal(await agent.callTool('v', {}, { version: '^1' }), 1)
    await assert.rejects(agent.callTool('v', {}, { version: '^3' }), NoRoute)
    assert.deepEqual(agent.hosts('v'), [host.id])
  }))

test('a schema of 100 KB is fetched', () =>
  withNodes(async (host, agent) => {
    const $comment = 'x'.repeat(100_000)
    host.serveTool({ name: 'big', inputSchema: { type: 'object', $comment } }, () => null)
    assert.equal(agent.listTools()[0].inputSchema, null)
    assert.ok((await agent.describeTool('big')).inputSchema.includes($comment))
    const found = await agent.fetchToolMetadata(host.id, 'big')
    assert.equal(found.type, 'found')
    assert.ok(found.descriptor.inputSchema.includes($comment))
    assert.deepEqual(await agent.fetchToolMetadata(host.id, 'none'), { type: 'not_found', name: 'none' })
  }))
