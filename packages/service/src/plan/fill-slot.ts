import { daysAfter } from './dates.js'
import { pickChoice, pickChoices, pickFlag } from './fill-choice.js'
import {
  type FillContext,
  free,
  isIndependentNumber,
  type Picked,
  pickListed,
  widen,
} from './fill-context.js'
import { pickNumber } from './fill-number.js'
import { pickCode, pickCurrency, pickLanguage, pickRest } from './fill-text.js'
import { kindAmong, type PlannerTool } from './planner-tool.js'
import { toRemainder, withoutToolWords } from './references.js'
import type { Slot, SlotKind } from './slots.js'
import type { Found } from './spans.js'

/** Chooses a value for one slot from the unused parts of the clause, or returns undefined. */
export function fillSlot(slot: Slot, context: FillContext): Picked | undefined {
  if (context.operands.has(slot.name)) {
    const value = context.operands.get(slot.name)
    return value === undefined ? undefined : { value, spans: [] }
  }
  return pickers[slot.kind](slot, context)
}

type Picker = (slot: Slot, context: FillContext) => Picked | undefined

const secondsOfDay = 86_400

const leads = { from: /\bfrom\s+(?:the\s+)?$/i, to: /\b(?:to|into|in|for|at)\s+(?:the\s+)?$/i }
const anyLead = /\b(?:in|at|near|around|for|of|to|from)\s+(?:the\s+)?$/i

const stops =
  'in|on|at|to|from|for|by|with|and|or|about|near|like|is|right|now|today|tonight|tomorrow|this|next|please'

const pickers: Readonly<Record<SlotKind, Picker>> = {
  const: ({ schema }) => ({ value: schema.const, spans: [] }),
  artifact: pickArtifact,
  email: (_, context) => pickFirst(context, context.reading.emails),
  phone: (_, context) => pickFirst(context, context.reading.phones),
  url: (_, context) => pickFirst(context, context.reading.urls),
  size: (_, context) => pickFirst(context, context.reading.sizes),
  expression: () => undefined,
  choice: pickChoice,
  flag: pickFlag,
  code: pickCode,
  moment: pickMoment,
  date: pickDate,
  time: (_, context) => pickFirst(context, context.reading.times),
  number: pickNumber,
  currency: pickCurrency,
  language: pickLanguage,
  symbol: pickSymbol,
  list: pickList,
  person: pickPerson,
  place: pickPlace,
  path: pickPath,
  object: () => undefined,
  text: pickRest,
}

function pickFirst(context: FillContext, found: readonly Found<string>[]): Picked | undefined {
  const all = free(context, found)
  return all[0] && pickListed(all[0], all, context.reading.text)
}

// "notes.txt", a quotation, or the word next to "folder".
function pickPath({ words, required }: Slot, context: FillContext): Picked | undefined {
  const { masked, files, quotes } = context.reading
  const folders = /folder|directory/.test(words) ? findFolders(masked) : []
  return (
    pickFirst(context, folders) ??
    pickFirst(context, files) ??
    (required ? pickFirst(context, quotes) : undefined)
  )
}

function findFolders(masked: string): Found<string>[] {
  return [
    ...masked.matchAll(
      /\b(?:folder|directory)\s+([\w./-]*\w)|\b(?:the|my)\s+([\w-]+)\s+(?:folder|directory)/gi,
    ),
  ].map((match) => ({
    value: match[1] ?? match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }))
}

function pickList(slot: Slot, context: FillContext): Picked | undefined {
  const [item] = slot.inner
  if (!item || item.kind === 'object' || item.kind === 'list') return undefined
  if (item.kind === 'choice') return pickChoices(item, context)
  if (item.kind === 'number') {
    const numbers = free(context, context.reading.numbers).filter((number) =>
      isIndependentNumber(number, context.reading),
    )
    return numbers.length > 0 ? { value: numbers.map(({ value }) => value), spans: numbers } : undefined
  }
  if (item.kind === 'text') return pickTexts(slot, context)
  const picked = pickers[item.kind](slot.required ? item : { ...item, required: false }, context)
  return picked && { value: picked.alternatives ?? [picked.value], spans: picked.spans }
}

function pickTexts(slot: Slot, context: FillContext): Picked | undefined {
  const quotes = free(context, context.reading.quotes)
  if (quotes.length > 0) return { value: quotes.map(({ value }) => value), spans: quotes }
  const listed = toRemainder(context).replace(/^[^,]*?\b(?:with|including|containing)\s+/i, '')
  const parts = slot.required ? listed.split(/\s*,\s*(?:and\s+)?|\s+and\s+/) : []
  const texts = parts.filter((part) => part !== '')
  return texts.length > 0 ? { value: texts, spans: [] } : undefined
}

/**
 * Chooses an artifact id: one in the clause, else the newest available of the right kind. Never invents one.
 */
function pickArtifact(slot: Slot, context: FillContext): Picked | undefined {
  const { reading } = context
  const wanted = artifactPrefixes(slot, context.tool)
  const written = free(context, reading.artifacts).filter(({ value }) =>
    wanted.some((prefix) => value.startsWith(prefix)),
  )
  const isMask = /\bmask\b/.test(slot.words)
  const masks = written.filter(({ start }) => /\bmask\s*$/i.test(reading.masked.slice(0, start)))
  const explicit = isMask ? masks[0] : written.find((one) => !masks.includes(one))
  if (explicit) return { value: explicit.value, spans: [widen(explicit, reading.text)] }
  const fitting = context.artifacts.filter((id) => wanted.some((prefix) => id.startsWith(prefix)))
  const speaksOfMask = /\bmask(?:ed)?\b/i.test(reading.masked)
  const atHand = isMask
    ? speaksOfMask && fitting.length > 1
      ? fitting.at(-1)
      : undefined
    : fitting.at(speaksOfMask && fitting.length > 1 && hasMask(context) ? -2 : -1)
  if (atHand) return { value: atHand, spans: [] }
  const file = /\bartifact\b/.test(String(slot.schema.description))
    ? undefined
    : free(context, reading.files)[0]
  return file && { value: file.value, spans: [widen(file, reading.text)] }
}

/** Returns the id prefixes that a slot accepts, by its name, its description or else its tool. */
export function artifactPrefixes(slot: Slot, tool: PlannerTool): readonly string[] {
  const kind = kindAmong([...slot.nameConcepts, ...slot.textConcepts]) ?? kindAmong(tool.nameConcepts)
  return kind === 'image' ? ['img_'] : kind === 'audio' ? ['aud_'] : ['img_', 'aud_', 'txt_', 'file_']
}

function hasMask({ tool }: FillContext): boolean {
  return tool.slots.some(({ kind, words }) => kind === 'artifact' && /\bmask\b/.test(words))
}

/** Chooses a date. The length of a stay may give its last day: "for 3 nights starting on Friday". */
function pickDate(slot: Slot, context: FillContext): Picked | undefined {
  const dates = free(context, context.reading.dates)
  const [first] = dates
  if (first) return pickListed(first, dates, context.reading.text)
  return isEnd(slot) ? pickByLength(context) : undefined
}

/** Combines a day and a time of day, or one of them, to an instant. */
function pickMoment(_: Slot, context: FillContext): Picked | undefined {
  const [date] = free(context, context.reading.dates)
  const [time] = free(context, context.reading.times)
  if (!date && !time) return undefined
  const day = date?.value ?? context.reading.today
  const spans = [date, time].flatMap((one) => (one ? [widen(one, context.reading.text)] : []))
  return { value: new Date(`${day}T${time?.value ?? '00:00'}:00`).toISOString(), spans }
}

function isEnd({ words }: Slot): boolean {
  return /\b(?:end|until|to|return|out|last|departure|checkout)\b/.test(words)
}

function pickByLength(context: FillContext): Picked | undefined {
  const start: Found<string> | undefined = context.reading.dates[0]
  const stay = free(context, context.reading.durations).find(({ value }) => value % secondsOfDay === 0)
  if (!start || !stay) return undefined
  const value = daysAfter(start.value, stay.value / secondsOfDay)
  return { value, spans: [widen(stay, context.reading.text)] }
}

/**
 * Chooses a place: a name after a fitting preposition, any unused name, or the words after the preposition.
 */
function pickPlace(slot: Slot, context: FillContext): Picked | undefined {
  const { reading } = context
  const names = free(context, reading.names)
  const led = names.find((name) => leadsTo(slot, reading.masked.slice(0, name.start)))
  const open =
    slot.required && names.find((name) => !claimedElsewhere(slot, reading.masked.slice(0, name.start)))
  const name = led ?? (open || undefined)
  if (name) return pickListed(name, names, reading.text)
  const phrase = phraseBehind(slot, context)
  if (phrase) return { value: phrase.value, spans: [widen(phrase, reading.text)] }
  const alone = slot.role === undefined && slot.required && withoutToolWords(context)
  return alone && /^[\p{L}' -]{2,30}$/u.test(alone) && alone.split(' ').length <= 3
    ? { value: alone, spans: [] }
    : undefined
}

/** Chooses a person: a name after "with", "to", "for" or "by", else any unused name for a required slot. */
function pickPerson(slot: Slot, context: FillContext): Picked | undefined {
  const { reading } = context
  const names = free(context, reading.names)
  const led = names.find((name) =>
    /\b(?:with|to|for|by|invite|and|tell|message)\s+$/i.test(reading.text.slice(0, name.start)),
  )
  const name = led ?? (slot.required ? names[0] : undefined)
  return name && pickListed(name, names, reading.text)
}

/** Chooses a stock symbol or another short word in capitals. A required slot also takes a name. */
function pickSymbol(slot: Slot, context: FillContext): Picked | undefined {
  const { reading } = context
  const symbols = free(context, reading.symbols)
  const names = slot.required ? free(context, reading.names) : []
  const [all, one] = symbols[0] ? [symbols, symbols[0]] : [names, names[0]]
  return one && pickListed(one, all, reading.text)
}

function leadsTo({ role }: Slot, before: string): boolean {
  return (role ? leads[role] : anyLead).test(before)
}

function claimedElsewhere({ role }: Slot, before: string): boolean {
  return role !== undefined && leads[role === 'from' ? 'to' : 'from'].test(before)
}

// "in the living room", "near oslo": the words from the preposition to the next one.
function phraseBehind({ role }: Slot, context: FillContext): Found<string> | undefined {
  const preposition = role === 'from' ? 'from' : role === 'to' ? 'to|into' : 'in|at|near|around'
  const phrase = new RegExp(
    `\\b(?:${preposition})\\s+(?:(?:the|my|our)\\s+)?([\\p{L}' -]+?)(?=\\s+(?:${stops})\\b|[^\\p{L}' -]|$)`,
    'giu',
  )
  const found = [...context.reading.masked.matchAll(phrase)].map((match) => {
    const value = match[1] ?? ''
    const start = match.index + match[0].length - value.length
    return { value, start, end: start + value.length }
  })
  return free(context, found).find(
    ({ value }) => !/^(?:it|them|this|that|me|us|a|an|celsius|fahrenheit|which|what)\b/i.test(value),
  )
}
