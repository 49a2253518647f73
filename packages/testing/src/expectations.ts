import type { ModelRequest } from '@capstan/core'
import { isRecord, textOf } from '@capstan/core/internal'
import { diff } from './diff.js'

/** What a scripted step expects of its request: either the text of the last message, or several fields. */
export type ExpectedRequest = string | RegExp | ExpectedRequestFields

/**
 * Expected fields of a request. An omitted field may have any value. Instead of any value, you can use a RegExp or a
 * matcher from a test library.
 */
export interface ExpectedRequestFields {
  /** The text of the last message. That message is either from the user or contains a tool result. */
  readonly text?: unknown
  /** The role of the last message. */
  readonly role?: unknown
  /** The text of the system message. */
  readonly instructions?: unknown
  /** The names of the offered tools, in order. */
  readonly tools?: unknown
  readonly toolChoice?: unknown
  /** All messages, including the system message as the first one. Include only the fields that you want to compare. */
  readonly messages?: unknown
  readonly settings?: unknown
  readonly stream?: unknown
}

/** Compares a request with an expectation. Returns the differences, or `''` if the request matches. */
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

/** An expected and an actual value, aligned so that they are equal wherever the actual value matches. */
interface Comparison {
  readonly expected: unknown
  readonly seen: unknown
}

/**
 * Aligns a value with an expectation, so that a diff of the two shows only mismatches. For objects, only the expected
 * fields are compared; for arrays, all items. A RegExp, or a matcher such as `expect.any(String)`, counts as equal to
 * every value that it matches.
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

/** Represents an actual value that is missing. */
const missing = Symbol()

function presentValues(parts: readonly Comparison[]): unknown[] {
  return parts.flatMap(({ seen }) => (seen === missing ? [] : [seen]))
}

function mismatch(expected: unknown, seen: unknown = missing): Comparison {
  return { expected: isMatcher(expected) ? matcherName(expected) : expected, seen }
}

/** A matcher from a test library such as vitest or Jest, which share this interface. */
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
  // Unlike `test`, `search` ignores `lastIndex`.
  return typeof value === 'string' && value.search(pattern) !== -1
}

function matcherName(matcher: Matcher): string {
  return matcher.toAsymmetricMatcher?.() ?? String(matcher)
}
