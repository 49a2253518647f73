import { isIndependentNumber, isWithin, overlaps, type Reading, type Span } from './clauses.js'
import { secondsIn } from './dates.js'
import { type Candidate, cueOf, type FillContext, sideOf, toList, widen, withList } from './fill-context.js'
import { directionOf, isFraction, isSigned, percentNames } from './number-direction.js'
import type { FoundNumber } from './numbers.js'
import { type Slot, tells } from './planner-tool.js'
import { currencyCode, type Found, isFiller, knows, splitName, toConcept, toConcepts } from './words.js'

/** Returns the numbers for a slot. A number has more weight if its neighbours, unit or bound name the slot. */
export function toNumbers(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const unit = moneyNames.test(slot.words)
    ? undefined
    : (secondsIn(/^min /.test(slot.words) ? toConcepts(slot.words.slice(4)) : slot.nameConcepts) ??
      secondsIn(slot.textConcepts))
  const durations = reading.durations.flatMap((one) => {
    if (unit === undefined || isOtherSide(slot, one, reading.masked)) return []
    const run = toList(one, reading.durations, reading.text)
    const direction = directionOf(slot, one, context)
    if (!direction) return []
    const sign = direction.isDown ? -1 : 1
    const values = run.map(({ value }) => (Math.round((value / unit) * 1000) / 1000) * sign)
    const spans = [widen(one, reading.text), ...direction.spans]
    const single = { slot, value: values[0], spans, score: 2.5 }
    return values.every(slot.accepts) ? withList(single, run, values) : []
  })
  const isTime = (number: Span) =>
    reading.durations.some(
      (one) => isWithin(number, one) && !/\d\s?[smh]$/i.test(reading.masked.slice(one.start, one.end)),
    )
  // "In five years" is a day, or a number of years. "By 4" is a time, or a change.
  const isAfter = (number: Span, lead: RegExp) => lead.test(reading.masked.slice(0, number.start))
  const isOwn = (number: Span) =>
    isSigned(slot)
      ? isAfter(number, /\bby $/i)
      : isAfter(number, /\bin $/i) && cueOf(slot, number, reading).weight > 2
  const plain = reading.numbers.filter(
    (number) => !isTime(number) && (isIndependentNumber(number, reading) || isOwn(number)),
  )
  return [...durations, ...plain.flatMap((number) => toNumber(slot, number, plain, context))]
}

/** A number with the words next to it, for one slot. */
interface Sight {
  readonly number: FoundNumber
  readonly unit: NonNullable<ReturnType<typeof unitOf>>
  readonly money: ReturnType<typeof moneyOf>
  readonly cue: ReturnType<typeof cueOf>
  readonly isPercent: boolean
}

function toNumber(slot: Slot, number: FoundNumber, all: readonly FoundNumber[], context: FillContext) {
  const { text, masked } = context.reading
  const unit = unitOf(slot, number, masked)
  const percentage = percent.test(masked.slice(number.end, number.end + 12))
  const direction = directionOf(slot, number, context)
  if (!unit || !direction) return []
  const scale = percentage && isFraction(slot) ? 0.01 : unit.factor
  const toValue = (one: Found<number>) => {
    const value = scale === 1 ? one.value : Math.round(one.value * scale * 1e6) / 1e6
    return direction.isDown ? -Math.abs(value) : value
  }
  const value = toValue(number)
  if (!slot.accepts(value)) return []
  const money = moneyOf(number, text, slot)
  // "62k" is not 62.
  const isCut = /^\p{L}/u.test(masked.slice(number.end))
  // "The 15th" counts nothing.
  const isCount =
    isQuantity(slot.words) || /\b(?:nights|days|weeks|months|years|hours|minutes)\b/.test(slot.words)
  if (isCount && /^\d+(?:st|nd|rd|th)$/i.test(text.slice(number.start, number.end))) return []
  if (isCut && money.after === '' && (money.isMoney || !unit.isKnown)) return []
  const sight = { number, unit, money, cue: cueOf(slot, number, context.reading), isPercent: percentage }
  const score = numberScore(slot, sight, context)
  if (score === undefined) return []
  const single = { slot, value, spans: [numberSpan(sight, context), ...direction.spans], score }
  const isOnly = slot.required && context.tool.slots.filter(({ kind }) => kind === 'number').length === 1
  const run = sight.cue.weight > 0 || isOnly ? toList(number, all, text) : []
  const values = run.map(toValue)
  return values.every(slot.accepts) ? withList(single, run, values) : [single]
}

const percent = /^\s*(?:%|percent\b|per cent\b)/i

/** Whether a percent sign or word is within a span or follows it. */
function isPercent({ start, end }: Span, { masked }: FillContext['reading']): boolean {
  return /%|\bper ?cent\b/i.test(masked.slice(start, end)) || percent.test(masked.slice(end, end + 12))
}

function isShare(slot: Slot): boolean {
  const { words, description, schema } = slot
  return (
    isFraction(slot) ||
    /\bper ?cent|%|\b0 ?(?:-|–|to) ?100\b/.test(`${words} ${description}`) ||
    schema.maximum === 100
  )
}

// Undefined for a number of a different kind: money, a percentage, a limit.
function numberScore(slot: Slot, sight: Sight, context: FillContext): number | undefined {
  const { number, unit, money, cue, isPercent } = sight
  // A rate of 5 may mean 5 %.
  if (isFraction(slot) && !isPercent && number.value > 1) return undefined
  const { masked } = context.reading
  const told = `${slot.words} ${slot.description}`
  const bound = boundOf(number, masked)
  const before = masked.slice(0, number.start)
  const side = boundSideOf(slot)
  const isMoneySlot = moneyNames.test(slot.words) || moneyNames.test(slot.description)
  if (isOtherSide(slot, number, masked) || (money.isMoney && !isMoneySlot)) return undefined
  // "Since 2015" means more than one year.
  const isMore = isYear(slot, number) && !sideOf(slot) && /\b(?:since|after|before|until)\s+$/i.test(before)
  const isSpan = /\byear$/.test(slot.words) && !/^\d{4}$/.test(number.digits)
  if (isMore || isSpan || (isPercent && !percentNames.test(told) && !isFraction(slot))) return undefined
  if (isIdentifier(slot) && cue.weight < 1) return context.follows && slot.required ? 0.35 : undefined
  const isBare = !unit.isKnown && !money.isMoney && !isPercent
  const count = isBare ? countWeight(slot, number, context) : 0
  const price = money.isMoney && isMoneySlot ? 2 : 0
  const year =
    isYear(slot, number) && /(?:\b(?:in|from|of|since|by|the)|\p{Lu}\p{L}+)\s+$/u.test(before) ? 2 : 0
  const sure =
    (bound && side ? 3 : 0) + (unit.isOwn ? 2 : 0) + (isPercent ? 2 : 0) + price + year + cue.weight + count
  if (sure > 0) return 0.6 + sure
  return slot.required && !(bound && !side) ? 0.6 : undefined
}

function boundSideOf(slot: Slot): 'min' | 'max' | undefined {
  if (/\b(?:max|maximum|highest|most|upper|up to|until|under|below|newer|younger)\b/.test(slot.words))
    return 'max'
  const isLeast = /\b(?:min|minimum|lowest|least|lower|over|above|older)\b/.test(slot.words)
  return isLeast ? 'min' : bounds[sideOf(slot) ?? '']
}

// "At least 30 minutes" is no maximum.
function isOtherSide(slot: Slot, number: Span, masked: string): boolean {
  const [bound, side] = [boundOf(number, masked), boundSideOf(slot)]
  return bound !== undefined && side !== undefined && bound !== side
}

// "Founded in 1974".
function isYear({ words, description }: Slot, { digits }: FoundNumber): boolean {
  return /^(?:1\d|20|21)\d\d$/.test(digits) && /\byear\b(?!s)/.test(`${words} ${description}`)
}

const bounds: Readonly<Record<string, 'min' | 'max'>> = { from: 'min', to: 'max' }

/** Whether a parameter's numbers name a thing, such as a room, instead of counting something. */
export function isIdentifier({ kind, words, description }: Slot): boolean {
  return (
    kind === 'code' ||
    /\b(?:id|no|code)$|\w number$/.test(words) ||
    /\b(?:(?!first|second|third|given|whole|real|an?|the|this)\w+ (?:number|id|no)|(?:number|id) (?:of|on|from) (?:the|a|an)\b.*)$|^id\b/.test(
      description.replace(/[.,;(].*$/, ''),
    )
  )
}

const freeCounts =
  /quantity|qty|\bunits?\b|copies|amount|seats|tickets|pieces|how many(?! (?:images|results))/
const people =
  /\b(?:guests?|people|persons?|passengers?|party|attendees|players|adults|participants|travell?ers|visitors|diners)\b/
const peopleAfter =
  /^\s+(?:of us|people|persons?|guests?|adults?|pax|passengers?|players?|participants?|travell?ers?|visitors?)\b/i

// Above 0 if the slot counts the noun after the number.
function countWeight(slot: Slot, number: FoundNumber, { reading: { masked }, tool }: FillContext): number {
  const after = masked.slice(number.end, number.end + 40)
  const told = `${slot.words} ${slot.description}`
  if (people.test(told) && peopleAfter.test(after)) return 1.5
  const noun = /^\s+(?:more\s+|of\s+)?(\p{Ll}{3,})/u.exec(after)?.[1] ?? ''
  if (noun === '' || isFiller(noun) || (slot.schema.type !== 'integer' && moneyNames.test(slot.words)))
    return 0
  const near = /^(?:\s+\p{L}+){1,3}/u.exec(after)?.[0] ?? ''
  const isOfTool = [...toConcepts(near)].some(
    (one) => tool.nameConcepts.has(one) || slot.textConcepts.has(one),
  )
  const counts = quantityNames.test(slot.words) || /\b(?:how many|number of)\b/.test(slot.description)
  return counts && (isOfTool || freeCounts.test(told)) ? 1.2 : 0
}

function numberSpan({ number, unit, money, cue }: Sight, { reading, tool }: FillContext): Span {
  const wide = widen(number, reading.text)
  const wantsCurrency = tool.slots.some(
    ({ kind, words, role }) =>
      kind === 'currency' ||
      (kind === 'text' && role === 'from') ||
      (kind === 'choice' ? /unit|currency/ : /currency/).test(words),
  )
  const sign = wantsCurrency ? 0 : money.before.length
  const start = Math.min(wide.start, cue.start, number.start - sign)
  const tail = wantsCurrency ? 0 : money.after.length
  return { start, end: Math.max(number.end + unit.length, cue.end, number.end + tail) }
}

export function numbersOf({ reading }: FillContext) {
  const numbers = reading.numbers.filter((number) => isIndependentNumber(number, reading))
  return numbers.map((one) => {
    const run = toList(one, numbers, reading.text)
    const span = { start: widen(one, reading.text).start, end: run.at(-1)?.end ?? one.end }
    return {
      value: one.value,
      spans: [span],
      score: run.length > 1 ? 2 : 0.6,
      alternatives: run.map(({ value }) => value),
    }
  })
}

const moneyNames =
  /\b(?:amount|price|cost|budget|money|value|fee|total|salary|sum|pay|rent|deposit|wage|fare|rate|premium|balance|limit|donation|discount|refund|bid|offer|income|revenue|payment|charge|fine)\b/

const quantityNames =
  /^(?:n|qty|count|number|quantity|limit|how many|amount|units?|copies|seats|tickets|pieces)$|\b(?:quantity|qty|count|size)\b/

export function isQuantity(words: string): boolean {
  return [quantityNames, freeCounts, people, /\b(?:num|limit|top|results?|max)\b/].some((one) =>
    one.test(words),
  )
}

/**
 * Returns a number's unit for a slot: the factor to the slot's own unit, and how many characters belong to the number.
 * Undefined if the slot takes a different kind of quantity.
 */
function unitOf(slot: Slot, { end }: Span, masked: string) {
  const [whole = '', word = ''] =
    /^[\s-]?((?:square\s)?°?[\p{L}°]+(?:\/\p{L}+(?:[²³]|\^\d)?)?)/u.exec(masked.slice(end, end + 30)) ?? []
  const isShort = /^(?:m|in|g|l|c|f|t)$/i.test(word)
  const isLone =
    isShort &&
    whole !== word &&
    !/^(?:\W|$|(?:of|over|from|to|for|and|by|at|with)\b)/.test(masked.slice(end + whole.length).trimStart())
  const [own, known] = [slotUnit(slot), units.get(word.toLowerCase().replace(' ', '-'))]
  // "2.4 m long" for centimetres, but not "5 in the bag" for inches.
  const said = isLone && (known?.kind !== own?.kind || word === 'in') ? undefined : known
  if (!said || !own) {
    const length = word.includes('/') ? whole.length : 0
    return { factor: 1, isKnown: said !== undefined, isOwn: false, length }
  }
  const isDegree = said.kind === 'temperature' || said.kind === 'data'
  const isOther = said.kind !== own.kind || (isDegree && said.size !== own.size && said.size !== 0)
  const factor = isDegree ? 1 : said.size / own.size
  return isOther ? undefined : { factor, isKnown: true, isOwn: true, length: whole.length }
}

/** Returns the unit that all numbers share. If a parameter's unit is fixed, the slot's description must quote it. */
export function toUnitName(slot: Slot, { reading: { numbers, masked }, tool }: FillContext): Candidate[] {
  const said = numbers.flatMap(({ end }) => /^[\s-]?(\p{L}+)/u.exec(masked.slice(end, end + 20))?.[1] ?? [])
  const [value, other] = new Set(said.filter((word) => units.has(word)))
  const isFixed = tool.slots.some((one) => one.kind === 'number' && hasUnit(one))
  if (!/\bunits?$/.test(slot.words) || value === undefined || other !== undefined) return []
  return isFixed && !slot.description.includes(`'${value}'`) ? [] : [{ slot, value, spans: [], score: 1.5 }]
}

export function hasUnit(slot: Slot): boolean {
  return slotUnit(slot) !== undefined
}

function slotUnit({ words, description }: Slot): { kind: string; size: number } | undefined {
  const named = words.split(/\s+/).map((word) => units.get(word))
  const told = (description.match(/\b(?:in|of) (?:square )?(\p{L}+)(?!\/)|\((\p{L}+)\)/gu) ?? []).map(
    (part) => units.get(part.replace(/^(?:in|of) |[()]/g, '').replace(' ', '-')),
  )
  return [...named, ...told].find((one) => one !== undefined)
}

const units = new Map(
  (
    [
      ['mass', 1, 'kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes'],
      ['mass', 0.001, 'g gram grams gramme grammes'],
      ['mass', 0.000001, 'mg milligram milligrams'],
      ['mass', 1000, 't ton tons tonne tonnes'],
      ['mass', 0.45359237, 'lb lbs'],
      ['length', 1000, 'km kms kilometer kilometers kilometre kilometres'],
      ['length', 1, 'm meter meters metre metres'],
      ['length', 0.01, 'cm centimeter centimeters centimetre centimetres'],
      ['length', 0.001, 'mm millimeter millimeters millimetre millimetres'],
      ['length', 1609.344, 'mi mile miles'],
      ['length', 0.3048, 'ft foot feet'],
      ['length', 0.0254, 'inch inches'],
      ['volume', 1, 'l liter liters litre litres'],
      ['volume', 0.001, 'ml milliliter milliliters millilitre millilitres'],
      ['temperature', 1, '°c c celsius centigrade'],
      ['temperature', 2, '°f f fahrenheit'],
      ['temperature', 0, '° degree degrees'],
      ['energy', 1, 'kwh'],
      ['data', 1, 'gb gigs gigabyte gigabytes'],
      ['data', 2, 'mb megabyte megabytes'],
      ['data', 3, 'tb terabyte terabytes'],
      ['months', 1, 'month months'],
      ['months', 12, 'year years'],
      ['area', 10_000, 'ha hectare hectares'],
      ['area', 1, 'sqm m2 m² square-metre square-metres square-meter square-meters'],
      ['area', 0.09290304, 'sqft ft2 ft² square-foot square-feet'],
      ['area', 4046.8564224, 'acre acres'],
    ] as const
  ).flatMap(([kind, size, words]) => words.split(' ').map((word) => [word, { kind, size }] as const)),
)

/** Returns the sign or the word that makes a number an amount of money. */
function moneyOf({ start, end }: Span, text: string, { textConcepts }: Slot) {
  const [before = ''] =
    /(?:\b(?:at|for|of|to|by)\s+)?(?:\b(?:US|AU?|CA?|NZ|HK|S)(?=\$))?[$€£¥]\s?$/.exec(
      text.slice(Math.max(0, start - 8), start),
    ) ?? []
  const [whole = '', word = ''] = /^\s*([$€£¥]|\p{L}+)/u.exec(text.slice(end, end + reach)) ?? []
  const after = currencyCode(word) ? whole : ''
  const [rate = '', one] =
    /^\s+(?:each|apiece|(?:per|an?) (\w{4,}))\b/i.exec(text.slice(end + after.length, end + reach)) ?? []
  const each = one === undefined || textConcepts.has(toConcept(one)) ? rate : ''
  return { isMoney: before !== '' || after !== '', before, after: after + each }
}

// The number of characters to search on each side of a number.
const reach = 40

/** Returns which limit a number is: `min` or `max`. "Between 50 and 100", "under 800", "at least 3". */
function boundOf({ start, end }: Span, text: string): 'min' | 'max' | undefined {
  const before = text.slice(Math.max(0, start - 60), start)
  const after = text.slice(end, end + 60)
  if (lead(least).test(before)) return 'min'
  if (lead(limits).test(before) || /^\s*(?:\S+\s+)?(?:max|at most|or less|or under)\b/.test(after))
    return 'max'
  if (lead('between').test(before)) return 'min'
  return range.test(before) ? 'max' : undefined
}

const least =
  'at ?least|over|above|(?<!no |not )more than|minimum(?: of)?|min|starting at|(?:bigger|larger|longer|older) than'
const limits =
  'at ?most|under|below|(?:less|fewer|smaller|shorter|lighter|lower|newer|younger) than|up to|no more than|not more than|maximum(?: of)?|max|cheaper than|within'

const lead = (words: string) => new RegExp(`\\b(?:${words})\\s*[$€£]?\\s*$`, 'i')
const range = /\b(?:between|from)\s+[$€£]?[\d.,]+\s*(?:\p{L}+\s+)?(?:and|to)\s+[$€£]?\s*$/iu

/** Whether a number means the value of a slot, not a share, a difference or a count of something else. */
export function meansNumber(slot: Slot, span: Span, context: FillContext): boolean {
  return (
    (isPercent(span, context.reading) ? isShare(slot) : !isPartOfMoney(slot, context)) &&
    isOfCurrency(slot, span, context) &&
    isOfPeriod(slot, span, context.reading) &&
    (isSigned(slot) || !isRelative(span, context)) &&
    !countsThings(slot, span, context)
  )
}

// "Lower it by 2", "2 euros cheaper", "fill it up to 200": a difference, or a bound, is not a value to set.
function isRelative(span: Span, { reading: { masked, verb, numbers }, tool }: FillContext): boolean {
  const number = numbers.find((one) => overlaps(one, span))
  const [, lead = ''] = /\b(by|up to)\s+[$€£¥]?$/i.exec(masked.slice(0, number?.start ?? 0)) ?? []
  if (tells(tool.actions)) return false
  const isCompared = comparative.test(masked.slice(number?.end ?? masked.length))
  if (lead === '')
    return (
      isCompared &&
      !splitName(tool.name)
        .split(' ')
        .some((word) => changing.test(word) || longer.test(word))
    )
  if (/^up/i.test(lead)) return !/^(?:turn|set|bring)$/i.test(verb)
  return changing.test(verb) && !tool.nameConcepts.has(toConcept(verb))
}

const comparative =
  /^\s*(?:%|[\p{L}°$€£]+)?\s+(?:cheaper|dearer|pricier|more expensive|lower|higher|warmer|colder|cooler|hotter|faster|slower|louder|quieter|brighter|darker|earlier|later|shorter|longer)\b/iu
const longer = /^(?:shift|extend|renew|prolong|delay|discount)$/i
const changing = /^(?:raise|lower|increase|decrease|reduce|cut|drop|move|change|adjust)$/i

// "Tip 10 on a bill of 84" may be an amount.
function isPartOfMoney({ name, words }: Slot, { tool: { slots } }: FillContext): boolean {
  const isPart = /\bpercent(?:age)?\b/.test(words) && !/\b(?:rate|interest)\b/.test(words)
  const isMoney = (one: Slot) => one.kind === 'number' && moneyNames.test(`${one.words} ${one.description}`)
  return isPart && slots.some((one) => one.name !== name && isMoney(one))
}

// "Three circles" is not a radius, and the density is not a mass.
function countsThings(slot: Slot, span: Span, { reading, tool }: FillContext): boolean {
  const number = reading.numbers.find((one) => overlaps(one, span))
  if (!number || unitOf(slot, number, reading.masked)?.isOwn) return false
  const [, whole = ''] = /(\p{L}+)\s+of\s+$/u.exec(reading.masked.slice(0, number.start)) ?? []
  const isResult = tool.nameConcepts.has(toConcept(whole))
  const isOne = tool.slots.filter(({ kind }) => kind === 'number').length < 2
  if (isResult && !isOne && cueOf(slot, number, reading).weight === 0) return true
  if (isQuantity(slot.words) || reading.durations.some((one) => overlaps(one, span))) return false
  const [, noun = ''] = /^\s+(?:\p{Ll}+\s)?(\p{Ll}{3,}s)\b/u.exec(reading.masked.slice(number.end)) ?? []
  return (
    noun !== '' &&
    !knows(slot.core, toConcept(noun)) &&
    /^\p{L}+$/u.test(reading.text.slice(number.start, number.end))
  )
}

// "$30" is not an amount in euros.
function isOfCurrency(
  { words, description }: Slot,
  { start, end }: Span,
  { reading: { text }, tool }: FillContext,
) {
  const codesIn = (said: string) =>
    [...said.matchAll(/[$€£¥]|\b\p{L}{3,}/gu)].flatMap(([word]) => currencyCode(word) ?? [])
  const own = codesIn(`${words} ${description}`)
  const said = codesIn(text.slice(Math.max(0, start - 1), end + 8))
  const choices = tool.slots.flatMap((one) => (/\bcurrency\b/.test(one.words) ? one.choices : []))
  const isKnown = (code: string) =>
    choices.length === 0 || choices.some(({ aliases, value }) => value === code || aliases.includes(code))
  return said.every((code) => (own.length === 0 || own.includes(code)) && isKnown(code))
}

// "A monthly rate of 2" is no yearly one.
function isOfPeriod({ words, description }: Slot, { start }: Span, { masked }: Reading): boolean {
  const own: readonly string[] = `${words} ${description}`.match(period) ?? []
  const [, said] = /\b(\w+ly|annual)(?:\s\p{L}+){0,3}\s$/iu.exec(masked.slice(0, start)) ?? []
  return own.length === 0 || !said?.match(period) || own.includes(said.replace('yearly', 'annual'))
}

const period = /\b(?:hourly|daily|weekly|monthly|quarterly|annual)\b/g
