import type { Artifact, BindHost, RunHost, RunStep, Step } from '@capstan/core'
import { CapstanError, memoryHost, readArtifact } from '@capstan/core'
import type { Outcome } from '@capstan/core/internal'
import { settle } from '@capstan/core/internal'
import { diffOf } from '../diff.js'
import { AsRecorded } from './as-recorded.js'
import { withoutTime } from './lines.js'
import { matches } from './matches.js'
import type { RunTold } from './recording.js'
import { withRunId } from './run-ids.js'

/**
 * What is done anew of a run's calls. `nothing`: they come to what they came to. `guards`: they are checked, policies
 * and approvals are asked, and where a function is reached, it comes to what it came to. `all`: functions run, and
 * only what was decided is as it was.
 */
export type Anew = 'nothing' | 'guards' | 'all'

interface Call {
  readonly came: Outcome
  isReached: boolean
}

/** The return value of a recorded function, and the artifacts in it. */
export interface Replaced {
  readonly output: unknown
  readonly artifacts: readonly Artifact[]
}

/** A host that gives what was recorded of a run in place of running and asking. */
export class ReplayingHost {
  readonly #file: string
  readonly #anew: Anew
  readonly #outcomes: Map<string, RunTold['outcomes']>
  readonly #given: Map<string, RunTold['given']>
  readonly #nows: number[]
  readonly #calls = new Map<string, Call>()

  constructor(run: RunTold, file: string, anew: Anew) {
    this.#file = file
    this.#anew = anew
    this.#outcomes = byPlace(anew === 'all' ? [] : run.outcomes)
    this.#given = byPlace(run.given)
    this.#nows = [...run.nows]
  }

  readonly bind: BindHost = (binding) => {
    const inner = memoryHost(binding)
    const start = Date.now()
    const step = async <T>(one: Step<T>): Promise<T> =>
      this.#anew === 'all' || isModels(one) ? inner.step(one) : this.#recorded(one, binding.runId, inner)
    const waitFor = async <T>(key: string): Promise<T | undefined> => {
      const found = this.#given.get(key)?.shift()
      return found && (withRunId(found.given, binding.runId) as T)
    }
    const host: RunHost = {
      ...inner,
      step,
      all: (steps) => Promise.all(steps.map((one) => settle(step(one)))),
      waitFor,
      ...(this.#anew === 'all' ? {} : { now: async () => start + (this.#nows.shift() ?? 0) }),
    }
    return host
  }

  /** What the function of a call comes to, by its idempotency key. @throws what it threw, in its words */
  readonly answer = (idempotencyKey: string): Replaced => {
    const call = this.#calls.get(idempotencyKey)
    if (!call) return { output: undefined, artifacts: [] }
    call.isReached = true
    const artifacts = 'artifacts' in call.came ? call.came.artifacts : undefined
    return { output: toOutput(call.came), artifacts: artifacts ?? [] }
  }

  /** @throws CapstanError `conflict` naming the outcomes and decisions that the run did not come to */
  assertUsedUp(): void {
    const left = [...this.#outcomes.values(), ...this.#given.values()].flat().map(({ at }) => at)
    if (left.length === 0) return
    const message = `The run did not come to what was recorded at ${left.join(', ')} of "${this.#file}".`
    throw new CapstanError('conflict', message, { evidence: { file: this.#file, left: left.length } })
  }

  async #recorded<T>(step: Step<T>, runId: string, inner: RunHost): Promise<T> {
    const at = step.key
    const found = this.#outcomes.get(at)?.shift()
    if (!found) {
      const message = `The run came to ${at}, and "${this.#file}" has no outcome of it.`
      throw new CapstanError('conflict', message, { evidence: { file: this.#file, at } })
    }
    const came = withRunId(found.outcome.came, runId)
    if (this.#anew === 'nothing' || !('run' in step) || isReader(step)) return came as T
    const call: Call = { came, isReached: false }
    this.#calls.set(`${runId}/${at}`, call)
    const live = (await inner.step(step)) as Outcome
    return judged(call, live, { file: this.#file, at, runId }) as T
  }
}

interface Where {
  readonly file: string
  readonly at: string
  readonly runId: string
}

/** What a call comes to whose guards were asked. @throws CapstanError `conflict` where they said something else */
function judged({ came, isReached }: Call, live: Outcome, { file, at, runId }: Where): Outcome {
  if (isReached && ofFunctions.has(came.status)) return came
  const evidence = { file, at }
  if (isReached) {
    const message = `The call at ${at} would run now, and in "${file}" it was ${came.status}: what is asked before a call has changed. If the change is meant, record it again.`
    throw new CapstanError('conflict', message, { evidence })
  }
  const recorded = new AsRecorded()
  const [expected, seen] = [came, withoutTime(live)].map((one) => recorded.value(one, runId))
  if (matches(expected, seen)) return live
  const message = `The call at ${at} does not come to what it came to in "${file}", before its function is run:\n${diffOf(expected, seen)}\nIf the change is meant, record it again.`
  throw new CapstanError('conflict', message, { evidence })
}

/** What only becomes of calls that were let through. */
const ofFunctions: ReadonlySet<string> = new Set(['ok', 'error', 'cut_off', 'not_run'])

function toOutput(came: Outcome): unknown {
  if (!('content' in came)) return undefined
  if (came.status === 'ok') return came.result ?? came.content
  throw new Error(came.content.replace(/^Error: /, ''))
}

function byPlace<Item extends { readonly at: string }>(items: readonly Item[]): Map<string, Item[]> {
  const places = new Map<string, Item[]>()
  for (const item of items) places.set(item.at, [...(places.get(item.at) ?? []), item])
  return places
}

function isModels(step: Step<unknown>): boolean {
  return 'run' in step && step.options?.kind === 'model'
}

/** What it would read is not in a recording. */
function isReader({ options }: RunStep<unknown>): boolean {
  return options?.name === readArtifact.name
}
