import type { ExpectedError } from './expectation.js'
import { complaintsIn } from './follow-up.js'
import type { Ending, Outcome } from './outcome.js'
import type { SeenRequest } from './replay.js'
import { isSameJson } from './same-json.js'
import type { WireCase } from './wire-case.js'

/** What is wrong with the report of an expected failure, and with what was sent because of it. */
export function errorFaults(
  expected: ExpectedError,
  { tools }: WireCase,
  outcome: Outcome,
): readonly string[] {
  const { end, requests } = outcome
  const complaints = expected.scope === 'call' ? complaintsIn(requests) : []
  const told = [...(end.kind === 'thrown' ? [end.said] : []), ...complaints]
  const isRepeated = questionsIn(requests).length > 1
  const isRecovered = isRepeated && end.kind !== 'thrown' && expected.retryable !== false
  if (told.length === 0)
    return isRecovered ? retryFaults(expected, requests) : [`nobody was told (${describe(end)})`]
  // A complaint in a call's own message needs not repeat which tool it is about.
  const implied = complaints.length > 0 && !expected.codes.includes('unknown_tool') ? tools : []
  const known = [...told, ...implied.map(({ name }) => name)].join('\n').toLowerCase()
  return [
    ...expected.mentions
      .filter((word) => !known.includes(word.toLowerCase()))
      .map((word) => `the report lacks ${JSON.stringify(word)}: ${told[0]?.slice(0, 110)}`),
    ...(end.kind === 'thrown' ? failureFaults(expected, end) : []),
    ...retryFaults(expected, requests),
  ]
}

function failureFaults(
  { codes, retryable, retryAfterMs }: ExpectedError,
  end: Extract<Ending, { kind: 'thrown' }>,
): readonly string[] {
  if (isCrash(end.said)) return [`crashed: ${end.said.slice(0, 110)}`]
  if (end.code === undefined) return []
  const isCode = codes.some((code) => code === end.code)
  const wait = end.retryAfterMs ?? 0
  return [
    ...(isCode ? [] : [`the code is ${end.code}, not ${codes.join(' or ')}`]),
    ...(retryable === undefined || retryable === end.retryable ? [] : [`retryable is ${end.retryable}`]),
    ...(wait >= (retryAfterMs ?? 0) ? [] : [`retryAfterMs is ${wait}, not ${retryAfterMs}`]),
  ]
}

function retryFaults(
  { scope, retryable, retryAfterMs = 0 }: ExpectedError,
  requests: readonly SeenRequest[],
): readonly string[] {
  const [first, second] = questionsIn(requests)
  if (!first || !second) return []
  if (scope === 'request' && retryable === false) return ['asked again what cannot succeed']
  // Timers may be early by a moment.
  const waited = Math.round(second.at - first.at)
  return waited < retryAfterMs - 60 ? [`asked again after ${waited} ms; the server said ${retryAfterMs}`] : []
}

/** The question and its repetitions: a client that asks for something else, such as for words, does not repeat it. */
export function questionsIn(requests: readonly SeenRequest[]): readonly SeenRequest[] {
  const questions = requests.filter(({ kind }) => kind === 'question')
  return questions.filter(({ body }) => isSameJson(messagesOf(body), messagesOf(questions[0]?.body)))
}

function messagesOf(body: unknown): unknown {
  return (body as { messages?: unknown } | undefined)?.messages
}

/** Whether a message is that of a bug in the client. */
export function isCrash(said: string): boolean {
  return /Cannot (read|set|destructure|access)|undefined is not|is not iterable|is not a function|reading '/.test(
    said,
  )
}

function describe(end: Ending): string {
  return end.kind === 'answer' ? `the run ended with ${JSON.stringify(end.text.slice(0, 40))}` : end.kind
}
