'use strict'
// What is read one by one: events of a call, and changes of the list of tools.

const { fromWire } = require('./descriptor.cjs')
const { parse } = require('./json.cjs')
const { started } = require('./waiting.cjs')

/** Reads a source to its end, or until the signal ends it; leaving the loop cancels it. */
async function* read(source, made, signal, next = (told) => source.next(told)) {
  const cancel = () => source.cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  if (signal?.aborted) cancel()
  try {
    for (;;) {
      const text = await started(next)
      if (text === undefined) return
      yield made(parse(text))
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    source.cancel()
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
