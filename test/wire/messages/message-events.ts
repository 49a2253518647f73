import { eventStream, json, type WireAnswer } from '../answer.js'

type Fields = Readonly<Record<string, unknown>>

/** An event of a stream with its name, as the reference service sends it. */
export function event(type: string, fields: Fields = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'test-model' }

/** A whole message with these blocks. */
export function message(content: unknown, reason: unknown = 'end_turn', fields: Fields = {}): Fields {
  const usage = { input_tokens: 10, output_tokens: 5 }
  return { ...head, content, stop_reason: reason, stop_sequence: null, usage, ...fields }
}

/** A plain answer with these blocks. */
export function replies(content: unknown, reason: unknown = 'end_turn', fields: Fields = {}): WireAnswer {
  return json(200, message(content, reason, fields))
}

/** The first event, with the token counts of the input. */
export function starts(fields: Fields = {}): string {
  return event('message_start', { message: message([], null, fields) })
}

export function opens(block: unknown, index: number | 'none' = 0): string {
  return event('content_block_start', { ...placed(index), content_block: block })
}

export function adds(delta: Fields, index: number | 'none' = 0): string {
  return event('content_block_delta', { ...placed(index), delta })
}

function placed(index: number | 'none'): Fields {
  return index === 'none' ? {} : { index }
}

export function closes(index = 0): string {
  return event('content_block_stop', { index })
}

/** A piece of the arguments of a call. */
export function addsInput(partial_json: unknown, index: number | 'none' = 0): string {
  return adds({ type: 'input_json_delta', partial_json }, index)
}

/** A piece of text. */
export function says(text: unknown, index: number | 'none' = 0): string {
  return adds({ type: 'text_delta', text }, index)
}

export function ends(reason: unknown = 'end_turn', usage: unknown = { output_tokens: 5 }): string {
  return event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage })
}

export const stop = event('message_stop')
export const ping = event('ping')

export const textBlock = { type: 'text', text: '' }

/** A block that calls get_weather; `wire` changes a field, or takes it away with `undefined`. */
export function callBlock(input: unknown = {}, wire: Fields = {}): Fields {
  return { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input, ...wire }
}

/** The events of a text in full. */
export function text(words: string, index = 0): readonly string[] {
  const pieces = words.match(/.{1,6}/gsu) ?? []
  return [opens(textBlock, index), ...pieces.map((piece) => says(piece, index)), closes(index)]
}

/** The events of a call in full. */
export function call(args: string, index = 0, wire: Fields = {}): readonly string[] {
  const pieces = args.match(/.{1,5}/gsu) ?? []
  return [
    opens(callBlock({}, wire), index),
    addsInput('', index),
    ...pieces.map((piece) => addsInput(piece, index)),
    closes(index),
  ]
}

/** The events of thinking in full. */
export function thinks(words: string, signature = 'c2lnbmF0dXJl', index = 0): readonly string[] {
  return [
    opens({ type: 'thinking', thinking: '', signature: '' }, index),
    adds({ type: 'thinking_delta', thinking: words }, index),
    adds({ type: 'signature_delta', signature }, index),
    closes(index),
  ]
}

/** A whole stream with these events. */
export function streamed(events: readonly string[], reason: unknown = 'end_turn'): readonly string[] {
  return [starts(), ping, ...events, ends(reason), stop]
}

/** A stream of a text. */
export function streamOf(words: string): WireAnswer {
  return eventStream(streamed(text(words)))
}
