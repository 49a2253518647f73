import { splitEvery, type WireAnswer, type Write } from '../answer.js'
import type { WireCase } from '../wire-case.js'

/** Other ways to send the same answer: clients have to do the same with each. */
export const variations = ['byte by byte', 'CRLF', 'comments between', 'further fields'] as const

export type Variation = (typeof variations)[number]

/** Returns a case whose answers are sent in another way. */
export function vary(wireCase: WireCase, variation: Variation): WireCase {
  const change = (answer: WireAnswer) => varyAnswer(answer, variation)
  // The waits of retries say nothing about bytes.
  return { ...wireCase, retries: [0], answers: wireCase.answers.map(change), next: wireCase.next.map(change) }
}

function varyAnswer(answer: WireAnswer, variation: Variation): WireAnswer {
  // Bytes that are no text, and long ones, stay as they are.
  if (!answer.writes.every(isText)) return answer
  const text = answer.writes.map(({ bytes }) => bytes).join('')
  if (text.length > 10_000) return answer
  const isStream = /^(event|data):/m.test(text)
  if (variation === 'byte by byte') return splitEvery(1, answer)
  if (variation === 'further fields') return { ...answer, writes: [{ bytes: withFields(text, isStream) }] }
  if (!isStream) return answer
  const bytes =
    variation === 'CRLF' ? text.replaceAll(/\r?\n/g, '\r\n') : text.replaceAll('\n\n', '\n\n: comment\n\n')
  return { ...answer, writes: [{ bytes }] }
}

function isText({ bytes, pauseMs, times }: Write): boolean {
  return typeof bytes === 'string' && !pauseMs && !times
}

function withFields(text: string, isStream: boolean): string {
  if (!isStream) return addFields(text)
  return text.replaceAll(/^data: ?(\{.*\})$/gm, (_line, data: string) => `data: ${addFields(data)}`)
}

/** Adds a field to each object of a JSON text that is part of the interface. What is no JSON stays as it is. */
function addFields(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text)
    const changed = addTo(parsed)
    return isSame(parsed, JSON.parse(text)) ? JSON.stringify(changed) : text
  } catch {
    return text
  }
}

/** Objects that are the model's own, or a server's opaque values. */
const closed = ['input', 'arguments', 'citations', 'content', 'caller']

function addTo(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    closed.includes(name) ? inner : addTo(inner),
  ])
  return { ...Object.fromEntries(entries), further_field: { value: 1 } }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
