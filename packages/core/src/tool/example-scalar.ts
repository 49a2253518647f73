import { fits } from './fits.js'

/** A string that fits a schema: of its format, or a plain one that its lengths and its pattern allow, if any does. */
export function exampleString(schema: Readonly<Record<string, unknown>>): string {
  const { format, minLength = 0, maxLength = 10_000 } = schema
  const long = 'text '.repeat(Math.min(Number(minLength), 200) / 5 + 1)
  const lengths = [long.slice(0, Math.max(Number(minLength), 4)), long.slice(0, Number(maxLength))]
  const ofFormat = Object.hasOwn(formats, String(format)) ? formats[String(format)] : undefined
  return firstThatFits(ofFormat === undefined ? ['text', ...lengths, ...shapes] : [ofFormat], schema)
}

/** A number that fits a schema: 1, or one near its bounds. */
export function exampleNumber(schema: Readonly<Record<string, unknown>>): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema
  const step = typeof multipleOf === 'number' ? multipleOf : 1
  const low = Math.max(...[minimum, exclusiveMinimum].filter(isNumber))
  const high = Math.min(...[maximum, exclusiveMaximum].filter(isNumber))
  const steps = [
    Math.ceil(low / step),
    Math.floor(low / step) + 1,
    Math.floor(high / step),
    Math.ceil(high / step) - 1,
  ]
  const onStep = steps.map((count) => Number((count * step).toPrecision(12)))
  return firstThatFits([1, ...onStep, step, low, high, (low + high) / 2].filter(Number.isFinite), schema)
}

/** The first of them when none does. */
function firstThatFits<T extends string | number>(
  candidates: readonly T[],
  schema: Readonly<Record<string, unknown>>,
): T {
  return candidates.find((candidate) => fits(candidate, schema)) ?? (candidates[0] as T)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

const shapes = [
  'a',
  'A',
  'AB',
  'ABC',
  'abc',
  '1',
  '12',
  '123',
  '1234',
  '12345',
  'a1',
  'A1',
  '1.0.0',
  '10:30',
  '#aabbcc',
]

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com',
  url: 'https://example.com',
  'uri-reference': 'https://example.com',
  'uri-template': 'https://example.com',
  'json-pointer': '/name',
  'json-pointer-uri-fragment': '#/name',
  'relative-json-pointer': '0',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  base64: 'dGV4dA==',
  e164: '+15550100100',
}
