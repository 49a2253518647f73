import type { Message, RunState } from '@capstan/core'
import { textOf } from '@capstan/core/internal'
import { OwnedCache } from '../owned-cache.js'

type AssistantMessage = Extract<Message, { readonly role: 'assistant' }>

/** The parts of a reply that a client sends back with its next request. */
export type ChatReply = Pick<AssistantMessage, 'content' | 'refusal' | 'tool_calls'>

interface Entry {
  readonly owner: string
  readonly text: string
  readonly calls: string
  /** The untrusted source that the run had read, if any. */
  readonly taintedBy: string | undefined
}

/**
 * Stores the replies sent to clients, with the untrusted source of each, up to a byte limit. When a client sends a
 * conversation back, the calls to the agent's own tools are missing, so the conversation does not show which replies
 * are untrusted.
 */
export class KnownReplies {
  /** Keyed by owner, then by text and calls. The most recently used entry is last. */
  readonly #byOwner = new Map<string, Map<string, Entry>>()
  readonly #cache: OwnedCache<Entry>
  readonly #maxBytes: number

  constructor(maxBytes = 64 * 2 ** 20) {
    this.#maxBytes = maxBytes
    this.#cache = new OwnedCache(maxBytes, (entry) => this.#evict(entry))
  }

  /** Stores a reply. If a tainted run has given the same reply before, the reply stays tainted. */
  add(owner: string, reply: ChatReply, taintedBy: string | undefined): void {
    const key = toText(reply)
    if (key.text !== '' || key.calls !== '') this.#put({ owner, ...key, taintedBy })
  }

  /**
   * Returns the first untrusted source among a conversation's replies. If there is none, returns `false` if all replies
   * are known, or undefined if any is unknown. The start of a recent reply counts as known, because clients may stop
   * reading midway.
   */
  sourceOf(owner: string, messages: readonly Message[]): string | false | undefined {
    const recent = [...(this.#byOwner.get(owner)?.values() ?? [])].slice(-maxRecent).reverse()
    const replies = messages.filter((message) => message.role === 'assistant')
    const sources = replies.map((message) => this.#sourceOfMessage(owner, message, recent))
    const tainted = sources.find((source) => typeof source === 'string')
    return tainted ?? (sources.includes(undefined) ? undefined : false)
  }

  /**
   * If a run has read untrusted content, stores the text of its replies as tainted. `start` is the index of the run's
   * first new message.
   */
  addTainted(owner: string, state: RunState, start: number): void {
    const taintedBy = taintOf(state)
    if (taintedBy === undefined) return
    for (const reply of textsOf(state.messages.slice(start))) this.add(owner, reply, taintedBy)
  }

  /**
   * Returns the first untrusted source among a conversation's replies, comparing only their text. Unknown replies are
   * trusted.
   */
  taintOfTexts(owner: string, messages: readonly Message[]): string | undefined {
    return this.sourceOf(owner, textsOf(messages)) || undefined
  }

  #sourceOfMessage(
    owner: string,
    message: AssistantMessage,
    recent: readonly Entry[],
  ): string | false | undefined {
    const { text, calls } = toText(message)
    if (text === '' && calls === '') return false
    const exact = this.#byOwner.get(owner)?.get(keyOf({ text, calls }))
    const prefixed = calls === '' ? recent.filter((entry) => entry.text.startsWith(text)) : []
    const known = exact ?? prefixed.find(({ taintedBy }) => taintedBy !== undefined) ?? prefixed[0]
    if (!known) return undefined
    // Store the entry again, so that replies in use are not evicted. The start of a reply becomes a separate entry.
    this.#put({ ...known, text, calls })
    return known.taintedBy ?? false
  }

  #put(entry: Entry): void {
    const { owner, text, calls } = entry
    const bytes = 2 * (text.length + calls.length)
    // A larger reply would evict the replies of other owners.
    if (bytes > this.#maxBytes / 8) return
    const entries = this.#byOwner.get(owner) ?? new Map<string, Entry>()
    const before = entries.get(keyOf(entry))
    const kept = { ...entry, taintedBy: entry.taintedBy ?? before?.taintedBy }
    if (before) this.#cache.delete(before)
    this.#byOwner.set(owner, entries)
    entries.set(keyOf(kept), kept)
    this.#cache.add(kept, bytes)
  }

  #evict(entry: Entry): void {
    const entries = this.#byOwner.get(entry.owner)
    entries?.delete(keyOf(entry))
    if (entries?.size === 0) this.#byOwner.delete(entry.owner)
  }
}

/** Returns the untrusted source that is recorded in a run's state or in one of its messages. */
export function taintOf({ taintedBy, messages }: RunState): string | undefined {
  return taintedBy ?? messages.find(({ taintedBy }) => taintedBy !== undefined)?.taintedBy
}

function textsOf(messages: readonly Message[]): readonly AssistantMessage[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? [{ role: 'assistant' as const, content: textOf(message.content) }] : [],
  )
}

/** How many of a user's most recent replies are checked for one that starts with the client's text. */
const maxRecent = 64

/**
 * Returns the parts of a reply that are compared. Clients may change whitespace in text, but send calls back unchanged.
 */
function toText({ content, refusal, tool_calls: calls = [] }: ChatReply): Pick<Entry, 'text' | 'calls'> {
  const made = calls.map(({ function: called }) => [called.name, called.arguments])
  return {
    text: `${textOf(content)} ${refusal ?? ''}`.replace(/\s+/g, ' ').trim(),
    calls: made.length === 0 ? '' : JSON.stringify(made),
  }
}

function keyOf({ text, calls }: Pick<Entry, 'text' | 'calls'>): string {
  return JSON.stringify([text, calls])
}
