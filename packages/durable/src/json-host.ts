import {
  CapstanError,
  type ChildStep,
  type CreateHost,
  type HostContext,
  memoryHost,
  type RunHost,
  type RunStep,
  type Step,
} from '@capstan/core'
import { settle } from '@capstan/core/internal'
import { record, reveal } from './recorded.js'

/**
 * For development: a run in memory in which everything takes the way through JSON that it would take through an engine,
 * in agents within it as well, so that what would be lost there shows here. A step fails by `unsupported` that comes to
 * bytes, a Map, a BigInt, a function or the like; what is longer than a durable host keeps (256 KiB) is
 * refused as there. A Date becomes its text. Nothing is kept. `agent.run(input, { host: jsonHost })`
 */
export const jsonHost: CreateHost = (binding) => {
  const inner = memoryHost({ ...binding, hostWithin: binding.hostWithin ?? jsonHost })
  const step = <T>(one: Step<T>): Promise<T> =>
    'run' in one ? throughRecord(one, binding) : inner.step(throughJson(one))
  const host: RunHost = {
    ...inner,
    step,
    all: (steps) => Promise.all(steps.map((one) => settle(step(one)))),
    waitFor: async <T>(key: string, options?: Parameters<RunHost['waitFor']>[1]) =>
      roundTrip(await inner.waitFor<T>(key, options), `The decision at "${key}"`),
  }
  return host
}

async function throughRecord<T>(step: RunStep<T>, { runId, signal }: HostContext): Promise<T> {
  const { key, options } = step
  const run = async (context: Parameters<RunStep<T>['run']>[0]) =>
    roundTrip(
      await step.run(context),
      `What the step "${key}" (${options?.kind ?? 'step'} ${options?.name ?? ''}) came to`,
    )
  return reveal<T>(await record({ ...step, run }, { idempotencyKey: `${runId}/${key}`, signal }))
}

/** The states of a run within the run, on the way there and back. */
function throughJson<T>({ key, child, settle: settled }: ChildStep<T>): ChildStep<T> {
  const what = `The state of the agent "${child.agent}" in the step "${key}"`
  return {
    key,
    child: { ...child, state: roundTrip(child.state, what) },
    settle: async (state) =>
      roundTrip(await settled(roundTrip(state, what)), `What the step "${key}" came to`),
  }
}

/** A value after a trip through JSON. @throws CapstanError `unsupported` naming what would not survive it */
function roundTrip<T>(value: T, what: string): T {
  const loss = findJsonLoss(value)
  if (loss !== undefined) {
    const message = `${what} cannot be kept by a durable host: ${loss}, which JSON does not hold. Use plain values; keep bytes as artifacts.`
    throw new CapstanError('unsupported', message, { evidence: { loss } })
  }
  const text = JSON.stringify(value)
  return text === undefined ? value : JSON.parse(text)
}

/** Where and what a value holds that JSON would lose; undefined when it loses nothing. A Date is its text, what is undefined is not there. */
export function findJsonLoss(value: unknown): string | undefined {
  return findLoss(value, { path: [], ancestors: [] })
}

interface Position {
  readonly path: readonly string[]
  readonly ancestors: readonly object[]
}

function findLoss(value: unknown, walk: Position): string | undefined {
  if (typeof value === 'object' && value !== null) return findLossIn(value, walk)
  const what = lossOf(value)
  return what && `${walk.path.length === 0 ? 'it' : `"${walk.path.join('.')}"`} is ${what}`
}

function lossOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (typeof value === 'bigint') return 'a BigInt'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  return undefined
}

function findLossIn(value: object, { path, ancestors: within }: Position): string | undefined {
  const place = path.length === 0 ? 'it' : `"${path.join('.')}"`
  if (within.includes(value)) return `${place} lies in itself`
  if (value instanceof Date && !Number.isNaN(value.getTime())) return undefined
  if (!Array.isArray(value) && !isPlain(value))
    return `${place} is of the kind ${value.constructor?.name || 'unknown'}`
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined && Array.isArray(value))
      return `"${[...path, key].join('.')}" is undefined, in a list`
    const found = findLoss(one, { path: [...path, key], ancestors: [...within, value] })
    if (found) return found
  }
  return undefined
}

/** An object of any realm, or without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
