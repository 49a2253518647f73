import { estimateMessages } from '../run/estimate.js'
import type { Feature } from '../run/feature.js'
import type { RunView, StepReply, StepRequest } from '../run/middleware.js'
import type { Message } from '../types/message.js'
import type { ModelRequest } from '../types/model.js'

/**
 * Compares each request of a run with the previous one. If a request does not extend the previous one, the server can
 * reuse less of its cache: a `prefix-broken` event reports it. `usage.cacheable` is the share of the input that repeats
 * the previous request. On by default.
 */
export function prefix(): Feature {
  return { name, isInner: true, afterModel: compare }
}

const name = 'prefix'

/** The contents of a request. */
interface Sent {
  /** False where no other agent can take over. */
  readonly agent: string | false
  readonly call: StepRequest
  readonly instructions: unknown
  /** The definitions of tools, those of the server first. */
  readonly tools: readonly object[]
  /** The conversation, without the instructions. */
  readonly messages: readonly Message[]
  /** How many messages there were: the history grows in place. */
  readonly count: number
  /** The input tokens that the server has counted. */
  readonly input: number
}

/** The last request of each run. */
const sentBefore = new WeakMap<RunView, Sent>()

function compare(
  reply: StepReply,
  call: StepRequest,
  run: RunView,
  sent?: ModelRequest,
): StepReply | undefined {
  if (!sent) return undefined
  const {
    hostedTools,
    tools,
    messages: [first],
  } = sent
  const { messages } = call
  const input = reply.tokens?.inputTokens ?? 0
  const now: Sent = {
    agent: run.agents.size > 1 && run.agent,
    call,
    // A host may record requests in which they are the first message of the conversation.
    instructions: first === messages[0] || first,
    tools: hostedTools ? [...hostedTools, ...tools] : tools,
    messages,
    count: messages.length,
    input,
  }
  const before = sentBefore.get(run)
  sentBefore.set(run, now)
  const isSame =
    before?.messages === messages &&
    before.tools === now.tools &&
    before.instructions === now.instructions &&
    before.call.model === call.model
  const share = isSame || !before ? 1 : shareOf(before, now, run)
  // Another process sends the same bytes.
  const known = before?.input ?? Number(run.kept[name] ?? 0)
  if (!input) return undefined
  return {
    cacheable: Math.min(1, (share * known) / input),
    ...reply,
    kept: { ...reply.kept, [name]: input },
  }
}

/** Returns how much of a request the next one starts with. Reports it if that is not everything. */
function shareOf(before: Sent, now: Sent, run: RunView): number {
  const { instructions, tools, call, count } = before
  const messages = before.messages.slice(0, count)
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

/** Returns the name of the first middleware that changed one of these fields in another way than before, or another cause. */
function causeOf(fields: readonly string[], before: Sent, now: Sent): string {
  if (before.agent !== now.agent) return 'handoff'
  const isOther = (one: string) =>
    fields.some((field) => {
      const [was, is] = [before, now].map((sent) => sent.call.by[one]?.[field])
      if (field !== 'messages' || !(was ?? is)) return !isSame(was, is)
      const list = (was ?? before.messages.slice(0, before.count)) as readonly Message[]
      return sameUntil(list, (is ?? now.messages) as readonly Message[]) < list.length
    })
  const isOfServer = fields[0] === 'messages' || (fields[0] === 'tools' && now.call.isFinal)
  return (
    Object.keys({ ...now.call.by, ...before.call.by }).find(isOther) ??
    (isOfServer ? 'server' : 'instructions')
  )
}
