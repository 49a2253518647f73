import { isRecord } from '../json.js'
import { overlaps, type Reading, type Span } from './clauses.js'
import { type AnsweredCall, describeResult } from './conversation.js'
import { type FillContext, widen, withTopic } from './fill-context.js'
import { kindAmong, type PlannerTool, type Slot } from './planner-tool.js'
import { actionsOf, stopWords, toConcept, toConcepts, toPlain } from './words.js'

/** Whether a clause refers to an artifact: "it", "the drawing", "the attached picture", an id. */
export function refersToArtifact({ masked, artifacts }: Reading): boolean {
  const isTold = [artifactNoun, attached, ordinal].some((words) => words.test(masked))
  return isTold || artifacts.length > 0 || isPronominal(masked)
}

/** Returns the index that "the second one" means, counted from 0. -1 is the last. Undefined if there is none. */
export function ordinalOf(masked: string): number | undefined {
  const [, word = ''] = ordinal.exec(masked) ?? []
  if (word === '') return undefined
  return /^last$/i.test(word)
    ? -1
    : ordinals.findIndex((words) => words.split('|').includes(word.toLowerCase()))
}

/** Whether a clause contains an "it" with a referent. "Is it raining" has none. */
export function isPronominal(masked: string): boolean {
  return pronoun.test(masked.replace(expletive, ' '))
}

/** Whether words only refer to something, such as "it", "that one" or "a note of this". They are not values. */
export function isReference(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}'’]+/gu) ?? []
  const isMere =
    words.every((word) => referring.test(word) || joining.test(word)) &&
    words.some((word) => referring.test(word))
  return isMere || [leading, trailing, told].some((pattern) => pattern.test(text))
}

const referring =
  /^(?:it|its|this|that|these|those|them|they|he|she|him|her|me|us|myself|yourself|itself|themselves|one|ones|both|each|either|all|everything|something|anything|same|above|below|following|previous|again|there|here)$/
const joining =
  /^(?:the|a|an|of|and|or|for|to|now|too|down|up|out|else|please|aloud|loud|texts?|results?|answers?|output|once|more|twice|last|first|next|whole|entire|thing|stuff)$/
// "It in blue", but not "it is late".
const leading =
  /^(?:it|them|ones?|(?:this|that|these|those)(?: ones?)?)\s+(?:in|with|on|at|to|into|as|for|from|by|using|again|aloud|now)\b/i
const told = /^(?:the|that|this|its)\s+(?:texts?|results?|answers?|output)$/i
const trailing = /\s(?:of|about|on|for|with|to)\s+(?:it|this|that|them|these|those)$/i

/** Returns the concepts that a clause treats as known: "the weather", "that house". */
export function toDefiniteNouns(masked: string): string[] {
  return [...masked.matchAll(/\b(?:the|that|this|those|these)\s+(\p{L}+)/giu)].map(([, noun = '']) =>
    toConcept(noun),
  )
}

export function isAboutAttachment({ masked }: Reading): boolean {
  return attached.test(masked)
}

const ordinals = ['first|1st|top', 'second|2nd', 'third|3rd', 'fourth|4th', 'fifth|5th']
const ordinal = new RegExp(
  `\\bthe (${ordinals.join('|')}|last) (?:one|image|picture|drawing|photo|painting|sketch|variation|version|recording|clip|file)\\b`,
  'i',
)
const pronoun =
  /\b(?:it|its|them)\b|\b(?:this|that|these|those|each|both|all of them)(?=\s*[.,:;!?]|\s*$|\s+(?:as|in|with|to|into|aloud|out)\b)/i
const expletive = /\b(?:is|was|does|will|has|did) it\b|\bit(?:['’]s| is| was| will| has)\b/gi
const artifactNoun =
  /\b(?:the|this|that|these|those|my|its)\s+(?:\p{L}+\s+)?(?:images?|pictures?|drawings?|photos?|paintings?|sketch(?:es)?|illustrations?|recordings?|audio|clips?|files?|sound|mask)\b|\bmasked\b/iu
const attached = /\b(?:attached|uploaded|enclosed)\b/i
/** Returns the subject of a clause: its words without the question or command around them. */
export function toSubject(text: string, tool: PlannerTool): string {
  // "Find out what the weather is in Oslo" is about the weather in Oslo.
  const asked = withoutCommand(text, tool).replace(
    /^(?:what|who|where|how|which)\s+(.+?)\s+(?:is|are)\b/i,
    '$1',
  )
  return trim(asked)
}

/** Returns the text for a tool that makes images or recordings: a quotation, or all words except the command. */
export function toRemainderText({ kind }: Slot, context: FillContext): string | undefined {
  const { tool, reading, taken, topic } = context
  if (kind !== 'text' || (!tool.makes && !tool.worksOn)) return undefined
  const quote = reading.quotes.find((one) => !taken.some((span) => overlaps(one, span)))
  if (quote) return quote.value
  const left = toRemainder(context)
  const text = topic ? withTopic(left, topic, tool) : left
  return text === '' ? undefined : text
}

/** Chooses an artifact id: one in the clause, or the newest of the right kind. Never invents one. */
export function pickArtifact(slot: Slot, context: FillContext): { value: unknown; spans: Span[] }[] {
  const { reading } = context
  const wanted = artifactPrefixes(slot, context.tool)
  const written = reading.artifacts.filter(({ value }) => wanted.some((prefix) => value.startsWith(prefix)))
  const isMask = /\bmask\b/.test(slot.words)
  const masks = written.filter(({ start }) => /\bmask\s*$/i.test(reading.masked.slice(0, start)))
  const explicit = isMask ? masks[0] : written.find((one) => !masks.includes(one))
  if (explicit) return [{ value: explicit.value, spans: [widen(explicit, reading.text)] }]
  const fitting = context.artifacts.filter((id) => wanted.some((prefix) => id.startsWith(prefix)))
  const speaksOfMask = /\bmask(?:ed)?\b/i.test(reading.masked)
  const isTwo = speaksOfMask && fitting.length > 1
  const hasMask = context.tool.slots.some(({ kind, words }) => kind === 'artifact' && /\bmask\b/.test(words))
  const atHand = isMask ? (isTwo ? fitting.at(-1) : undefined) : fitting.at(isTwo && hasMask ? -2 : -1)
  return atHand ? [{ value: atHand, spans: [] }] : []
}

/** Returns the id prefixes that a slot accepts, according to its name, its description or otherwise its tool. */
export function artifactPrefixes(slot: Slot, tool: PlannerTool): readonly string[] {
  const kind = kindAmong([...slot.nameConcepts, ...slot.textConcepts]) ?? kindAmong(tool.nameConcepts)
  return kind === 'image' ? ['img_'] : kind === 'audio' ? ['aud_'] : ['img_', 'aud_', 'txt_', 'file_']
}

/** Returns the text that remains without the command, the values of other slots and the words about the tool. */
function toRemainder({ reading, taken, tool }: FillContext): string {
  const left = cutOut(reading.text, taken)
  const [, afterColon] = /^[^:]*[\p{L}]:\s+(\S.*)$/u.exec(left) ?? []
  const edits = tool.worksOn !== undefined
  const body = afterColon ?? (edits ? keptCommand(left, tool) : withoutCommand(left, tool))
  return trim(withoutTail(edits ? body : withoutHead(body, tool), tool))
}

function cutOut(text: string, taken: readonly Span[]): string {
  const ordered = [...taken].sort((one, other) => one.start - other.start)
  let rest = ''
  let at = 0
  for (const { start, end } of ordered) {
    if (start > at) rest += `${text.slice(at, start)} `
    at = Math.max(at, end)
  }
  return (rest + text.slice(at))
    .replace(/\s+/g, ' ')
    .replace(/\s+([,.!?])/g, '$1')
    .trim()
}

const questionHead =
  /^(?:what|who|where|which|how|when)(?:['’]s|\s+(?:is|are|was|were|does|do|did|will|would|can|much|many|about|far|long)(?:\s+(?:is|are|does|do))?)?\s+(?:it\s+)?/i

function withoutCommand(text: string, tool: PlannerTool): string {
  const asked = text.replace(questionHead, '')
  if (asked !== text && !startsWithVerb(asked, tool)) return asked
  return startsWithVerb(asked, tool)
    ? asked.replace(/^\S+\s*/, '').replace(/^(?:(?:up|for|out|off|on)\s+)?(?:(?:me|us)\s+)?(?:for\s+)?/i, '')
    : asked
}

// "Add a balloon" instructs an editing tool; only its own name ("edit ...") adds nothing.
function keptCommand(text: string, tool: PlannerTool): string {
  const [first = ''] = text.split(/\s/, 1)
  if (tool.nameConcepts.has(toConcept(first))) return withoutHead(withoutCommand(text, tool), tool)
  return actionsOf(first).size > 0 ? first.toLowerCase() + text.slice(first.length) : text
}

function startsWithVerb(text: string, tool: PlannerTool): boolean {
  const [first = ''] = /^[\p{L}]+/u.exec(text) ?? []
  return (
    actionsOf(first).size > 0 ||
    (!stopWords.has(first.toLowerCase()) && tool.nameConcepts.has(toConcept(first)))
  )
}

// "a picture of", "the web for", "a task to": names the tool's own product before the subject.
function withoutHead(text: string, tool: PlannerTool): string {
  for (const match of text.matchAll(tool.makes ? aboutPicture : aboutAnything)) {
    const head = text.slice(0, match.index).match(/[\p{L}'’-]+/gu) ?? []
    if (head.length > 6) break
    if (isAboutTool(head.at(-1) ?? '', tool)) return text.slice(match.index + match[0].length)
  }
  return text
}

// A picture is of something; "on" and "by" belong to the subject: "a painting by the sea".
const aboutPicture = /\b(?:of|showing|about|so that|such that)\s+/gi
const aboutAnything = /\b(?:of|for|about|to|on|regarding|showing|saying|that says)\s+/gi

const tail =
  /\s+(?:in|on|to|from|into|of|with|using|by)\s+(?:(?:the|my|this|that|our|a|an|its)\s+)?([^,.:;]{1,40})$/i
const courtesyTail = /(?:[\s,]+(?:aloud|out loud|please|for me|to me|right now))+$/i

// "to the drawing", "in my calendar": names the tool's own product after the subject.
function withoutTail(text: string, tool: PlannerTool): string {
  const polite = text.replace(/[\s.!?]+$/, '').replace(courtesyTail, '')
  const lastPreposition = [...polite.matchAll(/\s(?=(?:in|on|to|from|into|of|with|using|by)\s)/gi)].at(-1)
  const [, object = ''] = tail.exec(polite.slice(lastPreposition?.index ?? polite.length)) ?? []
  const words = object.match(/[\p{L}'’-]+/gu) ?? []
  const names = words.length > 0 && words.every((word) => isAboutTool(word, tool) || reference.test(word))
  return names ? withoutTail(polite.slice(0, lastPreposition?.index), tool) : polite
}

const reference = /^(?:it|them|attached|uploaded|result|same|last|first|second|third|fourth|fifth|ones?)$/i

function isAboutTool(word: string, tool: PlannerTool): boolean {
  return [...toConcepts(word)].some(
    (concept) => tool.nameConcepts.has(concept) || tool.textConcepts.has(concept),
  )
}

function trim(text: string): string {
  return text
    .replace(/^[\s,;:.!?-]+|[\s,;:.!?-]+$/g, '')
    .replace(/(?:[\s,]+\b(?:and|with|for|to|of|in|on|at|by|that|which|is|are|from|show|give|like)\b)+$/i, '')
    .replace(/^(?:(?:about|that|for|of|to)\s+)+/i, '')
    .trim()
}

type Row = Readonly<Record<string, unknown>>

/** Values for the parameters of a tool, from the results and the arguments of earlier calls. */
export interface Bound {
  /** Values by name. One map for each row that "them" or "each" refers to. */
  readonly values: readonly ReadonlyMap<string, unknown>[]
  /** Whether words of the clause, such as "the cheapest", chose the row. */
  readonly selects: boolean
}

/** Binds parameters by their schema: the same name, the `id` of a named thing, or the entire text for a body. */
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
  const text = slots
    .filter(({ kind, words }) => kind === 'text' && bodyNames.test(words))
    .flatMap((slot) => pair(slot, describeResult(call)))
  const values = rows.map((row) => {
    const own = slots.flatMap((slot) => pair(slot, valueFor(slot, row, subject)))
    return new Map([...(rows.length === 1 ? text : []), ...args, ...own])
  })
  const alone = typeof call.result === 'object' ? [] : [new Map([...text, ...args])]
  return { values: values.length > 0 ? values : alone, selects }
}

function pair(slot: Slot, value: unknown): [string, unknown][] {
  const typed = slot.schema.type === 'string' && typeof value === 'number' ? String(value) : value
  return typed !== undefined && typed !== null && slot.accepts(typed) ? [[slot.name, typed]] : []
}

// The text of a message.
const bodyNames =
  /^(?:(?:message|email|mail|note) )?(?:text|body|message|content|contents|input|note|document|passage)$/

function valueFor(slot: Slot, row: Row, subject: ReadonlySet<string>): unknown {
  const entries = Object.entries(row)
  const same = entries.find(([key]) => toPlain(key) === toPlain(slot.name))
  if (same) return same[1]
  const isId = /\b(?:id|number|code|ref|reference|no|sku|key)$/.test(slot.words)
  const matches = [...slot.core].some((concept) => subject.has(concept))
  const id = entries.find(([key]) => /^(?:_?id|number|code|ref|reference|key|uuid)$/i.test(key))
  return isId && matches ? id?.[1] : undefined
}

// The rows that a clause chooses, and their concepts: those of the tool and of the key that contains them.
function chooseRows(call: AnsweredCall, { masked }: Reading) {
  const { rows, key, isList } = rowsOf(call.result)
  const subject = new Set([...toConcepts(call.name), ...toConcepts(key)])
  if (!isList) return { rows, selects: false, subject }
  const ordinal = rowWords.findIndex((words) => words.test(masked))
  if (ordinal >= 0) {
    const row = rows.at(ordinal === rowWords.length - 1 ? -1 : ordinal)
    return { rows: row ? [row] : [], selects: true, subject }
  }
  const extreme = extremes.find(([words]) => words.test(masked))
  if (extreme) {
    const row = extremeOf(rows, extreme)
    return { rows: row ? [row] : [], selects: true, subject }
  }
  if (rows.length === 1) return { rows, selects: false, subject }
  if (/\b(?:them|each|all|both|every|these|those)\b/i.test(masked)) return { rows, selects: false, subject }
  const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const plain = (text: string) => ` ${wordsIn(text).join(' ')} `
  const words = plain(masked)
  const isTold = (value: unknown) =>
    typeof value === 'string' && value.length > 2 && words.includes(plain(value))
  const told = rows.filter((row) => Object.values(row).some(isTold))
  return { rows: told.length === 1 ? told : [], selects: told.length === 1, subject }
}

function rowsOf(result: unknown, key = ''): { rows: readonly Row[]; key: string; isList: boolean } {
  if (Array.isArray(result)) return { rows: result.filter(isRecord), key, isList: true }
  if (!isRecord(result)) return { rows: [], key, isList: false }
  const list = Object.entries(result).find(([, value]) => Array.isArray(value) && value.some(isRecord))
  return list ? rowsOf(list[1], list[0]) : { rows: [result], key, isList: false }
}

const rowWords = [
  ...ordinals.map((words) => new RegExp(`\\b(?:${words})\\b(?! (?:name|class|floor|day|half))`, 'i')),
  /\b(?:the last|last (?:one|of))\b/i,
]

/** A superlative's words, the names of the values that it compares, and 1 if it means the largest. */
type Extreme = readonly [words: RegExp, keys: RegExp, sign: 1 | -1]

const prices = /price|cost|fare|total|amount|rate|fee|rent|premium|quote/i
const times = /date|time|created|updated|posted|published|start|departs?|due|day|on$|at$|year/i
const ways = /duration|length|distance|minutes|hours|km|miles|met(?:re|er)s|days|time/i
const ratings = /rating|score|stars|reviews?|rank/i
const sizes =
  /total|amount|size|quantity|count|value|price|score|weight|capacity|places|seats|balance|number|stock/i

const extremes: readonly Extreme[] = [
  [/\b(?:cheapest|least expensive|lowest[- ]price[d]?|best price)\b/i, prices, -1],
  [/\b(?:most expensive|priciest|dearest)\b/i, prices, 1],
  [/\b(?:latest|newest|most recent)\b/i, times, 1],
  [/\b(?:earliest|oldest|soonest|next available)\b/i, times, -1],
  [/\b(?:fastest|quickest|nearest|closest|shortest)\b/i, ways, -1],
  [/\blongest\b/i, ways, 1],
  [/\b(?:best|top|highest)[- ](?:rated|reviewed)|\bbest\b/i, ratings, 1],
  [/\bworst\b/i, ratings, -1],
  [/\b(?:largest|biggest|highest|most|greatest|heaviest|tallest)\b/i, sizes, 1],
  [/\b(?:smallest|lowest|least|fewest|lightest)\b/i, sizes, -1],
]

function extremeOf(rows: readonly Row[], [, keys, sign]: Extreme): Row | undefined {
  const name = Object.keys(rows[0] ?? {}).find((one) => keys.test(one))
  if (name === undefined) return undefined
  const compare = ({ [name]: one }: Row, { [name]: other }: Row) =>
    typeof one === 'number' && typeof other === 'number'
      ? one - other
      : String(one).localeCompare(String(other))
  const [best, next] = [...rows].sort((one, other) => compare(other, one) * sign)
  return best && next && compare(best, next) === 0 ? undefined : best
}

/** Whether a clause chooses among earlier results, or refers to one: "the cheapest", "the second one", "it". */
export function refersToResult(masked: string): boolean {
  return (
    isPronominal(masked) ||
    rowWords.some((words) => words.test(masked)) ||
    extremes.some(([words]) => words.test(masked)) ||
    /\b(?:that|this|those|these|the same|the)\s+\p{L}/iu.test(masked)
  )
}
