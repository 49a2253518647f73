// Gives a fork's calls their recorded results, so that no effect is repeated.

import {
  type CreateHost,
  type Json,
  memoryHost,
  type RunEvent,
  type RunState,
  type Step,
} from '@capstan/core'
import {
  callsOf,
  canonicalJson,
  currentStep,
  isRequestKey,
  type Outcome,
  openCalls,
  readStepKey,
  type StepPart,
  stepKey,
  tryJson,
  wrapHost,
} from '@capstan/core/internal'
import { withRunId } from './format.js'
import type { RunRecording } from './read.js'

/** Identifies a call by its step and its index in the step. */
export interface CallPlace {
  readonly step: number
  readonly index: number
}

interface LiveCall {
  readonly name: string
  readonly arguments: string
}

interface RecordedCall extends CallPlace {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** Returns the calls that a recorded run made, and the calls that were open when the run started. */
export function recordedCalls({ begin, exchanges }: RunRecording): readonly RecordedCall[] {
  const open = begin?.state ? openCalls(begin.state) : []
  const first = begin?.state ? currentStep(begin.state) : 0
  const replies = exchanges.flatMap(({ at, reply }) => {
    const key = readStepKey(at)
    const isOwn = key?.run === '' && key.kind === 'request' && isRequestKey(key)
    return isOwn && reply ? [{ step: key.step, calls: callsOf(reply.message) }] : []
  })
  const steps = new Map([{ step: first, calls: open }, ...replies].map(({ step, calls }) => [step, calls]))
  return [...steps].flatMap(([step, calls]) =>
    calls.map(({ id, function: called }, index) => ({ step, index, id, ...called })),
  )
}

export interface ForkCallsOptions {
  readonly run: RunRecording
  /** The first step in which the fork may differ. */
  readonly at: number
  /** The values that replace recorded results, by the call's `step/index`. */
  readonly results: ReadonlyMap<string, unknown>
  /** The calls whose arguments were changed, as `step/index`. */
  readonly changed: ReadonlySet<string>
  /** Whether all calls run from step `at` on, even if the recording contains their results. */
  readonly runsAll: boolean
  /**
   * Called when a recorded result is reused. `from` is its step key in the recording, and `to` its step key in the
   * fork.
   */
  onRecorded(from: string, to: string): void
  /** Called before a call's function really runs. */
  onLive(): void
}

/** Determines which recorded result, if any, each call in the fork gets. */
export class ForkCalls {
  readonly #options: ForkCallsOptions
  readonly #recorded: readonly RecordedCall[]
  readonly #live = new Map<string, LiveCall>()
  readonly #counts = new Map<number, number>()
  /** The steps whose replies come from the recording. */
  readonly #repeated = new Set<number>()
  /** The recorded call that each of the fork's calls was matched with. Undefined for a call without a match. */
  readonly #used = new Map<string, CallPlace | undefined>()

  constructor(options: ForkCallsOptions) {
    this.#options = options
    this.#recorded = recordedCalls(options.run)
  }

  /** Registers the calls that are open in the state that the fork resumes. */
  start(state: RunState): void {
    const step = currentStep(state)
    this.#repeated.add(step)
    for (const { function: called } of openCalls(state)) this.#add(step, called)
  }

  /** Records that the reply in a step comes from the recording. */
  repeated(step: number): void {
    this.#repeated.add(step)
  }

  observe(event: RunEvent): void {
    if (event.type === 'call-ready' && event.parentCallId === undefined) this.#add(event.step, event)
  }

  readonly host: CreateHost = (binding) => {
    const nows = [...this.#options.run.nows]
    const began = Date.now()
    let last = 0
    const recorded = <T>(step: Step<T>): Step<T> => this.#recordedStep(step, binding.runId)
    return wrapHost(memoryHost(binding), {
      run: recorded,
      child: recorded,
      waitFor: async <T>(key: string) => this.#given<T>(key, binding.runId),
      now: async () => {
        const next = nows.shift()
        // When the recorded times are used up, the clock continues from the last one.
        last = next ?? Math.max(last, Date.now() - began)
        return began + last
      },
    })
  }

  #add(step: number, { name, arguments: args }: LiveCall): void {
    const index = this.#counts.get(step) ?? 0
    this.#counts.set(step, index + 1)
    this.#live.set(`${step}/${index}`, { name, arguments: args })
  }

  /** Returns the step unchanged, or a step that returns the recorded or the changed result. */
  #recordedStep<T>(step: Step<T>, runId: string): Step<T> {
    const { key: to } = step
    const place = placeIn(to)
    if (!place || ('run' in step && step.options?.kind !== 'tool')) return step
    const { results } = this.#options
    const change = results.get(`${place.step}/${place.index}`)
    if (change !== undefined) return { key: to, run: async () => toOutcome(change) as T }
    const from = this.#placeOf(place)
    const key = from && stepKey(from.step, place.partOf(from.index))
    const found = key === undefined ? undefined : this.#options.run.outcomes.find(({ at }) => at === key)
    if (!found) {
      this.#options.onLive()
      return step
    }
    this.#options.onRecorded(found.at, to)
    return { key: to, run: async () => withRunId(found.outcome.came, runId) as T }
  }

  #given<T>(key: string, runId: string): T | undefined {
    const place = placeIn(key)
    const from = place && this.#placeOf(place)
    if (!place || !from) return undefined
    const at = stepKey(from.step, place.partOf(from.index))
    const found = this.#options.run.given.find((one) => one.at === at)
    return found && (withRunId(found.given, runId) as Json as T)
  }

  /**
   * Finds the recorded call that matches a call. If the reply comes from the recording, this is the call with the same
   * step and index. Otherwise, it is an equal call that has not been used yet.
   */
  #placeOf({ step, index }: CallPlace): CallPlace | undefined {
    const own = `${step}/${index}`
    if (this.#used.has(own)) return this.#used.get(own)
    const found = this.#find({ step, index })
    this.#used.set(own, found)
    return found
  }

  #find(place: CallPlace): CallPlace | undefined {
    const { at, changed, runsAll } = this.#options
    const own = `${place.step}/${place.index}`
    const isBehind = place.step >= at
    if (changed.has(own) || (isBehind && runsAll)) return undefined
    if (this.#repeated.has(place.step)) return place
    const call = this.#live.get(own)
    const taken = new Set([...this.#used.values()].map((one) => one && `${one.step}/${one.index}`))
    const equal = this.#recorded.filter(
      (one) => call !== undefined && isSameCall(one, call) && !taken.has(`${one.step}/${one.index}`),
    )
    return equal.find(({ step, index }) => `${step}/${index}` === own) ?? equal[0]
  }
}

function isSameCall(one: LiveCall, other: LiveCall): boolean {
  if (one.name !== other.name) return false
  if (one.arguments === other.arguments) return true
  const [left, right] = [tryJson(one.arguments), tryJson(other.arguments)]
  return left !== undefined && canonicalJson(left) === canonicalJson(right)
}

interface StepPlace extends CallPlace {
  /** Returns the part of the step key that follows the step, such as `call0`, for the call with the given index. */
  partOf(index: number): StepPart
}

function placeIn(text: string): StepPlace | undefined {
  const key = readStepKey(text)
  if (key?.run !== '' || !['call', 'decided', 'decision', 'child'].includes(key.kind)) return undefined
  const { step, kind, index, round } = key
  return { step, index, partOf: (other) => (round > 0 ? `child${other}.${round}` : `${kind}${other}`) }
}

/** Converts a value that replaces a recorded result to a call's outcome. */
function toOutcome(value: unknown): Outcome {
  const result = JSON.parse(JSON.stringify(value ?? null)) as Json
  const content = typeof result === 'string' ? result : JSON.stringify(result)
  return { status: 'ok', content, result, ms: 0 }
}
