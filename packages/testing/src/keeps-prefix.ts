// Compares the requests of a conversation: each should extend the one before, so that servers' prompt caches hold.

import { CapstanError, type Message, type ToolDefinition } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { diff } from './diff.js'
import { readRuns } from './recording/read.js'

/** Exceptions that `toKeepItsPrefix` allows. */
export interface PrefixExceptions {
  /**
   * Requests that need not extend the previous one, by number from 0, or parts of requests that may differ: `tools` for
   * the first long result, `messages` for a shortened history. Default: none.
   */
  readonly except?: readonly (number | 'tools' | 'messages' | 'instructions')[]
}

/** The first request that does not extend the previous one. */
export interface BrokenPrefix {
  /** Its index, and the index of the previous request, from 0. */
  readonly request: number
  readonly before: number
  /** The part that differs: `tools[3]`, `messages[12]`, `instructions`. */
  readonly at: string
  /** The differing part of both requests, line by line. */
  readonly difference: string
}

interface Asked {
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
}

/**
 * Returns the first request, of a model or in a recording, that does not extend the previous request of its
 * conversation.
 * @throws CapstanError `invalid_request` for a value without requests
 */
export function findBrokenPrefix(
  given: unknown,
  { except = [] }: PrefixExceptions = {},
): BrokenPrefix | undefined {
  /** The number of the last request of each conversation, by its first message. */
  const latest = new Map<string, number>()
  const requests = toRequests(given)
  for (const [number, request] of requests.entries()) {
    const { messages } = request
    const first = JSON.stringify(messages.find(({ role }) => role !== 'system'))
    // A request with a reply in it continues a conversation, even where its first message is gone.
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
    'toKeepItsPrefix takes a model with requests, such as scriptedModel(...), or the path of a recording.',
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

/** Whether a final user message only became longer: the final answer's note is added to it. */
function isExtended({ role, content }: Message, other: Message): boolean {
  const start = JSON.stringify(content ?? '').slice(0, -1)
  return role === 'user' && other.role === role && JSON.stringify(other.content).startsWith(start)
}
