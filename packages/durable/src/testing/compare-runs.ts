import type { RunState } from '@capstan/core'
import { callsOf, canonicalJson, stepKey } from '@capstan/core/internal'
import { type ScenarioRun, toText } from './faults.js'
import type { Entry } from './ledger.js'
import { randomTexts, type Scenario } from './scenarios.js'

type LedgerEntries = ReadonlyMap<string, Entry>

/** Returns the problems in a scenario's run, one phrase each. `wanted` is the final state of a run without faults. */
export function compareRuns(
  scenario: Scenario,
  scenarioRun: ScenarioRun,
  ledger: LedgerEntries,
  wanted?: RunState,
): readonly string[] {
  return [
    ...faultProblems(scenarioRun),
    ...ledgerProblems(scenario, scenarioRun, ledger),
    ...endProblems(scenario, scenarioRun, ledger, wanted),
  ]
}

function faultProblems({ faults }: ScenarioRun): string[] {
  return faults.notReached.map((place) => `no worker reached the planned fault "${toText(place)}"`)
}

/** Compares the effects in the ledger with those that the scenario expects. Returns the differences. */
function ledgerProblems(
  { requests, effects, retried = [], cached = [] }: Scenario,
  { faults, attemptsWhenStored: kept }: ScenarioRun,
  ledger: LedgerEntries,
): string[] {
  const wanted = new Set([...requests, ...effects])
  const known = new Set([...wanted, ...(faults.deaths > 0 ? cached : [])])
  const boundOf = (key: string) => faults.deaths + (retried.includes(key) ? 2 : 1)
  const entries = [...ledger]
  const asks = entries.flatMap(([, { kind, attempts }]) => (kind === 'model' ? [attempts] : []))
  const asked = asks.reduce((sum, attempts) => sum + attempts, 0)
  return [
    ...[...wanted].filter((key) => !ledger.has(key)).map((key) => `${key} never started`),
    ...entries.flatMap(([key, { kind, attempts, effects: taken, asked }]) => [
      ...(known.has(key) ? [] : [`${key} is not a key of this run`]),
      ...(asked.size > 1 ? [`${key} had ${asked.size} different inputs under one key`] : []),
      ...(attempts > boundOf(key) ? [`${key} started ${attempts} times, with ${faults.deaths} faults`] : []),
      ...(attempts > (kept.get(key) ?? attempts)
        ? [`${key} started again after its outcome was stored`]
        : []),
      ...(kind === 'tool' && taken !== 1 ? [`${key} took effect ${taken} times`] : []),
    ]),
    ...(asked > requests.length + faults.deaths
      ? [`models got ${asked} requests: ${requests.length} expected, ${faults.deaths} faults`]
      : []),
  ]
}

function endProblems(
  scenario: Scenario,
  { end, waits, seconds }: ScenarioRun,
  ledger: LedgerEntries,
  wanted?: RunState,
): string[] {
  if ('error' in end) {
    if (!scenario.fails) return [`it failed: ${end.error.message}`]
    const isIt =
      end.error.code === 'invalid_request' && /rejected the request \(chance-/.test(end.error.message)
    return isIt ? [] : [`expected the error "invalid_request", got "${end.error.code}": ${end.error.message}`]
  }
  const { state } = end
  const { stopReason, pending, results, children = {}, usage } = state
  const open = [...pending, ...Object.keys(results), ...Object.keys(children)]
  const { leastSeconds } = scenario
  return [
    ...(scenario.fails ? ["it should fail with its model's error, but did not"] : []),
    ...(stopReason === 'done' ? [] : [`it ended as ${stopReason}`]),
    ...(waits === (scenario.waits ?? 0) ? [] : [`it was pending ${waits} times, not ${scenario.waits ?? 0}`]),
    ...(open.length > 0 ? ['its state has open calls'] : []),
    ...(leastSeconds !== undefined && !isWithin(usage.seconds, [leastSeconds, seconds])
      ? [
          `usage.seconds is ${usage.seconds}: its calls took ${leastSeconds} s, and the entire run took ${seconds} s`,
        ]
      : []),
    ...(scenario.reply && !scenario.reply.test(String(state.messages.at(-1)?.content))
      ? [`its last reply is "${state.messages.at(-1)?.content}"`]
      : []),
    ...historyProblems(state, ledger),
    ...(wanted && comparable(state) !== comparable(wanted)
      ? [
          `its state differs from that of a run without faults, in ${changedFields(state, wanted)}: ${difference(comparable(state), comparable(wanted))}`,
        ]
      : []),
  ]
}

/** Checks that the calls in the conversation have the arguments with which the tools ran. */
function historyProblems({ messages }: RunState, ledger: LedgerEntries): string[] {
  const turns = messages.filter(({ role }) => role === 'assistant')
  return turns.flatMap((message, turn) =>
    callsOf(message).flatMap((call, index) => {
      const { input } = JSON.parse(call.function.arguments) as { input?: string }
      const key = stepKey(turn, `call${index}`)
      const ran = [...(ledger.get(key)?.asked ?? [])]
      return ran.every((text) => text === canonicalJson(input))
        ? []
        : [`${key} ran with arguments that differ from those in the history`]
    }),
  )
}

/** Whether a duration is within the bounds. Allows 1 s more, because the clocks of databases and servers can differ. */
function isWithin(seconds = -1, [least, most]: readonly [number, number]): boolean {
  return seconds >= least && seconds <= most + 1
}

/** Returns the names of the fields that differ, and of the middlewares whose stored data differs. */
function changedFields(state: RunState, wanted: RunState): string {
  const textsOf = ({ kept, ...others }: RunState) => {
    const toText = (prefix: string, fields: object) =>
      Object.entries(fields).map(
        ([name, value]) => [prefix + name, comparableText({ [name]: value }, state)] as const,
      )
    return [...toText('', others), ...toText('kept.', kept)]
  }
  const known = new Map(textsOf({ ...wanted, runId: state.runId }))
  const changed = textsOf(state).filter(([name, text]) => known.get(name) !== text)
  return changed.map(([name]) => name).join(', ')
}

function difference(one: string, other: string): string {
  let at = 0
  while (one[at] === other[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 40), at + 60)
  return `...${around(one)}... instead of ...${around(other)}...`
}

/**
 * Returns the part of a state that faults must not change: everything except durations, the run id and random strings.
 * Each random string is replaced by a number, so that equal strings stay equal.
 */
function comparable(state: RunState): string {
  return comparableText(state, state)
}

function comparableText(part: object, { runId }: RunState): string {
  const text = canonicalJson(withoutTimes(part)).replaceAll(runId, 'run')
  const names = new Map<string, string>()
  return text.replace(randomTexts, (found) => {
    const name = names.get(found) ?? `chance${names.size}`
    names.set(found, name)
    return name
  })
}

/** Removes durations, and hashes of random strings, from a state. */
function withoutTimes(part: object): unknown {
  const timed = new Set(['ms', 'seconds', 'recent'])
  const text = JSON.stringify(part, function (this: object, key, value: unknown) {
    // What `prefix` keeps: hashes of messages, beside those of tools and instructions.
    const isOfMessages = key === 'keys' && 'head' in this
    return timed.has(key) || isOfMessages ? undefined : value
  })
  return JSON.parse(text)
}
