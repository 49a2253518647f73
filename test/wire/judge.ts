import type { Expectation, ExpectedCall } from './expectation.js'
import { historyFaults, textOf, turnsOf, unusableNames } from './follow-up.js'
import { errorFaults, isCrash, questionsIn } from './judge-error.js'
import type { Ending, Outcome } from './outcome.js'
import { isSameJson } from './same-json.js'
import { isWellFormed } from './well-formed.js'
import type { WireCase } from './wire-case.js'

/** What a client got wrong in a case; nothing when it passed. */
export function judge(wireCase: WireCase, outcome: Outcome): readonly string[] {
  if (outcome.end.kind === 'late') return [`no end within ${wireCase.timeLimitMs} ms`]
  const attempts = wireCase.expect.map((one) => compare(one, wireCase, outcome))
  const closest = attempts.find((faults) => faults.length === 0) ?? attempts[0] ?? []
  const asked = questionsIn(outcome.requests).length
  return [
    ...closest,
    ...historyFaults(outcome),
    ...(asked > outcome.maxRetries + 1 ? [`asked ${asked} times with ${outcome.maxRetries} retries`] : []),
    ...noteFaults(wireCase, outcome),
    ...outcome.pollution.map((name) => `Object.prototype got a property "${name}"`),
  ]
}

/** Most answers leave the usage out, which is no fault of theirs here. */
function noteFaults({ notes: expected }: WireCase, { notes }: Outcome): readonly string[] {
  const told = notes?.filter((code) => code !== 'no-usage')
  if (!told || String(told) === String(expected)) return []
  return [`noted ${told.join(', ') || 'nothing'}, not ${expected.join(', ') || 'nothing'}`]
}

function compare(expected: Expectation, wireCase: WireCase, outcome: Outcome): readonly string[] {
  const faults = [
    ...callFaults(expected.calls, outcome.runs),
    ...(expected.error
      ? errorFaults(expected.error, wireCase, outcome)
      : trouble(outcome, expected.asked ?? 1)),
    ...wellFormedFaults(expected, outcome),
    ...nameFaults(expected, outcome),
  ]
  return outcome.end.kind === 'thrown' ? faults : [...faults, ...answerFaults(expected, outcome, outcome.end)]
}

function callFaults(expected: readonly ExpectedCall[], runs: Outcome['runs']): readonly string[] {
  const left = [...runs]
  const missing = expected.filter((one) => {
    const at = left.findIndex((run) => isCall(one, run))
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
  return [
    ...missing.map(({ name }) => `did not run ${name} as it was called`),
    ...left.map((run) => `ran ${run.name}(${String(JSON.stringify(run.arguments)).slice(0, 60)})`),
  ]
}

function isCall(expected: ExpectedCall, run: Outcome['runs'][number]): boolean {
  if (expected.name !== run.name) return false
  if (!expected.lengths) return isSameJson(expected.arguments, run.arguments)
  const given = run.arguments as Readonly<Record<string, { length?: number } | undefined>>
  return Object.entries(expected.lengths).every(([key, length]) => given[key]?.length === length)
}

/** Nothing is wrong with this answer, so nothing may be reported or sent again. */
function trouble({ end, requests }: Outcome, expectedAsks: number): readonly string[] {
  if (end.kind === 'thrown') return [`${isCrash(end.said) ? 'crashed' : 'threw'}: ${end.said.slice(0, 110)}`]
  const asked = questionsIn(requests).length
  return asked === expectedAsks ? [] : [`asked ${asked} times, not ${expectedAsks}`]
}

function answerFaults(
  expected: Expectation,
  { requests }: Outcome,
  end: Exclude<Ending, { kind: 'thrown' }>,
): readonly string[] {
  if (end.kind === 'late') return []
  const first = requests.filter(({ kind }) => kind === 'followUp').flatMap(turnsOf)[0]?.assistant
  const text = first ? textOf(first.content) : end.text
  const echo = Object.entries(expected.echo ?? {})
  return [
    ...differs('the text', expected.text, text),
    ...differs('the final text', expected.finalText, end.text),
    ...differs('the refusal', expected.refusal, end.refusal),
    ...(expected.incomplete && !end.incomplete ? ['the answer is not marked as incomplete'] : []),
    ...echo.filter(([path, value]) => at(first, path) !== value).map(([path]) => `${path} was not sent back`),
  ]
}

function differs(what: string, expected: string | undefined, seen: string | undefined): readonly string[] {
  if (expected === undefined || expected === seen) return []
  return [`${what} is ${JSON.stringify(seen?.slice(0, 60))}, not ${JSON.stringify(expected.slice(0, 60))}`]
}

function wellFormedFaults({ wellFormed }: Expectation, { requests }: Outcome): readonly string[] {
  const isBroken = wellFormed && requests.some(({ raw }) => !isWellFormed(JSON.parse(raw)))
  return isBroken ? ['a request holds half of a surrogate pair'] : []
}

function nameFaults({ usableNames }: Expectation, { requests }: Outcome): readonly string[] {
  const bad = usableNames ? unusableNames(requests) : []
  return bad.map((name) => `strict servers refuse the name ${JSON.stringify(name)} in the history`)
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)
}
