// Matchers for vitest: importing this registers them, in a test or once in a file of `setupFiles`.
import {
  type AnyRunResult,
  type AnyToolCall,
  type Artifact,
  type ArtifactKind,
  CapstanError,
  type StopReason,
} from '@capstan/core'
import { isRecord, messageOf } from '@capstan/core/internal'
import { expect } from 'vitest'
import { diff, formatCall, formatInline } from './diff.js'
import { alignExpected } from './expectations.js'

/** What an artifact is expected to be; a RegExp, or a matcher such as `expect.any(Number)`, may stand for any value. */
export type ExpectedArtifact = { readonly [Field in keyof Artifact]?: Artifact[Field] | RegExp }

/** What is asked of the result of a run, and of a scripted model. Failures show what the run did, a line for each call. */
export interface RunMatchers<T> {
  /**
   * Whether the run called the tool, with these arguments among others. A RegExp, or a matcher such as
   * `expect.any(String)`, may stand for any of them. A call that was rejected, denied or not run does not count, nor one
   * of an agent that answered a call.
   */
  toHaveCalledTool(name: CalledNames<T> | (string & {}), args?: object): void
  /** Whether the run called these tools, one after another, and no others. Calls count as above. */
  toHaveCalledTools(names: readonly (CalledNames<T> | (string & {}))[]): void
  /** Whether a call made an image, with these properties among others. */
  toHaveProducedImage(properties?: ExpectedArtifact): void
  /** Whether a call made audio, with these properties among others. */
  toHaveProducedAudio(properties?: ExpectedArtifact): void
  /** Whether the run ended for this reason. */
  toStopWith(reason: StopReason): void
  /** Whether each step of a scripted model was used, and each request had a step that fits it. */
  toBeUsedUp(): void
}

/** The names of the agent's tools, to choose from; tools known only at run time have others. */
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
  toHaveProducedImage: (result: unknown, properties?: ExpectedArtifact) =>
    toHaveProduced('image', result, properties),
  toHaveProducedAudio: (result: unknown, properties?: ExpectedArtifact) =>
    toHaveProduced('audio', result, properties),
  toStopWith,
  toBeUsedUp,
})

/** What a matcher found: whether it holds, and what is said where that is not what was wanted. */
interface Found {
  readonly pass: boolean
  message(): string
}

/** Whether a tool was called, with these arguments among others. */
function toHaveCalledTool(result: unknown, name: string, args: object = {}): Found {
  const run = toRun(result)
  const named = run.toolCalls.filter((call) => isRun(call) && call.name === name)
  const diffs = named.map((call) => differs(args, call.arguments))
  const wanted = Object.keys(args).length === 0 ? name : `${name} with ${formatInline(printable(args))}`
  // The one that is nearest says most.
  const [nearest = ''] = diffs.toSorted((one, other) => one.length - other.length)
  return found(run, diffs.includes(''), [`a call of ${wanted}`, nearest])
}

/** Whether these tools were called, in this order, and no others. */
function toHaveCalledTools(result: unknown, names: readonly string[]): Found {
  const run = toRun(result)
  const called = run.toolCalls.filter(isRun).map((call) => call.name)
  const difference = diff(names, called)
  return found(run, difference === '', [
    `calls of ${names.join(', ') || 'no tool'}, and no others`,
    difference,
  ])
}

/** Whether a call made an artifact of a kind with these properties. */
function toHaveProduced(kind: ArtifactKind, result: unknown, properties: object = {}): Found {
  const run = toRun(result)
  const diffs = run.artifacts
    .filter((artifact) => artifact.kind === kind)
    .map((artifact) => differs(properties, artifact))
  const wanted = Object.keys(properties).length === 0 ? '' : ` with ${formatInline(printable(properties))}`
  return found(run, diffs.includes(''), [`an artifact of the kind ${kind}${wanted}`, diffs[0] ?? ''])
}

/** Whether a run ended for a reason. */
function toStopWith(result: unknown, reason: string): Found {
  const run = toRun(result)
  return found(run, run.stopReason === reason, [`a run that stops with ${reason}`, ''])
}

/** Whether each step of a scripted model was used, and each request had one. */
function toBeUsedUp(model: unknown): Found {
  if (!isRecord(model) || typeof model.assertUsedUp !== 'function')
    throw new CapstanError('invalid_request', 'toBeUsedUp looks at what scriptedModel(...) made.')
  try {
    model.assertUsedUp()
    return { pass: true, message: () => 'Expected steps of the script to be left, and all were used.' }
  } catch (error) {
    return { pass: false, message: () => messageOf(error) }
  }
}

/** Whether the tool was begun: not where the call was rejected, denied or came too late. */
function isRun({ status }: AnyToolCall): boolean {
  return status === 'ok' || status === 'error' || status === 'cut_off'
}

function differs(expected: unknown, given: unknown): string {
  const held = alignExpected(expected, given)
  return diff(held.expected, held.seen)
}

function found(run: AnyRunResult, pass: boolean, [wanted, diff]: readonly [string, string]): Found {
  return {
    pass,
    message: () => {
      const said = `Expected ${pass ? 'anything but ' : ''}${wanted}.`
      return [said, ...(diff === '' || pass ? [] : [diff]), describeRun(run)].join('\n')
    },
  }
}

function toRun(result: unknown): AnyRunResult {
  if (isRecord(result) && Array.isArray(result.toolCalls) && typeof result.stopReason === 'string')
    return result as unknown as AnyRunResult
  throw new CapstanError(
    'invalid_request',
    'This matcher looks at the result of a run: await agent.run(...).',
  )
}

/** Matchers and patterns by their names. */
function printable(expected: object): object {
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [key, value instanceof RegExp ? String(value) : value]),
  )
}

/** What a run did, one line for each call: for messages of tests. */
function describeRun({ toolCalls, artifacts, stopReason, limit, text }: AnyRunResult): string {
  const reason = limit === undefined ? stopReason : `${stopReason} (${limit})`
  const lines = [
    'The run:',
    ...toolCalls.map((call, at) => `  ${at + 1}. ${toLine(call)}`),
    ...(toolCalls.length === 0 ? ['  no calls'] : []),
    ...artifacts.map((artifact) => `  made ${artifactInLine(artifact)}`),
    `  stopped with ${reason}${text === '' ? ', in silence' : `: ${formatInline(text)}`}`,
  ]
  return lines.join('\n')
}

function toLine({ name, arguments: args, status, content }: AnyToolCall): string {
  return `${formatCall(name, args)} ${status}: ${formatInline(content) || '(nothing)'}`
}

function artifactInLine({ id, mediaType, width, height, durationMs, bytes }: Artifact): string {
  const size = width === undefined ? '' : ` ${width}x${height}`
  const time = durationMs === undefined ? '' : ` ${durationMs} ms`
  return `${id} ${mediaType}${size}${time} ${bytes} bytes`
}
