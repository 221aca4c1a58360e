'use strict'
// What is read one by one: events of a call, and changes of the list of tools.

const { fromWire } = require('./descriptor.cjs')
const { parse } = require('./json.cjs')
const { onAbort } = require('./signals.cjs')
const { started } = require('./waiting.cjs')

/** Reads a source one by one. Its signal and `return` end it, whether or not anybody has begun to read; so does leaving a loop. */
class Reader {
  #items
  #end

  constructor(source, made, signal, next) {
    const off = endedBy(signal, source)
    this.#end = () => {
      off?.()
      source.cancel()
    }
    this.#items = items(next, made, this.#end)
  }

  next() {
    return this.#items.next()
  }

  return(value) {
    this.#end()
    return this.#items.return(value)
  }

  throw(error) {
    this.#end()
    return this.#items.throw(error)
  }

  [Symbol.asyncIterator]() {
    return this
  }

  async [Symbol.asyncDispose ?? Symbol.for('asyncDispose')]() {
    await this.return()
  }
}

function read(source, made, signal, next = (told) => source.next(told)) {
  return new Reader(source, made, signal, next)
}

/** Cancels the source when the signal is aborted; gives what ends that. */
function endedBy(signal, source) {
  if (signal === undefined) return undefined
  if (signal.aborted) return source.cancel()
  // A signal may be there for long: it keeps no stream that nobody else has, whose call ends with it.
  const kept = new WeakRef(source)
  return onAbort(signal, () => kept.deref()?.cancel())
}

async function* items(next, made, end) {
  try {
    for (;;) {
      const text = await started(next)
      if (text === undefined) return
      yield made(parse(text))
    }
  } finally {
    end()
  }
}

/** The promise of a stream, which a `for await` loop takes as well, as if it were the stream. */
function readable(opening) {
  return Object.assign(opening, {
    async *[Symbol.asyncIterator]() {
      yield* await opening
    }
  })
}

function changeFrom({ type, descriptor, prev_node_count }) {
  const change = { type }
  if (descriptor !== undefined) change.descriptor = fromWire(descriptor)
  if (prev_node_count !== undefined) change.prevNodeCount = prev_node_count
  return change
}

module.exports = { changeFrom, read, readable }
