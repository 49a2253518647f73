import type { Draft, DraftCall } from './chat-draft.js'
import { countTokens, firstTokens, tokensOf } from './chat-draft.js'
import { invalidField, parseCount } from './chat-fields.js'

/** Where an answer ends before its end. */
export interface ChatLimits {
  readonly maxTokens: number
  /** Texts that end the answer; they are not part of it. */
  readonly stop: readonly string[]
}

/** Checks `max_tokens`, `max_completion_tokens` and `stop`; 400 names the one at fault. */
export function parseLimits(fields: Readonly<Record<string, unknown>>): ChatLimits {
  const most = ['max_tokens', 'max_completion_tokens'].map(
    (name) => parseCount(fields[name], name) ?? Infinity,
  )
  return { maxTokens: Math.min(...most), stop: parseStop(fields.stop) }
}

/** Ends the answer where it must end: a text at a stop sequence, text and calls where the tokens run out. */
export function cutDraft(draft: Draft, { maxTokens, stop }: ChatLimits): Draft {
  const text = draft.text === null ? null : beforeStop(draft.text, stop)
  const whole = { ...draft, text }
  if (tokensOf(whole) <= maxTokens) return whole
  const kept = { text: cut(text, maxTokens), refusal: cut(draft.refusal, maxTokens) }
  const left = maxTokens - countTokens(kept.text ?? '') - countTokens(kept.refusal ?? '')
  return { ...kept, calls: cutCalls(draft.calls, left), finish: 'length' }
}

function parseStop(stop: unknown): string[] {
  if (stop === undefined || stop === null) return []
  const all: unknown[] = Array.isArray(stop) ? stop : [stop]
  const texts = all.filter((one) => typeof one === 'string')
  if (texts.length < all.length || texts.includes('') || texts.length > 4) {
    throw invalidField('stop', 'must be a text that is not empty, or an array of up to four of them')
  }
  return texts
}

function beforeStop(text: string, stop: readonly string[]): string {
  const ends = stop.map((one) => text.indexOf(one)).filter((at) => at >= 0)
  return text.slice(0, Math.min(text.length, ...ends))
}

function cut(text: string | null, tokens: number): string | null {
  return text === null ? null : firstTokens(text, tokens)
}

// The call the tokens run out in is sent as far as it goes, as servers do; those behind it are not sent.
function cutCalls(calls: readonly DraftCall[], tokens: number): DraftCall[] {
  const [call, ...rest] = calls
  if (!call || countTokens(call.name) > tokens) return []
  const size = countTokens(call.name + call.arguments)
  if (size <= tokens) return [call, ...cutCalls(rest, tokens - size)]
  const kept = firstTokens(call.name + call.arguments, tokens)
  return [{ name: call.name, arguments: kept.slice(call.name.length) }]
}
