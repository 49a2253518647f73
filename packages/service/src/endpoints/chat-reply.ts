import type { ChatRequest } from './chat-request.js'
import { type DraftCall, toFragments, toId, tokensOf, toWords } from './draft.js'
import type { ProtocolReply } from './reply.js'

type Reply = ProtocolReply<ChatRequest>

/** Returns the reply as one `chat.completion` object. */
export function toCompletion(reply: Reply): object {
  const { text, refusal } = reply.draft
  const message = { role: 'assistant', content: text, refusal, annotations: [], ...toCallFields(reply) }
  const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(reply) }
  return { ...toHead(reply, 'chat.completion'), choices: [choice], usage: toUsage(reply) }
}

/**
 * Returns the reply as `chat.completion.chunk` objects in JSON: the role, then text or argument fragments,
 * then the finish reason.
 */
export function* toChunks(reply: Reply): Generator<string> {
  const { withUsage } = reply.request
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

function* toDeltas(reply: Reply): Generator<object> {
  const { text, refusal, calls } = reply.draft
  for (const word of toWords(text)) yield { content: word }
  for (const word of toWords(refusal)) yield { refusal: word }
  for (const [index, call] of calls.entries()) yield* toCallDeltas(call, index, reply)
}

function* toCallDeltas({ name, arguments: args }: DraftCall, index: number, reply: Reply): Generator<object> {
  const id = toId('call_', reply.seed, index)
  const wrap = (call: object, part: object) =>
    reply.request.isOldForm ? { function_call: part } : { tool_calls: [{ index, ...call, function: part }] }
  yield wrap({ id, type: 'function' }, { name, arguments: '' })
  for (const fragment of toFragments(args, id)) yield wrap({}, { arguments: fragment })
}

function toCallFields(reply: Reply): object {
  const { calls } = reply.draft
  const [first] = calls
  if (!first) return {}
  if (reply.request.isOldForm) return { function_call: first }
  return {
    tool_calls: calls.map((call, index) => {
      return { index, id: toId('call_', reply.seed, index), type: 'function', function: call }
    }),
  }
}

function toHead({ seed, model }: Reply, object: string): object {
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

function finishOf({ draft: { finish }, request: { isOldForm } }: Reply): string {
  return isOldForm && finish === 'tool_calls' ? 'function_call' : finish
}

function toUsage({ draft, promptTokens }: Reply): object {
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
