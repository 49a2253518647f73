import { startsWith } from '../json.js'
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
  return { name: 'prefix', isInner: true, afterModel: compare }
}

/** One request. */
interface Sent {
  /** False where no other agent can take over. */
  readonly agent: string | false
  readonly call: StepRequest
  /** The instructions, the definitions of tools, those of the server first, and the conversation. */
  readonly parts: readonly unknown[]
  /** The number of tools. */
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
  const { hostedTools = [], tools, messages } = sent
  const input = reply.tokens?.inputTokens ?? 0
  // A host may record requests in which the instructions are the first message of the conversation.
  const instructions = messages[0] === call.messages[0] || messages[0]
  const parts = [instructions, ...hostedTools, ...tools, ...call.messages]
  const agent = run.agents.size > 1 && run.agent
  const now: Sent = { agent, call, parts, count: hostedTools.length + tools.length, input }
  const before = sentBefore.get(run)
  sentBefore.set(run, now)
  const was = before?.parts ?? []
  let at = 0
  // Each model has its own cache.
  if (before?.call.model === call.model) while (at < was.length && isSame(was[at], parts[at])) at++
  const share = before && at < was.length ? tellBreak(at, before, now, run) : 1
  // Another process sends the same bytes.
  const known = before?.input ?? (Number(run.kept.prefix) || 0)
  if (!input) return undefined
  return { cacheable: Math.min(1, (share * known) / input), ...reply, kept: { ...reply.kept, prefix: input } }
}

/** Whether two parts of requests have the same bytes. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** Reports the first part that differs, and its cause. Returns how much of the request before is in front of it. */
function tellBreak(at: number, before: Sent, now: Sent, run: RunView): number {
  const messages = before.parts.slice(1 + before.count) as Message[]
  const tools = Math.max(before.count, now.count)
  const place = at - 1 - now.count
  const fields =
    at === 0 ? ['instructions', 'model'] : at > tools ? ['messages'] : ['tools', 'hostedTools', 'toolChoice']
  const isOther = (name: string) =>
    fields.some((field) => {
      const [was, is] = [before, now].map(({ call }) => call.by[name]?.[field])
      if (field !== 'messages' || !(was ?? is)) return !isSame(was, is)
      return !startsWith((is ?? now.call.messages) as Message[], (was ?? messages) as Message[])
    })
  const isOfServer = at > tools || (at > 0 && now.call.isFinal)
  const because =
    before.agent !== now.agent
      ? 'handoff'
      : (Object.keys({ ...now.call.by, ...before.call.by }).find(isOther) ??
        (isOfServer ? 'server' : 'instructions'))
  const where = at === 0 ? 'instructions' : at > tools ? `messages[${place}]` : `tools[${at - 1}]`
  run.emit({ type: 'prefix-broken', at: where as 'instructions', because })
  return at > tools ? estimateMessages(messages.slice(0, place)) / estimateMessages(messages) : 0
}
