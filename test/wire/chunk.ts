type Fields = Readonly<Record<string, unknown>>

const head = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'test-model',
}

/** An event of a stream with this JSON in it. */
export function event(body: unknown): string {
  return `data: ${JSON.stringify(body)}\n\n`
}

/** A chunk with one choice; `choice` adds fields to the choice, or takes them away with `undefined`. */
export function chunk(delta: unknown, choice: Fields = {}): string {
  return chunkOf([{ index: 0, delta, finish_reason: null, ...choice }])
}

/** A chunk with these choices and these further fields. */
export function chunkOf(choices: unknown, further: Fields = {}): string {
  return event({ ...head, choices, ...further })
}

/** What most streams begin with. */
export const start = chunk({ role: 'assistant', content: '' })

/** A piece of text, or of what a server has in its place. */
export function says(content: unknown): string {
  return chunk({ content })
}

/** The head of call_1 of get_weather at index 0; `wire` changes a field, or takes it away with `undefined`. */
export function opens(args?: unknown, wire: Fields = {}): string {
  return chunk({ tool_calls: [callOf(args, { index: 0, ...wire })] })
}

/** A continuation at index 0, with nothing but arguments unless `wire` says more. */
export function adds(args: unknown, wire: Fields = {}): string {
  const { name, ...labels } = { index: 0, ...wire } as Fields
  return chunk({ tool_calls: [{ ...labels, function: { name, arguments: args } }] })
}

/** A whole entry of `tool_calls`: call_1 of get_weather, unless `wire` changes it. */
export function callOf(args: unknown, wire: Fields = {}): Fields {
  const usual = { index: undefined, id: 'call_1', type: 'function', name: 'get_weather' }
  const { index, id, type, name, ...further } = { ...usual, ...wire } as Fields
  return { index, id, type, function: { name, arguments: args }, ...further }
}

/** The last chunk of a choice. */
export function finish(reason: unknown, delta: unknown = {}): string {
  return chunk(delta, { finish_reason: reason })
}

export const done = 'data: [DONE]\n\n'

const tokens = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** A chunk of nothing but usage. */
export const usage = chunkOf([], { usage: tokens })
