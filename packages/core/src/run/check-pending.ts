import { parseArguments } from '../answer/parse-arguments.js'
import { CapstanError } from '../words/error.js'
import type { Json } from '../words/json.js'
import type { ToolCall } from '../words/message.js'
import { isRecord } from '../words/record.js'
import type { PendingCall, RunState } from '../words/state.js'
import { openCalls } from './walk.js'

/** A call as a person reads it. */
interface Reading {
  readonly name: string
  readonly arguments: Json
  /** The agent that makes it, where that is known. */
  readonly agent?: string | undefined
}

/**
 * Compares the pending calls of a state, and of its child runs, with the calls that would run.
 * @throws CapstanError `conflict` when `isDecided` is true of a call that is not the one shown; Error for any other
 * contradiction
 */
export function checkPending(state: RunState, isDecided: (callId: string) => boolean): void {
  const open = openCalls(state)
  const { children = {}, answered } = state
  // A message added behind the calls closes them.
  if (state.messages.at(-1)?.role !== 'assistant') return
  if (open.length === 0 && state.stopReason !== 'pending') return
  const pending = new Map(state.pending.map((call) => [call.callId, call]))
  const isUnique =
    pending.size === state.pending.length && new Set(open.map(({ id }) => id)).size === open.length
  if (pending.size > 0 && !isUnique) throw new Error('two calls have the same id')
  for (const [index, call] of open.entries()) {
    const own = pending.get(call.id)
    const child = children[index]
    const states = [own, child, answered[index]].filter((one) => one !== undefined).length
    if (states > 1) throw new Error(`the call "${call.id}" is both pending and answered`)
    if (states === 0 && state.stopReason === 'pending')
      throw new Error(`the call "${call.id}" is neither pending nor answered`)
    if (own) checkSame(own, readingOf(call), isDecided(call.id))
    if (child) checkChild(call.id, child.state, { pending, isDecided })
    pending.delete(call.id)
  }
  for (const callId of pending.keys()) throw new Error(`the pending call "${callId}" is not among its calls`)
}

interface Listed {
  /** Pending calls of the parent; those of the child run are taken out. */
  readonly pending: Map<string, PendingCall>
  isDecided(callId: string): boolean
}

/** The parent lists the pending calls of a child run as that run has them. */
function checkChild(id: string, state: RunState, { pending, isDecided }: Listed): void {
  for (const inner of state.pending) {
    const callId = `${id}/${inner.callId}`
    const shown = pending.get(callId)
    if (!shown) throw new Error(`the call "${callId}" is not listed as pending`)
    checkSame(shown, inner, isDecided(callId))
    pending.delete(callId)
  }
  checkPending(state, (callId) => isDecided(`${id}/${callId}`))
}

/** @throws CapstanError `conflict` for an approval of a call that is not the one shown */
export function checkShown(shown: PendingCall, call: ToolCall, agent: string): void {
  checkSame(shown, { ...readingOf(call), agent }, true)
}

function checkSame(shown: PendingCall, runs: Reading, isDecided: boolean): void {
  const isSameAgent = shown.agent === undefined || runs.agent === undefined || shown.agent === runs.agent
  if (shown.name === runs.name && isSameAgent && isSameJson(shown.arguments, runs.arguments)) return
  const { callId } = shown
  if (!isDecided)
    throw new Error(`the pending call "${callId}" is ${toLine(shown)}, but its message has ${toLine(runs)}`)
  const message = `The decision on "${callId}" is about ${toLine(shown)}, but ${toLine(runs)} would run. Nothing was run. Resume from the state as the run returned it.`
  const evidence = { callId, shown: toEvidence(shown), runs: toEvidence(runs) }
  throw new CapstanError('conflict', message, { evidence })
}

function readingOf({ function: { name, arguments: text } }: ToolCall): Reading {
  const parsed = parseArguments(text)
  return { name, arguments: parsed.ok ? (parsed.value as Json) : text }
}

function toEvidence({ name, agent, arguments: args }: Reading): Readonly<Record<string, Json>> {
  return { name, arguments: args ?? null, ...(agent === undefined ? {} : { agent }) }
}

function toLine({ name, agent, arguments: args }: Reading): string {
  const text = JSON.stringify(args) ?? 'without arguments'
  const cut = text.length > 200 ? `${text.slice(0, 200)}... (${text.length} characters)` : text
  return `${name} ${cut}${agent === undefined ? '' : ` of the agent "${agent}"`}`
}

/** Whether two values are the same JSON: the order of keys does not count. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => isSameJson(item, other[at]))
    )
  if (!isRecord(one) || !isRecord(other)) return one === other
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key]))
  )
}
