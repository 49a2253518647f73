import {
  type AnyTool,
  type CallOptions,
  CapstanError,
  type Message,
  type Middleware,
  type RunView,
  type StandardSchemaV1,
  type ToolContext,
  type ToolSettings,
  tool,
  verdict,
} from '@capstan/core'
import { checkedSettings } from '@capstan/schema/tool-settings'
import { readContent } from './content.js'
import { beforeReply } from './history.js'
import { storeMedia } from './media.js'
import { hasMethod, isRecord } from './records.js'

/** Options for the functions that convert a framework's tools, such as `fromMastraTools`. */
export interface FrameworkToolsOptions {
  /** Returns a tool's settings, such as `effects: 'read'`. They override the tool's own settings. Default: none. */
  readonly settings?: (tool: FrameworkToolInfo) => ToolSettings<Record<string, unknown>>
}

export interface FrameworkToolInfo {
  readonly name: string
  readonly description: string
}

/** A framework's tool in a common form, from which `toTool` creates the tool. */
export interface ForeignTool {
  readonly name: string
  readonly description: string | ((context: unknown) => string)
  readonly parameters: StandardSchemaV1<unknown, Record<string, unknown>>
  readonly settings: ToolSettings<Record<string, unknown>>
  /** The schema of the results that you provide for the tool's calls. Used only if `run` is absent. */
  readonly output?: StandardSchemaV1 | undefined
  /** Runs the tool. If absent, the run stops at the tool's calls, and you provide the results. */
  readonly run?: ((args: unknown, ctx: ToolContext, call: CallFacts) => Promise<Returned>) | undefined
  readonly isDynamic?: boolean
  /** Whether a run may use the tool. If not, requests omit the tool, and calls to it are denied. Default: always. */
  readonly isEnabled?: (run: { readonly context: unknown; readonly agent: string }) => Promise<boolean>
}

/** The return value of a tool's function. It may contain bytes. */
export interface Returned {
  readonly result: unknown
  /** The value that the model gets instead of the result. Absent if the model gets the result itself. */
  readonly shown?: unknown
}

/** Data about a call in a run. For a direct call, only `messages` is set, and it is empty. */
export interface CallFacts {
  readonly callId?: string
  readonly agent?: string
  /** The messages before the reply that contains the call. */
  readonly messages: readonly Message[]
}

/**
 * Creates a Capstan tool from a framework's tool. The settings from the options override the tool's own.
 * @throws CapstanError `invalid_tool` for an invalid name, schema or settings
 */
export function toTool(given: ForeignTool, { settings }: FrameworkToolsOptions): AnyTool {
  const { name, description, parameters, output, run, isDynamic, isEnabled } = given
  const info = { name, description: typeof description === 'string' ? description : name }
  const made: AnyTool = tool({
    ...given.settings,
    ...checkedSettings(settings?.(info), name),
    name,
    // Models choose tools by description, and the frameworks do not require one.
    description: description === '' ? name : description,
    parameters,
    ...(run && {
      execute: async (args: Record<string, unknown>, ctx: ToolContext) =>
        store(await run(args, ctx, factsOf(args)), ctx),
      toModel: (result: unknown) => (result instanceof StoredResult ? result.shown : readContent(result)),
    }),
    ...(!run && output && { output }),
  })
  return {
    ...made,
    middleware: frameworkTools,
    ...(isDynamic && { isDynamic }),
    ...(isEnabled && { [enabled]: isEnabled }),
    async call(input: unknown, options?: CallOptions<unknown>) {
      const result = await made.call(input, options)
      return result instanceof StoredResult ? result.result : result
    },
  } as AnyTool
}

/**
 * A result, and the version of it that the model gets. Each call gets its own instance, because a function may return
 * the same object for two calls.
 */
export class StoredResult {
  readonly #result: unknown
  readonly #shown: unknown

  constructor(result: unknown, shown: unknown) {
    this.#result = result
    this.#shown = shown
  }

  get result(): unknown {
    return this.#result
  }

  get shown(): unknown {
    return this.#shown
  }

  /** Serializes only the result, without the version that the model gets. */
  toJSON(): unknown {
    return hasMethod(this.#result, 'toJSON') ? this.#result.toJSON() : this.#result
  }
}

async function store(returned: Returned, { artifacts }: ToolContext): Promise<StoredResult> {
  if (returned.result instanceof Error) throw returned.result
  const result = await storeMedia(returned.result, artifacts)
  const shown = 'shown' in returned ? await storeMedia(returned.shown, artifacts) : result
  return new StoredResult(result, readContent(shown))
}

/**
 * Data about each call, by the call's arguments object. `beforeTool` stores the data, and the tool's function then gets
 * the same object.
 */
const facts = new WeakMap<object, CallFacts>()

/** Returns the data for the call that has these arguments. For a direct call, the data has no messages. */
export function factsOf(args: unknown): CallFacts {
  return facts.get(Object(args)) ?? { messages: [] }
}

const enabled = Symbol('isEnabled')

type WithEnabled = AnyTool & { readonly [enabled]?: ForeignTool['isEnabled'] }

/**
 * The middleware of all framework tools. Stores each call's data for the tool's function, hides tools that are not
 * enabled, and denies calls to them.
 */
const frameworkTools: Middleware = {
  name: 'framework-tools',
  async beforeModel({ tools }, run) {
    const hidden = new Set<string>()
    for (const { function: called } of tools) {
      const isEnabled = enabledOf(called.name, run)
      if (isEnabled && !(await isEnabled(run))) hidden.add(called.name)
    }
    return hidden.size > 0 ? { tools: tools.filter((one) => !hidden.has(one.function.name)) } : undefined
  },
  beforeTool({ callId, name, arguments: args }, run) {
    const { agent, messages } = run
    if (isRecord(args)) facts.set(args, { callId, agent, messages: beforeReply(messages) })
    const isEnabled = enabledOf(name, run)
    const denied = verdict.deny(`"${name}" is not enabled in this run.`)
    return isEnabled?.(run).then((is) => (is ? verdict.allow : denied))
  },
}

function enabledOf(name: string, { toolset }: RunView): ForeignTool['isEnabled'] {
  return (toolset.get(name) as WithEnabled | undefined)?.[enabled]
}

/**
 * Checks the options of a function such as `fromMastraTools`. `of` is the function's name, for error messages.
 * @throws CapstanError `invalid_request` for an unknown option
 */
export function checkOptions(options: unknown, of: string): void {
  const unknown = isRecord(options) ? Object.keys(options).find((one) => one !== 'settings') : ''
  const settings = isRecord(options) ? options.settings : undefined
  if (unknown === undefined && (settings === undefined || typeof settings === 'function')) return
  const problem =
    unknown === ''
      ? 'the options are not an object'
      : unknown === undefined
        ? 'settings is not a function'
        : `unknown option "${unknown}"`
  throw new CapstanError('invalid_request', `${of}: ${problem}. Use { settings: (tool) => ({ ... }) }.`, {
    evidence: { option: unknown || 'settings' },
  })
}

/**
 * Returns the entries of an object that maps names to tools.
 * @throws CapstanError `invalid_tool` for any value that is not an object
 */
export function entriesOf(record: unknown, of: string): [name: string, tool: unknown][] {
  if (isRecord(record)) return Object.entries(record)
  throw new CapstanError('invalid_tool', `${of} needs an object of tools. Use ${of}({ name: tool }).`)
}

/** Returns the value, typed as an array. @throws CapstanError `invalid_tool` for any value that is not an array */
export function listOf(list: unknown, of: string): unknown[] {
  if (Array.isArray(list)) return list
  throw new CapstanError('invalid_tool', `${of} needs an array of tools. Use ${of}([tool]).`)
}

/** Returns the error for a tool that runs on its provider's server, and so has no function to convert. */
export function hostedError(name: string, type: unknown): CapstanError {
  const message = `Tool "${name}" (${String(type)}) runs on its provider's server. Use hosted({ type }) from @capstan/core.`
  return new CapstanError('unsupported', message, { evidence: { name, type: String(type) } })
}

/**
 * Returns the error for a tool with a feature that agents do not support. `what` completes the sentence `Tool "NAME"
 * ...`, and `use` is the advice.
 */
export function unsupported(name: string, what: string, use: string): CapstanError {
  return new CapstanError('unsupported', `Tool "${name}" ${what}. ${use}.`, { evidence: { name } })
}

/** Returns the error for a value that is not a tool of the framework. `use` is the advice. */
export function notTheirs(name: string, framework: string, use: string): CapstanError {
  const message = `"${name}" is not a tool from ${framework}. ${use}.`
  return new CapstanError('invalid_tool', message, { evidence: { name } })
}
