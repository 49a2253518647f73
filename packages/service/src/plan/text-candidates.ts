import { isWithin, overlaps, type Reading, type Span } from './clauses.js'
import { betweenItems, type Candidate, type FillContext, sideOf } from './fill-context.js'
import { leads, type Phrase, toPhrases } from './free-words.js'
import type { PlannerTool, Slot } from './planner-tool.js'
import { toConcept } from './words.js'

export const textKinds: ReadonlySet<string> = new Set('text person place path symbol email code'.split(' '))

export function isTextual(slot: Slot): boolean {
  return textKinds.has(slot.kind) || isWorded(slot)
}

/** Whether a parameter takes words without a fixed form, or lists of them. */
export function isWorded({ kind, inner }: Slot): boolean {
  return worded.test(kind) || (kind === 'list' && worded.test(inner[0]?.kind ?? ''))
}

const worded = /^(?:text|person|place)$/

export function toTextCandidates(
  slots: readonly Slot[],
  { taken, claimed }: { taken: readonly Span[]; claimed: readonly Span[] },
  context: FillContext,
): Candidate[] {
  const phrases = toPhrases(slots, [...taken, ...(context.elsewhere?.spans ?? [])], context)
  const main = mainTextOf(context.tool)
  const halves = toHalves(slots, context)
  return slots.flatMap((slot) => {
    if (halves.length > 0 && isHalf(slot)) return halves.filter((one) => one.slot === slot)
    const isMain = slot.name === main?.name
    const found = phrases.flatMap((_, index) => runsFrom(phrases, index, slot, { context, isMain, claimed }))
    return found.sort((one, other) => other.score - one.score).slice(0, 12)
  })
}

const firstNames = /^(?:first|given) name$|^forename$/
const lastNames = /^(?:last|family) name$|^surname$/

function isHalf({ words }: Slot): boolean {
  return firstNames.test(words) || lastNames.test(words)
}

// "Amina Yusuf" for a first name and a last name.
function toHalves(slots: readonly Slot[], { reading, tool }: FillContext): Candidate[] {
  const isSplit = [firstNames, lastNames].every((names) => tool.slots.some(({ words }) => names.test(words)))
  const halves = isSplit ? slots.filter(isHalf) : []
  return halves.flatMap((slot) =>
    reading.names.flatMap(({ value, start, end }) => {
      const [first = '', ...others] = value.split(' ')
      const isFirst = firstNames.test(slot.words)
      const span = isFirst ? { start, end: start + first.length } : { start: start + first.length, end }
      const half = isFirst ? first : others.join(' ')
      return others.length > 0 ? [{ slot, value: half, spans: [span], score: 1.6 }] : []
    }),
  )
}

export function mainTextOf({ slots }: PlannerTool): Slot | undefined {
  const texts = slots.filter(
    ({ kind, inner }) =>
      kind === 'text' ||
      kind === 'person' ||
      kind === 'place' ||
      (kind === 'list' && inner[0]?.kind === 'text'),
  )
  return texts.find(({ required }) => required) ?? texts.find(({ words }) => mainNames.test(words))
}

const mainNames =
  /^(?:prompt|query|q|search|keywords?|text|input|content|message|question|title|topic|task|body|request|instructions?|name)$/

/** Returns the text from an introduction to the end of the clause: "that ...", "because ...", `: ...`. */
export function toIntroduced(slot: Slot, { reading }: FillContext): Candidate[] {
  const { masked, text } = reading
  return introductions.flatMap(({ names, cue, weight, toEnd }) => {
    const match = names.test(`${slot.words} `) ? cue.exec(masked) : null
    if (!match) return []
    const from = match.index + match[0].length
    const quote = reading.quotes.find((one) => one.start === from)
    const [whole = ''] = (toEnd ? untilBut : untilLead).exec(masked.slice(from)) ?? []
    const end = quote?.end ?? from + whole.length
    const value =
      quote?.value ??
      text
        .slice(from, end)
        .trim()
        .replace(/[\s,;]+$/, '')
    if (value === '' || !slot.accepts(value)) return []
    return [{ slot, value, spans: [{ start: match.index, end }], score: weight }]
  })
}

const untilBut = /^.+?(?=[,;]\s*but\b|$)/is
const untilLead =
  /^.+?(?=,|\s+(?:saying|with|called|titled|by|on|at|for|in|to|from|and|due|tomorrow|today)\b|$)/i

const introductions: readonly { names: RegExp; cue: RegExp; weight: number; toEnd: boolean }[] = [
  {
    names: /\b(?:body|message|text|content|comment|note|notes|announcement|status)\b/,
    cue: /\b(?:saying|(?:and\s+)?say(?=:?\s+\uE000)|that says?|which says|reading|to say|with the (?:text|message|words|note)|that(?=\s+\S+\s+\S))\s*:?\s+(?:that\s+)?/i,
    weight: 3.5,
    toEnd: true,
  },
  {
    names:
      /\b(?:body|message|text|content|comment|notes?|narrative|description|details?|summary|remarks?|reason|complaint|feedback)\b/,
    cue: /(?<=\p{L}|\d|\uE000):\s+(?=\S+\s+\S|\uE000)/u,
    weight: 2.6,
    toEnd: true,
  },
  {
    names: /\b(?:title|name|label|subject|summary)\b/,
    cue: /\b(?:called|named|titled|entitled|labell?ed)\s+/i,
    weight: 3,
    toEnd: false,
  },
  {
    names: /\b(?:reason|cause|why|justification|explanation|comment)\b/,
    cue: /\b(?:because(?: of)?|due to(?! (?:arrive|start|end))|the reason is|as(?= (?:it|he|she|they|the|we)\b)|since(?= (?:it|he|she|they|the|we)\b))\s+/i,
    weight: 3.5,
    toEnd: true,
  },
]

interface Use {
  readonly context: FillContext
  readonly isMain: boolean
  /** The words that are values for other parameters, such as enum values. */
  readonly claimed: readonly Span[]
}

// Limits the work of a hostile clause.
const longestRun = 8

function runsFrom(phrases: readonly Phrase[], index: number, slot: Slot, use: Use): Candidate[] {
  const first = phrases[index]
  if (!first) return []
  const runs: Candidate[] = []
  for (let more = 0; more < longestRun; more++) {
    const last = phrases[index + more]
    const before = more > 0 ? phrases[index + more - 1] : undefined
    if (!last || (before && (last.kind === 'quote' || before.kind === 'quote'))) break
    if (last.region !== first.region) break
    if (last.isEmpty && more === 0) return []
    runs.push(...toRun(phrases.slice(index, index + more + 1), slot, use))
  }
  return [...runs, ...toNameList(phrases, index, slot, use)]
}

function toRun(run: readonly Phrase[], slot: Slot, { context, isMain, claimed }: Use): Candidate[] {
  const [first] = run
  const last = run.at(-1)
  if (!first || !last || last.isEmpty) return []
  const { reading } = context
  const named = slot.core.has(last.tail)
  // "The billing service" is called "billing", if the tool is named after services.
  const isNameOf =
    /^name of\b/.test(slot.description) && [...slot.core].every((one) => context.tool.nameConcepts.has(one))
  // "The meeting room" is a room, "my Road Trip playlist" is called Road Trip.
  const isWhole = named && run.length === 1 && first.kind === 'words' && !isNameOf
  const end = isWhole ? last.to : last.end
  const text = textOfPhrases(first, end, slot, reading)
  const isList = slot.kind === 'list'
  const items = isList ? text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).filter((item) => item !== '') : undefined
  if (text === '' || !slot.accepts(items ?? text)) return []
  if (run.length > 1 && first.kind !== 'quote' && /^(?:the )?name of\b/.test(slot.description)) return []
  if (first.kind === 'words' && !takesSentences.test(slot.words) && sentenceWords.test(text)) return []
  if (isPersonal(slot) && (run.length > 1 || first.kind === 'words')) return []
  const wantsCode = /^(?:code|symbol|email|path)$/.test(slot.kind)
  const isCued = slot.core.has(first.cue)
  // "Movies starring Ann Lee": the word only leads to the name.
  const isLead = /^\p{Ll}+(?:ing|ed)$|^heard$/u.test(text)
  if (isLead && !isCued && reading.names.some(({ start }) => start === end + 1)) return []
  if (wantsCode && (first.kind !== 'quote' || (slot.kind === 'email' && !text.includes('@')))) return []
  if (wantsCode && slot.forms.length > 0 && !slot.forms.some((form) => form.test(text))) return []
  const joins = run.slice(1).filter(({ lead }) => /^(?:,|and)$/.test(lead)).length
  const cue = isCued ? 3 : first.cue !== '' ? -1.5 : 0
  const form = leadWeight(slot, first.lead) + formWeight(slot, first, run.length)
  const isQuote = first.kind === 'quote'
  // The object of the command is the subject of the clause. Words before a verb may be anything.
  const place = first.lead !== '' || first.start === 0 ? 0.5 : first.region === 0 ? 1.2 : 0.8
  const evidence = cue + (named ? 2 : 0) + (isQuote ? 2 : 0) + form + (isMain ? place : 0)
  const isClaimed = claimed.some((one) => overlaps(one, { start: first.start, end }))
  const within = isCued || first.kind === 'quote' ? 0 : typedWithin(first.start, end, context)
  // A number or date alone is not a text, and names do not contain one.
  // "087/26" or "SKU-4471" is meant for another parameter.
  const isCode = reading.tokens.some(
    (one) => isWithin(one, { start: first.start, end }) && /\d/.test(one.value) && /[A-Z/-]/.test(one.value),
  )
  if (within > 1 || (within > 0 && (isName(slot) || isCode))) return []
  const names = run.slice(1).filter(({ kind }) => kind === 'name').length * (isName(slot) ? 1 : 0.2)
  const score =
    evidence +
    (slot.required ? 0.2 : -0.9) -
    (run.length - 1) * 0.15 -
    joins * 0.3 -
    names -
    within -
    (isClaimed ? 2.5 : 0)
  const span = { start: first.from, end: last.to }
  return [{ slot, value: items ?? text, spans: [span], score, isLoose: evidence < 1.1 }]
}

function textOfPhrases(first: Phrase, end: number, slot: Slot, reading: Reading): string {
  const [article = ''] =
    mainNames.test(slot.words) || slot.words === 'subject'
      ? (/\b(?:the|a|an)\s+$/i.exec(reading.masked.slice(0, first.start)) ?? [])
      : []
  const [, gap = article] =
    first.lead === ':' ? (/:\s*(.*)$/s.exec(reading.text.slice(first.from, first.start)) ?? []) : []
  if (first.kind === 'quote') return reading.quotes.find(({ start }) => start === first.start)?.value ?? ''
  const written = reading.text.slice(first.start - gap.length, end)
  const untitled = written.replace(/surname/.test(slot.description) ? title : /^$/, '')
  return untitled.replace(/['’]s$/, '').replace(/[.:;,]+$/, '')
}

const title = /^(?:Dr|Mr|Mrs|Ms|Prof)\.?\s+/

export const takesSentences =
  /\b(?:prompt|query|q|search|keywords?|text|input|content|message|question|body|request|instructions?|notes?|comments?|remarks?|reason|cause|description|details?|narrative|title|subject|summary|task|topic|symptoms?|complaint|issue|problem|feedback|status|announcement|wish(?:es)?|lyrics?|caption|reminder)\b/

export const takesClauses =
  /\b(?:prompt|text|input|content|message|question|body|request|instructions?|notes?|comments?|remarks?|reason|cause|description|details?|narrative|task|symptoms?|complaint|issue|problem|feedback|announcement|wish(?:es)?|lyrics?|caption|reminder)\b/

/** Words in a sentence that do not name a thing: "how you are doing" is not a value. */
const sentenceWords =
  /(?:^|\s)(?:i|you|we|they|he|she|do|does|did|doing|is|are|am|be|was|were|will|would|should|have|has|had|need|how|often|(?:do|does|did|ca|wo|is|are)n['’]?t|left$|please)(?=\s|$)/i

// A number, a date or a code that is part of a text: rarely intended, and never the entire text.
function typedWithin(start: number, end: number, { reading }: FillContext): number {
  const { numbers, dates, times, tokens, names } = reading
  const isInName = (one: Span) => names.some((name) => name.start <= one.start && name.end >= one.end)
  const within = [...numbers, ...dates, ...times, ...tokens].filter(
    (one) => one.start < end && start < one.end && !isInName(one),
  )
  if (within.length === 0) return 0
  const words = reading.words.filter((one) => one.start >= start && one.end <= end).length
  return words < 4 ? 4 : 1
}

// "Ann, Bob and Eve": each of the names.
function toNameList(
  phrases: readonly Phrase[],
  index: number,
  slot: Slot,
  { context, isMain, claimed }: Use,
): Candidate[] {
  const first = phrases[index]
  if (!first || slot.kind === 'list' || (first.kind === 'name' && !isName(slot))) return []
  const isWord = ({ start, end }: Span) => /^[\p{L}-]+$/u.test(context.reading.text.slice(start, end))
  if (first.kind === 'words' && (takesSentences.test(slot.words) || !isWord(first))) return []
  const run = [first]
  for (const next of phrases.slice(index + 1)) {
    const last = run.at(-1) ?? first
    const between = context.reading.masked.slice(last.to, next.start)
    const isItem = next.kind === first.kind && (next.kind !== 'words' || isWord(next))
    if (!isItem || !betweenItems.test(between)) break
    run.push(next)
  }
  const last = run.at(-1)
  const [single] = run.length > 1 ? toRun([first], slot, { context, isMain, claimed }) : []
  if (!single || !last) return []
  const values = run.map((one) =>
    context.reading.text.slice(one.start, one.end).replace(/^["“'«]|["”'»]$/g, ''),
  )
  const spans = [{ start: first.from, end: last.to }]
  return [{ ...single, spans, alternatives: values }]
}

// A person, or a firm: a name, and no other words.
export function isPersonal(slot: Slot): boolean {
  const { kind, words, description } = slot
  if (kind === 'place') return false
  const told =
    /\b(?:full|first(?: and last)?|last) name\b|\bname of (?:the )?(?:main |new |second )?(\w+)/.exec(
      description,
    )
  const isTold = told !== null && (told[1] === undefined || peopleNames.test(told[1]))
  return isTold || kind === 'person' || peopleNames.test(words)
}

function isName({ kind, words, description }: Slot): boolean {
  return (
    kind === 'person' ||
    kind === 'place' ||
    /\b(?:name of|full name|surname|city)\b/.test(description) ||
    peopleNames.test(words)
  )
}

const peopleNames =
  /\b(?:(?:first|last|full|family|given|middle) name|forename|surname|customer|client|patient|guest|member|employee|student|supplier|vendor|driver|tenant|owner|author|artist|teacher|doctor|practitioner|contact|person|assignee|host|opponent|passenger|attendee|candidate|instructor|trainer|stylist|coach|company|organi[sz]er)\b/

function formWeight(slot: Slot, { kind }: Phrase, length: number): number {
  const isStrict = slot.kind === 'person' || slot.kind === 'place'
  if (!isName(slot)) return 0
  return kind === 'name' && length === 1 ? 1.2 : kind === 'words' && isStrict ? -0.4 : 0
}

function leadWeight(slot: Slot, lead: string): number {
  const told = leads[lead]
  if (slot.leads.includes(lead) && !takesClauses.test(slot.words)) return 2.5
  if (!told) return 0
  if (told.test(slot.words)) return slot.leads.length > 0 ? 1 : 2
  const own = sideOf(slot)
  return (own === 'to' && lead === 'from') || (own === 'from' && /^(?:in)?to$/.test(lead)) ? -2 : 0
}

// "Europe" before "/Zurich", "San" before "Francisco", "blue" behind "kind of": a part of a longer name.
export function isCutShort({ value, spans: [span] }: Candidate, picks: readonly Candidate[], text: string) {
  const start = text.indexOf(String(value), span?.start)
  if (start < 0) return false
  const end = start + String(value).length
  const [more = ''] = /^(?:\/\p{L}|\s\p{Lu}\p{Ll}|,\s\p{Lu}{2}\b)/u.exec(text.slice(end)) ?? []
  const tail = { start: end, end: end + more.length }
  const isOpen = more !== '' && /(?:^|[\s/])[\p{Lu}\d]\S*$/u.test(text.slice(start, end))
  const isUsed = picks.some(({ spans }) => spans[0] !== span && spans.some((one) => overlaps(one, tail)))
  return (isOpen && !isUsed) || hedge.test(text.slice(0, start))
}

const hedge = /(?<!\b(?:an?|any|some|that|the|this|what|which)\s)\b(?:kind|sort) of\s+$/i

/** "The Biograph Theater" is for a theater, and "Blue by Davis" is for a title and an artist. */
export function isForOther(item: string, { name, core }: Slot, { slots }: PlannerTool, isNamed: boolean) {
  const head = toConcept(/\p{L}+$/u.exec(item)?.[0] ?? '')
  const isMade = /\sby\s\p{L}/iu.test(item)
  const takes = (one: Slot) =>
    (isMade && leads.by?.test(one.words)) || (isNamed && one.core.has(head) && !core.has(head))
  return slots.some((one) => one.name !== name && isWorded(one) && takes(one))
}
