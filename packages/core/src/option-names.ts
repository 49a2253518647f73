import { CapstanError, type ErrorCode } from './errors.js'
import { getOwn } from './json.js'

/**
 * The kind of value that an option takes: a name of a kind, or the advice and a check. `true` is any value: the code
 * that uses it checks it.
 */
export type OptionKind =
  | true
  | keyof typeof kinds
  | readonly [use: string, isValid: (value: unknown) => boolean]

/** The subject of the options, and its error. */
interface OptionsOwner {
  readonly of: string
  /** Default `invalid_request`. */
  readonly code?: ErrorCode
  readonly evidence?: Readonly<Record<string, unknown>>
  /** Another subject and its options, with which these are confused. */
  readonly elsewhere?: readonly [of: string, known: object]
  /** Further names that others have for these options, as `otherNames` has them. */
  readonly names?: Readonly<Record<string, string>>
  /** Those of options that several subjects have. */
  readonly further?: Readonly<Record<string, string>>
  /**
   * Whether an object with other fields, such as a running service, may be the options. Of unknown names only those
   * that stand for a missing option are then rejected. Default false.
   */
  readonly isOpen?: boolean
  /** Returns the error for an unknown name that is one of something else. */
  lacking?(option: string): CapstanError | undefined
}

export type OptionKinds = Readonly<Record<string, OptionKind>>

/**
 * Rejects options with unknown names, or with values of another kind. `undefined` leaves an option out.
 * @throws CapstanError that names all options and the one that was probably meant, or the kind of value to use
 */
export function checkOptionNames(given: unknown, known: OptionKinds, owner: OptionsOwner): void {
  checkModelOptions(given, known, { ...owner, further: otherNames })
}

/** As `checkOptionNames`, for options of which one must be there. */
export function checkRequiredOption(
  given: unknown,
  known: OptionKinds,
  { required, ...owner }: OptionsOwner & { readonly required: string },
): void {
  checkOptionNames(given, known, owner)
  if (Object(given)[required] !== undefined) return
  const message = `${owner.of}: ${required} is missing. Use ${[known[required]].flat()[0]}.`
  throw new CapstanError(owner.code ?? 'invalid_request', message, {
    evidence: { ...owner.evidence, option: required },
  })
}

/** Rejects the options of a model in the same way. A program with a model alone does without the names of agents. */
export function checkModelOptions(given: unknown, known: OptionKinds, owner: OptionsOwner): void {
  const { of, code = 'invalid_request', evidence, isOpen } = owner
  const fail = (problem: string, option = '') =>
    new CapstanError(code, of + problem, { evidence: { ...evidence, ...(option && { option }) } })
  const names = () => `Options: ${Object.keys(known).join(', ')}.`
  if (!isObject(given)) throw fail(` takes an options object, not ${kindOf(given)}. ${names()}`)
  for (const [option, value] of Object.entries(given)) {
    const kind = getOwn(known, option)
    if (!kind) {
      const meant = meantBy(option, known, owner) ?? ''
      if (isOpen && (!/^("|\w+$)/.test(meant) || Object.hasOwn(given, meant))) continue
      throw (
        owner.lacking?.(option) ?? fail(` has no option "${option}". ${names()}${adviceOf(meant)}`, option)
      )
    }
    if (kind === true || value === undefined) continue
    const [use, isValid] = typeof kind === 'string' ? [kind, kinds[kind]] : kind
    const shown = typeof kind === 'string' ? kindOf : numberOrKind
    if (!isValid(value)) throw fail(`: ${option} is ${shown(value)}. Use ${use}.`, option)
  }
}

/** Checks of the kinds, by the advice to a value that is not one. */
const kinds = {
  'a string': (value: unknown) => typeof value === 'string',
  'a function': isFunction,
  'a list: [one, two]': Array.isArray,
  'an object': isObject,
  'a schema: z.object({ ... })': (value: unknown) => '~standard' in Object(value),
  'a number from 0 up': (value: unknown) => typeof value === 'number' && value >= 0,
  'true or false': (value: unknown) => typeof value === 'boolean',
  'controller.signal': (value: unknown) => isFunction(Object(value).addEventListener),
  'memoryArtifacts()': (value: unknown) => isFunction(Object(value).put),
} as const

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return kindOf(value) === 'an object'
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

export function areFunctions(value: unknown): boolean {
  return [value].flat().every(isFunction)
}

/** Names the kind of a value. The value itself may be a secret in the wrong place. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (isFunction(Object(value).then)) return 'a promise'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Names a number or a boolean by itself. */
function numberOrKind(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value)
}

/** Whether a value is `Infinity`, or a whole number that is not below `least`. */
export function isCount(value: unknown, least = 1): boolean {
  return value === Infinity || (Number.isSafeInteger(value) && Number(value) >= least)
}

/** Whether a value is a delay in milliseconds that timers keep. With 2^31 or more they fire at once. */
export function isWait(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < 2 ** 31
}

/** Returns the sentence that names what was probably meant; `''` for nothing. */
function adviceOf(meant: string): string {
  return meant && ` Did you mean ${meant.includes('"') ? meant : `"${meant}"`}?`
}

/** Returns what a name probably means: an option with other names, one of the other subject, or the closest name. */
function meantBy(
  option: string,
  known: object,
  { elsewhere: [of, others] = ['', {}], names, further }: OptionsOwner,
): string | undefined {
  const written = option.toLowerCase().replace(/[_-]/g, '')
  const targets = Object.entries({ ...names, ...settingNames, ...further }).flatMap(([target, words]) =>
    words.split(' ').includes(written) ? target : [],
  )
  const isIn = (options: object) => (target: string) => Object.hasOwn(options, target.split(/\W/, 1)[0] ?? '')
  const there = [option, ...targets].find(isIn(others))
  return (
    targets.find(isIn(known)) ??
    (there === option ? undefined : suggest(option, Object.keys(known))) ??
    (there === undefined ? targets.find((target) => target.includes('(')) : `"${there}" of ${of}`)
  )
}

/**
 * Fields of requests, each with the names that other frameworks have for it: in lower case, without dashes. Of several the first counts that the subject has.
 */
const settingNames = {
  timeoutMs: 'timeout',
  'settings.temperature': 'temperature',
  'settings.maxTokens': 'maxtokens maxoutputtokens',
  'settings.topP': 'topp',
  'settings.stop': 'stop stopsequences',
  settings: 'seed reasoningeffort logprobs provideroptions',
}

/** Options of agents and tools, with their other names. */
const otherNames = {
  instructions: 'system systemprompt prompt',
  'agent.run(input)': 'input messages prompt',
  'limits.steps': 'maxsteps maxturns maxiterations',
  'limits.cost': 'budget maxcost',
  stepTimeoutMs: 'timeout timeoutms',
  'limits.seconds': 'timeout timeoutms',
  'limits.tokens': 'maxtokens',
  parameters: 'inputschema schema input args',
  output: 'schema outputschema responseformat outputtype',
  execute: 'run handler func',
  description: 'desc',
  onStep: 'onstepfinish',
  observe: 'onfinish onevent callbacks',
  signal: 'abortsignal',
  session: 'memory threadid',
  'agent.stream(input)': 'stream',
  'chatModel(name, { maxRetries })': 'maxretries retries',
  'chatModel(name, { apiKey, baseURL })': 'apikey baseurl',
  'middleware: [guard()]': 'guardrails',
  'middleware: [logRuns()]': 'verbose debug logger',
  'tools: [handoff(agent)]': 'handoffs',
  'tools: [agentTool(agent)]': 'agents subagents',
}

/** Returns the name that `given` probably means: the closest one, or one that begins with it. */
export function suggest(given: string, names: readonly string[]): string | undefined {
  const { length } = given
  return byDistance(given, names).find(
    (name) => distance(given, name) < length / 3 + 1 || (length > 1 && name.startsWith(given)),
  )
}

/** Returns names in the order of their edit distance from `given`, the closest first. */
export function byDistance(given: string, names: readonly string[]): readonly string[] {
  return names.toSorted((one, other) => distance(given, one) - distance(given, other))
}

/** Returns the edit distance of two words: insertions, deletions and substitutions. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const letter of one) {
    let last = Infinity
    row = row.map((edits, at) => {
      const changed = (row[at - 1] ?? Infinity) + (other[at - 1] === letter ? 0 : 1)
      last = Math.min(changed, edits + 1, last + 1)
      return last
    })
  }
  return row.at(-1) ?? 0
}
