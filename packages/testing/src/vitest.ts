// Matchers for vitest. Importing this file registers them. Import it in a test, or once in a setup file (`setupFiles`).
import {
  type AnyToolCall,
  type Artifact,
  type ArtifactKind,
  CapstanError,
  type PendingCall,
  type RunResult,
  type StopReason,
} from '@capstan/core'
import { isRecord, messageOf } from '@capstan/core/internal'
import { expect } from 'vitest'
import { diff, formatCall, formatInline } from './diff.js'
import { alignExpected } from './expectations.js'
import { findBrokenPrefix, type PrefixExceptions } from './keeps-prefix.js'

export type { PrefixExceptions } from './keeps-prefix.js'

/**
 * Expected fields of an artifact. Instead of any value, you can use a RegExp or a matcher such as `expect.any(Number)`.
 */
export type ExpectedArtifact = { readonly [Field in keyof Artifact]?: Artifact[Field] | RegExp }

/** Matchers for run results and scripted models. Their failure messages list the run's calls. */
export interface RunMatchers<T> {
  /**
   * Passes if the run called the tool with at least these arguments. Instead of any value, you can use a RegExp or a
   * matcher such as `expect.any(String)`. Calls that were rejected, denied or not run do not count, and neither do
   * calls that child agents made.
   */
  toHaveCalledTool(name: CalledNames<T> | (string & {}), args?: object): void
  /**
   * Passes if the run called these tools in this order, and no others. The same calls count as in `toHaveCalledTool`.
   */
  toHaveCalledTools(names: readonly (CalledNames<T> | (string & {}))[]): void
  /**
   * Passes if a call to the tool with at least these arguments is pending, either in the run itself or in a child run.
   * Arguments are compared as in `toHaveCalledTool`.
   */
  toHavePendingCall(name: CalledNames<T> | (string & {}), args?: object): void
  /**
   * Passes if calls to these tools are pending, in this order, and no others. With `[]`, passes if no call is pending.
   */
  toHavePendingCalls(names: readonly (CalledNames<T> | (string & {}))[]): void
  /** Passes if one of the run's calls created an image with at least these properties. */
  toHaveProducedImage(properties?: ExpectedArtifact): void
  /** Passes if one of the run's calls created audio with at least these properties. */
  toHaveProducedAudio(properties?: ExpectedArtifact): void
  /** Passes if the run's `stopReason` is `reason`. */
  toStopWith(reason: StopReason): void
  /** Passes if every step of a scripted model was used, and every request matched its step. */
  toBeUsedUp(): void
  /**
   * Passes if each request extends the previous request in its conversation, so that servers can use their prompt
   * caches. The value is a model with `requests`, such as a scripted model, or the path to a recording. The failure
   * message contains a diff of the two requests.
   */
  toKeepItsPrefix(options?: PrefixExceptions): void
}

/**
 * The names of the agent's tools, for completion in an editor. Does not include tools that are known only at run time.
 */
export type CalledNames<T> = T extends { readonly toolCalls: readonly (infer Call)[] }
  ? NameOfKnown<Call>
  : never

type NameOfKnown<Call> = Call extends { readonly dynamic: true }
  ? never
  : Call extends { readonly name: infer Name extends string }
    ? Name
    : never

declare module 'vitest' {
  interface Matchers<T> extends RunMatchers<T> {}
}

expect.extend({
  toHaveCalledTool,
  toHaveCalledTools,
  toHavePendingCall,
  toHavePendingCalls,
  toHaveProducedImage: (result: unknown, properties?: ExpectedArtifact) =>
    toHaveProduced('image', result, properties),
  toHaveProducedAudio: (result: unknown, properties?: ExpectedArtifact) =>
    toHaveProduced('audio', result, properties),
  toStopWith,
  toBeUsedUp,
  toKeepItsPrefix,
})

/** A matcher's result: whether it passes, and the failure message. */
interface Found {
  readonly pass: boolean
  message(): string
}

/** Whether the run called a tool with at least these arguments. */
function toHaveCalledTool(result: unknown, name: string, args: object = {}): Found {
  const run = toRun(result)
  return foundCall(run, run.toolCalls.filter(isRun), { name, args, wanted: 'a call' })
}

/** Whether a call with at least these arguments is pending. */
function toHavePendingCall(result: unknown, name: string, args: object = {}): Found {
  const run = toRun(result)
  return foundCall(run, run.pending ?? [], { name, args, wanted: 'a pending call' })
}

interface WantedCall {
  readonly name: string
  readonly args: object
  readonly wanted: string
}

function foundCall(
  run: RunResult,
  calls: readonly Pick<AnyToolCall, 'name' | 'arguments'>[],
  { name, args, wanted }: WantedCall,
): Found {
  const diffs = calls.filter((call) => call.name === name).map((call) => differs(args, call.arguments))
  const call = Object.keys(args).length === 0 ? name : `${name} with ${formatInline(printable(args))}`
  // The call with the shortest diff is the closest one.
  const [nearest = ''] = diffs.toSorted((one, other) => one.length - other.length)
  return found(run, diffs.includes(''), [`${wanted} of ${call}`, nearest])
}

/** Whether the run called exactly these tools, in this order. */
function toHaveCalledTools(result: unknown, names: readonly string[]): Found {
  const run = toRun(result)
  const called = run.toolCalls.filter(isRun).map((call) => call.name)
  const difference = diff(names, called)
  return found(run, difference === '', [
    `calls of ${names.join(', ') || 'no tool'}, and no others`,
    difference,
  ])
}

/** Whether the pending calls are exactly calls to these tools, in this order. */
function toHavePendingCalls(result: unknown, names: readonly string[]): Found {
  const run = toRun(result)
  const waiting = (run.pending ?? []).map((call) => call.name)
  const difference = diff(names, waiting)
  return found(run, difference === '', [
    `pending calls of ${names.join(', ') || 'no tool'}, and no others`,
    difference,
  ])
}

/** Whether a call created an artifact of this kind with at least these properties. */
function toHaveProduced(kind: ArtifactKind, result: unknown, properties: object = {}): Found {
  const run = toRun(result)
  const diffs = run.artifacts
    .filter((artifact) => artifact.kind === kind)
    .map((artifact) => differs(properties, artifact))
  const wanted = Object.keys(properties).length === 0 ? '' : ` with ${formatInline(printable(properties))}`
  return found(run, diffs.includes(''), [`an artifact of the kind ${kind}${wanted}`, diffs[0] ?? ''])
}

/** Whether the run's `stopReason` is `reason`. */
function toStopWith(result: unknown, reason: string): Found {
  const run = toRun(result)
  return found(run, run.stopReason === reason, [`a run that stops with ${reason}`, ''])
}

/** Whether every step of a scripted model was used, and every request matched its step. */
function toBeUsedUp(model: unknown): Found {
  if (!isRecord(model) || typeof model.assertUsedUp !== 'function')
    throw new CapstanError('invalid_request', 'toBeUsedUp takes a model that scriptedModel(...) returned.')
  try {
    model.assertUsedUp()
    return { pass: true, message: () => 'Expected unused steps of the script, but all were used.' }
  } catch (error) {
    return { pass: false, message: () => messageOf(error) }
  }
}

/** Whether each request extends the previous request in its conversation. */
function toKeepItsPrefix(given: unknown, options?: PrefixExceptions): Found {
  const broken = findBrokenPrefix(given, options)
  if (!broken)
    return {
      pass: true,
      message: () => 'Expected a request that does not extend the one before, but all do.',
    }
  const { request, before, at, difference } = broken
  const message = `Expected request ${request} to extend request ${before}, but ${at} differs:\n${difference}`
  return { pass: false, message: () => message }
}

/** Whether the tool's function started. For calls that were rejected, denied or not run, it did not. */
function isRun({ status }: AnyToolCall): boolean {
  return status === 'ok' || status === 'error' || status === 'cut_off'
}

function differs(expected: unknown, given: unknown): string {
  const held = alignExpected(expected, given)
  return diff(held.expected, held.seen)
}

function found(run: RunResult, pass: boolean, [wanted, diff]: readonly [string, string]): Found {
  return {
    pass,
    message: () => {
      const said = `Expected ${pass ? 'anything but ' : ''}${wanted}.`
      return [said, ...(diff === '' || pass ? [] : [diff]), describeRun(run)].join('\n')
    },
  }
}

function toRun(result: unknown): RunResult {
  if (isRecord(result) && Array.isArray(result.toolCalls) && typeof result.stopReason === 'string')
    return result as unknown as RunResult
  throw new CapstanError('invalid_request', "This matcher takes a run's result: await agent.run(...).")
}

/** Replaces each regular expression in the expectation with its source text. */
function printable(expected: object): object {
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [key, value instanceof RegExp ? String(value) : value]),
  )
}

/** Describes a run for failure messages, with one line per call. */
function describeRun({ toolCalls, pending = [], artifacts, stopReason, limit, text }: RunResult): string {
  const reason = limit === undefined ? stopReason : `${stopReason} (${limit})`
  const lines = [
    'The run:',
    ...toolCalls.map((call, at) => `  ${at + 1}. ${toLine(call)}`),
    ...pending.map((call) => `  ${pendingInLine(call)}`),
    ...(toolCalls.length + pending.length === 0 ? ['  no calls'] : []),
    ...artifacts.map((artifact) => `  made ${artifactInLine(artifact)}`),
    `  stopped with ${reason}${text === '' ? ', without text' : `: ${formatInline(text)}`}`,
  ]
  return lines.join('\n')
}

function toLine({ name, arguments: args, status, content }: AnyToolCall): string {
  return `${formatCall(name, args)} ${status}: ${formatInline(content) || '(nothing)'}`
}

function pendingInLine({ name, arguments: args, kind, reason }: PendingCall): string {
  return `${formatCall(name, args)} pending: ${kind === 'approval' ? formatInline(reason) : 'it waits for its result'}`
}

function artifactInLine({ id, mediaType, width, height, durationMs, size: bytes }: Artifact): string {
  const size = width === undefined ? '' : ` ${width}x${height}`
  const time = durationMs === undefined ? '' : ` ${durationMs} ms`
  return `${id} ${mediaType}${size}${time} ${bytes} bytes`
}
