'use strict'
// Schemas as programs give them: JSON Schema, or a zod schema where the program has zod.

const { ToolError } = require('./errors.cjs')

/** The JSON Schema of what a program gave; zod itself turns its schemas into it. */
function schemaOf(given, side) {
  if (given === undefined || given === null || typeof given === 'string') return given
  const standard = given['~standard']
  if (standard === undefined) return given
  const json = standard.jsonSchema?.[side]
  if (typeof json === 'function') return toldBy(json, standard.vendor)
  throw new TypeError(
    `a schema of ${standard.vendor ?? 'this library'} cannot be turned into JSON Schema by itself; give the JSON Schema`
  )
}

/** The JSON Schema that a library tells. Of some types there is none: a date, say. */
function toldBy(json, vendor) {
  try {
    return json({ target: 'draft-2020-12' })
  } catch (cause) {
    throw new TypeError(`this schema of ${vendor} has no JSON Schema: ${cause.message}`, { cause })
  }
}

/** Arguments as the schema makes them. What JSON Schema cannot say it refuses itself, in words that are the tool's. */
async function parsedBy(given, value) {
  const { issues, value: parsed } = await given['~standard'].validate(value)
  if (issues === undefined) return parsed
  throw new ToolError(`the arguments are refused: ${issues.map(told).join('; ')}`, 'invalid_arguments')
}

/** A finding as `/place: message`. */
function told({ path = [], message }) {
  const place = path.map((part) => `/${String(part?.key ?? part)}`).join('')
  return place === '' ? message : `${place}: ${message}`
}

module.exports = { parsedBy, schemaOf }
