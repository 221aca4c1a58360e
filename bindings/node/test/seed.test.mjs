// The examples of the seed, with the functions that it calls.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  Node, callTool, callToolStreaming, fetchToolMetadata, listTools, openai, serveTool, serveToolStreaming, watchTools
} from 'toolmesh'
import { all, withNodes } from './support.mjs'

test('the example of a host and its caller', () =>
  withNodes(async (host, agent) => {
    const options = {
      name: 'web_search',
      description: 'Search the web for relevant pages.',
      inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
      tags: ['web', 'research'],
      estimatedTimeMs: 500
    }
    const handle = serveTool(host, options, async (req) => ({ results: [`hit for ${req.query}`] }))
    const tools = listTools(agent)
    const told = tools.map((one) => [one.toolId, one.tags, one.estimatedTimeMs, one.streaming])
    assert.deepEqual(told, [['web_search', ['web', 'research'], 500, false]])
    const [tool] = tools.map(openai.toOpenaiTool)
    const call = { name: tool.function.name, arguments: '{"query":"mesh"}' }
    const spec = openai.lowerOpenaiToolCall({ id: 'c1', type: 'function', function: call })
    const result = await callTool(agent, spec.name, JSON.parse(spec.argumentsJson))
    assert.deepEqual(result, { results: ['hit for mesh'] })
    const meta = await fetchToolMetadata(agent, host.id, 'web_search')
    assert.equal(meta.type, 'found')
    assert.equal(JSON.parse(meta.descriptor.inputSchema).type, 'object')
    handle.close()
    assert.deepEqual(listTools(agent), [])
  }))

test('the example of a watch with its interval', () =>
  withNodes(async (host, agent) => {
    const told = []
    const changes = watchTools(agent, { intervalMs: 250 })
    const handle = serveTool(host, { name: 'comes' }, () => null)
    for await (const change of changes) {
      told.push([change.type, change.descriptor.toolId])
      if (change.type === 'removed') break
      handle.close()
    }
    assert.deepEqual(told, [['added', 'comes'], ['removed', 'comes']])
  }))

test('peers see that a tool streams, and how many serve it', async () => {
  const [key, nodes] = [randomBytes(32), []]
  for (let n = 0; n < 3; n += 1) nodes.push(await Node.start({ key, engine: 'memory' }))
  const [a, b, agent] = nodes
  async function* counts() {
    yield { type: 'result', data: 1 }
  }
  try {
    const changes = watchTools(agent)
    serveToolStreaming(a, { name: 'counts' }, counts)
    const { value: added } = await changes.next()
    assert.deepEqual([added.type, added.descriptor.streaming], ['added', true])
    serveToolStreaming(b, { name: 'counts' }, counts)
    const { value: more } = await changes.next()
    assert.deepEqual([more.type, more.prevNodeCount, more.descriptor.nodeCount], ['node_count_changed', 1, 2])
    await changes.return()
  } finally {
    for (const node of nodes) node.close()
  }
})

test('a handler that answers once tells of its progress', () =>
  withNodes(async (host, agent) => {
    host.serveTool({ name: 'slow' }, async (_, context) => {
      await context.progress(50, 'half')
      return 'done'
    })
    const told = await all(callToolStreaming(agent, 'slow'))
    const expected = [{ type: 'progress', pct: 50, message: 'half' }, { type: 'result', data: 'done' }]
    assert.deepEqual(told.slice(1), expected)
  }))
