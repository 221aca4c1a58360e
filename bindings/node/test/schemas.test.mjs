// Schemas of zod, which is the program's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidArguments, ServerError, ToolFailed, descriptorFrom } from 'toolmesh'
import { all, installed, withNodes } from './support.mjs'

const { z } = installed('zod')

const query = z.object({
  query: z.string().describe('What to look for.'),
  limit: z.number().int().max(50).default(10),
  order: z.enum(['new', 'best']).optional()
})

test('a zod schema is announced as JSON Schema', () => {
  const { inputSchema } = descriptorFrom({ name: 'search', inputSchema: query })
  assert.deepEqual(inputSchema.required, ['query'])
  assert.equal(inputSchema.properties.query.description, 'What to look for.')
  assert.deepEqual(inputSchema.properties.order.enum, ['new', 'best'])
  assert.equal(inputSchema.properties.limit.default, 10)
})

test('a handler gets what zod makes of the arguments', () =>
  withNodes(async (host, agent) => {
    const trimmed = query.extend({ query: z.string().transform((text) => text.trim()) })
    host.serveTool({ name: 'search', inputSchema: trimmed }, (args) => args)
    assert.deepEqual(await agent.callTool('search', { query: '  mesh ' }), { query: 'mesh', limit: 10 })
    host.serveToolStreaming({ name: 'pages', inputSchema: trimmed }, async function* ({ limit }) {
      yield { type: 'result', data: limit }
    })
    assert.equal((await all(await agent.callToolStreaming('pages', { query: '' }))).at(-1).data, 10)
  }))

test('arguments that zod does not take reach no handler', () =>
  withNodes(async (host, agent) => {
    let calls = 0
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0, 'an even number, please') })
    host.serveTool({ name: 'half', inputSchema: even }, ({ n }) => ((calls += 1), n / 2))
    host.serveToolStreaming({ name: 'halves', inputSchema: even }, function* ({ n }) {
      calls += 1
      yield { type: 'result', data: n / 2 }
    })
    await assert.rejects(agent.callTool('half', { n: 'x' }), InvalidArguments)
    // What JSON Schema cannot say is checked by zod itself, in its words.
    await assert.rejects(agent.callTool('half', { n: 3 }), (error) => {
      assert.ok(error instanceof ToolFailed)
      assert.equal(error.message, 'the arguments are refused: /n: an even number, please')
      return true
    })
    const refused = (await all(await agent.callToolStreaming('halves', { n: 3 }))).at(-1)
    assert.deepEqual([refused.type, refused.code], ['error', 'invalid_arguments'])
    assert.equal(calls, 0)
    assert.equal(await agent.callTool('half', { n: 4 }), 2)
  }))

test('a result that a zod schema forbids does not leave', () =>
  withNodes(async (host, agent) => {
    host.serveTool({ name: 'count', outputSchema: z.object({ n: z.number() }) }, () => ({ n: 'many' }))
    await assert.rejects(agent.callTool('count'), ServerError)
  }))

test('a type that has no JSON Schema is a TypeError that says why', () => {
  for (const make of [(inputSchema) => descriptorFrom({ name: 'x', inputSchema }), (outputSchema) => descriptorFrom({ name: 'x', outputSchema })]) {
    assert.throws(() => make(z.object({ at: z.date() })), (error) => {
      assert.ok(error instanceof TypeError && error.cause instanceof Error)
      assert.match(error.message, /zod.*[Dd]ate/)
      return true
    })
  }
})

test('a schema of a library that tells no JSON Schema is refused by its name', () => {
  const inputSchema = { '~standard': { vendor: 'other', version: 1 } }
  assert.throws(() => descriptorFrom({ name: 'search', inputSchema }), /other/)
})
