import { CapstanError } from '../errors.js'
import { checkOptionNames, isCount, isFunction, isWait, kindOf, type OptionKind } from '../option-names.js'

/** The options of a tool, in the order in which errors list them. */
export const optionKinds = {
  name: true,
  description: true,
  parameters: true,
  execute: 'a function',
  output: ['a schema: z.object({ ... })', (value: unknown) => Object(Object(value)['~standard']).validate],
  toModel: 'a function',
  timeoutMs: [`1 to ${2 ** 31 - 1}, or omit it for no deadline`, isWait],
  concurrency: ['a whole number from 1 up, or omit it for no limit', isCount],
  rate: ['rateLimit({ calls, intervalMs }) of @capstan/core', isRateLimit],
  effects: [
    '"read", or a function that returns the key of what a call writes',
    (value: unknown) => value === 'read' || isFunction(value),
  ],
  needsApproval: [
    'true, false, or a function of the arguments',
    (value: unknown) => typeof value === 'boolean' || isFunction(value),
  ],
  untrusted: 'true or false',
  background: 'true or false',
  returnDirect: 'true or false',
  show: 'true or false',
  maxResultBytes: [
    'a whole number from 256 up, or omit it for 64 KiB',
    (value: unknown) => isCount(value, 256),
  ],
  maxRejections: ['a whole number from 1 up, or omit it for 3', isCount],
  strict: true,
} as const

/**
 * Checks the options of a tool, also of a caller without types.
 * @throws CapstanError `invalid_tool` for a name that servers reject, an empty description, or an invalid option
 */
export function checkToolOptions(
  options: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, OptionKind>>,
): void {
  const { name, description } = options
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw invalidTool(name, `"${name}" is not a valid tool name. Use 1 to 64 letters, digits, "_" and "-"`)
  }
  checkOptionNames(options, kinds, { of: `Tool "${name}"`, code: 'invalid_tool', evidence: { name } })
  if (!isFunction(description)) checkDescription(name, description)
}

/** @throws CapstanError `invalid_tool` for an empty description, or none */
export function checkDescription(name: string, description: unknown): void {
  if (typeof description !== 'string' || description === '')
    throw invalidTool(name, `Tool "${name}" has no description. Add one: the model chooses tools by it`)
}

function isRateLimit(value: unknown): boolean {
  return isFunction(Object(value).createQueue)
}

function invalidTool(name: unknown, message: string): CapstanError {
  return new CapstanError('invalid_tool', `${message}.`, { evidence: { name } })
}

/** Returns the error for a value in a list of tools that is not one, with the way to make one of it. */
export function notATool(value: unknown): CapstanError {
  const { tools, run, function: wire } = Object(value)
  const shapes: readonly (readonly [is: unknown, found: string, use: string])[] = [
    [Array.isArray(value), 'a list', 'Spread it: tools: [...list]'],
    [run, 'an agent', 'Use agentTool(agent)'],
    [tools, 'an object with tools', 'Spread its list: tools: [...given.tools]'],
    [typeof value === 'function', 'a function', 'Call it if it returns tools, or use tool({ ... })'],
    [wire, 'the wire form of a tool', 'Use tool({ name, description, parameters: jsonSchema({ ... }) })'],
    [true, kindOf(value), 'Use tool({ name, description, parameters, execute })'],
  ]
  const [, found, use] = shapes.find(([is]) => is) ?? []
  return new CapstanError('invalid_tool', `tools contains ${found}, which is not a tool. ${use}.`)
}
