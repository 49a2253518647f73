import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from './json.js'

/** The speed of chat replies. */
export interface Pace {
  /** Milliseconds until the reply starts. Default: 0. */
  readonly firstTokenMs?: number | undefined
  /** Tokens per second after the start, counted as in `usage`. Default: unlimited. */
  readonly tokensPerSecond?: number | undefined
}

/** Checks a pace. @throws TypeError that names the invalid field */
export function checkPace(pace: unknown, at: string): asserts pace is Pace {
  if (!isRecord(pace)) throw new TypeError(`${at} must be an object.`)
  const { firstTokenMs = 0, tokensPerSecond = 1, ...rest } = pace
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw new TypeError(
      `${at} has an unknown field "${unknown}"; valid fields: firstTokenMs and tokensPerSecond.`,
    )
  if (!(typeof firstTokenMs === 'number' && firstTokenMs >= 0 && firstTokenMs <= mostMs))
    throw new TypeError(`${at}.firstTokenMs must be a number of milliseconds from 0 to ${mostMs}.`)
  if (!(typeof tokensPerSecond === 'number' && tokensPerSecond > 0))
    throw new TypeError(`${at}.tokensPerSecond must be a number above 0.`)
}

const mostMs = 2 ** 31 - 1

/** Waits for a number of milliseconds. Rejects when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>

// The signal's reason says whether the client has disconnected or the time limit was reached.
const wait: Wait = (ms, signal) =>
  sleep(Math.min(ms, mostMs), undefined, { signal }).catch(() => signal.throwIfAborted())

/** Waits for as long as a complete reply with this many tokens takes. */
export async function waitForReply(
  { firstTokenMs = 0, tokensPerSecond = Infinity }: Pace,
  tokens: number,
  signal: AbortSignal,
): Promise<void> {
  await wait(firstTokenMs + (1000 * tokens) / tokensPerSecond, signal)
}

/** Yields chunks at a pace: each one after the time that its tokens take. */
export async function* atPace<T>(
  chunks: Iterable<T>,
  { firstTokenMs = 0, tokensPerSecond = Infinity }: Pace,
  context: { readonly tokensOf: (chunk: T) => number; readonly signal: AbortSignal; readonly wait?: Wait },
): AsyncGenerator<T> {
  const { tokensOf, signal, wait: pause = wait } = context
  if (firstTokenMs > 0) await pause(firstTokenMs, signal)
  for (const chunk of chunks) {
    const ms = (1000 * tokensOf(chunk)) / tokensPerSecond
    if (ms > 0) await pause(ms, signal)
    yield chunk
  }
}
