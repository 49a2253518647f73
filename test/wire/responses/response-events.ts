import { eventStream, json, type WireAnswer } from '../answer.js'

type Fields = Readonly<Record<string, unknown>>

/** An event of a stream with its name, as the reference service sends it. */
export function event(type: string, fields: Fields = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 1, ...fields })}\n\n`
}

const head = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_760_000_000,
  model: 'test-model',
  error: null,
  incomplete_details: null,
  parallel_tool_calls: true,
  store: false,
  tools: [],
}

/** The token counts of most cases. */
const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
}

/** A whole response with these items. */
export function response(output: readonly unknown[], fields: Fields = {}): Fields {
  return { ...head, status: 'completed', output, usage, ...fields }
}

/** A plain answer with these items. */
export function replies(output: readonly unknown[], fields: Fields = {}): WireAnswer {
  return json(200, response(output, fields))
}

/** What each stream begins with. */
export const start = event('response.created', {
  response: { ...head, status: 'in_progress', output: [], usage: null },
})

/** What each whole stream ends with; the items are in it again. */
export function completed(output: readonly unknown[] = [], fields: Fields = {}): string {
  return event('response.completed', { response: response(output, fields) })
}

export function incomplete(reason: string | undefined, output: readonly unknown[] = []): string {
  const details = reason === undefined ? null : { reason }
  const fields = { status: 'incomplete', incomplete_details: details }
  return event('response.incomplete', { response: response(output, fields) })
}

export function failed(error: unknown): string {
  return event('response.failed', { response: response([], { status: 'failed', error, usage: null }) })
}

/** A message item with this text; `wire` changes a field, or takes it away with `undefined`. */
export function message(text: string, wire: Fields = {}): Fields {
  return messageOf([{ type: 'output_text', text, annotations: [] }], wire)
}

export function messageOf(content: unknown, wire: Fields = {}): Fields {
  return { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content, ...wire }
}

/** call_1 of get_weather as an item. */
export function callItem(args: unknown, wire: Fields = {}): Fields {
  return {
    ...{ id: 'fc_1', type: 'function_call', status: 'completed' },
    ...{ call_id: 'call_1', name: 'get_weather', arguments: args },
    ...wire,
  }
}

/** A reasoning item that its server alone can read. */
export function thinks(encrypted: string | null = 'c2VjcmV0', wire: Fields = {}): Fields {
  return { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: encrypted, ...wire }
}

export function added(item: Fields, index: number | undefined = 0): string {
  return event('response.output_item.added', { output_index: index, item })
}

export function ends(item: Fields, index: number | undefined = 0): string {
  return event('response.output_item.done', { output_index: index, item })
}

/** A piece of text. */
export function says(delta: string, wire: Fields = {}): string {
  return event('response.output_text.delta', {
    ...{ item_id: 'msg_1', output_index: 0, content_index: 0, delta, logprobs: [] },
    ...wire,
  })
}

/** A piece of arguments. */
export function adds(delta: string, wire: Fields = {}): string {
  return event('response.function_call_arguments.delta', {
    ...{ item_id: 'fc_1', output_index: 0, delta },
    ...wire,
  })
}

/** The events of a message in full, without the response around them. */
export function streamedMessage(text: string, index = 0, wire: Fields = {}): readonly string[] {
  const at = { item_id: 'msg_1', output_index: index, content_index: 0 }
  const part = { type: 'output_text', text, annotations: [] }
  return [
    added(messageOf([], { status: 'in_progress', ...wire }), index),
    event('response.content_part.added', { ...at, part: { ...part, text: '' } }),
    ...(text.match(/.{1,6}/gsu) ?? []).map((delta) => says(delta, { output_index: index })),
    event('response.output_text.done', { ...at, text }),
    event('response.content_part.done', { ...at, part }),
    ends(message(text, wire), index),
  ]
}

/** The events of a call in full. */
export function streamedCall(args: string, index = 0, wire: Fields = {}): readonly string[] {
  const at = { item_id: wire.id ?? 'fc_1', output_index: index }
  return [
    added(callItem('', { status: 'in_progress', ...wire }), index),
    ...(args.match(/.{1,5}/gsu) ?? []).map((delta) => adds(delta, at)),
    event('response.function_call_arguments.done', { ...at, arguments: args }),
    ends(callItem(args, wire), index),
  ]
}

/** A whole stream of these events, with the response around them. */
export function streamed(events: readonly string[], output: readonly unknown[]): readonly string[] {
  return [start, ...events, completed(output)]
}

/** A stream of a text. */
export function streamOf(words: string): WireAnswer {
  return eventStream(streamed(streamedMessage(words), [message(words)]))
}
