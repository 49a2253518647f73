import type { Message } from '@capstan/core'
import { textOf } from '@capstan/core/internal'
import { Room } from '../owned-cache.js'

type AssistantMessage = Extract<Message, { readonly role: 'assistant' }>

/** What a chat answer says: a client sends it back with its next request. */
export type ChatAnswer = Pick<AssistantMessage, 'content' | 'refusal' | 'tool_calls'>

interface Place {
  readonly owner: string
  readonly text: string
  readonly calls: string
  /** The untrusted source of its text, if it may hold any. */
  readonly taintedBy: string | undefined
}

/**
 * Answers that runs gave to chat clients, and the untrusted source of each, as long as there is room. A conversation
 * that a client sends back holds no calls of the agent's own tools, so it does not tell that itself.
 */
export class KnownAnswers {
  /** By owner, then by text and calls; those used last at the end. */
  readonly #ofOwners = new Map<string, Map<string, Place>>()
  readonly #room: Room<Place>
  readonly #mostBytes: number

  constructor(mostBytes = 64 * 2 ** 20) {
    this.#mostBytes = mostBytes
    this.#room = new Room(mostBytes, (place) => this.#forget(place))
  }

  /** Keeps an answer. One that a tainted run gave as well stays tainted. */
  keep(owner: string, answer: ChatAnswer, taintedBy: string | undefined): void {
    const said = toText(answer)
    if (said.text !== '' || said.calls !== '') this.#put({ owner, ...said, taintedBy })
  }

  /**
   * The untrusted source of the answers in a conversation: `false` where all are known and have none, undefined where
   * one is not known. The beginning of a late answer is known as well: clients stop reading in the middle of one.
   */
  sourceOf(owner: string, messages: readonly Message[]): string | false | undefined {
    const late = [...(this.#ofOwners.get(owner)?.values() ?? [])].slice(-mostLate).reverse()
    const answers = messages.filter((message) => message.role === 'assistant')
    const sources = answers.map((message) => this.#sourceOfOne(owner, message, late))
    const tainted = sources.find((source) => typeof source === 'string')
    return tainted ?? (sources.includes(undefined) ? undefined : false)
  }

  #sourceOfOne(owner: string, message: AssistantMessage, late: readonly Place[]): string | false | undefined {
    const { text, calls } = toText(message)
    if (text === '' && calls === '') return saysMore(message) ? undefined : false
    const exact = this.#ofOwners.get(owner)?.get(keyOf({ text, calls }))
    const begun = calls === '' ? late.filter((place) => place.text.startsWith(text)) : []
    const known = exact ?? begun.find(({ taintedBy }) => taintedBy !== undefined) ?? begun[0]
    if (!known) return undefined
    // What is in use stays, the beginning of an answer on its own.
    this.#put({ ...known, text, calls })
    return known.taintedBy ?? false
  }

  #put(place: Place): void {
    const { owner, text, calls } = place
    const bytes = 2 * (text.length + calls.length)
    // More than one owner's share would drive out what others have.
    if (bytes > this.#mostBytes / 8) return
    const places = this.#ofOwners.get(owner) ?? new Map<string, Place>()
    const before = places.get(keyOf(place))
    const kept = { ...place, taintedBy: place.taintedBy ?? before?.taintedBy }
    if (before) this.#room.drop(before)
    this.#ofOwners.set(owner, places)
    places.set(keyOf(kept), kept)
    this.#room.keep(kept, bytes)
  }

  #forget(place: Place): void {
    const places = this.#ofOwners.get(place.owner)
    places?.delete(keyOf(place))
    if (places?.size === 0) this.#ofOwners.delete(place.owner)
  }
}

/** Answers of one user whose beginnings are looked for. */
const mostLate = 64

/** Clients may tidy white space; calls come back as they are. */
function toText({ content, refusal, tool_calls: calls = [] }: ChatAnswer): Pick<Place, 'text' | 'calls'> {
  const made = calls.map(({ function: called }) => [called.name, called.arguments])
  return {
    text: `${textOf(content)} ${refusal ?? ''}`.replace(/\s+/g, ' ').trim(),
    calls: made.length === 0 ? '' : JSON.stringify(made),
  }
}

/** Whether a message without text and calls holds text in another field, such as its reasoning. */
function saysMore({ role: _, content: __, ...fields }: AssistantMessage): boolean {
  return Object.values(fields).some((value) => typeof value === 'string' && value.trim() !== '')
}

function keyOf({ text, calls }: Pick<Place, 'text' | 'calls'>): string {
  return JSON.stringify([text, calls])
}
