import type { Outcome } from './outcome.js'
import type { SeenRequest } from './replay.js'
import { isSameJson } from './same-json.js'

interface SentCall {
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}

interface SentMessage {
  readonly role?: unknown
  readonly content?: unknown
  readonly tool_calls?: readonly SentCall[]
  readonly tool_call_id?: unknown
  readonly [field: string]: unknown
}

/** An assistant message that calls tools, and the messages of tools right after it. */
export interface SentTurn {
  readonly assistant: SentMessage
  readonly results: readonly SentMessage[]
}

/** What a tool of these cases returns: it says which call it was. */
export function resultOf(name: string, args: unknown): string {
  return `ok: ${name} ${JSON.stringify(args).slice(0, 300)}`
}

/** The turns with calls in a request, oldest first. */
export function turnsOf({ body }: SeenRequest): readonly SentTurn[] {
  const messages = (body as { messages?: readonly SentMessage[] } | undefined)?.messages ?? []
  return messages.flatMap((assistant, at) => {
    if (assistant.role !== 'assistant' || !assistant.tool_calls) return []
    const after = messages.slice(at + 1)
    const end = after.findIndex(({ role }) => role !== 'tool')
    return [{ assistant, results: end === -1 ? after : after.slice(0, end) }]
  })
}

/** What the model was told, other than results. */
export function complaintsIn(requests: readonly SeenRequest[]): readonly string[] {
  return requests
    .flatMap(turnsOf)
    .flatMap(({ results }) => results.map(({ content }) => textOf(content)))
    .filter((text) => !text.startsWith('ok: '))
}

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (typeof part === 'string' ? part : (part?.text ?? ''))).join('')
}

/** Names in the history that strict servers refuse. */
export function unusableNames(requests: readonly SeenRequest[]): readonly string[] {
  const calls = requests.flatMap(turnsOf).flatMap(({ assistant }) => assistant.tool_calls ?? [])
  const names = calls.map(({ function: called }) => called?.name)
  return names.map(String).filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
}

/** What no server has to accept in the requests that carry results. */
export function historyFaults({ requests }: Outcome): readonly string[] {
  const followUps = requests.filter(({ kind }) => kind === 'followUp')
  const faults = followUps.flatMap((request) => {
    const turns = turnsOf(request)
    if (turns.length === 0) return ['results were sent without the message that called for them']
    const ids = turns.flatMap(({ assistant }) => assistant.tool_calls ?? []).map(({ id }) => id)
    const twice = new Set(ids).size === ids.length ? [] : ['a call id is in the history twice']
    return [...twice, ...turns.flatMap(turnFaults)]
  })
  return [...new Set(faults)]
}

function turnFaults({ assistant, results }: SentTurn): readonly string[] {
  const calls = assistant.tool_calls ?? []
  const answered = results.map(({ tool_call_id }) => tool_call_id)
  const isAnswered = calls.length === answered.length && calls.every(({ id }) => answered.includes(id))
  return [
    ...(calls.length > 0 ? [] : ['a history holds an empty tool_calls']),
    ...(isAnswered
      ? []
      : [`${calls.length} calls are followed by ${answered.length} results, or ids differ`]),
    ...calls.flatMap((call) => callFaults(call, results)),
  ]
}

function callFaults({ id, function: called }: SentCall, results: readonly SentMessage[]): readonly string[] {
  if (typeof id !== 'string' || id === '') return ['a call id in the history is no text']
  const { name, arguments: args } = called ?? {}
  if (typeof args !== 'string') return ['arguments in the history are no text']
  const said = textOf(results.find(({ tool_call_id }) => tool_call_id === id)?.content)
  return isCrossed(name, args, said)
    ? [`the result of ${String(name)}(${args.slice(0, 60)}) is another call's`]
    : []
}

/** Results say whose they are; only calls whose arguments are one short object can be compared. */
function isCrossed(name: unknown, args: string, said: string): boolean {
  const [, ranName, ranArgs] = /^ok: (\S+) (\{.*\})$/s.exec(said) ?? []
  if (ranName === undefined || ranArgs === undefined || ranArgs.length >= 300) return false
  try {
    const sent: unknown = JSON.parse(args)
    const isObject = typeof sent === 'object' && sent !== null
    return ranName !== name || (isObject && !isSameJson(sent, JSON.parse(ranArgs)))
  } catch {
    return ranName !== name
  }
}
