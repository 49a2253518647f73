import { toOperands } from './operands.js'
import type { PlannerTool } from './planner-tool.js'
import type { Found } from './quotes.js'
import type { Reading, Span } from './read-clause.js'
import { isWithin } from './read-clause.js'
import type { Topic } from './topic.js'

/** Everything a slot may take its value from. */
export interface Scene {
  readonly tool: PlannerTool
  readonly reading: Reading
  /** Parts of the clause that other slots have used. */
  readonly taken: readonly Span[]
  /** Artifact ids at hand, the most fitting last. */
  readonly artifacts: readonly string[]
  /** Whether one of them came with the request or from the clause just before: it is what a bare "add a hat" means. */
  readonly inHand: boolean
  readonly topic: Topic | undefined
  /** What a calculation in the clause gives a calculating tool, by slot name; no value: the slot stays empty. */
  readonly operands: ReadonlyMap<string, unknown>
}

/** The scene of a clause before anything is taken from it. */
export function toScene(
  tool: PlannerTool,
  reading: Reading,
  artifacts: readonly string[],
  inHand = false,
): Scene {
  const operands = toOperands(tool, reading.text)
  return { tool, reading, artifacts, inHand, taken: [], topic: undefined, operands }
}

/** A slot's value and the parts of the clause it came from. */
export interface Picked {
  readonly value: unknown
  readonly spans: readonly Span[]
  /** The values of a list such as "Paris, Rome and New York", `value` first: each may become a call of its own. */
  readonly alternatives?: readonly unknown[]
}

/** What of a kind is still free in the scene. */
export function free<T extends Span>({ taken }: Scene, found: readonly T[]): T[] {
  return found.filter((one) => !taken.some((span) => one.start < span.end && span.start < one.end))
}

/** The span with the preposition and article that lead to it, which mean nothing once it is used. */
export function widen({ start, end }: Span, text: string): Span {
  const [lead = ''] = leadIn.exec(text.slice(0, start)) ?? []
  return { start: start - lead.length, end }
}

const leadIn =
  /(?:\b(?:in|at|on|for|by|to|into|from|of|with|as|until|near|than|and|is|starting|beginning)\s+)?(?:\b(?:the|a|an)\s+)?["'(#]?$/i

/** A pick of one thing found, or of the whole list it begins ("AAPL, MSFT and IBM"). */
export function pickListed<T>(one: Found<T>, all: readonly Found<T>[], text: string): Picked {
  const run = [one]
  for (const next of all.filter((other) => other.start >= one.end)) {
    const last = run.at(-1) ?? one
    if (
      !/^\s*(?:,|,?\s*\b(?:and|or|&)\b)\s*(?:(?:in|for|of|at|also)\s+)?$/.test(
        text.slice(last.end, next.start),
      )
    )
      break
    run.push(next)
  }
  const spans = [widen(one, text), { start: one.start, end: run.at(-1)?.end ?? one.end }]
  return { value: one.value, spans, ...(run.length > 1 && { alternatives: run.map(({ value }) => value) }) }
}

/** Whether a number is its own, not a piece of a date, time, size, address or id. */
export function standsAlone(span: Span, reading: Reading): boolean {
  const wholes = [
    reading.dates,
    reading.times,
    reading.sizes,
    reading.emails,
    reading.urls,
    reading.artifacts,
  ]
  return !wholes.some((found) => found.some((whole) => isWithin(span, whole)))
}
