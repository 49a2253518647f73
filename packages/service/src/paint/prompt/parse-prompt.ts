import { longestPhrase, type Meaning, meaningsOf } from './dictionary.js'
import { PromptReader } from './prompt-reader.js'
import type { Request } from './request.js'

/** Reads what a prompt asks for. Never fails: what it does not know is left out, and out of `understood`. */
export function parsePrompt(prompt: string): Request {
  const reader = new PromptReader()
  const tokens = toTokens(prompt)
  for (let i = 0; i < tokens.length; ) {
    const { length, phrase, meanings } = longestAt(tokens, i)
    if (meanings.length) reader.take(phrase, meanings)
    else if (separators.has(phrase)) reader.settle({ ended: /\W/.test(phrase) })
    i += length
  }
  reader.settle({ ended: true })
  const request = { ...reader.found(), text: tokens.join(' ') }
  return request.place || !isInTown(prompt) ? request : { ...request, place: 'city' }
}

/** Between these, adjectives do not reach on to the next noun. */
const separators = new Set(
  ', . ; : ! ? ( ) with on in at by under over near to is are a an the as for from into behind'.split(' '),
)

function toTokens(prompt: string): string[] {
  return (
    prompt
      .toLowerCase()
      .replaceAll('-', ' ')
      .match(/[a-z]+|\d+|[,.;:!?()]/g) ?? []
  )
}

interface Found {
  readonly phrase: string
  readonly meanings: readonly Meaning[]
  readonly length: number
}

function longestAt(tokens: readonly string[], start: number): Found {
  for (let length = longestPhrase; length > 1; length--) {
    const phrase = tokens.slice(start, start + length).join(' ')
    const meanings = meaningsOf(phrase)
    if (meanings.length) return { phrase, meanings, length }
  }
  const phrase = tokens[start] ?? ''
  const number = /^\d+$/.test(phrase)
    ? [{ kind: 'count', count: Number(phrase) } as const]
    : meaningsOf(phrase)
  return { phrase, meanings: number, length: 1 }
}

/** "in Oslo": a name after "in" that is no word of ours is most likely a town. */
function isInTown(prompt: string): boolean {
  const name = /\bin ([A-Z][a-z]{2,})/.exec(prompt)?.[1]
  return name !== undefined && meaningsOf(name.toLowerCase()).length === 0
}
