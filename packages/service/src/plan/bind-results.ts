import { isRecord } from '../json.js'
import { describeResult } from './compose-reply.js'
import type { AnsweredCall } from './conversation.js'
import type { PlannerTool } from './planner-tool.js'
import type { Reading } from './read-clause.js'
import { isPronominal } from './references.js'
import type { Slot } from './slots.js'
import { splitName, toConcept, toConcepts } from './words.js'

type Row = Readonly<Record<string, unknown>>

/** Values for the parameters of a tool, from the results and the arguments of earlier calls. */
export interface Bound {
  /** By name. One map for each row that "them" or "each" means. */
  readonly values: readonly ReadonlyMap<string, unknown>[]
  /** Whether words of the clause, such as "the cheapest", chose the row. */
  readonly selects: boolean
}

/**
 * Binds the parameters of a tool to earlier calls by their schema: the same name, the `id` of a thing that the
 * parameter is named after, the same type and word, or the whole text for a body.
 */
export function bindResults(tool: PlannerTool, reading: Reading, calls: readonly AnsweredCall[]): Bound {
  const refers = isPronominal(reading.masked)
  const slots = tool.slots.filter(
    ({ required, kind }) =>
      (required || (refers && kind === 'code')) && kind !== 'artifact' && kind !== 'const',
  )
  const bound = calls
    .filter(({ failed, artifacts }) => !failed && artifacts.length === 0)
    .map((call) => bindCall(slots, reading, call))
  const best = [...bound].reverse().find(({ values }) => values.some(({ size }) => size > 0))
  return best ?? { values: [], selects: false }
}

function bindCall(slots: readonly Slot[], reading: Reading, call: AnsweredCall): Bound {
  const { rows, selects, subject } = chooseRows(call, reading)
  const args = new Map(slots.flatMap((slot) => pair(slot, call.arguments[slot.name])))
  const text = slots.filter((slot) => isBody(slot, slots)).flatMap((slot) => pair(slot, describeResult(call)))
  const values = rows.map((row) => {
    const own = slots.flatMap((slot) => pair(slot, valueFor(slot, row, subject)))
    return new Map([...(rows.length === 1 ? text : []), ...args, ...own])
  })
  const isText = rows.length === 0 && !Array.isArray(call.result) && typeof call.result !== 'object'
  const alone = isText
    ? [new Map([...text, ...args, ...slots.flatMap((slot) => bareValue(slot, call, slots))])]
    : []
  return { values: values.length > 0 ? values : alone, selects }
}

function pair(slot: Slot, value: unknown): [string, unknown][] {
  const typed =
    slot.schema.type === 'string' && typeof value === 'number'
      ? String(value)
      : (slot.schema.type === 'number' || slot.schema.type === 'integer') &&
          /^-?\d+(?:\.\d+)?$/.test(String(value))
        ? Number(value)
        : value
  return typed !== undefined && typed !== null && typed !== '' && slot.accepts(typed)
    ? [[slot.name, typed]]
    : []
}

// A result that is one value fills the one parameter that it fits.
function bareValue(slot: Slot, call: AnsweredCall, slots: readonly Slot[]): [string, unknown][] {
  const own = toConcepts(call.name)
  const isNamed = [...slot.core].some((concept) => own.has(concept))
  const isId = slot.kind === 'code' && slots.filter(({ kind }) => kind === 'code').length === 1
  const isOnlyNumber = slot.kind === 'number' && typeof call.result === 'number'
  return (isNamed && slot.kind !== 'text') || isId || isOnlyNumber ? pair(slot, call.result) : []
}

// The text of a message, or the only text of the tool.
function isBody(slot: Slot, slots: readonly Slot[]): boolean {
  if (slot.kind !== 'text') return false
  const isOnly = slots.filter(({ kind }) => kind === 'text').length === 1
  return bodyNames.test(slot.words) || (isOnly && /\btext\b/.test(slot.description))
}

const bodyNames =
  /^(?:(?:message|email|mail|note) )?(?:text|body|message|content|contents|input|note|document|passage)$/

function valueFor(slot: Slot, row: Row, subject: ReadonlySet<string>): unknown {
  const entries = Object.entries(row)
  const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const same = entries.find(([key]) => plain(key) === plain(slot.name))
  if (same) return same[1]
  const [only] = entries
  if (entries.length === 1 && only?.[0] === 'value')
    return /^(?:time|date|moment|code)$/.test(slot.kind) ? only[1] : undefined
  const isId = /\b(?:id|number|code|ref|reference|no|sku|key)$/.test(slot.words)
  const about = [...slot.core].filter((concept) => !idWords.has(concept))
  const matches = about.length === 0 || about.some((concept) => subject.has(concept))
  const id = entries.find(([key]) => /^(?:_?id|number|code|ref|reference|key|uuid)$/i.test(key))
  if (isId && id && matches) return id[1]
  const named = entries.filter(([key, value]) => {
    const concepts = toConcepts(splitName(key))
    return (
      typeof value !== 'object' &&
      about.length > 0 &&
      about.every((concept) => concepts.has(concept)) &&
      (!isId || /id|number|code|ref|no$/i.test(key))
    )
  })
  if (named.length === 1) return named[0]?.[1]
  if (slot.words === 'id' && id === undefined) return entries.find(([key]) => /(?:_id|Id)$/.test(key))?.[1]
  const name = entries.find(([key]) => /^(?:name|title|full_?name)$/i.test(key))
  return matches &&
    about.length > 0 &&
    (slot.kind === 'person' || slot.kind === 'text' || slot.kind === 'place')
    ? name?.[1]
    : undefined
}

const idWords = new Set(['id', 'number', 'code', 'reference', 'ref', 'key', 'no'].map(toConcept))

interface Chosen {
  readonly rows: readonly Row[]
  readonly selects: boolean
  /** The concepts of the rows: of the tool and of the key that holds them. */
  readonly subject: ReadonlySet<string>
}

/** Chooses the rows of a result that a clause means. None when it does not say which of several. */
function chooseRows(call: AnsweredCall, { masked }: Reading): Chosen {
  const { rows, key, isList } = rowsOf(call.result)
  const subject = new Set([...toConcepts(call.name), ...toConcepts(key)])
  if (!isList) return { rows, selects: false, subject }
  const ordinal = ordinals.findIndex((words) => words.test(masked))
  if (ordinal >= 0) {
    const row = rows.at(ordinal === ordinals.length - 1 ? -1 : ordinal)
    return { rows: row ? [row] : [], selects: true, subject }
  }
  const extreme = extremes.find(({ words }) => words.test(masked))
  if (extreme) {
    const row = extremeOf(rows, extreme)
    return { rows: row ? [row] : [], selects: true, subject }
  }
  if (rows.length === 1) return { rows, selects: false, subject }
  if (/\b(?:them|each|all|both|every|these|those)\b/i.test(masked)) return { rows, selects: false, subject }
  const lower = masked.toLowerCase()
  const words = ` ${lower.replace(/[^\p{L}\p{N}]+/gu, ' ')} `
  const isTold = (value: unknown) =>
    typeof value === 'string' &&
    value.length > 2 &&
    value.length < 60 &&
    words.includes(
      ` ${value
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()} `,
    )
  const told = rows.filter((row) => Object.values(row).some(isTold))
  return { rows: told.length === 1 ? told : [], selects: told.length === 1, subject }
}

function rowsOf(
  result: unknown,
  key = '',
  depth = 0,
): { rows: readonly Row[]; key: string; isList: boolean } {
  if (Array.isArray(result)) {
    const rows = result.map((value: unknown) => (isRecord(value) ? value : { value }))
    return { rows, key, isList: true }
  }
  if (!isRecord(result) || depth > 3) return { rows: [], key, isList: false }
  const entries = Object.entries(result)
  const lists = entries.filter(([, value]) => Array.isArray(value))
  const list =
    lists.find(([, value]) => Array.isArray(value) && value.some(isRecord)) ??
    (lists.length === 1 ? lists[0] : undefined)
  if (list) return rowsOf(list[1], list[0], depth + 1)
  const [only] = entries
  const holds =
    entries.find(
      ([name, value]) =>
        isRecord(value) && (entries.length === 1 || /^(?:result|data|item|record)$/.test(name)),
    ) ?? undefined
  if (holds && only) return rowsOf(holds[1], holds[0], depth + 1)
  return { rows: [result], key, isList: false }
}

const ordinals = [
  /\b(?:first|1st|top)\b(?! (?:name|class|floor|day|half))/i,
  /\b(?:second|2nd)\b/i,
  /\b(?:third|3rd)\b/i,
  /\b(?:fourth|4th)\b/i,
  /\b(?:fifth|5th)\b/i,
  /\b(?:the last|last (?:one|of))\b/i,
]

interface Extreme {
  readonly words: RegExp
  readonly keys: RegExp
  readonly sign: 1 | -1
}

const extremes: readonly Extreme[] = [
  {
    words: /\b(?:cheapest|least expensive|lowest[- ]price[d]?|best price)\b/i,
    keys: /price|cost|fare|total|amount|rate|fee|rent|premium|quote/i,
    sign: -1,
  },
  {
    words: /\b(?:most expensive|priciest|dearest)\b/i,
    keys: /price|cost|fare|total|amount|rate|fee|rent|premium|quote/i,
    sign: 1,
  },
  {
    words: /\b(?:latest|newest|most recent)\b/i,
    keys: /date|time|created|updated|posted|published|start|departs?|day|on$|at$|year/i,
    sign: 1,
  },
  {
    words: /\b(?:earliest|oldest|soonest|next available)\b/i,
    keys: /date|time|created|updated|posted|published|start|departs?|due|day|on$|at$|year/i,
    sign: -1,
  },
  { words: /\b(?:fastest|quickest)\b/i, keys: /duration|minutes|hours|days|time/i, sign: -1 },
  { words: /\b(?:nearest|closest)\b/i, keys: /distance|km|miles|metres|meters|minutes/i, sign: -1 },
  { words: /\b(?:shortest)\b/i, keys: /duration|length|distance|minutes|hours|km|days/i, sign: -1 },
  { words: /\b(?:longest)\b/i, keys: /duration|length|distance|minutes|hours|km|days/i, sign: 1 },
  {
    words: /\b(?:best|top|highest)[- ](?:rated|reviewed)|\bbest\b/i,
    keys: /rating|score|stars|reviews?|rank/i,
    sign: 1,
  },
  { words: /\b(?:worst)\b/i, keys: /rating|score|stars/i, sign: -1 },
  {
    words: /\b(?:largest|biggest|highest|most|greatest|heaviest|tallest)\b/i,
    keys: /total|amount|size|quantity|count|value|price|score|weight|capacity|places|seats|balance|number/i,
    sign: 1,
  },
  {
    words: /\b(?:smallest|lowest|least|fewest|lightest)\b/i,
    keys: /total|amount|size|quantity|count|value|price|score|weight|capacity|places|seats|balance|number|stock/i,
    sign: -1,
  },
]

function extremeOf(rows: readonly Row[], { keys, sign }: Extreme): Row | undefined {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => keys.test(name))
  const [name] = names.filter((one) =>
    rows.every(
      (row) => typeof row[one] === 'number' || (typeof row[one] === 'string' && /\d/.test(String(row[one]))),
    ),
  )
  if (name === undefined) return undefined
  const weight = (row: Row) => (typeof row[name] === 'number' ? row[name] : undefined)
  const compare = (one: Row, other: Row) => {
    const [a, b] = [weight(one), weight(other)]
    return a !== undefined && b !== undefined ? a - b : String(one[name]).localeCompare(String(other[name]))
  }
  const sorted = [...rows].sort((one, other) => compare(other, one) * sign)
  const [best, next] = sorted
  return best && next && compare(best, next) === 0 ? undefined : best
}

/** Whether a clause chooses among earlier results, or refers to one: "the cheapest", "the second one", "it". */
export function refersToResult(masked: string): boolean {
  return (
    isPronominal(masked) ||
    ordinals.some((words) => words.test(masked)) ||
    extremes.some(({ words }) => words.test(masked)) ||
    /\b(?:that|this|those|these|the same|the)\s+\p{L}/iu.test(masked)
  )
}
