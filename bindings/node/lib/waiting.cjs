'use strict'
// From callbacks of the native half to promises.

const { CallCancelled, faultOf, raising } = require('./errors.cjs')
const { onAbort } = require('./signals.cjs')

/** Awaits what `begin(told)` begins, which gives a `Pending`; the signal gives it up. */
function started(begin, signal = undefined) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal))
    let pending
    const off = signal && onAbort(signal, () => {
      pending?.cancel?.()
      reject(aborted(signal))
    })
    const told = (fault, value) => {
      off?.()
      if (fault === null || fault === undefined) resolve(value ?? undefined)
      else reject(faultOf(fault))
    }
    try {
      pending = raising(() => begin(told))
    } catch (error) {
      off?.()
      reject(error)
    }
  })
}

function aborted(signal) {
  const error = new CallCancelled('the call was cancelled', 'cancelled')
  error.cause = signal.reason
  return error
}

module.exports = { started }
