'use strict'
// JSON as it crosses: integers that a number cannot hold are BigInt here, and plain integers on the wire.

const { randomBytes } = require('node:crypto')
const { types } = require('node:util')
const { InvalidJson } = require('./errors.cjs')

// No text of anybody else begins with this.
const MARK = `${randomBytes(16).toString('hex')}:`
// The ends of texts, and no whole ones: of each step within a match V8 remembers something, and of a long text too much.
const TOKENS = /"|\\.|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const WRITTEN = new RegExp(`"${MARK}(-?\\d+)"`, 'g')

// What would be written as `{}` or as an object of numbers, and nobody would see what is missing.
const FORMLESS = [
  types.isMap,
  types.isSet,
  types.isWeakMap,
  types.isWeakSet,
  types.isMapIterator,
  types.isSetIterator,
  types.isGeneratorObject,
  types.isPromise,
  types.isAnyArrayBuffer,
  types.isArrayBufferView,
  types.isRegExp,
  types.isNativeError
]

/** The value of a text; a number beyond what a number holds (`1e400`) is refused. */
function parse(text) {
  if (!/\d{16}|\d[eE]\+?\d{3}/.test(text)) return JSON.parse(text)
  let within = false
  const marked = text.replace(TOKENS, (token) => {
    if (token === '"') within = !within
    return within || token === '"' ? token : marking(token)
  })
  return JSON.parse(marked, (_, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value
  )
}

/** A number as it is written; an integer that a number cannot hold with the mark. */
function marking(token) {
  const number = Number(token)
  if (/^-?\d+$/.test(token)) return Number.isSafeInteger(number) ? token : `"${MARK}${token}"`
  if (Number.isFinite(number)) return token
  throw new InvalidJson(`a number is beyond what JavaScript holds: ${token.slice(0, 20)}`, 'json')
}

/** The text of a value; what JSON has no form for (a function, NaN, a `Map`) is refused. */
function stringify(value) {
  let marked = false
  const text = JSON.stringify(value, (_, inner) => {
    if (typeof inner === 'bigint') {
      marked = true
      return `${MARK}${inner}`
    }
    if (typeof inner === 'number' && !Number.isFinite(inner)) throw new TypeError(`${inner} has no JSON form`)
    if (typeof inner === 'object') checkForm(inner)
    return inner
  })
  if (text === undefined) throw new TypeError(`${typeof value} has no JSON form`)
  return marked ? text.replace(WRITTEN, '$1') : text
}

function checkForm(value) {
  if (value === null || Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) return
  if (!FORMLESS.some((is) => is(value))) return
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
  throw new TypeError(`a value of the kind ${kind} has no JSON form`)
}

module.exports = { parse, stringify }
