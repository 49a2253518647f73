import type { Message } from '../words/message.js'
import { isRequest } from './shown.js'
import type { Compact } from './walk.js'

/** How long the history of one request may be: by tokens, as they are estimated, by messages, or by both. */
export interface HistoryBounds {
  readonly maxTokens?: number
  readonly maxMessages?: number
}

/**
 * Leaves out the oldest messages, never a call without its answer. Whole exchanges before the run are the first to go.
 * Then, of the run itself: the words that it began with stay, and what came after them goes, the oldest first. Its last
 * request and the newest turn are kept however long they are; the words that it began with give way to them alone.
 */
export function trimHistory(bounds: HistoryBounds): Compact {
  return ({ messages, estimate, task }) => trimmed({ messages, task }, bounds, estimate)
}

interface Trimmable {
  readonly messages: readonly Message[]
  /** The place of the words that the run began with; -1 where they are not known. */
  readonly task: number
}

/** The same as a plain function. */
export function trimmed(
  { messages, task }: Trimmable,
  { maxTokens = Number.POSITIVE_INFINITY, maxMessages = Number.POSITIVE_INFINITY }: HistoryBounds,
  estimate: (messages: readonly Message[]) => number,
): readonly Message[] {
  const fits = (kept: readonly Message[]) => kept.length <= maxMessages && estimate(kept) <= maxTokens
  if (fits(messages)) return messages
  const begin = messages.findIndex(({ role }) => role !== 'system')
  const opening = messages.slice(0, Math.max(0, begin))
  const last = messages.findLastIndex(isRequest)
  const first = messages[task] && isRequest(messages[task]) ? task : last
  const from = (place: number) => [...opening, ...messages.slice(place)]
  const requests = placesOf(isRequest, messages, opening.length)
  const start = firstFitting(
    requests.filter((place) => place <= first),
    (place) => fits(from(place)),
  )
  if (start !== undefined) return from(start)
  /** One request and what comes from a place on, with the last request where that would leave it out. */
  const after = (request: number, place: number) => {
    const kept = place > last && request !== last ? [request, last] : [request]
    return [...opening, ...kept.flatMap((at) => messages[at] ?? []), ...messages.slice(place)]
  }
  const turns = placesOf(isAnswer, messages, first + 1)
  const places = [...requests.filter((place) => place > first), ...turns].sort((one, other) => one - other)
  const place = firstFitting(places, (one) => fits(after(first, one)))
  if (place !== undefined) return after(first, place)
  return after(last, placesOf(isAnswer, messages, last + 1).at(-1) ?? messages.length)
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant'
}

function placesOf(
  isOne: (message: Message) => boolean,
  messages: readonly Message[],
  from: number,
): number[] {
  return messages.flatMap((message, at) => (at >= from && isOne(message) ? [at] : []))
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
