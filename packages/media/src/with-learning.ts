import { isCapstanError } from '@capstan/core'
import type { MediaDialect } from './dialect.js'
import { isRefusal, learnDialect } from './learn-dialect.js'

/** What was learned of a server that a client speaks to. */
export interface Learned {
  facts: Partial<MediaDialect>
}

/** By client, so that all its tools know what one of them was told. */
const known = new WeakMap<object, Learned>()

export function learnedOf(client: object): Learned {
  const learned = known.get(client) ?? { facts: {} }
  known.set(client, learned)
  return learned
}

/**
 * Sends in a dialect; where a refusal says that the server has another one, sends again in that. What worked is
 * remembered. When nothing did, the first refusal is the one to tell: the guesses were wrong.
 */
export async function withLearning<T>(
  learned: Learned,
  dialect: MediaDialect,
  send: (dialect: MediaDialect, again: string) => Promise<T>,
): Promise<T> {
  let facts: Partial<MediaDialect> = {}
  let first: unknown
  for (let times = 0; ; times++) {
    try {
      // Another body under the same key would be taken for a mistake, or answered with the first refusal.
      const reply = await send({ ...dialect, ...facts }, times === 0 ? '' : `/again${times}`)
      learned.facts = { ...learned.facts, ...facts }
      return reply
    } catch (error) {
      first ??= error
      if (!isCapstanError(error) || !isRefusal(error)) throw error
      const more = learnDialect(error, { ...dialect, ...facts })
      // Without the endpoint there is nothing to send again.
      if (more?.variations === false) learned.facts = { ...learned.facts, variations: false }
      if (!more || more.variations === false || times === mostTimes) throw first
      facts = { ...facts, ...more }
    }
  }
}

/** A request for an image can differ in two ways at once. */
const mostTimes = 2
