import { createHash } from 'node:crypto'
import type { ServerEvent, TypedEvent } from '../http/endpoint.js'
import type { Plan } from '../plan/plan.js'

/** A reply before it is written in a protocol. */
export interface Draft {
  /** The text. Null if the reply has only calls, or if the response format cannot be filled. */
  readonly text: string | null
  readonly refusal: string | null
  readonly calls: readonly DraftCall[]
  readonly finish: string
  /** The stop string that ended the text. Default: none. */
  readonly stoppedBy?: string
}

/** A tool call in the form in which it is sent. Its arguments are JSON, unless they have been truncated. */
export interface DraftCall {
  readonly name: string
  readonly arguments: string
}

/** Converts the planner's result to a draft. */
export function toDraft(plan: Plan): Draft {
  if ('text' in plan) {
    const said = plan.isRefusal ? { text: null, refusal: plan.text } : { text: plan.text, refusal: null }
    return { ...said, calls: [], finish: 'stop' }
  }
  const calls = plan.calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }))
  return { text: null, refusal: null, calls, finish: 'tool_calls' }
}

/** Estimates the tokens in text at four characters each. This is rough, but enough to test budgets. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

/** Estimates the tokens in a draft: its text, and the name and arguments of each call. */
export function tokensOf({ text, refusal, calls }: Draft): number {
  const words = countTokens(text ?? '') + countTokens(refusal ?? '')
  return calls.reduce((sum, call) => sum + countTokens(call.name + call.arguments), words)
}

/** Estimates the tokens in a stream event. */
export function tokensOfEvent(event: ServerEvent): number {
  return typeof event === 'string' ? tokensOfChunk(event) : countTokens(deltaOf(event))
}

// The delta of a response is a string. The delta of a message is an object.
function deltaOf({ delta }: TypedEvent): string {
  if (typeof delta === 'string') return delta
  const { text, partial_json: json } = Object(delta)
  return String(text ?? json ?? '')
}

function tokensOfChunk(chunk: string): number {
  const { choices } = JSON.parse(chunk) as { choices: { delta: ChunkDelta }[] }
  const { content, refusal, tool_calls: calls = [], function_call: old } = choices[0]?.delta ?? {}
  const parts = [...calls.map((call) => call.function), old].map((part) => part?.arguments)
  return [content, refusal, ...parts].reduce((sum, text) => sum + countTokens(text ?? ''), 0)
}

interface ChunkDelta {
  readonly content?: string | null
  readonly refusal?: string | null
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[]
  readonly function_call?: { readonly arguments?: string }
}

/** Truncates text to a number of tokens. Does not split a surrogate pair. */
export function firstTokens(text: string, tokens: number): string {
  const end = tokens * charactersPerToken
  const isHalf = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return text.slice(0, isHalf ? end - 1 : end)
}

/** Returns the end of text: at most the given number of tokens, and at least one. */
export function lastTokens(text: string, tokens: number): string {
  return text.slice(-Math.max(1, tokens) * charactersPerToken).toWellFormed()
}

const charactersPerToken = 4

/** Splits text into words to stream. Each word starts with the white space before it. */
export function toWords(text: string | null): string[] {
  return text?.match(/\s*\S+\s*$|\s*\S+|^\s+$/g) ?? []
}

/**
 * Splits arguments into fragments of four to twelve characters. The seed determines the lengths. Does not split a
 * surrogate pair.
 */
export function toFragments(args: string, seed: string): string[] {
  const sizes = createHash('sha256').update(seed).digest()
  const characters = [...args]
  const fragments: string[] = []
  for (let at = 0, index = 0; at < characters.length; index++) {
    const size = 4 + ((sizes[index % sizes.length] ?? 0) % 9)
    fragments.push(characters.slice(at, at + size).join(''))
    at += size
  }
  return fragments
}

/** Derives an id from a seed and an index, so that a repeated request gets the same id. */
export function toId(prefix: string, seed: string, index: number): string {
  return `${prefix}${createHash('sha256').update(`${seed}#${index}`).digest('hex').slice(0, 24)}`
}
