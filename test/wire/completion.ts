import { json, type WireAnswer } from './answer.js'
import { callOf } from './chunk.js'

type Fields = Readonly<Record<string, unknown>>

const head = { id: 'chatcmpl-1', object: 'chat.completion', created: 1_760_000_000, model: 'test-model' }
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** The body of a plain answer with one choice. */
export function completion(message: Fields, finishReason: unknown = 'stop', further: Fields = {}): Fields {
  const choice = { index: 0, message: { role: 'assistant', content: null, ...message } }
  return { ...head, choices: [{ ...choice, finish_reason: finishReason }], usage, ...further }
}

/** A plain answer with this message. */
export function replies(message: Fields, finishReason: unknown = 'stop', further: Fields = {}): WireAnswer {
  return json(200, completion(message, finishReason, further))
}

/** A plain answer that calls these; each is what `callOf` makes. */
export function calls(...entries: readonly Fields[]): WireAnswer {
  return replies({ tool_calls: entries }, 'tool_calls')
}

/** A plain answer with one call of get_weather with these arguments. */
export function callsWith(args: unknown, wire: Fields = {}): WireAnswer {
  return calls(callOf(args, wire))
}
