'use strict'
// Descriptors: camelCase here, snake_case on the wire.

const { schemaOf } = require('./schema.cjs')

const WIRE = {
  toolId: 'tool_id',
  inputSchema: 'input_schema',
  outputSchema: 'output_schema',
  estimatedTimeMs: 'estimated_time_ms',
  nodeCount: 'node_count',
  pricingTerms: 'pricing_terms'
}
const OWN = Object.fromEntries(Object.entries(WIRE).map(([own, wire]) => [wire, own]))

const renamed = (object, names) =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [names[name] ?? name, value])
  )

/** A descriptor as programs hold it, from the wire. */
const fromWire = (descriptor) => renamed(descriptor, OWN)

/** A descriptor as the wire has it, from options or a descriptor. */
function toWire(descriptor) {
  if (descriptor === null || typeof descriptor !== 'object' || Array.isArray(descriptor)) {
    throw new TypeError('a tool is described by an object: { name, description, inputSchema, ... }')
  }
  return renamed(
    {
      ...descriptor,
      toolId: descriptor.toolId ?? descriptor.name,
      inputSchema: schemaOf(descriptor.inputSchema, 'input'),
      outputSchema: schemaOf(descriptor.outputSchema, 'output')
    },
    WIRE
  )
}

/** The descriptor that options describe. */
function descriptorFrom(options) {
  const wire = toWire(options)
  return fromWire({ version: '1.0.0', requires: [], tags: [], stateless: true, streaming: false, ...wire })
}

module.exports = { descriptorFrom, fromWire, toWire }
