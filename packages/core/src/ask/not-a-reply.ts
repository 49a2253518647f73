import { CapstanError } from '../words/error.js'
import type { ToolCall } from '../words/message.js'
import type { Loose } from './loose.js'

/** For a JSON body that neither answers nor says why not. */
export function withoutChoices(body: Loose, text: string): CapstanError {
  const fields = Object.keys(body)
  const what = fields.length === 0 ? 'an empty object' : `only ${fields.slice(0, 10).join(', ')}`
  const message = `The model server answered without choices: it sent ${what}. Is baseURL that of a chat completions server?`
  return new CapstanError('invalid_response', message, {
    retryable: true,
    evidence: { excerpt: text.slice(0, 200) },
  })
}

/** For what should have been JSON. */
export function malformed(what: string, text: string): CapstanError {
  const excerpt = text.trim().slice(0, 200)
  // A page comes from another kind of server; asked again, it would send the page again.
  const isPage = /^<(!doctype|html|head|body)/i.test(excerpt)
  const advice = isPage ? ' That is a web page: check baseURL.' : ''
  const message = `The model server sent no valid JSON in ${what}${excerpt === '' ? '' : `: ${excerpt}`}.${advice} Nothing was run.`
  return new CapstanError('invalid_response', message, { retryable: !isPage, evidence: { excerpt } })
}

/** For an answer that is longer than the model may send. */
export function tooLong(maxBytes: number): CapstanError {
  const message = `The model server's answer is longer than ${maxBytes} bytes (maxBytes). Raise maxBytes of the model, or ask for a shorter answer.`
  return new CapstanError('invalid_response', message, { evidence: { maxBytes } })
}

/** For an answer that says that it failed, and nothing more. */
export function failedSilently(how: string): CapstanError {
  const message = `The server ended its answer with ${how} and no word about it: nothing of it was used.`
  return new CapstanError('api', message, { retryable: true })
}

export function noChoices(): CapstanError {
  const message = 'The server answered without a single choice. Sending the request again may help.'
  return new CapstanError('invalid_response', message, { retryable: true })
}

export function callsMissing(finishReason: string): CapstanError {
  const message = `The server ended with finish_reason "${finishReason}" but sent no call. Sending the request again may help.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { finishReason } })
}

/** For calls that may go on where the answer stops. */
export function cutOff(calls: readonly ToolCall[]): CapstanError {
  const names = calls.map((call) => call.function.name)
  const message = `The answer was cut off before its end, with calls of ${names.join(', ')} in it: nothing was run.`
  return new CapstanError('truncated', message, { retryable: true, evidence: { calls: names } })
}

/** For a stream that ends in the middle of an event. */
export function cutInside(event: string): CapstanError {
  const excerpt = event.slice(0, 200)
  const message = `The answer was cut off in the middle of an event: ${excerpt}. Nothing was run.`
  return new CapstanError('truncated', message, { retryable: true, evidence: { excerpt } })
}

/** For a call that came without arguments, and arguments that may be its own. */
export function strayArguments(name: string, text: string): CapstanError {
  const excerpt = text.slice(0, 200)
  const message = `The model server sent a call of ${name} without arguments, and then under another id arguments that may be its own: ${excerpt}. Nothing was run.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { name, excerpt } })
}

/** For calls in an answer some of whose bytes are no text. */
export function garbled(): CapstanError {
  const message =
    'The model server sent calls in bytes that are no UTF-8, so that their arguments are not known. Nothing was run.'
  return new CapstanError('invalid_response', message, { retryable: true })
}
