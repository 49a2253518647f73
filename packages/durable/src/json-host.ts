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
 * An in-memory host for development: `agent.run(input, { host: jsonHost })`. Like a durable engine, it converts all
 * values to JSON and back, including those from child runs. If a step's result contains a value that JSON would lose,
 * such as bytes, a Map, a BigInt or a function, the step fails with `unsupported`. As with durable hosts, results above
 * 256 KiB are rejected and a Date becomes a string. Nothing is stored.
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

/** Converts a child run's state to JSON and back, when the child run starts and when it ends. */
function throughJson<T>({ key, child, settle: settled }: ChildStep<T>): ChildStep<T> {
  const what = `The state of agent "${child.agent}" in step "${key}"`
  return {
    key,
    child: { ...child, state: roundTrip(child.state, what) },
    settle: async (state) => roundTrip(await settled(roundTrip(state, what)), `The outcome of step "${key}"`),
  }
}

/**
 * Converts a value to JSON and back.
 * @throws CapstanError `unsupported`, naming the value that JSON would lose
 */
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
 * Describes the first value that JSON would lose, with its path. Undefined if there is none. A Date becomes a string
 * and an undefined field is omitted; neither counts as a loss.
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

/** Whether an object is a plain object, possibly from another realm or without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
