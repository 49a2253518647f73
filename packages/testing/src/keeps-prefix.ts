// Compares the requests in a conversation. Each request should extend the previous one, so that servers can use their
// prompt caches.

import { CapstanError, type Message, type ToolDefinition } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { diff } from './diff.js'
import { readRuns } from './recording/read.js'

/** Exceptions to the rule that each request extends the previous one. */
export interface PrefixExceptions {
  /**
   * The numbers of requests that may differ, starting at 0, or the parts that may differ in any request. For example,
   * `tools` allows the tool that is added after the first long result, and `messages` allows a shortened history.
   * Default: none.
   */
  readonly except?: readonly (number | 'tools' | 'messages' | 'instructions')[]
}

/** A request that does not extend the previous one. */
export interface BrokenPrefix {
  /** The request's number, starting at 0. `before` is the number of the previous request in the same conversation. */
  readonly request: number
  readonly before: number
  /** The part that differs, such as `tools[3]`, `messages[12]` or `instructions`. */
  readonly at: string
  /** A diff of that part between the two requests. */
  readonly difference: string
}

interface Asked {
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
}

/**
 * Returns the first request that does not extend the previous request in its conversation. Undefined if all requests
 * do. `given` is a model with `requests`, or the path to a recording.
 * @throws CapstanError `invalid_request` for any other value
 */
export function findBrokenPrefix(
  given: unknown,
  { except = [] }: PrefixExceptions = {},
): BrokenPrefix | undefined {
  /** The number of each conversation's latest request, by the conversation's first message. */
  const latest = new Map<string, number>()
  const requests = toRequests(given)
  for (const [number, request] of requests.entries()) {
    const { messages } = request
    const first = JSON.stringify(messages.find(({ role }) => role !== 'system'))
    // A request that contains a reply continues a conversation, even if the first message has been removed.
    const isLater = messages.some(({ role }) => role === 'assistant')
    const before = latest.get(first) ?? (isLater ? [...latest.values()].at(-1) : undefined)
    latest.delete(first)
    latest.set(first, number)
    if (before === undefined || except.includes(number)) continue
    const broken = compare(requests[before] as Asked, request)
    const field = /^\w+/.exec(broken?.at ?? '')?.[0]
    if (broken && !except.some((one) => one === field)) return { request: number, before, ...broken }
  }
  return undefined
}

function toRequests(given: unknown): readonly Asked[] {
  if (typeof given === 'string')
    return readRuns(given).flatMap(({ exchanges }) =>
      exchanges.map(({ system, messages, tools }) => ({ messages: withSystem(system, messages), tools })),
    )
  const requests: unknown = Object(given).requests
  const isRequest = (one: unknown) => isRecord(one) && Array.isArray(one.messages) && Array.isArray(one.tools)
  if (Array.isArray(requests) && requests.every(isRequest)) return requests as readonly Asked[]
  throw new CapstanError(
    'invalid_request',
    'toKeepItsPrefix takes a model with requests, such as scriptedModel(...), or the path to a recording.',
  )
}

function withSystem(system: string | undefined, messages: readonly Message[]): readonly Message[] {
  return system === undefined ? messages : [{ role: 'system', content: system }, ...messages]
}

function compare(before: Asked, now: Asked): Pick<BrokenPrefix, 'at' | 'difference'> | undefined {
  const [was, is] = [split(before), split(now)]
  const broken = (at: string, one: unknown, other: unknown) => ({ at, difference: diff(one, other) })
  const tools = Math.max(before.tools.length, now.tools.length)
  for (let at = 0; at < tools; at++)
    if (!isEqual(before.tools[at], now.tools[at]))
      return broken(`tools[${at}]`, before.tools[at], now.tools[at])
  if (!isEqual(was.system, is.system)) return broken('instructions', was.system, is.system)
  for (const [at, message] of was.messages.entries()) {
    const other = is.messages[at]
    const isLast = at === was.messages.length - 1
    if (!isEqual(message, other) && !(isLast && other && isExtended(message, other)))
      return broken(`messages[${at}]`, message, other)
  }
  return undefined
}

function split({ messages }: Asked): { readonly system?: Message; readonly messages: readonly Message[] } {
  const [first, ...rest] = messages
  return first?.role === 'system' ? { system: first, messages: rest } : { messages }
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Whether the last user message only became longer. For example, the note for the final answer is added to it. */
function isExtended({ role, content }: Message, other: Message): boolean {
  const start = JSON.stringify(content ?? '').slice(0, -1)
  return role === 'user' && other.role === role && JSON.stringify(other.content).startsWith(start)
}
