import { CapstanError, invalidOption, invalidRequest } from './errors.js'
import { eachOf, getOwn, isFunction, isRecord, isString } from './json.js'
import { checkSettings } from './model/request-body.js'
import { checkModel } from './model/retry.js'
import { checkOptionNames, isCount, kindOf, type OptionKind, timeout } from './option-names.js'
import type { Feature, OptionKinds } from './run/feature.js'
import { hookKinds, middlewareName } from './run/hooks.js'
import type { Middleware, ToolChoice } from './run/middleware.js'
import { noSuchTool } from './tools/rejections.js'
import type { AnyTool, Toolset } from './tools/tool.js'
import type { AgentOptions, Observer, RunOptions } from './types/agent.js'
import type { AnyStep, Limits } from './types/state.js'
import { type PriceTable, priced } from './usage.js'

/** Options that agents and runs share, with the kind of value that each accepts. */
const commonKinds = {
  model: true,
  instructions: ['a string or a function', (value: unknown) => isString(value) || isFunction(value)],
  tools: 'an array: [one, two]',
  toolChoice: true,
  limits: 'an object',
  observe: 'a function',
  onStep: 'a function',
  onCheckpoint: 'a function',
  artifacts: 'memoryArtifacts()',
  settings: 'an object',
} as const

/** The agent options that do not belong to a feature. */
const agentKinds = {
  name: 'a string',
  ...commonKinds,
  middleware: 'an array: [one, two]',
  features: true,
  price: ['an object: { "gpt-5": { inputTokens: 1e-6 } }', isRecord],
  stepTimeoutMs: timeout,
  repair: ['safeRepair from @capstan/core', (value: unknown) => isFunction(Object(value).coerce)],
  toolErrors: ['"all" or "expected"', (value: unknown) => value === 'all' || value === 'expected'],
  onToolError: 'a function',
  concurrency: ['a whole number of at least 1', isCount],
} as const satisfies Partial<Record<keyof AgentOptions<readonly AnyTool[]>, OptionKind>>

/** The run options that do not belong to a feature. */
const runKinds = {
  context: true,
  signal: 'controller.signal',
  ...commonKinds,
  unattended: 'true or false',
  silent: 'true or false',
  runId: 'a string',
  session: true,
  host: 'a function',
} as const satisfies Partial<Record<keyof RunOptions, OptionKind>>

/** The options that an agent with certain features accepts, and the options that its runs accept. */
export interface KnownOptions {
  readonly agent: OptionKinds
  readonly run: OptionKinds
  readonly needs: Needs
}

/** Maps tool settings, options and inputs to the features that they need, for errors about a missing feature. */
export interface Needs {
  /** The feature that each tool setting needs: `{ show: 'showImages()' }`. */
  readonly toolSettings: Readonly<Record<string, string>>
  /**
   * Returns the error for an option, method or input whose feature is missing. Undefined for anything that needs no
   * feature.
   */
  lacking?(what: string): CapstanError | undefined
}

export function knownOptions(features: readonly Feature[], needs: Needs): KnownOptions {
  const kinds = (of: 'agentOptions' | 'runOptions') => features.map((one) => one[of])
  return {
    agent: Object.assign({}, agentKinds, ...kinds('agentOptions')),
    run: Object.assign({}, runKinds, ...kinds('runOptions')),
    needs,
  }
}

/** @throws CapstanError `invalid_request` for an unknown or invalid run option */
export function checkRunOptions(options: object, { agent, run, needs }: KnownOptions): void {
  if (options instanceof AbortSignal) throw invalid('options', 'an AbortSignal', '{ signal }')
  checkOptionNames(options, run, { ...needs, of: 'A run', elsewhere: ['new Agent(...)', agent] })
}

/**
 * Call this before anything reads the options.
 * @throws CapstanError `invalid_request` for an unknown or invalid option
 */
export function checkAgentOptions(options: object, { agent, run, needs }: KnownOptions): void {
  checkOptionNames(options, agent, { ...needs, of: 'An agent', elsewhere: ['agent.run', run] })
  const { model } = options as { readonly model?: unknown }
  if (!isString(model)) checkModel(model)
}

/** Returns the error for an option, method or input whose feature the agent lacks. */
export function lacking(what: string, { needs }: KnownOptions): CapstanError {
  return (
    needs.lacking?.(what) ??
    new CapstanError('unsupported', `${what} needs a feature that is not in features.`)
  )
}

/** Rejects options that would only fail, or silently do nothing, during a run. @throws CapstanError */
export function checkOptions(options: AgentOptions<readonly AnyTool[]>, toolset: Toolset): void {
  // Unknown unit names or invalid values would make costs unknown or wrong.
  for (const [model, price] of Object.entries(options.price ?? {}))
    checkOptionNames(price, units, { of: `The price of "${model}"` })
  checkSettings(options.settings)
  checkToolChoice(options.toolChoice ?? 'auto', toolset)
}

/** Returns an observer that passes a run's steps to `onStep`, except those of child runs. */
export function stepObserver(onStep: ((step: AnyStep) => unknown) | undefined): Observer | undefined {
  return onStep && ((event) => event.type === 'step-end' && !event.parentCallId && onStep(event.result))
}

/** Returns the kind of each middleware and feature field. The return type makes the compiler report a missing field. */
function fieldKinds(): Readonly<Record<keyof Feature, OptionKind>> {
  return {
    ...hookKinds(),
    ...eachOf('name tools toolNames outputSchema agentOptions runOptions toolSettings', true),
    ...eachOf('wholeRun childRuns isInner', 'true or false'),
    ...eachOf(
      'observe forAgent forRun prepareInput readState checkDecisions createScheduler stream',
      'a function',
    ),
  }
}

/**
 * Returns the middlewares unchanged.
 * @throws CapstanError `invalid_request` if one is invalid, or two have the same name
 */
export function checkMiddlewares(list: readonly Middleware[]): readonly Middleware[] {
  const names = new Set<string>()
  const fail = (message: string) => invalidOption('middleware', message)
  for (const one of list) {
    const name: unknown = one?.name
    if (isFunction(one)) throw fail(`middleware contains a function "${name}". Call it: ${name}().`)
    if (!isRecord(one)) throw fail(`middleware contains ${kindOf(one)}. Use functions such as retryTools().`)
    if (!isString(name) || !middlewareName.test(name))
      throw fail(`"${String(name)}" is not a valid name. Use lower-case words: "retry-tools".`)
    if (names.has(name)) throw fail(`Duplicate middleware "${name}". Remove or rename one.`)
    names.add(name)
    checkOptionNames(one, fieldKinds(), { of: `Middleware "${name}"` })
  }
  return list
}

const amount = [
  'a number of at least 0',
  (value: unknown) => Number.isFinite(value) && Number(value) >= 0,
] as const
const units = eachOf(Object.keys(priced).join(' '), amount)

/** Rejects a cost limit if the price table has no price for the model. @throws CapstanError `invalid_request` */
export function checkCost({ cost }: Limits, price: PriceTable | undefined, model: string): void {
  if (cost === undefined || getOwn(price, model)) return
  const message = `limits.cost needs a price for "${model}". Add it to price.`
  throw invalidRequest(message, { model })
}

/** Rejects a forced tool that the agent does not have. @throws CapstanError `unknown_tool` */
export function checkToolChoice(choice: ToolChoice, { names }: Toolset): void {
  const name: unknown = isString(choice) ? choice : Object(choice).function?.name
  if (!isString(name))
    throw invalid('toolChoice', kindOf(choice), '"auto", "none", "required" or the name of a tool')
  if (!['auto', 'none', 'required', ...names].includes(name)) throw noSuchTool(name, names)
}

function invalid(name: string, value: unknown, instead: string): CapstanError {
  return invalidOption(name, `${name} is ${String(value)}: use ${instead}.`)
}
