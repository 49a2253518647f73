import type { Draft } from './endpoints/draft.js'
import { ServiceError } from './http/service-error.js'
import type { Pace } from './pace.js'
import type { ChatMessage } from './plan/conversation.js'
import { type RuleCondition, type ScriptOptions, type ScriptRule, toPattern } from './script.js'

/** A scripted reply, with the pace of its rule, if any. */
interface ScriptedReply extends Draft {
  readonly pace?: Pace
}

/** Returns the scripted reply to a conversation. Undefined if the planner should reply. */
export type Script = (messages: readonly ChatMessage[]) => ScriptedReply | undefined

/** Creates a player for a checked script. It counts the replies of each rule. */
export function playScript({ rules, else: other }: ScriptOptions): Script {
  const ready = rules.map((rule) => ({ rule, fits: toTest(rule.when), left: rule.times ?? Infinity }))
  return (messages) => {
    const found = ready.find(({ fits, left }) => left > 0 && fits(messages))
    if (found) {
      found.left -= 1
      return toAnswer(found.rule)
    }
    if (other === 'refuse') throw noRule(messages, rules)
    return undefined
  }
}

type Test = (messages: readonly ChatMessage[]) => boolean

function toTest(when: ScriptRule['when']): Test {
  const { role, tool, text }: RuleCondition = typeof when === 'string' ? { text: when } : when
  const pattern = text === undefined ? undefined : toPattern(text)
  return (messages) => {
    const last = messages.at(-1)
    if (!last || (role !== undefined && last.role !== role)) return false
    if (tool !== undefined && toolOf(last, messages) !== tool) return false
    return pattern === undefined || pattern.test(last.text)
  }
}

function toolOf(last: ChatMessage, messages: readonly ChatMessage[]): string | undefined {
  if (last.role !== 'tool') return undefined
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  return calls.findLast(({ id }) => id === last.callId)?.name
}

function toAnswer({ answer, calls = [], error, finish, pace }: ScriptRule): ScriptedReply {
  if (error) throw toError(error)
  const drafts = calls.map(({ name, arguments: args = {} }) => {
    return { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
  })
  const usual = calls.length > 0 ? 'tool_calls' : 'stop'
  const draft = { text: answer ?? null, refusal: null, calls: drafts, finish: finish ?? usual }
  return pace ? { ...draft, pace } : draft
}

function toError({ status, message, retryAfter }: NonNullable<ScriptRule['error']>): ServiceError {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  const said = message ?? `Scripted error with status ${status}.`
  return new ServiceError(status, 'scripted_error', said, null, headers)
}

function noRule(messages: readonly ChatMessage[], rules: readonly ScriptRule[]): ServiceError {
  const last = messages.at(-1)
  const said = `${last?.role ?? 'none'}: ${shorten(last?.text ?? '')}`
  const list = rules.map(({ when, times }, index) => {
    const limit = times === undefined ? '' : ` (at most ${times} times)`
    return `${index}: ${JSON.stringify(when)}${limit}`
  })
  const message = `No rule in the script matches the last message (${said}). Rules: ${list.join('; ') || 'none'}.`
  return new ServiceError(400, 'no_rule_fits', message, 'messages')
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text)
}
