import { estimateMessages } from '../run/estimate.js'
import type { Feature } from '../run/feature.js'
import type { RunView, StepReply, StepRequest } from '../run/middleware.js'
import type { Message } from '../types/message.js'
import type { ModelRequest } from '../types/model.js'

/**
 * Compares each request of a run with the previous one, within one process. If a request does not extend the previous
 * one, the server can reuse less of its cache, and a `prefix-broken` event reports it. `usage.cacheable` is the share
 * of the input that repeats the previous request. Add `prefix()` to `middleware`.
 */
export function prefix(): Feature {
  return { name: 'prefix', isInner: true, afterModel: compare }
}

/** The contents of a request, to compare the next request with. */
interface Sent {
  readonly agent: string
  readonly call: StepRequest
  readonly instructions: unknown
  /** Tool definitions, the server's own tools first. */
  readonly tools: readonly object[]
  /** The conversation, without the instructions. */
  readonly messages: readonly Message[]
  /** The input tokens that the server reported. */
  readonly input: number
}

/** Each run's previous request. */
const sentBefore = new WeakMap<RunView, Sent>()

function compare(
  reply: StepReply,
  call: StepRequest,
  run: RunView,
  sent?: ModelRequest,
): StepReply | undefined {
  if (!sent) return undefined
  const { hostedTools = [], tools, messages } = sent
  const now: Sent = {
    agent: run.agent,
    call,
    // In a request that a host recorded, the instructions may be the conversation's first message.
    instructions: messages[0] === call.messages[0] || messages[0],
    tools: [...hostedTools, ...tools],
    // Copies the messages, because the history array grows.
    messages: call.messages.slice(),
    input: reply.tokens?.inputTokens ?? 0,
  }
  const before = sentBefore.get(run)
  sentBefore.set(run, now)
  const share = before ? (shareOf(before, now, run) * before.input) / now.input : 0
  return now.input > 0 ? { cacheable: Math.min(1, share), ...reply } : undefined
}

/**
 * Returns the share of the previous request that the current one starts with. Emits `prefix-broken` if the share is
 * below 1.
 */
function shareOf(before: Sent, now: Sent, run: RunView): number {
  const { instructions, tools, messages, call } = before
  const told = (at: PrefixPlace, ...fields: readonly string[]) =>
    run.emit({ type: 'prefix-broken', at, because: causeOf(fields, before, now) })
  const tool = sameUntil(tools, now.tools)
  const message = sameUntil(messages, now.messages)
  if (instructions !== now.instructions || call.model !== now.call.model)
    told('instructions', 'instructions', 'model')
  else if (tool < Math.max(tools.length, now.tools.length))
    told(`tools[${tool}]`, 'tools', 'hostedTools', 'toolChoice')
  else if (message < messages.length) {
    told(`messages[${message}]`, 'messages')
    return estimateMessages(messages.slice(0, message)) / estimateMessages(messages)
  } else return 1
  return 0
}

type PrefixPlace = 'instructions' | `tools[${number}]` | `messages[${number}]`

/** Returns how many leading items two arrays have in common. */
function sameUntil(one: readonly unknown[], other: readonly unknown[]): number {
  let at = 0
  while (at < one.length && isSame(one[at], other[at])) at++
  return at
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/**
 * Returns why fields changed: the first middleware that changed one of the fields differently than before, or else
 * `handoff`, `server` or `instructions`.
 */
function causeOf(fields: readonly string[], before: Sent, now: Sent): string {
  if (before.agent !== now.agent) return 'handoff'
  const isOther = (name: string) =>
    fields.some((field) => {
      const [was, is] = [before, now].map((sent) => sent.call.by[name]?.[field])
      if (field !== 'messages' || !(was ?? is)) return !isSame(was, is)
      const list = (was ?? before.messages) as readonly Message[]
      return sameUntil(list, (is ?? now.messages) as readonly Message[]) < list.length
    })
  const isOfServer = fields[0] === 'messages' || (fields[0] === 'tools' && now.call.isFinal)
  return (
    Object.keys({ ...now.call.by, ...before.call.by }).find(isOther) ??
    (isOfServer ? 'server' : 'instructions')
  )
}
