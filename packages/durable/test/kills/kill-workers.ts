import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { callsPerTurn, turns } from './counted-agent.js'
import { type Engine, startProcess } from './engine.js'
import type { Entry, Ledger } from './ledger.js'

export interface Plan {
  readonly kills: number
  readonly workers: number
  readonly random: () => number
  /**
   * `kept`: a killed worker restarts under its name. `fresh`: a worker with another name replaces it. `twins`: all have
   * one name, and a new one starts before the other is killed.
   */
  readonly names: 'kept' | 'fresh' | 'twins'
  /** Whether workers are stopped until others have taken their runs, and then continue, instead of being killed. */
  readonly stops?: boolean
}

export interface Outcome {
  readonly runs: number
  readonly kills: number
  readonly seconds: number
  readonly modelCalls: number
  readonly repeated: number
  /** Repeated calls that were running when their worker was killed or suspended. */
  readonly inFlight: number
  /** Repeated calls that had already ended, but had not been recorded. */
  readonly unrecorded: number
  /** Repeated calls of workers that were neither killed nor suspended. They were only slow, on a busy machine. */
  readonly undisturbed: number
  readonly mostAttempts: number
  /** The violations found, as text. Empty on success. */
  readonly faults: readonly string[]
}

/** The number of concurrent runs per worker. */
const atOnce = 20

/** Kills workers at random times during runs and reports the effects. */
export async function killWorkers(engine: Engine, ledger: Ledger, plan: Plan): Promise<Outcome> {
  const { kills, random, names } = plan
  const began = Date.now()
  const site: Site = { engine, ids: [], unfinished: new Set(), disturbed: [], names, started: 0 }
  const workers = await Promise.all(Array.from({ length: plan.workers }, () => startWorker(site)))
  for (let kill = 0; kill < kills; kill++) {
    await sleep(random() * 600)
    const twin = names === 'twins' ? await startWorker(site) : undefined
    // Kills a worker only while it is executing something.
    let busy: number[] = []
    while (busy.length === 0) {
      if (site.unfinished.size < 20) await topUp(site)
      await sleep(5)
      busy = workers.flatMap(({ id }, at) => (ledger.inFlight(id) > 0 ? [at] : []))
    }
    const at = busy[Math.floor(random() * busy.length)] ?? 0
    const victim = workers[at] as Running
    if (plan.stops) {
      await stop(victim, site, random)
      continue
    }
    site.disturbed.push({ worker: victim.id, from: performance.now(), to: performance.now() })
    victim.child.kill('SIGKILL')
    await once(victim.child, 'close')
    workers[at] = twin ?? (await startWorker(site, names === 'kept' ? victim.id : undefined))
  }
  const results = await Promise.all(
    site.ids.map((id) => engine.runs.result(id).catch((error: unknown) => error)),
  )
  for (const { child } of workers) child.kill('SIGKILL')
  const entries = [...ledger.entries.values()]
  const steps = site.ids.length * (turns + 1)
  return {
    runs: site.ids.length,
    kills,
    seconds: Math.round((Date.now() - began) / 1000),
    modelCalls: ledger.modelCalls(),
    repeated: entries.filter(({ attempts }) => attempts > 1).length,
    ...countCauses(entries, site.disturbed),
    mostAttempts: Math.max(...entries.map(({ attempts }) => attempts)),
    faults: [
      ...site.ids.flatMap((id, at) => wrongAnswer(id, results[at], ledger)),
      ...wrongEntries(site.ids, ledger, kills),
      ...(ledger.modelCalls() > steps + kills * atOnce
        ? [`the model was asked ${ledger.modelCalls()} times for ${steps} answers`]
        : []),
    ],
  }
}

/** A period in which a worker did nothing. For a killed worker, `to` equals `from`. */
interface Disturbance {
  readonly worker: string
  readonly from: number
  readonly to: number
}

/** Stops a worker for longer than `deadAfterMs` of the workers. */
async function stop({ id, child }: Running, { disturbed }: Site, random: () => number): Promise<void> {
  const from = performance.now()
  child.kill('SIGSTOP')
  await sleep(1200 + random() * 1500)
  disturbed.push({ worker: id, from, to: performance.now() })
  child.kill('SIGCONT')
}

/** Counts repeated calls by what the previous attempt was doing when its worker was killed or suspended. */
function countCauses(entries: readonly Entry[], disturbed: readonly Disturbance[]) {
  const counts = { inFlight: 0, unrecorded: 0, undisturbed: 0 }
  for (const { history } of entries)
    for (const [at, { began: again }] of history.slice(1).entries()) {
      const { worker, began, ended = Number.POSITIVE_INFINITY } = history[at] as Entry['history'][number]
      const cause = disturbed.find((one) => one.worker === worker && one.to >= began && one.from <= again)
      if (!cause) counts.undisturbed++
      else if (ended > cause.from) counts.inFlight++
      else counts.unrecorded++
    }
  return counts
}

interface Running {
  readonly id: string
  readonly child: ChildProcess
}

interface Site {
  readonly engine: Engine
  readonly ids: string[]
  readonly unfinished: Set<string>
  readonly disturbed: Disturbance[]
  readonly names: Plan['names']
  started: number
}

async function startWorker(site: Site, id = `worker-${site.started++}`): Promise<Running> {
  const name = site.names === 'twins' ? 'twin' : id
  return { id, child: await startProcess(site.engine, id, name) }
}

/** Waits until a call is running, so that a kill has an effect. */
async function topUp({ engine, ids, unfinished }: Site): Promise<void> {
  const few = Array.from({ length: 40 - unfinished.size }, (_, at) => `run-${ids.length + at}`)
  ids.push(...few)
  for (const id of few) unfinished.add(id)
  await Promise.all(few.map((id) => engine.runs.start('Count.', { runId: id })))
  for (const id of few)
    void engine.runs
      .result(id)
      .finally(() => unfinished.delete(id))
      .catch(() => {})
}

function wrongAnswer(id: string, result: unknown, { entries }: Ledger): string[] {
  const { text, stopReason } = Object(result) as { readonly text?: string; readonly stopReason?: string }
  const wanted = keysOf(id)
    .map((key) => entries.get(key)?.result)
    .join(' ')
  if (stopReason === 'done' && text === wanted) return []
  return [`${id} ended as ${stopReason ?? result}: "${text}" in place of "${wanted}"`]
}

function wrongEntries(ids: readonly string[], { entries }: Ledger, kills: number): string[] {
  const expected = new Set(ids.flatMap(keysOf))
  const missing = [...expected].filter((key) => !entries.has(key))
  return [
    ...missing.map((key) => `${key} never had an effect`),
    ...[...entries].flatMap(([key, { attempts, effects, argumentSets }]) => [
      ...(expected.has(key) ? [] : [`${key} is no call of any run`]),
      ...(effects === 1 ? [] : [`${key} had ${effects} effects`]),
      ...(argumentSets.size === 1 ? [] : [`${key} was run with ${argumentSets.size} sets of arguments`]),
      ...(attempts <= kills + 1 ? [] : [`${key} was tried ${attempts} times`]),
    ]),
  ]
}

function keysOf(id: string): string[] {
  return Array.from({ length: turns * callsPerTurn }, (_, at) => {
    const turn = Math.floor(at / callsPerTurn)
    return `${id}/step${turn}/call${at % callsPerTurn}`
  })
}
