import type { AnyRunResult, AnyToolCall, ArtifactKind } from '@capstan/core'
import { CapstanError } from '@capstan/core'
import { isRecord, messageOf } from '@capstan/core/internal'
import { describeRun } from './describe-run.js'
import { diffOf } from './diff.js'
import { faced } from './faced.js'
import { inLine } from './in-line.js'

/** What a matcher found: whether it holds, and what is said where that is not what was wanted. */
export interface Found {
  readonly pass: boolean
  message(): string
}

/** Whether a tool was called, with these arguments among others. */
export function toHaveCalledTool(result: unknown, name: string, args: object = {}): Found {
  const run = toRun(result)
  const named = run.toolCalls.filter((call) => isRun(call) && call.name === name)
  const diffs = named.map((call) => differs(args, call.arguments))
  const wanted = Object.keys(args).length === 0 ? name : `${name} with ${inLine(printable(args))}`
  // The one that is nearest says most.
  const [nearest = ''] = diffs.toSorted((one, other) => one.length - other.length)
  return found(run, diffs.includes(''), [`a call of ${wanted}`, nearest])
}

/** Whether these tools were called, in this order, and no others. */
export function toHaveCalledTools(result: unknown, names: readonly string[]): Found {
  const run = toRun(result)
  const called = run.toolCalls.filter(isRun).map((call) => call.name)
  const diff = diffOf(names, called)
  return found(run, diff === '', [`calls of ${names.join(', ') || 'no tool'}, and no others`, diff])
}

/** Whether a call made an artifact of a kind with these properties. */
export function toHaveProduced(kind: ArtifactKind, result: unknown, properties: object = {}): Found {
  const run = toRun(result)
  const diffs = run.artifacts
    .filter((artifact) => artifact.kind === kind)
    .map((artifact) => differs(properties, artifact))
  const wanted = Object.keys(properties).length === 0 ? '' : ` with ${inLine(printable(properties))}`
  return found(run, diffs.includes(''), [`an artifact of the kind ${kind}${wanted}`, diffs[0] ?? ''])
}

/** Whether a run ended for a reason. */
export function toStopWith(result: unknown, reason: string): Found {
  const run = toRun(result)
  return found(run, run.stopReason === reason, [`a run that stops with ${reason}`, ''])
}

/** Whether each step of a scripted model was used, and each request had one. */
export function toBeUsedUp(model: unknown): Found {
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
  const held = faced(expected, given)
  return diffOf(held.expected, held.seen)
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
