import { CapstanError, type ErrorCode } from './errors.js'
import { getOwn, isFunction, isString } from './json.js'

/**
 * The kind of value that an option accepts: a named kind, or a pair of the advice for the error and a check. `true`
 * accepts any value; the code that uses the option checks it.
 */
export type OptionKind =
  | true
  | keyof typeof kinds
  | readonly [use: string, isValid: (value: unknown) => boolean]

/** The function or object that takes the options, for error messages. */
interface OptionsOwner {
  readonly of: string
  /** The code of the errors. Default `invalid_request`. */
  readonly code?: ErrorCode
  readonly evidence?: Readonly<Record<string, unknown>>
  /** A function or object whose options are often passed here by mistake. */
  readonly elsewhere?: readonly [of: string, known: object]
  /** Additional names that other libraries use for these options, in the same form as `otherNames`. */
  readonly names?: Readonly<Record<string, string>>
  /** Additional names for options that several owners share, in the same form. */
  readonly further?: Readonly<Record<string, string>>
  /**
   * Whether the options may be an object that also has other fields, such as a running service. If so, an unknown name
   * is rejected only if it was probably meant as an option that is not set. Default false.
   */
  readonly isOpen?: boolean
  /** Returns the error for an option whose feature is missing. Undefined for any other name. */
  lacking?(option: string): CapstanError | undefined
}

export type OptionKinds = Readonly<Record<string, OptionKind>>

/**
 * Rejects options with unknown names or with values of the wrong kind. An option that is `undefined` counts as not set.
 * @throws CapstanError whose message lists all options and the one that was probably meant, or states the kind of value
 * to use
 */
export function checkOptionNames(given: unknown, known: OptionKinds, owner: OptionsOwner): void {
  checkModelOptions(given, known, { ...owner, further: otherNames })
}

/** Like `checkOptionNames`, but also requires the option that `required` names. */
export function checkRequiredOption(
  given: unknown,
  known: OptionKinds,
  { required, ...owner }: OptionsOwner & { readonly required: string },
): void {
  checkOptionNames(given, known, owner)
  if (Object(given)[required] !== undefined) return
  const message = `${owner.of}: ${required} is required. Use ${[known[required]].flat()[0]}.`
  throw new CapstanError(owner.code ?? 'invalid_request', message, {
    evidence: { ...owner.evidence, option: required },
  })
}

/**
 * Like `checkOptionNames`, for a model's options. Separate, so that programs that use only models do not load the
 * option names of agents.
 */
export function checkModelOptions(given: unknown, known: OptionKinds, owner: OptionsOwner): void {
  const { of, code = 'invalid_request', evidence, isOpen } = owner
  const fail = (problem: string, option = '') =>
    new CapstanError(code, of + problem, { evidence: { ...evidence, ...(option && { option }) } })
  const names = () => `Options: ${Object.keys(known).join(', ')}.`
  if (!isObject(given)) throw fail(` expects an options object, got ${kindOf(given)}. ${names()}`)
  for (const [option, value] of Object.entries(given)) {
    const kind = getOwn(known, option)
    if (!kind) {
      const meant = meantBy(option, known, owner) ?? ''
      if (isOpen && (!/^("|\w+$)/.test(meant) || Object.hasOwn(given, meant))) continue
      throw (
        owner.lacking?.(option) ?? fail(` has no option "${option}".${adviceOf(meant)} ${names()}`, option)
      )
    }
    if (kind === true || value === undefined) continue
    const [use, isValid] = isString(kind) ? [kind, kinds[kind]] : kind
    const shown = isString(kind) ? kindOf : numberOrKind
    if (!isValid(value)) throw fail(`: ${option} is ${shown(value)}. Use ${use}.`, option)
  }
}

/** The check for each kind. Errors use the key as advice. */
const kinds = {
  'a string': isString,
  'a function': isFunction,
  'an array: [one, two]': Array.isArray,
  'an object': isObject,
  'a schema: z.object({ ... })': (value: unknown) => Object(Object(value)['~standard']).validate,
  'a number of at least 0': (value: unknown) => typeof value === 'number' && value >= 0,
  'true or false': (value: unknown) => typeof value === 'boolean',
  'controller.signal': (value: unknown) => isFunction(Object(value).addEventListener),
  'memoryArtifacts()': (value: unknown) => isFunction(Object(value).put),
} as const

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return kindOf(value) === 'an object'
}

export function areFunctions(value: unknown): boolean {
  return [value].flat().every(isFunction)
}

/** Describes a value by its kind only, because the value may be a secret that was passed to the wrong option. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (isFunction(Object(value).then)) return 'a promise'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Returns a number or boolean as text, but only the kind of any other value. */
function numberOrKind(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value)
}

/** Whether a value is `Infinity`, or a whole number of at least `least`. */
export function isCount(value: unknown, least = 1): boolean {
  return value === Infinity || (Number.isSafeInteger(value) && Number(value) >= least)
}

/** Whether a value is a delay in milliseconds that timers support. Timers of 2^31 ms or more fire immediately. */
export function isWait(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < 2 ** 31
}

export const timeout: OptionKind = ['1 to 2147483647, or omit it for no timeout', isWait]

/** Returns a sentence that suggests the name that was probably meant. Returns `''` if `meant` is empty. */
function adviceOf(meant: string): string {
  return meant && ` Did you mean ${meant.includes('"') ? meant : `"${meant}"`}?`
}

/**
 * Returns the name that was probably meant: an option that has this name in other libraries, the closest name, or an
 * option of the owner in `elsewhere`.
 */
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
 * Request fields, each with the names that other frameworks use for it, in lower case without dashes. The first field
 * that the owner has is suggested.
 */
const settingNames = {
  timeoutMs: 'timeout',
  'settings.temperature': 'temperature',
  'settings.maxTokens': 'maxtokens maxoutputtokens',
  'settings.topP': 'topp',
  'settings.stop': 'stop stopsequences',
  settings: 'seed reasoningeffort logprobs provideroptions',
}

/** Options of agents and tools, each with the names that other frameworks use for it. */
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

/**
 * Returns the name that was probably meant: the closest one, or one that starts with `given`. Undefined if none is
 * close.
 */
export function suggest(given: string, names: readonly string[]): string | undefined {
  const { length } = given
  return byDistance(given, names).find(
    (name) => distance(given, name) < length / 3 + 1 || (length > 1 && name.startsWith(given)),
  )
}

/** Returns the names sorted by edit distance from `given`, closest first. */
export function byDistance(given: string, names: readonly string[]): readonly string[] {
  return names.toSorted((one, other) => distance(given, one) - distance(given, other))
}

/** Returns the edit distance between two words, counting insertions, deletions and substitutions. */
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
