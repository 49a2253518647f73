import type { TypedEvent } from '../http/endpoint.js'
import { type Draft, type DraftCall, toFragments, toId, tokensOf, toWords } from './draft.js'
import type { ProtocolReply } from './reply.js'
import type { ResponsesRequest } from './responses-request.js'

type Reply = ProtocolReply<ResponsesRequest>

/** An item of a response. */
export interface OutputItem {
  readonly id: string
  readonly type: string
}

/** Returns the reply as one `response` object. */
export function toResponse(reply: Reply): object {
  return toObject(reply, { status: statusOf(reply.draft), output: toItems(reply) })
}

/** Returns the items of the reply: its text or refusal, then its calls. */
export function toItems({ draft, seed }: Reply): OutputItem[] {
  const { text, refusal, calls } = draft
  const isCut = draft.finish === 'length'
  const status = isCut && calls.length === 0 ? 'incomplete' : 'completed'
  const content = [
    ...(text === null ? [] : [toTextPart(text)]),
    ...(refusal === null ? [] : [{ type: 'refusal', refusal }]),
  ]
  const message = { id: toId('msg_', seed, 0), type: 'message', status, content, role: 'assistant' }
  const made = calls.map((call, index) => {
    return toCallItem(call, index, { seed, isCut: isCut && index === calls.length - 1 })
  })
  return [...(content.length > 0 ? [message] : []), ...made]
}

function toTextPart(text: string) {
  return { type: 'output_text', annotations: [], logprobs: [], text }
}

function toCallItem(
  { name, arguments: args }: DraftCall,
  index: number,
  { seed, isCut }: { readonly seed: string; readonly isCut: boolean },
) {
  return {
    id: toId('fc_', seed, index),
    type: 'function_call',
    status: isCut ? 'incomplete' : 'completed',
    arguments: args,
    call_id: toId('call_', seed, index),
    name,
  }
}

/**
 * Returns the events of a stream: the response, each item with its parts and their fragments, then the whole
 * response.
 */
export function* toResponseEvents(reply: Reply): Generator<TypedEvent> {
  let sequence_number = 0
  const number = (event: TypedEvent): TypedEvent => ({ ...event, sequence_number: sequence_number++ })
  const open = toObject(reply, { status: 'in_progress', output: [] })
  yield number({ type: 'response.created', response: open })
  yield number({ type: 'response.in_progress', response: open })
  for (const [output_index, item] of toItems(reply).entries())
    for (const event of toItemEvents(item)) yield number({ ...event, output_index })
  const status = statusOf(reply.draft)
  yield number({ type: `response.${status}`, response: toResponse(reply) })
}

type AnyItem = OutputItem & Partial<Record<'content' | 'arguments', unknown>>
type Part = { readonly type: string; readonly text?: string; readonly refusal?: string }

function* toItemEvents(item: AnyItem): Generator<TypedEvent> {
  const isCall = item.type === 'function_call'
  const empty = { ...item, status: 'in_progress', ...(isCall ? { arguments: '' } : { content: [] }) }
  yield { type: 'response.output_item.added', item: empty }
  if (isCall) yield* toArgumentEvents(item)
  else
    for (const [content_index, part] of (item.content as Part[]).entries())
      for (const event of toPartEvents(part)) yield { ...event, item_id: item.id, content_index }
  yield { type: 'response.output_item.done', item }
}

function* toArgumentEvents({ id: item_id, arguments: given }: AnyItem): Generator<TypedEvent> {
  const args = String(given)
  for (const delta of toFragments(args, item_id))
    yield { type: 'response.function_call_arguments.delta', item_id, delta }
  yield { type: 'response.function_call_arguments.done', item_id, arguments: args }
}

function* toPartEvents(part: Part): Generator<TypedEvent> {
  const { text, refusal } = part
  const [name, whole, more] =
    refusal === undefined
      ? (['output_text', { text }, { logprobs: [] }] as const)
      : (['refusal', { refusal }, {}] as const)
  const said = text ?? refusal ?? ''
  const empty = refusal === undefined ? { ...part, text: '' } : { ...part, refusal: '' }
  yield { type: 'response.content_part.added', part: empty }
  for (const delta of toWords(said)) yield { type: `response.${name}.delta`, delta, ...more }
  yield { type: `response.${name}.done`, ...whole, ...more }
  yield { type: 'response.content_part.done', part }
}

// Scripts may use any reason; others are ends.
function statusOf({ finish }: Draft): 'completed' | 'incomplete' {
  return finish === 'length' || finish === 'content_filter' ? 'incomplete' : 'completed'
}

function toObject(reply: Reply, { status, output }: { status: string; output: OutputItem[] }): object {
  const { seed, model, draft, request } = reply
  const now = Math.floor(Date.now() / 1000)
  const reason = draft.finish === 'length' ? 'max_output_tokens' : 'content_filter'
  return {
    id: `resp_${seed.slice(0, 48)}`,
    object: 'response',
    created_at: now,
    status,
    completed_at: status === 'completed' ? now : null,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    model,
    output,
    ...request.settings,
    usage: status === 'in_progress' ? null : toUsage(reply),
  }
}

function toUsage({ draft, promptTokens }: Reply): object {
  const output_tokens = tokensOf(draft)
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: promptTokens + output_tokens,
  }
}
