'use strict'
// Typed tools that AI agents can call: served, found and called on a mesh, over MCP, and in every provider's format.

const { faultOf: _, raising: __, ...errors } = require('./errors.cjs')
const { descriptorFrom } = require('./descriptor.cjs')
const { Context, isTerminalEvent } = require('./handler.cjs')
const node = require('./node.cjs')
const formats = require('./formats.cjs')

// The operations with the node first, as other languages of the tool mesh have them.
const functions = {
  serveTool: (mesh, options, handler) => mesh.serveTool(options, handler),
  serveToolStreaming: (mesh, options, handler) => mesh.serveToolStreaming(options, handler),
  callTool: (mesh, tool, args, options) => mesh.callTool(tool, args, options),
  callToolStreaming: (mesh, tool, args, options) => mesh.callToolStreaming(tool, args, options),
  listTools: (mesh, matcher) => mesh.listTools(matcher),
  watchTools: (mesh, options) => mesh.watchTools(options),
  fetchToolMetadata: (mesh, node, tool) => mesh.fetchToolMetadata(node, tool)
}

module.exports = { ...errors, ...node, ...formats, ...functions, Context, descriptorFrom, isTerminalEvent }
