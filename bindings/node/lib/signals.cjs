'use strict'
// Who is told when a signal is aborted.

// One listener a signal, however many calls it is for: Node warns of more than ten.
const waiting = new WeakMap()

/** Runs `work` when the signal is aborted, unless the function that it gives is called before. */
function onAbort(signal, work) {
  const { works, run } = waiting.get(signal) ?? listening(signal)
  works.add(work)
  return () => {
    works.delete(work)
    if (works.size > 0 || waiting.get(signal)?.works !== works) return
    signal.removeEventListener('abort', run)
    waiting.delete(signal)
  }
}

function listening(signal) {
  const works = new Set()
  const run = () => {
    waiting.delete(signal)
    for (const work of works) work()
  }
  const listener = { works, run }
  signal.addEventListener('abort', run, { once: true })
  waiting.set(signal, listener)
  return listener
}

module.exports = { onAbort }
