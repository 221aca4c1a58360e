'use strict'
// From callbacks of the native half to promises.

const { CallCancelled, faultOf, raising } = require('./errors.cjs')

/** Awaits what `begin(told)` begins, which gives a `Pending`; the signal gives it up. */
function started(begin, signal = undefined) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal))
    let pending
    const abort = () => {
      pending?.cancel?.()
      reject(aborted(signal))
    }
    const told = (fault, value) => {
      signal?.removeEventListener('abort', abort)
      if (fault === null || fault === undefined) resolve(value ?? undefined)
      else reject(faultOf(fault))
    }
    try {
      pending = raising(() => begin(told))
    } catch (error) {
      return reject(error)
    }
    signal?.addEventListener('abort', abort, { once: true })
  })
}

function aborted(signal) {
  const error = new CallCancelled('the call was cancelled', 'cancelled')
  error.cause = signal.reason
  return error
}

module.exports = { started }
