import type { Message } from '../words/message.js'
import type { Compact } from './walk.js'

/** How long the history of one request may be: by tokens, as they are estimated, by messages, or by both. */
export interface HistoryBounds {
  readonly maxTokens?: number
  readonly maxMessages?: number
}

/**
 * Leaves out the oldest messages, never a call without its answer. What is kept begins with a message of the user:
 * whole exchanges as far back as they fit; else the last request with as many of the newest turns as fit. The last
 * request and the last turn are kept however long they are.
 */
export function trimHistory(bounds: HistoryBounds): Compact {
  return ({ messages, estimate }) => trimmed(messages, bounds, estimate)
}

/** The same as a plain function. */
export function trimmed(
  messages: readonly Message[],
  { maxTokens = Number.POSITIVE_INFINITY, maxMessages = Number.POSITIVE_INFINITY }: HistoryBounds,
  estimate: (messages: readonly Message[]) => number,
): readonly Message[] {
  const fits = (kept: readonly Message[]) => kept.length <= maxMessages && estimate(kept) <= maxTokens
  if (fits(messages)) return messages
  const opening = messages.slice(
    0,
    Math.max(
      0,
      messages.findIndex(({ role }) => role !== 'system'),
    ),
  )
  const rest = messages.slice(opening.length)
  const lastRequest = rest.findLastIndex(({ role }) => role === 'user')
  const starts = rest.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
  // The earliest beginning that fits: each later one keeps less.
  const start = firstFitting(starts, (at) => fits([...opening, ...rest.slice(at)]))
  if (start !== undefined) return [...opening, ...rest.slice(start)]
  const request = rest.slice(Math.max(0, lastRequest), lastRequest + 1)
  const turns = rest.slice(lastRequest + 1)
  const turnStarts = turns.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
  const from = firstFitting(turnStarts, (at) => fits([...opening, ...request, ...turns.slice(at)]))
  return [...opening, ...request, ...turns.slice(from ?? turnStarts.at(-1) ?? turns.length)]
}

/** The first of rising places that fits, where all after one that fits do too. */
function firstFitting(places: readonly number[], fits: (place: number) => boolean): number | undefined {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (fits(places[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return places[low]
}
