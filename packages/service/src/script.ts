import { readFileSync } from 'node:fs'
import { isRecord } from './json.js'

/** Checks a script before the service starts. @throws TypeError naming the rule and the field that is wrong */
export function checkScript(script: unknown): ScriptOptions {
  const {
    rules,
    else: other = 'plan',
    ...rest
  } = Array.isArray(script) ? { rules: script } : toRecord(script, 'script')
  refuseOthers(rest, 'script', 'rules and else')
  if (!Array.isArray(rules)) throw new TypeError('script.rules must be an array of rules.')
  if (other !== 'plan' && other !== 'refuse') throw new TypeError('script.else must be "plan" or "refuse".')
  return { rules: rules.map((rule, index) => checkRule(rule, `script rule ${index}`)), else: other }
}

/** A text to look for, as a pattern: one in slashes as it is, another as it is written, capitals or not. */
export function toPattern(text: string): RegExp {
  const [, source, flags] = /^\/(.+)\/([dimsu]*)$/s.exec(text) ?? []
  return source === undefined
    ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i')
    : new RegExp(source, flags)
}

const roles = ['system', 'user', 'assistant', 'tool']

function checkRule(rule: unknown, at: string): ScriptRule {
  const { when, answer, calls, error, times, finish, ...rest } = toRecord(rule, at)
  refuseOthers(rest, at, 'when, answer, calls, error, times and finish')
  checkWhen(when, at)
  check(answer === undefined || typeof answer === 'string', `${at}: answer must be a text`)
  check(finish === undefined || typeof finish === 'string', `${at}: finish must be a text`)
  check(
    times === undefined || (Number.isInteger(times) && Number(times) > 0),
    `${at}: times must be a whole number from 1`,
  )
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
  const { role, tool, text, ...rest } = toRecord(when, `${at}: when`)
  refuseOthers(rest, `${at}: when`, 'role, tool and text')
  check(
    role === undefined || roles.includes(String(role)),
    `${at}: when.role must be one of ${roles.join(', ')}`,
  )
  check(tool === undefined || typeof tool === 'string', `${at}: when.tool must be the name of a tool`)
  check(text === undefined || typeof text === 'string', `${at}: when.text must be a text`)
  if (typeof text === 'string') checkText(text, at)
}

function checkText(text: string, at: string): void {
  try {
    toPattern(text)
  } catch (cause) {
    throw new TypeError(`${at}: when holds ${text}, which is no regular expression.`, { cause })
  }
}

function checkCalls(calls: unknown, at: string): void {
  if (!Array.isArray(calls) || calls.length === 0)
    throw new TypeError(`${at}: calls must be an array of at least one.`)
  for (const call of calls) {
    const { name, arguments: args = {}, ...rest } = toRecord(call, `${at}: each of calls`)
    refuseOthers(rest, `${at}: a call`, 'name and arguments')
    check(typeof name === 'string' && name !== '', `${at}: each of calls must have a name`)
    check(
      isRecord(args) || typeof args === 'string',
      `${at}: arguments must be an object, or the text to send`,
    )
  }
}

function checkError(error: unknown, at: string): void {
  const { status, message, retryAfter, ...rest } = toRecord(error, `${at}: error`)
  refuseOthers(rest, `${at}: error`, 'status, message and retryAfter')
  const isStatus = Number.isInteger(status) && Number(status) >= 400 && Number(status) < 600
  check(isStatus, `${at}: error.status must be a whole number from 400 to 599`)
  check(message === undefined || typeof message === 'string', `${at}: error.message must be a text`)
  check(
    retryAfter === undefined || Number(retryAfter) >= 0,
    `${at}: error.retryAfter must be a number of seconds`,
  )
}

function toRecord(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw new TypeError(`${at} must be an object.`)
}

function refuseOthers(rest: object, at: string, known: string): void {
  const [name] = Object.keys(rest)
  check(name === undefined, `${at} has "${name}"; there are ${known}`)
}

function check(holds: boolean, sentence: string): void {
  if (!holds) throw new TypeError(`${sentence}.`)
}

/** When a rule answers: all that is given must hold of the request's last message. */
export interface RuleCondition {
  /** Who says it: `system` (a developer too), `user`, `assistant` or `tool`. */
  readonly role?: 'system' | 'user' | 'assistant' | 'tool'
  /** The tool whose result it is. */
  readonly tool?: string
  /** A part of its text, capitals or not, or a pattern in slashes: `/order (\d+)/i`. */
  readonly text?: string
}

/** A call that a rule makes. */
interface RuleCall {
  readonly name: string
  /** An object, or a string that is sent as it is: JSON that is cut or wrong is tried so. Default: `{}`. */
  readonly arguments?: Readonly<Record<string, unknown>> | string
}

/** What is answered when the last message is as told: words, calls, both, or an error. */
export interface ScriptRule {
  /** A text as in `RuleCondition`, of a message of any role, or a condition. */
  readonly when: string | RuleCondition
  readonly answer?: string
  readonly calls?: readonly RuleCall[]
  /** `retryAfter` in seconds, sent as Retry-After. */
  readonly error?: { readonly status: number; readonly message?: string; readonly retryAfter?: number }
  /** How often the rule answers; later requests go on to the next. Default: always. */
  readonly times?: number
  /** The finish reason. Default: `tool_calls` with calls, else `stop`. */
  readonly finish?: string
}

/** Rules in order, the first that fits answers; and what happens when none does. */
export interface ScriptOptions {
  readonly rules: readonly ScriptRule[]
  /** `plan`: the planner answers. `refuse`: a 400 that shows the last message and the rules. Default: `plan`. */
  readonly else?: 'plan' | 'refuse'
}

/** Reads a script from a JSON file. @throws TypeError naming the file and what is wrong with it */
export function readScript(path: string): ScriptOptions {
  try {
    return checkScript(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`The script ${path} cannot be used: ${reason}`, { cause })
  }
}
