'use strict'
// Schemas as programs give them: JSON Schema, or a zod schema where the program has zod.

/** The JSON Schema of what a program gave; zod itself turns its schemas into it. */
function schemaOf(given, side) {
  if (given === undefined || given === null || typeof given === 'string') return given
  const standard = given['~standard']
  if (standard === undefined) return given
  const json = standard.jsonSchema?.[side]
  if (typeof json === 'function') return json({ target: 'draft-2020-12' })
  throw new TypeError(
    `a schema of ${standard.vendor ?? 'this library'} cannot be turned into JSON Schema by itself; give the JSON Schema`
  )
}

/** Arguments as the schema makes them, when it is one that can. */
async function parsedBy(given, value) {
  const validate = given?.['~standard']?.validate
  if (validate === undefined) return value
  const result = await validate(value)
  return result.issues === undefined ? result.value : value
}

module.exports = { parsedBy, schemaOf }
