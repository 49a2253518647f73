import { ServiceError } from './service-error.js'

/** A bound on an answer: it ends when the client hangs up or time is up. */
export interface Deadline {
  /** Aborts with a 503 as its reason when time is up. */
  readonly signal: AbortSignal
  readonly hangUp: () => void
  /** What the work comes to, or the reason of the signal, whichever is first. */
  readonly race: <T>(work: Promise<T>) => Promise<T>
  readonly clear: () => void
}

/** Starts the clock of an answer. */
export function answerInTime(ms: number): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  const message = `The answer was not ready after ${ms} ms: ask for less, or ask again later.`
  const late = new ServiceError(503, 'answer_timeout', message)
  const timer = setTimeout(() => controller.abort(late), ms)
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  over.catch(() => {})
  return {
    signal,
    hangUp: () => controller.abort(),
    race: (work) => Promise.race([work, over]),
    clear: () => clearTimeout(timer),
  }
}
