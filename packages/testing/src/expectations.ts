import type { ModelRequest } from '@capstan/core'
import { isRecord, textOf } from '@capstan/core/internal'
import { diff } from './diff.js'

/** What a request is expected to be: the text of its last message, or several things of it. */
export type ExpectedRequest = string | RegExp | ExpectedRequestFields

/** Each part that is left out may be anything. A RegExp, or a matcher of a test library, may stand for any value. */
export interface ExpectedRequestFields {
  /** Of the last message: what the user said, or what a tool answered. */
  readonly text?: unknown
  /** Of the last message. */
  readonly role?: unknown
  /** The system message. */
  readonly instructions?: unknown
  /** The names of the tools that are offered, in their order. */
  readonly tools?: unknown
  readonly toolChoice?: unknown
  /** All messages, the system message first; of each the fields that matter. */
  readonly messages?: unknown
  readonly settings?: unknown
  readonly stream?: unknown
}

/** How a request differs from what was expected; `''` when it does not. */
export function diffRequest(asked: ExpectedRequest, request: ModelRequest): string {
  const parts: ExpectedRequestFields =
    typeof asked === 'string' || asked instanceof RegExp ? { text: asked } : asked
  const { expected, seen } = alignExpected(parts, requestFields(request))
  return diff(expected, seen)
}

function requestFields({
  messages,
  tools,
  toolChoice = 'auto',
  settings,
  stream,
}: ModelRequest): ExpectedRequestFields {
  const last = messages.at(-1)
  const [first] = messages
  return {
    text: textOf(last?.content),
    role: last?.role,
    ...(first?.role === 'system' ? { instructions: first.content } : {}),
    tools: tools.map((tool) => tool.function.name),
    toolChoice,
    messages,
    settings,
    stream,
  }
}

/** What was expected, and what was seen in its place: they are alike where the expectation holds. */
interface Comparison {
  readonly expected: unknown
  readonly seen: unknown
}

/**
 * Holds a value against what is expected of a part of it, so that a diff of the two tells what differs: of an object
 * only the fields that are named, of a list all items. A RegExp, or a matcher such as `expect.any(String)`, stands for
 * what it matches.
 */
export function alignExpected(expected: unknown, seen: unknown): Comparison {
  if (isPatternValue(expected))
    return matchesPattern(expected, seen) ? { expected: seen, seen } : mismatch(expected, seen)
  if (Array.isArray(expected) && Array.isArray(seen)) {
    const items = expected.map((item, at) =>
      at < seen.length ? alignExpected(item, seen[at]) : mismatch(item),
    )
    const further = seen.slice(expected.length)
    return { expected: items.map((item) => item.expected), seen: [...presentValues(items), ...further] }
  }
  if (!isRecord(expected) || !isRecord(seen)) return { expected, seen }
  const parts = Object.entries(expected).flatMap(([key, part]) =>
    part === undefined
      ? []
      : [[key, Object.hasOwn(seen, key) ? alignExpected(part, seen[key]) : mismatch(part)] as const],
  )
  return {
    expected: Object.fromEntries(parts.map(([key, part]) => [key, part.expected])),
    seen: Object.fromEntries(parts.flatMap(([key, part]) => presentValues([part]).map((one) => [key, one]))),
  }
}

/** What is missing is no item and no field of what was seen. */
const missing = Symbol()

function presentValues(parts: readonly Comparison[]): unknown[] {
  return parts.flatMap(({ seen }) => (seen === missing ? [] : [seen]))
}

function mismatch(expected: unknown, seen: unknown = missing): Comparison {
  return { expected: isMatcher(expected) ? matcherName(expected) : expected, seen }
}

/** A matcher of a test library, by the protocol they share. */
interface Matcher {
  asymmetricMatch(value: unknown): boolean
  toAsymmetricMatcher?(): string
}

function isPatternValue(value: unknown): value is RegExp | Matcher {
  return value instanceof RegExp || isMatcher(value)
}

function isMatcher(value: unknown): value is Matcher {
  return isRecord(value) && typeof value.asymmetricMatch === 'function'
}

function matchesPattern(pattern: RegExp | Matcher, value: unknown): boolean {
  if (!(pattern instanceof RegExp)) return pattern.asymmetricMatch(value)
  // `search` begins at the start, whatever was looked for before.
  return typeof value === 'string' && value.search(pattern) !== -1
}

function matcherName(matcher: Matcher): string {
  return matcher.toAsymmetricMatcher?.() ?? String(matcher)
}
