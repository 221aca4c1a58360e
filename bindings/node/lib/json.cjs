'use strict'
// JSON as it crosses: integers that a number cannot hold are BigInt here, and plain integers on the wire.

const { randomBytes } = require('node:crypto')

// No text of anybody else begins with this.
const MARK = `${randomBytes(16).toString('hex')}:`
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const WRITTEN = new RegExp(`"${MARK}(-?\\d+)"`, 'g')

/** The value of a text. */
function parse(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const marked = text.replace(TOKENS, (token) =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK}${token}"` : token
  )
  return JSON.parse(marked, (_, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value
  )
}

/** The text of a value; what JSON has no form for (a function, NaN) is refused. */
function stringify(value) {
  let marked = false
  const text = JSON.stringify(value, (_, inner) => {
    if (typeof inner === 'bigint') {
      marked = true
      return `${MARK}${inner}`
    }
    if (typeof inner === 'number' && !Number.isFinite(inner)) throw new TypeError(`${inner} has no JSON form`)
    return inner
  })
  if (text === undefined) throw new TypeError(`${typeof value} has no JSON form`)
  return marked ? text.replace(WRITTEN, '$1') : text
}

module.exports = { parse, stringify }
