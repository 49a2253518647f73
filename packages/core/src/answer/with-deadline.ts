import { CapstanError, forModel } from '../words/error.js'
import { orAborted } from '../words/or-aborted.js'

/** Work whose answer may come before the work itself is over: a function that ignores its signal goes on. */
export interface Work<T> {
  readonly answer: Promise<T>
  /** Resolves, never rejects, when the work is really over. */
  readonly settled: Promise<void>
}

/**
 * Starts work with a signal that aborts with `parent` or after `timeoutMs`, and answers then at once.
 * @throws CapstanError `timeout`, or the parent's reason, as a rejection of `answer`
 */
export function withDeadline<T>(
  parent: AbortSignal,
  timeoutMs: number | undefined,
  start: (signal: AbortSignal) => Promise<T>,
): Work<T> {
  if (timeoutMs === undefined) return untilAborted(parent, start(parent))
  const controller = new AbortController()
  const abort = () => controller.abort(parent.reason)
  parent.addEventListener('abort', abort, { once: true })
  if (parent.aborted) abort()
  const timer = setTimeout(() => controller.abort(late(timeoutMs)), timeoutMs)
  const working = start(controller.signal)
  const answer = new Promise<T>((resolve, reject) => {
    if (controller.signal.aborted) reject(controller.signal.reason)
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
    working.then(resolve, reject)
  }).finally(() => {
    clearTimeout(timer)
    parent.removeEventListener('abort', abort)
  })
  return { answer, settled: working.then(ignore, ignore) }
}

function untilAborted<T>(signal: AbortSignal, working: Promise<T>): Work<T> {
  // First of all it is over: who hears its answer need not wait for that.
  const settled = working.then(ignore, ignore)
  return { answer: orAborted(signal, working), settled }
}

function ignore(): void {}

function late(timeoutMs: number): CapstanError {
  const message = `The tool did not finish within ${timeoutMs} ms. It may have taken effect.`
  return forModel(new CapstanError('timeout', message, { evidence: { timeoutMs } }))
}
