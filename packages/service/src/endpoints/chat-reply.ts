import { createHash } from 'node:crypto'
import type { Plan } from '../plan/plan.js'

/** A reply with the facts that its completion needs. */
interface ChatReply {
  readonly draft: Draft
  /** Seed of ids and chunk sizes, so that a repeated request gets the same reply. */
  readonly seed: string
  readonly promptTokens: number
  readonly model: string
  /** Whether the request offered `functions`: then the call is sent as `function_call`. */
  readonly isOldForm: boolean
}

/** Returns the reply as one `chat.completion` object. */
export function toCompletion(reply: ChatReply): object {
  const { text, refusal } = reply.draft
  const message = { role: 'assistant', content: text, refusal, annotations: [], ...toCallFields(reply) }
  const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(reply) }
  return { ...toHead(reply, 'chat.completion'), choices: [choice], usage: toUsage(reply) }
}

/**
 * Returns the reply as `chat.completion.chunk` objects in JSON: the role, then text or argument fragments,
 * then the finish reason.
 */
export function* toChunks(reply: ChatReply, withUsage: boolean): Generator<string> {
  const head = toHead(reply, 'chat.completion.chunk')
  const chunk = (delta: object, finish_reason: string | null = null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
    return JSON.stringify({ ...head, choices, ...(withUsage && { usage: null }) })
  }
  yield chunk({ role: 'assistant', content: reply.draft.text === null ? null : '', refusal: null })
  for (const delta of toDeltas(reply)) yield chunk(delta)
  yield chunk({}, finishOf(reply))
  if (withUsage) yield JSON.stringify({ ...head, choices: [], usage: toUsage(reply) })
}

function* toDeltas(reply: ChatReply): Generator<object> {
  const { text, refusal, calls } = reply.draft
  for (const word of toWords(text)) yield { content: word }
  for (const word of toWords(refusal)) yield { refusal: word }
  for (const [index, call] of calls.entries()) yield* toCallDeltas(call, index, reply)
}

function* toCallDeltas(
  { name, arguments: args }: DraftCall,
  index: number,
  reply: ChatReply,
): Generator<object> {
  const id = toCallId(reply, index)
  const wrap = (call: object, part: object) =>
    reply.isOldForm ? { function_call: part } : { tool_calls: [{ index, ...call, function: part }] }
  yield wrap({ id, type: 'function' }, { name, arguments: '' })
  for (const fragment of toFragments(args, id)) yield wrap({}, { arguments: fragment })
}

function toWords(text: string | null): string[] {
  return text?.match(/\s*\S+\s*$|\s*\S+/g) ?? []
}

// Four to twelve characters each, derived from the id. Surrogate pairs stay together.
function toFragments(args: string, seed: string): string[] {
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

function toCallFields(reply: ChatReply): object {
  const { calls } = reply.draft
  const [first] = calls
  if (!first) return {}
  if (reply.isOldForm) return { function_call: first }
  return {
    tool_calls: calls.map((call, index) => {
      return { index, id: toCallId(reply, index), type: 'function', function: call }
    }),
  }
}

function toCallId({ seed }: ChatReply, index: number): string {
  return `call_${createHash('sha256').update(`${seed}#${index}`).digest('hex').slice(0, 24)}`
}

function toHead({ seed, model }: ChatReply, object: string): object {
  const created = Math.floor(Date.now() / 1000)
  return {
    id: `chatcmpl-${seed.slice(0, 24)}`,
    object,
    created,
    model,
    service_tier: 'default',
    system_fingerprint: 'capstan-planner-rules',
  }
}

function finishOf({ draft: { finish }, isOldForm }: ChatReply): string {
  return isOldForm && finish === 'tool_calls' ? 'function_call' : finish
}

function toUsage({ draft, promptTokens }: ChatReply): object {
  const completion_tokens = tokensOf(draft)
  return {
    prompt_tokens: promptTokens,
    completion_tokens,
    total_tokens: promptTokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** Estimates the tokens of a chunk. */
export function tokensOfChunk(chunk: string): number {
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

/** A reply before it is rendered as a completion. */
export interface Draft {
  /** Null when tools are called without text, or when the response format cannot be filled. */
  readonly text: string | null
  readonly refusal: string | null
  readonly calls: readonly DraftCall[]
  readonly finish: string
}

/** A tool call as it is sent: its arguments are JSON, unless they are truncated. */
export interface DraftCall {
  readonly name: string
  readonly arguments: string
}

/** Converts the result of the planner to a draft. */
export function toDraft(plan: Plan): Draft {
  if ('text' in plan) return { text: plan.text, refusal: null, calls: [], finish: 'stop' }
  const calls = plan.calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }))
  return { text: null, refusal: null, calls, finish: 'tool_calls' }
}

/** Estimates the tokens of a text as four characters each: rough, but enough to test budgets. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

/** Estimates the tokens of a draft: its text, and the name and arguments of each call. */
export function tokensOf({ text, refusal, calls }: Draft): number {
  const words = countTokens(text ?? '') + countTokens(refusal ?? '')
  return calls.reduce((sum, call) => sum + countTokens(call.name + call.arguments), words)
}

/** Truncates a text to a number of tokens without splitting a surrogate pair. */
export function firstTokens(text: string, tokens: number): string {
  const end = tokens * charactersPerToken
  const isHalf = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return text.slice(0, isHalf ? end - 1 : end)
}

/** The end of a text, of this many tokens at most. */
export function lastTokens(text: string, tokens: number): string {
  return text.slice(-Math.max(1, tokens) * charactersPerToken).toWellFormed()
}

const charactersPerToken = 4
