import { ServiceError } from '../http/service-error.js'

/** Limits how many requests run and how many wait. */
export interface WorkQueue {
  /** Waits for a free slot, and returns a function that releases it. Throws a 429 if the queue is full. */
  readonly enter: (signal: AbortSignal) => Promise<() => void>
}

/**
 * Creates a queue. At most `places` requests run at the same time, and at most `queue` requests wait, first in, first
 * out.
 */
export function createQueue({ places, queue }: { places: number; queue: number }): WorkQueue {
  const waiting: (() => void)[] = []
  let free = places
  let usualMs = 1000
  const leave = (started: number) => {
    usualMs += (performance.now() - started - usualMs) / 8
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  const taken = () => {
    const started = performance.now()
    let held = true
    return () => {
      if (held) leave(started)
      held = false
    }
  }
  const enter: WorkQueue['enter'] = async (signal) => {
    signal.throwIfAborted()
    if (free > 0) {
      free--
      return taken()
    }
    if (waiting.length >= queue) throw tooBusy(Math.ceil(((queue + 1) * usualMs) / places / 1000))
    await turn(waiting, signal)
    return taken()
  }
  return { enter }
}

function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      waiting.splice(waiting.indexOf(begin), 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    waiting.push(begin)
  })
}

function tooBusy(seconds: number): ServiceError {
  const wait = String(Math.min(60, Math.max(1, seconds)))
  const message = `The service is overloaded. Retry in ${wait} s.`
  return new ServiceError(429, 'queue_full', message, null, { 'retry-after': wait })
}
