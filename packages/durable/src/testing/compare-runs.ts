import type { RunState } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import { type ScenarioRun, toText } from './faults.js'
import { type Entry, sortedJson } from './ledger.js'
import { randomTexts, type Scenario } from './scenarios.js'

type LedgerEntries = ReadonlyMap<string, Entry>

/** What is wrong with a run, each as a sentence; `wanted` is the state of one in which nobody died. */
export function compareRuns(
  scenario: Scenario,
  walked: ScenarioRun,
  book: LedgerEntries,
  wanted?: RunState,
): readonly string[] {
  return [
    ...faultProblems(walked),
    ...ledgerProblems(scenario, walked, book),
    ...endProblems(scenario, walked, book, wanted),
  ]
}

function faultProblems({ faults }: ScenarioRun): string[] {
  return faults.notReached.map((place) => `no worker came to the point where it was to die: ${toText(place)}`)
}

/** What the world outside saw. */
function ledgerProblems(
  { requests, effects }: Scenario,
  { faults, attemptsWhenStored: kept }: ScenarioRun,
  book: LedgerEntries,
): string[] {
  const wanted = new Set([...requests, ...effects])
  const bound = faults.deaths + 1
  const entries = [...book]
  const asks = entries.flatMap(([, { kind, attempts }]) => (kind === 'model' ? [attempts] : []))
  const asked = asks.reduce((sum, attempts) => sum + attempts, 0)
  return [
    ...[...wanted].filter((key) => !book.has(key)).map((key) => `${key} was never begun`),
    ...entries.flatMap(([key, { kind, attempts, effects: taken, asked }]) => [
      ...(wanted.has(key) ? [] : [`${key} is no key of this run`]),
      ...(asked.size > 1 ? [`${key} was asked for ${asked.size} different things under one key`] : []),
      ...(attempts > bound ? [`${key} was begun ${attempts} times, with ${faults.deaths} deaths`] : []),
      ...(attempts > (kept.get(key) ?? attempts) ? [`${key} was begun again after it was kept`] : []),
      ...(kind === 'tool' && taken !== 1 ? [`${key} took effect ${taken} times`] : []),
    ]),
    ...(asked > requests.length + faults.deaths
      ? [`models were asked ${asked} times: ${requests.length} requests, ${faults.deaths} deaths`]
      : []),
  ]
}

function endProblems(
  scenario: Scenario,
  { end, waits, seconds }: ScenarioRun,
  book: LedgerEntries,
  wanted?: RunState,
): string[] {
  if ('error' in end) {
    if (!scenario.fails) return [`it failed: ${end.error.message}`]
    const isIt = end.error.code === 'invalid_request' && /Refused \(chance-/.test(end.error.message)
    return isIt
      ? []
      : [`it should fail by "invalid_request" and did by "${end.error.code}": ${end.error.message}`]
  }
  const { state } = end
  const { stopReason, pending, answered, children = {}, usage } = state
  const open = [...pending, ...Object.keys(answered), ...Object.keys(children)]
  const { leastSeconds } = scenario
  return [
    ...(scenario.fails ? ['it should fail by the error of its model, and did not'] : []),
    ...(stopReason === 'done' ? [] : [`it ended as ${stopReason}`]),
    ...(waits === (scenario.waits ?? 0) ? [] : [`it waited for decisions ${waits} times`]),
    ...(open.length > 0 ? ['something is left open in its state'] : []),
    ...(leastSeconds !== undefined && !isWithin(usage.seconds, [leastSeconds, seconds])
      ? [
          `it says that it worked for ${usage.seconds} s: its calls took ${leastSeconds} s, all of it ${seconds} s`,
        ]
      : []),
    ...historyProblems(state, book),
    ...(wanted && comparable(state) !== comparable(wanted)
      ? [
          `its state is not that of a run in which nobody dies: ${difference(comparable(state), comparable(wanted))}`,
        ]
      : []),
  ]
}

/** What the history says was called must be what ran. */
function historyProblems({ messages }: RunState, book: LedgerEntries): string[] {
  const turns = messages.filter(({ role }) => role === 'assistant')
  return turns.flatMap((message, turn) =>
    callsOf(message).flatMap((call, index) => {
      const { input } = JSON.parse(call.function.arguments) as { input?: string }
      const keys = [`t${turn}/tool${index}`, `t${turn}/decided${index}`]
      const ran = keys.flatMap((key) => [...(book.get(key)?.asked ?? [])])
      return ran.every((text) => text === sortedJson(input))
        ? []
        : [`${keys[0]} ran with other arguments than the history has`]
    }),
  )
}

/** Clocks of databases and servers may be another one's. */
function isWithin(seconds = -1, [least, most]: readonly [number, number]): boolean {
  return seconds >= least && seconds <= most + 1
}

function difference(one: string, other: string): string {
  let at = 0
  while (one[at] === other[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 40), at + 60)
  return `...${around(one)}... in place of ...${around(other)}...`
}

/**
 * What must be the same of a run however often its workers died: everything but times, its own id, and which random
 * texts it met. Where those stand, and which of them are the same one, must be the same too.
 */
function comparable(state: RunState): string {
  const text = sortedJson(withoutTimes(state)).replaceAll(state.runId, 'run')
  const names = new Map<string, string>()
  return text.replace(randomTexts, (found) => {
    const name = names.get(found) ?? `chance${names.size}`
    names.set(found, name)
    return name
  })
}

/** Without how long things took, and without the fingerprints of what is random. */
function withoutTimes(state: RunState): unknown {
  const timed = new Set(['ms', 'seconds', 'recent'])
  return JSON.parse(
    JSON.stringify(state, (key, value: unknown) => (timed.has(key) && key !== '' ? undefined : value)),
  )
}
