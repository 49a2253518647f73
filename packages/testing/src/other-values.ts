import { exampleString } from '@capstan/core/internal'
import type { Schema } from './value-places.js'

/** A value to put somewhere, and what it is. */
export type Candidate = readonly [about: string, value: unknown]

/** Values that a place may well have, its schema willing. */
export function usualValues({ type, enum: members }: Schema): Candidate[] {
  if (Array.isArray(members)) return members.map((member) => ['one of the list', member])
  const types = [type].flat()
  return [
    ...(types.includes('boolean') ? [true, false] : []).map((value): Candidate => [String(value), value]),
    ...(types.includes('string') ? ['another text', 'Zoë said "hi" 😀'] : []).map(
      (value): Candidate => ['another text', value],
    ),
    ...(types.includes('integer') || types.includes('number') ? [2, 3, 7, 12, 40] : []).map(
      (value): Candidate => ['another number', value],
    ),
  ]
}

/** Values at the edges of what a schema allows. */
export function edgeValues(schema: Schema, value: unknown): Candidate[] {
  const types = [schema.type].flat()
  return [
    ...(types.includes('null') ? [['null', null] as const] : []),
    ...(types.includes('string') ? edgesOfText(schema) : []),
    ...(types.includes('number') || types.includes('integer') ? edgesOfNumber(schema) : []),
    ...(types.includes('array') && Array.isArray(value) ? edgesOfList(schema, value) : []),
  ]
}

/** Values just beyond those edges, and of other types. */
export function wrongValues(schema: Schema, value: unknown): Candidate[] {
  const types = [schema.type].flat()
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength } = schema
  return [
    ['null', null],
    ['a text that reads as nothing else', '[no'],
    ['a number', 42.5],
    ['a list', [[]]],
    ['an object', { no: 'such' }],
    ...numbers([minimum], (bound) => [`less than ${bound}`, bound - 1]),
    ...numbers([maximum], (bound) => [`more than ${bound}`, bound + 1]),
    ...numbers([exclusiveMinimum, exclusiveMaximum], (bound) => [`just ${bound}`, bound]),
    ...numbers([minLength], (bound) => [`shorter than ${bound}`, 'a'.repeat(Math.max(0, bound - 1))]),
    ...numbers([maxLength], (bound) => [
      `longer than ${bound}`,
      'a'.repeat(Math.min(bound, mostLetters) + 1),
    ]),
    ...(types.includes('string') ? [['no such text', '¿?'] as const] : []),
    ...(Array.isArray(value) ? wrongLists(schema, value) : []),
  ]
}

const mostLetters = 10_000
const mostItems = 100

function edgesOfText({ minLength, maxLength, format }: Schema): Candidate[] {
  const unbounded: Candidate[] = [
    ['a long text', 'long '.repeat(200)],
    ['a text of several lines', 'one\ntwo\t"three" \\ é 😀'],
  ]
  return [
    ['the shortest text', 'a'.repeat(Math.min(Number(minLength ?? 0), mostLetters))],
    ...(typeof maxLength === 'number'
      ? [['the longest text', 'a'.repeat(Math.min(maxLength, mostLetters))] as const]
      : unbounded),
    ...(typeof format === 'string'
      ? [[`a ${format}`, exampleString({ type: 'string', format })] as const]
      : []),
  ]
}

function edgesOfNumber({
  type,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: Schema): Candidate[] {
  const least = [type].flat().includes('number') ? 0.5 : 1
  const step = typeof multipleOf === 'number' ? multipleOf : least
  const onStep = (value: number) => Number((value * step).toPrecision(12))
  return [
    ['zero', 0],
    ['minus one', -1],
    ...numbers([minimum], (low) => ['the lowest number', low]),
    ...numbers([minimum], (low) => ['the lowest step', onStep(Math.ceil(low / step))]),
    ...numbers([exclusiveMinimum], (low) => ['the lowest step', onStep(Math.floor(low / step) + 1)]),
    ...numbers([maximum], (high) => ['the highest number', high]),
    ...numbers([maximum], (high) => ['the highest step', onStep(Math.floor(high / step))]),
    ...numbers([exclusiveMaximum], (high) => ['the highest step', onStep(Math.ceil(high / step) - 1)]),
  ]
}

function edgesOfList({ minItems, maxItems }: Schema, value: readonly unknown[]): Candidate[] {
  const few = Number(minItems ?? 0)
  return [
    ['the shortest list', ofLength(value, few)],
    ...(typeof maxItems === 'number' ? [['the longest list', ofLength(value, maxItems)] as const] : []),
  ]
}

function wrongLists({ minItems, maxItems, uniqueItems }: Schema, value: readonly unknown[]): Candidate[] {
  return [
    ...numbers([minItems], (few) => [`fewer than ${few}`, ofLength(value, few - 1)]),
    ...numbers([maxItems], (many) => [`more than ${many}`, ofLength(value, many + 1)]),
    ...(uniqueItems === true && value.length > 0 ? [['one twice', [...value, value[0]]] as const] : []),
  ]
}

/** The list cut short, or its last item over and over. */
function ofLength(list: readonly unknown[], length: number): unknown[] {
  const count = Math.max(0, Math.min(length, mostItems))
  return Array.from({ length: count }, (_, at) => list[Math.min(at, list.length - 1)] ?? null)
}

/** Of the bounds that are numbers. One that only says what a number can hold is none that is meant. */
function numbers(bounds: readonly unknown[], make: (bound: number) => Candidate): Candidate[] {
  return bounds
    .filter(
      (bound): bound is number => typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER,
    )
    .map(make)
}
