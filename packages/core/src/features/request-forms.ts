// Servers differ in what they accept. A model learns the form of its server from the refusals and remembers it.

import { type CapstanError, isCapstanError } from '../errors.js'
import {
  asksForUsage,
  completionTokens,
  type ServerForm,
  sentFieldsOf,
  toShortId,
} from '../model/request-body.js'
import { type AssistantMessage, callsOf, type Message } from '../types/message.js'
import type { ModelReply, ModelRequest } from '../types/model.js'

/** A request that the server did not take, and the form in which it was sent. */
interface Refusal {
  /** The server's message and body, without what they quote of the request. */
  readonly text: string
  readonly request: ModelRequest
  readonly form: ServerForm
}

/**
 * Returns the change of the form of requests that a refusal asks for. Undefined if it asks for none, or for one that is
 * made already.
 */
export type Adaptation = (refusal: Refusal) => ServerForm | undefined

type Flag = { [Name in keyof ServerForm]-?: true extends ServerForm[Name] ? Name : never }[keyof ServerForm]

/** Changes one thing, when a refusal asks for it for the first time. */
function changeOf(flag: Flag, isAsked: (refusal: Refusal) => boolean): Adaptation {
  return (refusal) => (refusal.form[flag] || !isAsked(refusal) ? undefined : { [flag]: true })
}

/** Leaves out the further fields of some messages that a refusal names. A setting of that name is the user's. */
function leavingOut(
  list: 'withoutFields' | 'withoutOwnFields',
  isMeant: (message: Message) => boolean,
): Adaptation {
  return ({ text, request: { messages, settings = {} }, form }) => {
    const sent = new Set(messages.filter(isMeant).flatMap((message) => sentFieldsOf(message, form)))
    const isOfMessage = (name: string) => !Object.hasOwn(settings, name) || text.includes('messages')
    const refused = [...sent].filter((name) => isOfMessage(name) && isRefused(name, text)).sort()
    return refused.length > 0 ? { [list]: refused } : undefined
  }
}

/** The first that a refusal asks for is made. */
const adaptations: readonly Adaptation[] = [
  changeOf(
    'withoutUsage',
    ({ text, request, form }) => asksForUsage(request, form) && /stream_options|include_usage/.test(text),
  ),
  // Those of clients and of older states first: what they contain should not cost a server its own fields.
  leavingOut('withoutFields', (message) => !hasMark(message)),
  leavingOut('withoutOwnFields', hasMark),
  changeOf(
    'withReasoning',
    ({ text, request: { messages } }) => messages.some(hasMark) && isMissing('reasoning_content', text),
  ),
  changeOf(
    'shortIds',
    ({ text, request: { messages } }) =>
      refusesIds(text) && messages.flatMap(callsOf).some(({ id }) => toShortId(id) !== id),
  ),
  changeOf(
    'withCompletionTokens',
    ({ text, request: { settings = {} } }) =>
      'max_tokens' in settings && !(completionTokens in settings) && text.includes(completionTokens),
  ),
  changeOf(
    'withoutStrict',
    ({ text, request: { tools } }) =>
      tools.some((tool) => tool.function.strict !== undefined) &&
      isRefused('strict', text) &&
      !/schema|response_format/.test(text),
  ),
  changeOf(
    'withoutToolChoice',
    ({ text, request: { tools, toolChoice = 'auto' } }) =>
      tools.length > 0 && toolChoice === 'auto' && isRefused('tool_choice', text),
  ),
]

/** Leaves out a field of the server's own messages after a refusal of what it contains. */
export function withoutOwnField(field: string, refusing: RegExp): Adaptation {
  return ({ text, request: { messages }, form: { withoutOwnFields: left = [] } }) =>
    refusing.test(text) && !left.includes(field) && messages.some((message) => field in message)
      ? { withoutOwnFields: [field] }
      : undefined
}

/** Maximum number of changes for one request. */
const maxChanges = 8

type Send = (request: ModelRequest, form: ServerForm) => Promise<ModelReply>

/** The form that one server takes, as far as it is known. */
export class LearnedForm {
  #form: ServerForm = {}
  readonly #adaptations: readonly Adaptation[]

  /** `more` are those of a protocol alone. */
  constructor(more: readonly Adaptation[] = []) {
    this.#adaptations = [...more, ...adaptations]
  }

  /**
   * Sends a request in the known form. When the server refuses it by name, it is sent again at once in a changed form;
   * what helped is remembered. `server` is the server's mark. @throws the error of the last request
   */
  send(request: ModelRequest, server: string, send: Send): Promise<ModelReply> {
    if (this.#form.server !== server) this.#form = { server }
    const attempt = (asked: ModelRequest, form: ServerForm, left: number): Promise<ModelReply> =>
      send(asked, form).catch(async (error: unknown) => {
        const found = left > 0 ? this.#findChange(error, request, form) : undefined
        if (!found) throw error
        // With the same key, a deduplicating service would return the refusal again.
        const idempotencyKey = `${asked.idempotencyKey}/${Object.keys(found)}`
        const reply = await attempt({ ...request, idempotencyKey }, withChange(form, found), left - 1)
        // Another request may have changed the known form since, or the address.
        if (this.#form.server === server) this.#form = withChange(this.#form, found)
        return reply
      })
    return attempt(request, this.#form, maxChanges)
  }

  #findChange(error: unknown, request: ModelRequest, form: ServerForm): ServerForm | undefined {
    if (!isRefusal(error)) return undefined
    const refusal = { text: refusalText(error.message, error.evidence?.body), request, form }
    const changes = this.#adaptations.map((find) => find(refusal))
    return changes.find((change) => change !== undefined)
  }
}

function withChange(form: ServerForm, change: ServerForm): ServerForm {
  const changed = { ...form, ...change }
  for (const list of ['withoutFields', 'withoutOwnFields'] as const)
    if (form[list] && change[list]) changed[list] = [...new Set([...form[list], ...change[list]])].sort()
  return changed
}

/** Whether an error refuses a request: its status says so, and no reply had begun, of which a part may be shown. */
export function isRefusal(error: unknown): error is CapstanError {
  return (
    isCapstanError(error) &&
    // 404: an item of an earlier reply that the server does not have.
    [400, 404, 422].includes(error.status ?? 0) &&
    ['invalid_request', 'not_found'].includes(error.code) &&
    !error.evidence?.hasBegun
  )
}

/** Removes the values that validators quote (pydantic's `input`) and escapes of JSON within JSON. */
function refusalText(message: string, body: unknown): string {
  return `${message}\n${body}`.replace(/\\?"input\\?":\s*\\?"(?:[^"\\]|\\.)*"?/g, '').replaceAll('\\', '')
}

/** Whether a text says that this field is not accepted, and not that its value is missing. */
export function isRefused(field: string, text: string): boolean {
  return clausesAbout(field, text).some((clause) => refusing.test(clause) && !missing.test(clause))
}

/** Whether a text says that this field has to be there. */
function isMissing(field: string, text: string): boolean {
  return clausesAbout(field, text).some((clause) => missing.test(clause))
}

const refusing =
  /unknown|unrecogni[sz]ed|unexpected|unsupported|extra (field|input|key|param|propert)|additional|forbidden|cannot find|(not|n't)[ _](be |yet |currently )*(permitted|allowed|support|accept|recogni[sz])/i
const missing = /missing|must be (passed|provided|included|set)|(is|are|field) required|requires/i

/** Returns what surrounds each mention of a field, within its line or its entry of a list of errors. */
function clausesAbout(field: string, text: string): readonly string[] {
  const escaped = field.replace(/[^\w-]/g, '\\$&')
  const mention = new RegExp(`.{0,160}(?<![\\w-])${escaped}(?![\\w-]).{0,160}`, 'g')
  return text.split(/\n|[}\])]\s*,\s*[{([]/).flatMap((entry) => entry.match(mention) ?? [])
}

function hasMark(message: Message): boolean {
  return (message as AssistantMessage).server !== undefined
}

/** Whether a text is about the form of call ids: their length or their characters. */
function refusesIds(text: string): boolean {
  return (
    /(call|use)s?[\w\]'". [-]{0,40}\bid\b/i.test(text.replaceAll('_', ' ')) &&
    /length|too long|pattern|a-z/i.test(text)
  )
}
