/** What a server writes back, byte by byte. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, HeaderValue>>
  readonly writes: readonly Write[]
  /**
   * What happens after the last write: the answer ends, the socket is destroyed, or it stays open and silent.
   * `unanswered`: the socket is destroyed before the first byte.
   */
  readonly end: 'clean' | 'reset' | 'open' | 'unanswered'
}

/** A header's text, or a date so many seconds from when it is sent. */
export type HeaderValue = string | { readonly secondsFromNow: number }

export interface Write {
  readonly bytes: string | Uint8Array
  /** Waited before this write. */
  readonly pauseMs?: number
  /** How often it is sent. Default 1. */
  readonly times?: number
}

type Part = string | Uint8Array | Write
type Overrides = Partial<WireAnswer>

/** An event stream of these parts, each a write of its own. */
export function eventStream(parts: readonly Part[], overrides: Overrides = {}): WireAnswer {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
  return { status: 200, headers, writes: parts.map(toWrite), end: 'clean', ...overrides }
}

/** A JSON body, with this status. */
export function json(status: number, body: unknown, overrides: Overrides = {}): WireAnswer {
  return text(status, 'application/json', JSON.stringify(body), overrides)
}

/** A body of any kind. */
export function text(
  status: number,
  type: string,
  body: string | Uint8Array,
  overrides: Overrides = {},
): WireAnswer {
  return { status, headers: { 'content-type': type }, writes: [{ bytes: body }], end: 'clean', ...overrides }
}

/** The same answer with further headers. */
export function withHeaders(answer: WireAnswer, headers: Readonly<Record<string, HeaderValue>>): WireAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

/** The same bytes, so many at a time. */
export function splitEvery(size: number, answer: WireAnswer): WireAnswer {
  const all = Buffer.concat(answer.writes.map(({ bytes }) => Buffer.from(bytes)))
  const count = Math.ceil(all.length / size)
  const writes = Array.from({ length: count }, (_, i) => ({ bytes: all.subarray(i * size, (i + 1) * size) }))
  return { ...answer, writes }
}

/** The connection is destroyed without an answer. */
export const hangUp: WireAnswer = { status: 0, headers: {}, writes: [], end: 'unanswered' }

function toWrite(part: Part): Write {
  return typeof part === 'string' || part instanceof Uint8Array ? { bytes: part } : part
}
