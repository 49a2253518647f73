import { CapstanError } from '../words/error.js'

/** What settings must be, and what holds without them. */
const rules: Readonly<Record<string, readonly [use: string, fits: (value: unknown) => boolean]>> = {
  timeoutMs: [`1 to ${2 ** 31 - 1}, or leave it out for no deadline`, isWait],
  concurrency: ['a whole number from 1 up, or leave it out for no bound', isCount],
  rate: ['{ calls, intervalMs }, both from 1 up', isRate],
  effects: [
    '"read", or a function that names what a call writes',
    (value) => value === 'read' || isFunction(value),
  ],
  needsApproval: [
    'true, false, or a function of the arguments',
    (value) => isFlag(value) || isFunction(value),
  ],
  untrusted: ['true or false', isFlag],
  returnDirect: ['true or false', isFlag],
  show: ['true or false', isFlag],
  maxResultBytes: [
    'a whole number from 256 up, or leave it out for 64 KiB',
    (value) => isCount(value) && Number(value) >= 256,
  ],
  maxRejections: ['a whole number from 1 up, or leave it out for 3', isCount],
}

/**
 * Options of a tool, also from a caller without types. `known` are the names that there are.
 * @throws CapstanError `invalid_tool` for a name that servers refuse, or an option that could not be kept
 */
export function checkOptions(options: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const { name, description, execute } = options
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw refusal(
      name,
      `"${name}" is no tool name that servers accept: use 1 to 64 letters, digits, "_" and "-"`,
    )
  }
  for (const option of Object.keys(options).filter((option) => !known.includes(option)))
    throw refusal(name, `Tool "${name}" has no option "${option}"; its options are: ${known.join(', ')}`)
  if (typeof description !== 'string')
    throw refusal(
      name,
      `Tool "${name}" has no description: say in words what it does, the model chooses by this`,
    )
  if (execute !== undefined && typeof execute !== 'function')
    throw refusal(name, `execute of tool "${name}" is no function: give the function that runs it`)
  for (const [setting, [use, fits]] of Object.entries(rules)) {
    const value = options[setting]
    if (value === undefined || fits(value)) continue
    const given = typeof value === 'object' || typeof value === 'string' ? JSON.stringify(value) : value
    throw refusal(name, `${setting} of tool "${name}" is ${given}: use ${use}`)
  }
}

/** A timer that is asked to wait longer than this does not wait at all. */
function isWait(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < 2 ** 31
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isRate(value: unknown): boolean {
  const { calls, intervalMs } = Object(value) as Readonly<Record<string, unknown>>
  return isCount(calls) && isWait(intervalMs)
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function refusal(name: unknown, message: string): CapstanError {
  return new CapstanError('invalid_tool', `${message}.`, { evidence: { name } })
}
