import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import * as toolmesh from 'toolmesh'
import { vectors, withNodes } from './support.mjs'

const golden = vectors('golden_vectors')
const { openai, anthropic, mcp, gemini, ToolCallParseError, Toolset } = toolmesh
const to = {
  openai: openai.toOpenaiTool,
  anthropic: anthropic.toAnthropicTool,
  mcp: mcp.toMcpTool,
  gemini: gemini.toGeminiFunctionDeclaration
}
const lower = {
  openai: openai.lowerOpenaiToolCall,
  anthropic: anthropic.lowerAnthropicToolUse,
  mcp: mcp.lowerMcpToolsCall,
  gemini: gemini.lowerGeminiFunctionCall
}

const described = ({ input_schema_object, output_schema_object, ...descriptor }) => ({
  ...descriptor,
  input_schema: input_schema_object && JSON.stringify(input_schema_object),
  output_schema: output_schema_object && JSON.stringify(output_schema_object)
})

for (const { name, input } of golden.descriptors) {
  test(`descriptors cross as everywhere: ${name}`, () =>
    withNodes(async (host, agent) => {
      const { tool_id, input_schema_object, output_schema_object, estimated_time_ms, node_count: _, ...rest } = input
      const own = { ...rest, toolId: tool_id, estimatedTimeMs: estimated_time_ms }
      host.serveTool({ ...own, inputSchema: input_schema_object, outputSchema: output_schema_object }, () => null)
      const { inputSchema, outputSchema, ...told } = await agent.describeTool(tool_id)
      assert.deepEqual(told, { ...own, nodeCount: 1 }) // One node serves it.
      assert.deepEqual([inputSchema, outputSchema].map((text) => JSON.parse(text)), [input_schema_object, output_schema_object])
    }))
}

for (const provider of Object.keys(to)) {
  test(`tools are written as everywhere: ${provider}`, () => {
    for (const item of golden.descriptors) assert.deepEqual(to[provider](described(item.input)), item[`lowered_${provider}`])
  })

  test(`calls are read as everywhere: ${provider}`, () => {
    const cases = golden[`lower_${provider}_cases`]
    assert.ok(cases.length > 0)
    for (const { reply_json, expected_spec: expected } of cases) {
      const call = lower[provider](reply_json)
      assert.equal(call.name, expected.name)
      assert.equal(call.providerCallId ?? null, expected.provider_call_id)
      if (expected.arguments_json !== undefined) assert.equal(call.argumentsJson, expected.arguments_json)
      else assert.deepEqual(call.arguments, expected.arguments_parsed)
    }
  })
}

test('what is no call is refused', () => {
  for (const { provider, reply_json } of golden.error_cases) {
    assert.throws(() => lower[provider](reply_json), ToolCallParseError)
  }
})

test('a toolset goes to the model and back', () => {
  const toolset = new Toolset('anthropic', [
    { name: 'web.search', inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } }
  ])
  const reply = { content: [{ type: 'tool_use', id: 'c1', name: toolset.tools[0].name, input: { n: 2n ** 70n } }] }
  assert.deepEqual(toolset.calls(reply), [{ name: 'web.search', arguments: { n: 2n ** 70n }, callId: 'c1' }])
  const messages = toolset.messages([{ name: 'web.search', callId: 'c1', result: { hits: [] } }])
  assert.ok(JSON.stringify(messages).includes('c1'))
})

test('a reply of another provider, an error and no reply are refused, and none without calls', () => {
  const toolset = new Toolset('openai', [{ name: 'search' }])
  const message = { type: 'message', role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'search', input: {} }] }
  for (const reply of [message, 'text', null, {}, { error: { message: 'rate limited' } }]) {
    assert.throws(() => toolset.calls(reply), { name: 'InvalidInput', message: /openai/ })
  }
  assert.deepEqual(toolset.calls({ choices: [{ message: { role: 'assistant', content: 'done' } }] }), [])
})

test('require and import give the same', () => {
  const required = createRequire(import.meta.url)('toolmesh')
  assert.deepEqual(Object.keys(required).sort(), Object.keys(toolmesh).filter((name) => name !== 'default').sort())
  assert.equal(required.Node, toolmesh.Node)
})
