import { hash, hashOf, isString, type Json, onceFor } from '../json.js'
import { estimateMessages } from '../run/estimate.js'
import type { Feature } from '../run/feature.js'
import type { ChangesBy, RunView, StepReply, StepRequest } from '../run/middleware.js'
import type { ModelRequest } from '../types/model.js'

/**
 * Compares each request of a run with the previous one, also if a different process sent that one. If a request does
 * not extend the previous one, the server can reuse less of its cache, and a `prefix-broken` event reports it.
 * `usage.cacheable` is the share of the input that repeats the previous request.
 */
export function prefix(): Feature {
  return { name, isInner: true, afterModel: compare }
}

const name = 'prefix'

/** A request, as the state keeps it: another process that continues the run compares with the same request. */
interface Sent {
  readonly agent: string
  /** The input tokens that the server last reported. */
  readonly input: number
  /** The keys of the model, of the instructions, and of the tools, the server's own first. */
  readonly head: string
  /** The number of messages, without the instructions. */
  readonly count: number
  /** The keys of the messages. Empty if they are the history. */
  readonly keys: string
}

function compare(
  reply: StepReply,
  call: StepRequest,
  run: RunView,
  sent?: ModelRequest,
): StepReply | undefined {
  if (!sent) return undefined
  const { messages } = call
  const {
    hostedTools,
    tools,
    messages: [first],
  } = sent
  const input = reply.tokens?.inputTokens ?? 0
  // In a request that a host recorded, the instructions may be the conversation's first message.
  const system = first === messages[0] ? hash('') : hashOf(first as object)
  // The state may come from anywhere: without a head there is no previous request.
  const before = Object(run.kept[name]) as Partial<Sent>
  const known = Math.abs(Number(before.input)) || 0
  const now: Sent = {
    agent: run.agent,
    input: input || known,
    head:
      hash(reply.model ?? call.model.name) +
      system +
      (hostedTools ? keysOf(hostedTools) : '') +
      keysOfTools(tools),
    count: messages.length,
    keys: messages === run.messages ? '' : keysOf(messages),
  }
  // Usually the history has grown, and nothing else has changed.
  const isSame = before.head === now.head && !(before.keys || now.keys)
  const share = !isString(before.head) || isSame ? 1 : shareOf(before as Sent, now, call, run)
  const cacheable = Math.min(share, known / input)
  changesBefore.set(run, call.by)
  const kept = { ...reply.kept, [name]: now as unknown as Json }
  return { ...(input > 0 && { cacheable }), ...reply, kept }
}

/** Returns the share of a request that repeats the previous one. Emits `prefix-broken` if that is not all of it. */
function shareOf(before: Sent, now: Sent, call: StepRequest, run: RunView): number {
  const { messages } = call
  const [was, is] = [before, now].map(
    ({ head, keys, count }) => head + (keys || keysOf(run.messages.slice(0, count))),
  ) as [string, string]
  if (is.startsWith(was)) return 1
  let at = 0
  while (was.substr(at * keyLength, keyLength) === is.substr(at * keyLength, keyLength)) at++
  const place = at - now.head.length / keyLength
  const isTool = at * keyLength < Math.max(before.head.length, now.head.length)
  const [part, ...fields] =
    at < 2
      ? ['instructions', at ? 'instructions' : 'model']
      : isTool
        ? [`tools[${at - 2}]`, 'tools', 'hostedTools', 'toolChoice']
        : [`messages[${place}]`, 'messages']
  const because = before.agent === now.agent ? causeOf(fields, call, run) : 'handoff'
  run.emit({ type: 'prefix-broken', at: part as 'instructions', because })
  return isTool ? 0 : estimateMessages(messages.slice(0, place)) / estimateMessages(messages)
}

/** Returns the keys of objects as one string. */
function keysOf(parts: readonly object[]): string {
  return parts.map(hashOf).join('')
}

/** The keys of tools, which are usually the same array in each step. */
const keysOfTools = /* @__PURE__ */ onceFor(keysOf)

const keyLength = 16

/** The changes of middlewares to each run's previous request. Only the cause of a break depends on them. */
const changesBefore = new WeakMap<RunView, ChangesBy>()

/**
 * Returns why fields changed: the first middleware that changed one of the fields differently than before, or else
 * `server` or `instructions`.
 */
function causeOf(fields: readonly string[], { by, isFinal }: StepRequest, run: RunView): string {
  const before = changesBefore.get(run) ?? {}
  const isOther = (one: string) =>
    fields.some((field) => {
      const [then, now] = [before, by].map((changes) => changes[one]?.[field])
      if (field !== 'messages' || !then || !now) return JSON.stringify(then) !== JSON.stringify(now)
      return !keysOf(now as object[]).startsWith(keysOf(then as object[]))
    })
  const isOwn = fields[0] === 'instructions' || (fields[0] === 'tools' && !isFinal)
  return Object.keys({ ...by, ...before }).find(isOther) ?? (isOwn ? 'instructions' : 'server')
}
