import { readFileSync } from 'node:fs'
import { isRecord } from './json.js'
import { checkPace, type Pace } from './pace.js'

/** Checks a script before the service starts. @throws TypeError that names the rule and the invalid field */
export function checkScript(script: unknown): ScriptOptions {
  const {
    rules,
    else: other = 'plan',
    ...rest
  } = Array.isArray(script) ? { rules: script } : toRecord(script, 'script')
  rejectOtherOrigins(rest, 'script', 'rules and else')
  if (!Array.isArray(rules)) throw new TypeError('script.rules must be an array of rules.')
  if (other !== 'plan' && other !== 'refuse') throw new TypeError('script.else must be "plan" or "refuse".')
  return { rules: rules.map((rule, index) => checkRule(rule, `script rule ${index}`)), else: other }
}

/**
 * Converts text to a pattern. Text in slashes is a regular expression. All other text matches literally, ignoring case.
 */
export function toPattern(text: string): RegExp {
  const [, source, flags] = /^\/(.+)\/([dimsu]*)$/s.exec(text) ?? []
  return source === undefined
    ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i')
    : new RegExp(source, flags)
}

const roles = ['system', 'user', 'assistant', 'tool']

function checkRule(rule: unknown, at: string): ScriptRule {
  const { when, answer, calls, error, times, finish, pace, ...rest } = toRecord(rule, at)
  rejectOtherOrigins(rest, at, 'when, answer, calls, error, times, finish and pace')
  checkWhen(when, at)
  check(answer === undefined || typeof answer === 'string', `${at}: answer must be a string`)
  check(finish === undefined || typeof finish === 'string', `${at}: finish must be a string`)
  check(
    times === undefined || (Number.isInteger(times) && Number(times) > 0),
    `${at}: times must be a positive whole number`,
  )
  if (pace !== undefined) checkPace(pace, `${at}: pace`)
  if (calls !== undefined) checkCalls(calls, at)
  if (error !== undefined) checkError(error, at)
  const says = [answer, calls].some((one) => one !== undefined)
  check(says !== (error !== undefined), `${at} must have an answer, calls or both, or else an error`)
  return rule as ScriptRule
}

function checkWhen(when: unknown, at: string): void {
  if (typeof when === 'string') {
    checkText(when, at)
    return
  }
  // It is an object without fields, so it would match every message.
  if (when instanceof RegExp)
    throw new TypeError(`${at}: when is a regular expression. Use the string ${JSON.stringify(`${when}`)}.`)
  check(isRecord(when), `${at}: when must be a string, or an object with role, tool or text`)
  const { role, tool, text, ...rest } = when as Readonly<Record<string, unknown>>
  rejectOtherOrigins(rest, `${at}: when`, 'role, tool and text')
  check(
    role === undefined || roles.includes(String(role)),
    `${at}: when.role must be one of ${roles.join(', ')}`,
  )
  check(tool === undefined || typeof tool === 'string', `${at}: when.tool must be the name of a tool`)
  check(text === undefined || typeof text === 'string', `${at}: when.text must be a string`)
  if (typeof text === 'string') checkText(text, at)
}

function checkText(text: string, at: string): void {
  try {
    toPattern(text)
  } catch (cause) {
    throw new TypeError(`${at}: when contains ${text}, which is not a valid regular expression.`, { cause })
  }
}

function checkCalls(calls: unknown, at: string): void {
  if (!Array.isArray(calls) || calls.length === 0)
    throw new TypeError(`${at}: calls must be a non-empty array.`)
  for (const call of calls) {
    const { name, arguments: args = {}, ...rest } = toRecord(call, `${at}: each call`)
    rejectOtherOrigins(rest, `${at}: a call`, 'name and arguments')
    check(typeof name === 'string' && name !== '', `${at}: each call must have a name`)
    check(
      isRecord(args) || typeof args === 'string',
      `${at}: arguments must be an object, or the string to send`,
    )
  }
}

function checkError(error: unknown, at: string): void {
  const { status, message, retryAfter, ...rest } = toRecord(error, `${at}: error`)
  rejectOtherOrigins(rest, `${at}: error`, 'status, message and retryAfter')
  const isStatus = Number.isInteger(status) && Number(status) >= 400 && Number(status) < 600
  check(isStatus, `${at}: error.status must be a whole number from 400 to 599`)
  check(message === undefined || typeof message === 'string', `${at}: error.message must be a string`)
  check(
    retryAfter === undefined || Number(retryAfter) >= 0,
    `${at}: error.retryAfter must be a number of seconds`,
  )
}

function toRecord(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw new TypeError(`${at} must be an object.`)
}

function rejectOtherOrigins(rest: object, at: string, known: string): void {
  const [name] = Object.keys(rest)
  check(name === undefined, `${at} has an unknown field "${name}"; valid fields: ${known}`)
}

function check(holds: boolean, sentence: string): void {
  if (!holds) throw new TypeError(`${sentence}.`)
}

/** The conditions of a rule. The last message of a request must match every condition that is set. */
export interface RuleCondition {
  /** The role of the message: `system` (including developer), `user`, `assistant` or `tool`. */
  readonly role?: 'system' | 'user' | 'assistant' | 'tool'
  /** The tool that returned the result. */
  readonly tool?: string
  /** Text that the message contains, ignoring case, or a regular expression in slashes: `/order (\\d+)/i`. */
  readonly text?: string
}

/** A tool call in a scripted reply. */
export interface RuleCall {
  readonly name: string
  /** An object, or a string to send unchanged, such as truncated or invalid JSON. Default: `{}`. */
  readonly arguments?: Readonly<Record<string, unknown>> | string
}

/** A scripted reply to a matching message: text, calls, both, or an error. */
export interface ScriptRule {
  /** The conditions, or text as in `RuleCondition.text` that a message of any role must contain. */
  readonly when: string | RuleCondition
  readonly answer?: string
  readonly calls?: readonly RuleCall[]
  /** An error to reply with. `retryAfter` is in seconds and is sent as the header Retry-After. */
  readonly error?: { readonly status: number; readonly message?: string; readonly retryAfter?: number }
  /** The maximum number of times that the rule replies. After that, the following rules apply. Default: unlimited. */
  readonly times?: number
  /** The finish reason. Default: `tool_calls` if there are calls, otherwise `stop`. */
  readonly finish?: string
  /** The pace of this rule's replies. Default: the service's pace. */
  readonly pace?: Pace
}

/** Rules, and what happens if none of them matches. The first rule that matches replies. */
export interface ScriptOptions {
  readonly rules: readonly ScriptRule[]
  /**
   * What happens if no rule matches. `plan`: the planner replies. `refuse`: a 400 that shows the last message and the
   * rules. Default: `plan`.
   */
  readonly else?: 'plan' | 'refuse'
}

/** Reads a script from a JSON file. @throws TypeError that names the file and the problem */
export function readScript(path: string): ScriptOptions {
  try {
    return checkScript(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`The script ${path} cannot be used: ${reason}`, { cause })
  }
}
