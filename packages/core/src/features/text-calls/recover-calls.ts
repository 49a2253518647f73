import { isString } from '../../json.js'
import type { ModelFeature, SendRequest } from '../../model/protocol.js'
import { maxItems } from '../../model/reply-fields.js'
import { isRefusal, tooManyItems, truncatedReply } from '../../model/response-errors.js'
import type { Middleware, StepEffects } from '../../run/middleware.js'
import { withoutEscapes } from '../../secrets/secrets.js'
import {
  type AssistantMessage,
  callsOf,
  type Message,
  type ToolCall,
  type ToolDefinition,
  textOf,
  type UserMessage,
} from '../../types/message.js'
import {
  type ModelDelta,
  type ModelReply,
  type ModelRequest,
  type ModelSink,
  restartNotice,
} from '../../types/model.js'
import { markers } from './forms.js'
import { MarkupScanner, readTextCalls, type TextCalls } from './scan-calls.js'

const kind = [
  "'report', 'run' or false",
  (value: unknown) => ['report', 'run', false].includes(value as string),
] as const

/**
 * Recognizes replies in which a model wrote calls as text. The `textCalls` option sets whether these calls are reported
 * or converted to real calls.
 */
export function recoverCalls(): ModelFeature {
  return {
    name: 'text-calls',
    options: { textCalls: kind },
    wrapSend: (send, { options: { textCalls = 'report' } }) => withTextCalls(send, textCalls),
  }
}

/** A hint on how to run calls that were written as text. */
const textCallHint = "chatModel(name, { textCalls: 'run' }) runs such calls."

/** Returns a `send` that marks replies with calls written as text, or converts these calls. */
export function withTextCalls(send: SendRequest, mode: 'report' | 'run' | false): SendRequest {
  if (mode === false) return send
  const sendForm = mode === 'run' ? withTextForm(send) : send
  return (request, sink, form) => {
    // Text that must be JSON is not a call.
    const { type = 'text' } = Object(request.settings?.response_format)
    if (request.tools.length === 0 || request.toolChoice === 'none' || type !== 'text')
      return sendForm(request, sink, form)
    const held = sink && new HeldText(sink, request.tools)
    return sendForm(request, held?.add, form).then((reply) => {
      const found = findTextCalls(reply, request)
      held?.release(found)
      if (!found) return reply
      const textCalls = { form: found.form, names: found.calls.map(({ name }) => name) }
      if (mode === 'report')
        return { ...reply, textCalls: { ...textCalls, recovered: false, hint: textCallHint } }
      // The original text is kept in one of Capstan's own fields.
      const textForm = { form: found.form, text: textOf(reply.message.content) }
      const content = found.before || found.behind || null
      const message = { ...reply.message, content, tool_calls: toCalls(found), textForm }
      return { ...reply, message, textCalls: { ...textCalls, recovered: true } }
    })
  }
}

/**
 * Returns the calls that a reply contains as text, if any.
 * @throws CapstanError `truncated` for calls in an incomplete stream: the last call may be cut off
 */
function findTextCalls(
  { message, finishReason, incomplete }: ModelReply,
  { messages, tools }: ModelRequest,
): TextCalls | undefined {
  if (callsOf(message).length > 0 || message.refusal) return undefined
  if (/^(length|content_filter)$/.test(finishReason ?? '')) return undefined
  const { content } = message
  if (Array.isArray(content) && content.some(({ text }) => !isString(text))) return undefined
  const text = textOf(content)
  const found = readTextCalls(text, tools)
  // Invalid bytes were replaced, so these arguments are not what the model wrote.
  if (!found || text.includes('\ufffd') || isQuoted(found, messages)) return undefined
  if (found.calls.length > maxItems) throw tooManyItems('tool calls')
  if (incomplete) throw truncatedReply(toCalls(found))
  return found
}

/** Returns the calls without ids. The run assigns the ids. */
function toCalls({ calls }: TextCalls): ToolCall[] {
  return calls.map((call) => ({ id: '', type: 'function', function: call }))
}

/**
 * Whether the calls are only quotes, because messages that the model has read recently contain them. If those messages
 * contain markup, the same names and values are enough, or the same names if the reply also has other text.
 */
function isQuoted({ texts, calls, before, behind }: TextCalls, messages: readonly Message[]): boolean {
  const read = comparable(recentText(messages))
  const isRead = (text: string) => read.includes(comparable(text))
  if (texts.every((text) => isRead(withoutEnds(text)))) return true
  return (
    markers.some(isRead) &&
    calls.every(({ name, arguments: json }) => {
      const values = valuesIn(json)
      return isRead(name) && (before !== behind || (values.length > 0 && values.every(isRead)))
    })
  )
}

/** Returns the strings, numbers and other single values in JSON, as strings. */
function valuesIn(json: string): readonly string[] {
  const values: string[] = []
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value !== 'object') values.push(String(value))
  })
  return values
}

/** Returns the text of the last two user messages and the results after them, newest first. */
function recentText(messages: readonly Message[]): string {
  let text = ''
  let users = 0
  for (const { role, content } of [...messages].reverse()) {
    if (users === 2) break
    if (role === 'user') users += 1
    if (role === 'user' || role === 'tool') text += `${textOf(content)}\n`
  }
  return text.slice(0, maxCompared)
}

/** The maximum number of characters of earlier messages that are compared with a reply. */
const maxCompared = 300_000

/** Removes a surrounding code fence, and trailing end tokens. */
function withoutEnds(text: string): string {
  const pieces = text.replace(/^```\w*|```$/g, '').split(/(?=<)/)
  while (/^<[|｜].*[|｜]>$/.test(pieces.at(-1) ?? '')) pieces.pop()
  return pieces.join('')
}

/**
 * Removes the changes that quoting makes: JSON escapes, line marks and numbers, HTML, wide characters, white space
 * and invisible characters.
 */
function comparable(text: string): string {
  return withoutEscapes(text)
    .normalize('NFKC')
    .replace(/\\[nrt]/g, '\n')
    .replace(lineMarks, '')
    .replace(formatTags, '')
    .replace(/[\s\p{Cf}]+/gu, '')
}

const lineMarks = /^(?:[ \t]*(?:>|\d+[\t|:→]))+/gm
const formatTags = /<\/?(?:[abip]|code|div|em|span)(?:\s[^<>]*)?>/g

/**
 * Holds back streamed text while it may be a call, and emits text that is not a call. If a request fails, the text that
 * is held back is dropped, because it was never shown.
 */
class HeldText {
  readonly #to: ModelSink
  readonly #scanner: MarkupScanner
  #held = ''
  /** The length of the text before the held part. */
  #shown = 0

  constructor(to: ModelSink, tools: readonly ToolDefinition[]) {
    this.#to = to
    this.#scanner = new MarkupScanner(tools)
  }

  readonly add = (delta: ModelDelta): void => {
    if (delta.type === 'text') {
      const isText = this.#scanner.add(delta.text) === 'text'
      if (this.#held !== '' || !isText) {
        this.#held += delta.text
        this.#showTo(isText ? Infinity : this.#scanner.start)
        return
      }
      this.#shown += delta.text.length
    }
    // The server sent real calls, so the text before them is not a call.
    if (delta.type === 'call') this.release()
    this.#to(delta)
  }

  /** Shows the text that was held back. If `found` is given, shows only the text before and after the calls. */
  release(found?: TextCalls): void {
    const { start = Infinity, before = '', behind = '' } = found ?? {}
    if (this.#shown > start) {
      // The call was already shown as text: a long call whose name comes last, or a call before a lot of text.
      this.#to(restartNotice('The text is a tool call.'))
      this.#show(before + behind)
    } else {
      if (before || !found) this.#showTo(start)
      this.#show(behind)
    }
  }

  /** Shows the held text up to `end`, counted from the start of the reply. */
  #showTo(end: number): void {
    const length = Math.max(0, end - this.#shown)
    const shown = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    this.#shown += shown.length
    this.#show(shown)
  }

  #show(text: string): void {
    if (text) this.#to({ type: 'text', text })
  }
}

/**
 * Wraps `send` for histories that contain calls that were written as text. If the server rejects the calls, sends their
 * text instead.
 */
function withTextForm(send: SendRequest): SendRequest {
  /** Whether the server has rejected calls that were written as text, and then accepted their text. */
  let isNeeded = false
  return async (request, sink, form) => {
    if (!request.messages.some((message) => formOf(message))) return send(request, sink, form)
    if (isNeeded) return send(inTextForm(request), sink, form)
    try {
      return await send(request, sink, form)
    } catch (error) {
      if (!isRefusal(error)) throw error
      // With the same key, a deduplicating service would return the rejection again.
      const idempotencyKey = `${request.idempotencyKey}/text-form`
      const reply = await send(inTextForm({ ...request, idempotencyKey }), sink, form)
      // In a request without tools, their absence may have caused the rejection.
      isNeeded ||= request.tools.length > 0
      return reply
    }
  }
}

interface TextForm {
  readonly form: string
  readonly text: string
}

/**
 * Returns the original text of a message whose calls were written as text. Undefined for all other messages. A stored
 * conversation may contain anything in the `textForm` field.
 */
function formOf(message: Message): TextForm | undefined {
  const { textForm } = message as { readonly textForm?: unknown }
  const { form, text } = Object(textForm) as Partial<TextForm>
  return isString(form) && isString(text) ? { form, text } : undefined
}

/** Returns the request with calls as the model's text and results as user messages. */
function inTextForm(request: ModelRequest): ModelRequest {
  const messages: Message[] = []
  const names = new Map<string, string>()
  let form = ''
  /** The results after the last reply, which are in the newest message. */
  let results = ''
  for (const message of request.messages) {
    const { role, content } = message
    const calls = callsOf(message)
    if (role === 'tool') {
      if (results) messages.pop()
      results += `${results && '\n'}${resultText(content, form, names.get(message.tool_call_id))}`
      messages.push({ role: 'user', content: results })
      continue
    }
    // Servers that reject calls often require the roles to alternate.
    if (role === 'user' && results) messages.splice(-1, 1, behindResults(results, message))
    else if (calls.length > 0) {
      for (const call of calls) names.set(call.id, call.function.name)
      form = formOf(message)?.form ?? 'hermes'
      messages.push(writtenCalls(message as AssistantMessage, calls))
    } else messages.push(message)
    results = ''
  }
  return { ...request, messages }
}

/** Puts results at the start of a user message. */
function behindResults(results: string, message: UserMessage): UserMessage {
  const { content } = message
  const isText = isString(content)
  return {
    ...message,
    content: isText ? `${results}\n\n${content}` : [{ type: 'text', text: results }, ...content],
  }
}

/**
 * Returns a message with its calls as text: as the model wrote them, or else in the notation that most models support.
 */
function writtenCalls(message: AssistantMessage, calls: readonly ToolCall[]): AssistantMessage {
  const { tool_calls: _, ...rest } = message
  const own = formOf(message)?.text
  if (own !== undefined) return { ...rest, content: own }
  const written = calls.map(
    ({ function: { name, arguments: args } }) =>
      `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n</tool_call>`,
  )
  return { ...rest, content: [textOf(message.content), ...written].filter(Boolean).join('\n') }
}

/** Matches model families whose templates put results into an element `tool_response`. */
const wrapsResults = /^(hermes|qwen|glm)/

/** Text for the model: a result, for servers that do not accept tool messages. */
function resultText(content: string, form: string, name = ''): string {
  if (!wrapsResults.test(form)) return `Result of ${name}:\n${content}`
  // A result must not be able to close its element.
  return `<tool_response>\n${content.replaceAll('</tool_response>', '<\\/tool_response>')}\n</tool_response>`
}

const name = 'text-calls'

/**
 * Reacts to calls that a model wrote as text and that did not run (`textCalls: 'report'`): tells each agent's model
 * once how to make calls, and sends another request. If the model writes them as text again, the run ends as
 * `incomplete` with that text and a warning. On by default.
 */
export function textCalls(): Middleware {
  return {
    name,
    afterReply({ textCalls, output }, { agent, kept }): StepEffects | undefined {
      // Text that is the run's output is not treated as a call.
      if (textCalls?.recovered !== false || (output && 'value' in output)) return undefined
      const told = (kept[name] ?? []) as readonly string[]
      if (!told.includes(agent)) {
        const messages = [{ role: 'user' as const, content: howToCall }]
        return { state: [...told, agent], messages, continue: true }
      }
      const names = [...new Set(textCalls.names)].map((one) => `"${one}"`).join(', ')
      const warning =
        `The model wrote calls to ${names} as text, and no tool ran. ${textCalls.hint ?? ''}`.trim()
      // With an output schema, the run sends another request anyway.
      return output ? { warning } : { warning, incomplete: true }
    },
  }
}

/** Text for the model. */
const howToCall = 'No tool ran: you wrote tool calls as text. Make real tool calls instead.'
