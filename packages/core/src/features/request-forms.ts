// Servers accept different forms of requests. When a server rejects a request, the model finds a form that the server
// accepts, and uses that form from then on.

import type { CapstanError } from '../errors.js'
import type { Adaptation, ModelFeature, Refusal } from '../model/protocol.js'
import {
  asksForUsage,
  completionTokens,
  type ServerForm,
  sentFieldsOf,
  toShortId,
} from '../model/request-body.js'
import { isRefusal } from '../model/response-errors.js'
import { type AssistantMessage, callsOf, type Message } from '../types/message.js'
import type { ModelReply, ModelRequest } from '../types/model.js'

type Flag = { [Name in keyof ServerForm]-?: true extends ServerForm[Name] ? Name : never }[keyof ServerForm]

/** Returns an adaptation that changes one part of requests once a rejection requires that change. */
function changeOf(flag: Flag, isAsked: (refusal: Refusal) => boolean): Adaptation {
  return (refusal) => (refusal.form[flag] || !isAsked(refusal) ? undefined : { [flag]: true })
}

/**
 * Returns an adaptation that omits message fields that a rejection names, if a message that `isMeant` accepts has them.
 * If a setting has the same name, the field is only omitted if the rejection mentions messages.
 */
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

/** The possible changes. Each rejection leads to the first change in this list that the rejection requires. */
const adaptations: readonly Adaptation[] = [
  changeOf(
    'withoutUsage',
    ({ text, request, form }) => asksForUsage(request, form) && /stream_options|include_usage/.test(text),
  ),
  // Fields from clients and older states come first: they must not cause the server's own fields to be omitted.
  leavingOut('withoutFields', (message) => !hasMark(message)),
  leavingOut('withoutOwnFields', hasMark),
  changeOf(
    'withReasoning',
    ({ text, request: { messages } }) =>
      messages.some(hasMark) &&
      clausesAbout('reasoning_content', text).some((clause) => missing.test(clause)),
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

/** Returns an adaptation that omits a field from the server's own messages once a rejection matches `refusing`. */
export function withoutOwnField(field: string, refusing: RegExp): Adaptation {
  return ({ text, request: { messages }, form: { withoutOwnFields: left = [] } }) =>
    refusing.test(text) && !left.includes(field) && messages.some((message) => field in message)
      ? { withoutOwnFields: [field] }
      : undefined
}

/** The maximum number of changes for one request. */
const maxChanges = 8

/**
 * When a server rejects part of a request by name, changes that part and sends the request again immediately. Later
 * requests use the form that worked.
 * @throws the last request's error
 */
export function requestForms(): ModelFeature {
  return {
    name: 'request-forms',
    wrapSend(send, { usualForm, adaptations: more = [] }) {
      const all = [...more, ...adaptations]
      let usual: ServerForm = {}
      let known: ServerForm = usual
      return (request, sink) => {
        const now = usualForm()
        if (now !== usual) known = usual = now
        const attempt = (asked: ModelRequest, form: ServerForm, left: number): Promise<ModelReply> =>
          send(asked, sink, form).catch(async (error: unknown) => {
            if (left === 0 || !isRefusal(error)) throw error
            const refusal = { text: refusalText(error), request, form }
            let found: ServerForm | undefined
            for (const adapt of all) found ??= adapt(refusal)
            if (!found) throw error
            // With the same key, a deduplicating service would return the rejection again.
            const idempotencyKey = `${asked.idempotencyKey}/${Object.keys(found)}`
            const reply = await attempt({ ...request, idempotencyKey }, withChange(form, found), left - 1)
            // In the meantime another request may have changed the known form, or the base URL may have changed.
            if (usual === now) known = withChange(known, found)
            return reply
          })
        return attempt(request, known, maxChanges)
      }
    },
  }
}

function withChange(form: ServerForm, change: ServerForm): ServerForm {
  const changed = { ...form, ...change }
  for (const list of ['withoutFields', 'withoutOwnFields'] as const)
    if (form[list] && change[list]) changed[list] = [...new Set([...form[list], ...change[list]])].sort()
  return changed
}

/**
 * Returns a rejection's text without the values that validators quote (pydantic's `input`) and without the escapes of
 * nested JSON.
 */
export function refusalText({ message, evidence }: CapstanError): string {
  return `${message}\n${evidence?.body}`
    .replace(/\\?"input\\?":\s*\\?"(?:[^"\\]|\\.)*"?/g, '')
    .replaceAll('\\', '')
}

/** Whether an error message rejects this field, rather than reporting that its value is missing. */
export function isRefused(field: string, text: string): boolean {
  return clausesAbout(field, text).some((clause) => refusing.test(clause) && !missing.test(clause))
}

const refusing =
  /unknown|unrecogni[sz]ed|unexpected|unsupported|extra (field|input|key|param|propert)|additional|forbidden|cannot find|(not|n't)[ _](be |yet |currently )*(permitted|allowed|support|accept|recogni[sz])/i
const missing = /missing|must be (passed|provided|included|set)|(is|are|field) required|requires/i

/** Returns the text around each mention of a field, within the same line or the same entry of an array of errors. */
function clausesAbout(field: string, text: string): readonly string[] {
  const escaped = field.replace(/[^\w-]/g, '\\$&')
  const mention = RegExp(`.{0,160}(?<![\\w-])${escaped}(?![\\w-]).{0,160}`, 'g')
  return text.split(/\n|[}\])]\s*,\s*[{([]/).flatMap((entry) => entry.match(mention) ?? [])
}

function hasMark(message: Message): boolean {
  return (message as AssistantMessage).server !== undefined
}

/** Whether a rejection is about the form of call ids: their length or their characters. */
function refusesIds(text: string): boolean {
  return (
    /(call|use)s?[\w\]'". [-]{0,40}\bid\b/i.test(text.replaceAll('_', ' ')) &&
    /length|too long|pattern|a-z/i.test(text)
  )
}
