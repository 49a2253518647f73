import {
  CapstanError,
  type ChildStep,
  type CreateHost,
  type HostStep,
  memoryHost,
  type RunHost,
} from '@capstan/core'
import { wrapHost } from '@capstan/core/internal'
import { record, reveal } from './recorded.js'

/**
 * An in-memory host for development: `agent.run(input, { host: jsonHost })`. All values pass through JSON, as in a
 * durable engine, including those of child runs. A step fails with `unsupported` if its result contains a value that
 * JSON would lose, such as bytes, a Map, a BigInt or a function. Results above 256 KiB are rejected, as in durable
 * hosts. A Date becomes a string. Nothing is stored.
 */
export const jsonHost: CreateHost = (binding) => {
  const inner = memoryHost({ ...binding, hostWithin: binding.hostWithin ?? jsonHost })
  return wrapHost(inner, {
    run: throughRecord,
    child: throughJson,
    waitFor: async <T>(key: string, options?: Parameters<RunHost['waitFor']>[1]) =>
      roundTrip(await inner.waitFor<T>(key, options), `The decision at "${key}"`),
  })
}

function throughRecord<T>(step: HostStep<T>): HostStep<T> {
  const { key, options } = step
  const run: HostStep<T>['run'] = async (context) =>
    roundTrip(
      await step.run(context),
      `The outcome of step "${key}" (${options?.kind ?? 'step'} ${options?.name ?? ''})`,
    )
  return { ...step, run: async (context) => reveal<T>(await record({ ...step, run }, context)) }
}

/** Passes a child run's state through JSON, at its start and at its end. */
function throughJson<T>({ key, child, settle: settled }: ChildStep<T>): ChildStep<T> {
  const what = `The state of agent "${child.agent}" in step "${key}"`
  return {
    key,
    child: { ...child, state: roundTrip(child.state, what) },
    settle: async (state) => roundTrip(await settled(roundTrip(state, what)), `The outcome of step "${key}"`),
  }
}

/** Returns a value after conversion to JSON and back. @throws CapstanError `unsupported` that names the value JSON loses */
function roundTrip<T>(value: T, what: string): T {
  const loss = findJsonLoss(value)
  if (loss !== undefined) {
    const message = `${what} cannot be stored as JSON: ${loss}. Use plain values; store bytes as artifacts.`
    throw new CapstanError('unsupported', message, { evidence: { loss } })
  }
  const text = JSON.stringify(value)
  return text === undefined ? value : JSON.parse(text)
}

/**
 * Describes the first value that JSON would lose, with its path. Undefined if there is none. A Date counts as a string;
 * undefined fields count as absent.
 */
export function findJsonLoss(value: unknown): string | undefined {
  return findLoss(value, { path: [], ancestors: [] })
}

interface Position {
  readonly path: readonly string[]
  readonly ancestors: readonly object[]
}

function findLoss(value: unknown, position: Position): string | undefined {
  if (typeof value === 'object' && value !== null) return findLossIn(value, position)
  const what = lossOf(value)
  return what && `${position.path.length === 0 ? 'it' : `"${position.path.join('.')}"`} is ${what}`
}

function lossOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (typeof value === 'bigint') return 'a BigInt'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  return undefined
}

function findLossIn(value: object, { path, ancestors }: Position): string | undefined {
  const place = path.length === 0 ? 'it' : `"${path.join('.')}"`
  if (ancestors.includes(value)) return `${place} contains itself`
  if (value instanceof Date && !Number.isNaN(value.getTime())) return undefined
  if (!Array.isArray(value) && !isPlain(value))
    return `${place} is an instance of ${value.constructor?.name || 'an unknown class'}`
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined && Array.isArray(value))
      return `"${[...path, key].join('.')}" is undefined in a list`
    const found = findLoss(one, { path: [...path, key], ancestors: [...ancestors, value] })
    if (found) return found
  }
  return undefined
}

/** Whether a value is a plain object, of any realm, or has no prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
