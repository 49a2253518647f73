import { glance, onceFor, type Reading } from './clauses.js'
import type { Candidate, FillContext } from './fill-context.js'
import type { PlannerTool, Slot } from './planner-tool.js'
import { currencyCode, type Found, isOrdinary, isVerb, toConcept } from './words.js'

/** Returns the side of "from A to B" or "A into B" for a parameter, if the tool has a parameter for each side. */
export function toPair(slot: Slot, { tool, reading }: FillContext): Candidate[] {
  const own = (role: Slot['role']) => tool.slots.filter((one) => one.role === role && sided.test(one.kind))
  const sides = [own('from'), own('to')]
  const index = sides.findIndex(([only]) => only?.name === slot.name)
  if (index < 0 || sides.some(({ length }) => length !== 1)) return []
  const converts = [tool.nameConcepts, tool.textConcepts].some((concepts) => concepts.has(conversion))
  return pairsIn(reading).flatMap((pair) => {
    const one = [withoutTool(pair.from, tool), pair.to][index]
    if (!one || (pair.isMeasure && !converts) || !slot.accepts(one.value)) return []
    return [{ slot, value: one.value, spans: [{ start: one.start, end: one.end }], score: 3 }]
  })
}

// "Flights Oslo to Rome".
function withoutTool(one: Found<string>, { nameConcepts }: PlannerTool): Found<string> {
  const [first = '', word = ''] = /^(\p{L}+)\s+(?=\S)/u.exec(one.value) ?? []
  return nameConcepts.has(toConcept(word))
    ? { ...one, value: one.value.slice(first.length), start: one.start + first.length }
    : one
}

const sided = /^(?:text|person|place)$/
const conversion = toConcept('convert')

const thing =
  "(?:\\p{Lu}[\\p{L}'’.-]*(?:\\s\\p{Lu}[\\p{L}'’-]*){0,3}|\\p{Ll}[\\p{L}°]{0,20})(?![\\p{L}\\p{N}])"
const pair = new RegExp(
  `(?<![\\p{L}\\p{N}@.])(from\\s+)?(${thing})(\\s+(?:to|into|→|->)\\s+)(${thing})`,
  'gu',
)

const pairsIn = onceFor(({ masked }: Reading) =>
  [...masked.slice(0, glance).matchAll(pair)].slice(0, 5).flatMap((match) => {
    const [, lead = '', whole = '', join = '', target = ''] = match
    const [verb = ''] = match.index === 0 && lead === '' ? (/^\p{L}+\s+/u.exec(whole) ?? []) : []
    const source = isCommon(verb.trim()) ? whole.slice(verb.length) : whole
    const at = match.index + lead.length + whole.length
    const isLow = [source, target].map((word) => /^\p{Ll}/u.test(word))
    const isMoney = [source, target].every(isCurrency)
    const isMeasure = /\d\s?$/.test(masked.slice(0, match.index)) && !isMoney
    const isNamed = !isLow.includes(true) && (lead !== '' || match.index > 0 || !isCommon(source))
    if (!isNamed && !isMoney && !(isLow[0] === isLow[1] && lead !== '') && !isMeasure) return []
    return {
      from: { value: source, start: at - source.length - (source === whole ? lead.length : 0), end: at },
      to: { value: target, start: at, end: at + join.length + target.length },
      // Only the number before the pair shows that it is one: "10 miles to km".
      isMeasure: isMeasure && !isNamed,
    }
  }),
)

/** Whether a word is the code or the name of a currency. */
export function isCurrency(word: string): boolean {
  return (currencyCode(word) ?? currencyCode(word.toUpperCase())) !== undefined
}

function isCommon(word: string): boolean {
  const lower = word.toLowerCase()
  return word !== '' && (isVerb(lower) || isOrdinary(lower))
}
