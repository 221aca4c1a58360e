'use strict'
// Model providers' tool formats.

const native = require('./native.cjs')
const { toWire } = require('./descriptor.cjs')
const { ToolCallParseError, raising } = require('./errors.cjs')
const { parse, stringify } = require('./json.cjs')

const tool = (format) => (descriptor) =>
  parse(raising(() => native.toTool(format, stringify(toWire(descriptor)))))

const lower = (format) => (reply) => {
  try {
    const { name, argumentsJson, providerCallId } = raising(() => native.lowerCall(format, stringify(reply)))
    return { name, argumentsJson, arguments: parse(argumentsJson), providerCallId: providerCallId ?? undefined }
  } catch (error) {
    if (error.code === 'InvalidArg') throw new ToolCallParseError(error.message)
    throw error
  }
}

const openai = { toOpenaiTool: tool('openai'), lowerOpenaiToolCall: lower('openai') }
const anthropic = { toAnthropicTool: tool('anthropic'), lowerAnthropicToolUse: lower('anthropic') }
const mcp = { toMcpTool: tool('mcp'), lowerMcpToolsCall: lower('mcp') }
const gemini = { toGeminiFunctionDeclaration: tool('gemini'), lowerGeminiFunctionCall: lower('gemini') }

/** Tools translated as a whole for one provider: names that it allows, schemas that it takes, and the way back. */
class Toolset {
  #native

  constructor(provider, descriptors) {
    this.#native = raising(() => new native.Toolset(provider, stringify([...descriptors].map(toWire))))
  }

  get tools() {
    return parse(this.#native.tools)
  }

  get warnings() {
    return parse(this.#native.warnings)
  }

  calls(reply) {
    const calls = parse(raising(() => this.#native.calls(stringify(reply))))
    return calls.map(({ call_id: callId, ...call }) => ({ ...call, callId }))
  }

  messages(replies) {
    const wire = [...replies].map(({ callId, isError, ...reply }) => ({
      ...reply,
      ...(callId === undefined ? {} : { call_id: callId }),
      ...(isError === undefined ? {} : { is_error: isError })
    }))
    return parse(raising(() => this.#native.messages(stringify(wire))))
  }
}

module.exports = { Toolset, anthropic, gemini, mcp, openai }
