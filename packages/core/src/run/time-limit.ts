import { joinSignals } from '../async.js'
import { CapstanError } from '../errors.js'
import { workSeconds } from '../limits.js'
import type { StepContext } from '../types/host.js'
import type { Usage } from '../usage.js'
import type { RunContext, RunSettings } from './run-context.js'

/** The usage with the time worked so far; unchanged, and no clock looked at, where time is not limited. */
export function withTime(walk: RunContext, plan: RunSettings): Usage | Promise<Usage> {
  return walk.state.limits.seconds === undefined ? walk.state.usage : withSeconds(walk, plan)
}

async function withSeconds({ state: { usage }, clock }: RunContext, { host }: RunSettings): Promise<Usage> {
  const now = await host.now()
  clock.startedAt ??= now
  return { ...usage, seconds: clock.before + (now - clock.startedAt) / 1000 }
}

/** When the run's work, or with `landing` all of it, must be over: in milliseconds since 1970. */
export function endOfTime({ state, clock }: RunContext, landing = false): number | undefined {
  const { seconds } = state.limits
  if (seconds === undefined || clock.startedAt === undefined) return undefined
  return clock.startedAt + ((landing ? seconds : workSeconds(seconds)) - clock.before) * 1000
}

/** By what deadlines within a step are kept: the system's time, unless the host's step brings another. */
export interface StepClock {
  /** In milliseconds since 1970. */
  now(): number
  /** Acts once after so many milliseconds; what it gives back calls it off. */
  after(ms: number, act: () => void): () => void
}

/** A step of a host with a time of its own. */
export interface ClockedStep extends StepContext {
  readonly clock?: StepClock
}

/** Bounds on the work of one step. */
export interface TimeBounds {
  /** When the run's time is over. */
  readonly endsAt?: number | undefined
  readonly timeoutMs?: number | undefined
}

/** Work whose signal aborts when its time is over, and which is answered for at once then. */
export function withinTime<T>(
  bounds: TimeBounds,
  step: ClockedStep,
  work: (step: StepContext) => Promise<T>,
): Promise<T> {
  const isBounded = bounds.endsAt !== undefined || bounds.timeoutMs !== undefined
  return isBounded ? timed(bounds, step, work) : work(step)
}

async function timed<T>(
  { endsAt, timeoutMs }: TimeBounds,
  step: ClockedStep,
  work: (step: StepContext) => Promise<T>,
): Promise<T> {
  const { clock = systemClock } = step
  const over = new AbortController()
  const end = (ms: number, error: CapstanError) => clock.after(ms, () => over.abort(error))
  const timers = [
    ...(endsAt === undefined ? [] : [end(Math.max(0, endsAt - clock.now()), outOfTime())]),
    ...(timeoutMs === undefined ? [] : [end(timeoutMs, late(timeoutMs))]),
  ]
  const { signal, release } = joinSignals([step.signal, over.signal])
  try {
    return await work({ ...step, signal })
  } finally {
    release()
    for (const callOff of timers) callOff()
  }
}

/** A timer that is asked to wait longer does not wait at all. */
const longestMs = 2 ** 31 - 1

const systemClock: StepClock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, longestMs))
    return () => clearTimeout(timer)
  },
}

function outOfTime(): CapstanError {
  const message = "The run's time (limits.seconds) is over."
  return new CapstanError('stopped', message, { evidence: { limit: 'seconds' } })
}

function late(ms: number): CapstanError {
  const message = `The step was not over within ${ms} ms (stepTimeoutMs). Nothing of it was used.`
  return new CapstanError('timeout', message, { retryable: true, evidence: { ms } })
}
