import { abortable, mayHaveEffect, reportFailure } from '../async.js'
import { CapstanError, isForModel, messageOf } from '../errors.js'
import { hash, isRecord, isString, listOf } from '../json.js'
import { byDistance } from '../option-names.js'
import type { Tool } from '../run/middleware.js'
import { withoutCredentials } from '../secrets/secrets.js'
import type { StepContext } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import type { CallResult, ResultStatus } from '../types/state.js'

/** Creates the result of a call whose name or arguments are invalid. The function did not run. */
export function rejectedResult(why: string): CallResult {
  return errorResult('rejected', why)
}

/** Creates the result of a call that a policy or a user denied. */
export function deniedResult(reason: string): CallResult {
  return errorResult('denied', `call denied: ${reason}`)
}

/** The result of a call that had not started when the run ended. */
export const notRunResult: CallResult = errorResult('not_run', 'the run stopped; this call did not run.')

/** The result of a call that had started when the run ended. */
export const cancelledResult: CallResult = errorResult(
  'cut_off',
  `the run stopped during this call. ${mayHaveEffect}`,
)

/** Creates a result whose content is an error text for the model. */
export function errorResult(status: Exclude<ResultStatus, 'ok'>, why: string): CallResult {
  return { status, content: `Error: ${why.toWellFormed()}`, ms: 0 }
}

/** Text for the model: a call's arguments are invalid. Includes the expected type. */
export function invalidArguments(tool: Tool | undefined, name: string, why: string): string {
  const expected = tool ? `\nExpected: ${formatType(tool.definition.function.parameters)}` : ''
  return `invalid arguments for "${name}", the tool did not run: ${why}${expected}`
}

/** Text for the model: a reply was cut off, so none of its calls ran, not even those with complete arguments. */
export function cutOffCall(name: string, cut: string, details: string): string {
  return `your reply was cut off ${cut}, so none of its calls ran, including "${name}". Call again with less in one reply.${details}`
}

/** Text for the model: the tool name is unknown. Lists the available tools. */
export function unknownTool(name: string, names: readonly string[]): string {
  const what = name.trim() === '' ? 'the call has no tool name' : `unknown tool "${name}"`
  return `${what}. ${toolList(names)}`
}

/** Text for the model: the call was sent as a custom tool call, which agents do not support. */
export function customCall(name: string, names: readonly string[]): string {
  return `"${name}" was sent as a custom tool call and did not run. Only function tools can be called. ${toolList(names)}`
}

/**
 * Creates the error for a tool that an option offers or forces, but that the run does not have. The message lists at
 * most 20 tools, the closest names first.
 */
export function noSuchTool(name: string, names: readonly string[]): CapstanError {
  const nearest = byDistance(name, names).slice(0, 20).join(', ')
  const message = `Unknown tool "${name}". Nearest: ${nearest}.`
  return new CapstanError('unknown_tool', message, { evidence: { name } })
}

/** Text for the model: the tool is not offered in this step. Lists the offered tools. */
export function notOffered(name: string, names: readonly string[]): string {
  return `"${name}" is not available in this step and did not run. ${toolList(names)}`
}

function toolList(names: readonly string[]): string {
  return `Available tools: ${names.join(', ') || 'none'}.`
}

export interface FailedCall {
  readonly callId: string
  readonly name: string
  readonly arguments: unknown
}

/**
 * Returns the text that the model gets about an error, or undefined for the default text. Credentials in the text are
 * replaced. If the function throws, the model gets the default text, and a process warning reports the failure.
 */
export type OnToolError = (
  error: unknown,
  call: FailedCall,
) => string | undefined | Promise<string | undefined>

/** Settings for the text that the model gets about tool errors. */
export interface ToolErrors {
  /**
   * `all`: the message of every error. `expected`: only the message of a ToolError; for any other error, the model is
   * told only that the tool failed.
   */
  readonly shown: 'all' | 'expected'
  readonly onToolError?: OnToolError | undefined
}

/** Settings and errors that a step's calls share. */
export interface ErrorSettings {
  readonly toolErrors: ToolErrors
  /** Thrown errors by call id. The errors exist only in this process and are not stored. */
  readonly failures: Map<string, unknown>
}

/**
 * Creates the result of a call that threw an error. Credentials in the error's text are replaced, except in the message
 * of a ToolError.
 */
export async function toolFailure(
  error: unknown,
  { call, args }: { readonly call: ToolCall; readonly args: unknown },
  { toolErrors: { shown, onToolError }, failures }: ErrorSettings,
  step: StepContext,
): Promise<CallResult> {
  const { name } = call.function
  failures.set(call.id, error)
  const failed = { callId: call.id, name, arguments: args }
  const own = onToolError && (await ownText(() => onToolError(error, failed), step))
  if (own !== undefined) return errorResult('error', withoutCredentials(own))
  if (isForModel(error)) return errorResult('error', messageOf(error))
  if (shown === 'all') return errorResult('error', withoutCredentials(messageOf(error)))
  return hiddenFailure(`"${name}" failed`, step.idempotencyKey)
}

/**
 * Creates the result of a call whose error the model must not see. If the step is repeated, the error id stays the
 * same.
 */
export function hiddenFailure(what: string, idempotencyKey: string): CallResult {
  const errorId = `err_${hash(idempotencyKey)}`
  return { ...errorResult('error', `${what} (reference ${errorId}).`), errorId }
}

async function ownText(
  write: () => string | undefined | Promise<string | undefined>,
  { signal }: StepContext,
): Promise<string | undefined> {
  try {
    const text: unknown = await abortable(signal, Promise.resolve(write()))
    if (text === undefined || isString(text)) return text
    throw new TypeError(`onToolError returned a ${typeof text}. Return a string or undefined.`)
  } catch (error) {
    if (!signal.aborted) reportFailure(error)
    return undefined
  }
}

type Schema = Readonly<Record<string, unknown>>

/**
 * Formats a JSON Schema as a type on one line, for models and people: `{ city: string, days?: integer }`. A reference
 * is shown by its name, and a large schema is cut off.
 */
export function formatType(schema: unknown): string {
  let left = 100
  const format = (given: unknown): string => {
    if (left-- <= 0) return '...'
    return isRecord(given) ? formatSchema(given, format) : given === false ? 'never' : 'any'
  }
  const text = format(schema)
  return text.length <= 2000 ? text : `${text.slice(0, 2000)}...`
}

type Format = (schema: unknown) => string

function formatSchema(schema: Schema, format: Format): string {
  const { $ref, type, enum: values, anyOf, oneOf, allOf, properties, items } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (isString($ref)) return /[^/#]+$/.exec($ref)?.[0] ?? 'object'
  const choices = [anyOf, oneOf].find(Array.isArray)
  if (choices && !properties) return choices.map(format).join(' | ')
  if (Array.isArray(allOf) && !properties) return allOf.map(format).join(' & ')
  const implied = properties ? 'object' : items ? 'array' : 'any'
  const types = [type ?? implied].flat().map((one) => {
    if (one === 'object') return formatObject(schema, format)
    return one === 'array' ? formatList(items ?? schema.prefixItems, format) : String(one)
  })
  return types.join(' | ')
}

function formatObject(
  { properties, required, additionalProperties: others }: Schema,
  format: Format,
): string {
  if (!isRecord(properties)) return isRecord(others) ? `{ [name]: ${format(others)} }` : 'object'
  const needed = listOf(required)
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name)
    return `${key}${needed.includes(name) ? '' : '?'}: ${format(schema)}`
  })
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function formatList(items: unknown, format: Format): string {
  if (Array.isArray(items)) return `[${items.map(format).join(', ')}]`
  if (items === undefined) return 'any[]'
  const item = format(items)
  return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`
}
