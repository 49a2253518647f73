import { splitEvery, type WireAnswer } from '../answer.js'
import type { WireCase } from '../wire-case.js'

/** A way to write the same answer, from which a client makes the same. */
export interface Variation {
  readonly name: string
  vary(answer: WireAnswer): WireAnswer
}

export const variations: readonly Variation[] = [
  { name: 'byte by byte', vary: (answer) => splitEvery(isLong(answer) ? 101 : 1, answer) },
  { name: 'with CRLF', vary: inStream((text) => text.replace(/\r?\n/g, '\r\n')) },
  {
    name: 'with comments between the events',
    vary: inStream((text) => text.replace(/^(?=event:|data:)/gm, ': still here\n')),
  },
  { name: 'with further fields', vary: inText(withFurtherFields) },
]

/** The same case, its answers written in another way, and run once. */
export function varied(wireCase: WireCase, { vary }: Variation): WireCase {
  const { answers, next, retries } = wireCase
  return { ...wireCase, answers: answers.map(vary), next: next.map(vary), retries: retries.slice(0, 1) }
}

/** Whether so many single bytes would take seconds. */
function isLong({ writes }: WireAnswer): boolean {
  return writes.some(({ bytes }) => bytes.length > 20_000)
}

type Rewrite = (text: string) => string

function inStream(rewrite: Rewrite): Variation['vary'] {
  return inText((text) => (/^\s*(event|data|:)/.test(text) ? rewrite(text) : text))
}

/** Bytes that are no text are as they were. */
function inText(rewrite: Rewrite): Variation['vary'] {
  return (answer) => {
    if (answer.writes.some(({ bytes, times = 1 }) => typeof bytes !== 'string' || times > 1)) return answer
    const text = answer.writes.map(({ bytes }) => bytes).join('')
    return { ...answer, writes: [{ bytes: rewrite(text) }] }
  }
}

function withFurtherFields(text: string): string {
  if (text.trimStart().startsWith('{')) return withFields(text)
  return text.replace(/^(data: )(\{.*\})(\r?)$/gm, (_all, field, json, end) => field + withFields(json) + end)
}

const further = { x_further: { list: [1, { deep: null }], text: 'more' } }

function withFields(json: string): string {
  try {
    return JSON.stringify(extend(JSON.parse(json)))
  } catch {
    return json
  }
}

/** Adds fields to the event, the response and its items. */
function extend({ response, item, output, ...event }: Readonly<Record<string, unknown>>): unknown {
  const items = (list: unknown) => (Array.isArray(list) ? list.map((one) => ({ ...one, ...further })) : list)
  return {
    ...event,
    ...(response ? { response: extend(response as Readonly<Record<string, unknown>>) } : {}),
    ...(item ? { item: { ...item, ...further } } : {}),
    ...(output ? { output: items(output) } : {}),
    ...further,
  }
}
