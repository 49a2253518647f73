import { createHash } from 'node:crypto'
import type { Plan } from '../plan/plan.js'

/** What the planner answered, to which conversation, under which model name. */
export interface ChatReply {
  readonly answer: Plan
  /** The conversation as JSON: ids and fragments are derived from it, so that a request repeated is answered alike. */
  readonly conversation: string
  readonly model: string
}

/** The answer as one `chat.completion` object. */
export function toCompletion(reply: ChatReply): object {
  const calls = toToolCalls(reply)
  const message =
    'calls' in reply.answer
      ? { role: 'assistant', content: null, refusal: null, tool_calls: calls }
      : { role: 'assistant', content: reply.answer.text, refusal: null }
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(reply) }
  return { ...toHead(reply, 'chat.completion'), choices: [choice], usage: toUsage(reply) }
}

/** The answer as `chat.completion.chunk` objects in JSON: the role, then words or argument fragments, then the reason. */
export function* toChunks(reply: ChatReply, withUsage: boolean): Generator<string> {
  const head = toHead(reply, 'chat.completion.chunk')
  const chunk = (delta: object, finish_reason: string | null = null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
    return JSON.stringify({ ...head, choices, ...(withUsage && { usage: null }) })
  }
  yield chunk({ role: 'assistant', content: 'text' in reply.answer ? '' : null, refusal: null })
  for (const delta of toDeltas(reply)) yield chunk(delta)
  yield chunk({}, finishReason(reply))
  if (withUsage) yield JSON.stringify({ ...head, choices: [], usage: toUsage(reply) })
}

interface ToolCall {
  readonly index: number
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

function* toDeltas(reply: ChatReply): Generator<object> {
  if ('text' in reply.answer) {
    for (const word of reply.answer.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) yield { content: word }
    return
  }
  for (const {
    index,
    id,
    type,
    function: { name, arguments: args },
  } of toToolCalls(reply)) {
    yield { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }
    for (const fragment of toFragments(args, id))
      yield { tool_calls: [{ index, function: { arguments: fragment } }] }
  }
}

// Four to twelve characters each, as the id decides; never between the halves of a surrogate pair.
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

function toToolCalls({ answer, conversation }: ChatReply): ToolCall[] {
  if ('text' in answer) return []
  return answer.calls.map((call, index) => ({
    index,
    id: `call_${hash(`${conversation}#${index}`)}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }))
}

function toHead({ conversation, model }: ChatReply, object: string): object {
  const created = Math.floor(Date.now() / 1000)
  return {
    id: `chatcmpl-${hash(conversation)}`,
    object,
    created,
    model,
    system_fingerprint: 'capstan-planner-rules',
  }
}

function finishReason({ answer }: ChatReply): string {
  return 'calls' in answer ? 'tool_calls' : 'stop'
}

// Four characters to a token: rough, and enough to try budgets with.
function toUsage({ answer, conversation }: ChatReply): object {
  const prompt_tokens = Math.ceil(conversation.length / 4)
  const completion_tokens = Math.ceil(JSON.stringify(answer).length / 4)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}
