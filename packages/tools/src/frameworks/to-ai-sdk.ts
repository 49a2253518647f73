import {
  type AnyTool,
  type ArtifactStore,
  CapstanError,
  type ContextOf,
  isArtifact,
  type Jsonified,
  memoryArtifacts,
  type PolicyView,
  type StandardSchemaV1,
  type ToolContext,
} from '@capstan/core'
import { StoredResult } from './foreign-tool.js'
import { hasMethod, isRecord } from './records.js'
import { validate, withJson } from './schema.js'

export interface ToAiSdkOptions<Context = unknown> {
  /** The context for the tools. Default: the context that the AI SDK passes to each call. */
  readonly context?: Context
  /** The store for the artifacts that the tools use and create. Default: a new memory store. */
  readonly artifacts?: ArtifactStore
}

/** Tools for `generateText` and `streamText` in AI SDK 6 and 7, by name. */
export type ToAiSdkTools<Tools extends readonly AnyTool[]> = {
  [Given in Tools[number] as Given['name']]: AiSdkToolOf<InputOf<Given>, Jsonified<ResultOf<Given>>>
}

/** A tool in the AI SDK's form. */
export interface AiSdkToolOf<Input, Result> {
  description: string
  inputSchema: StandardSchemaV1<unknown, Input>
  strict?: boolean
  needsApproval?: boolean | ((input: Input, options: AiSdkCallOptions) => Promise<boolean>)
  /** Yields progress, then the result. Absent for a tool without an `execute`. */
  execute: (
    input: Input,
    options: AiSdkCallOptions & { readonly abortSignal?: AbortSignal },
  ) => AsyncIterable<Result>
  toModelOutput: (options: { readonly output: unknown }) => Promise<ModelOutput>
}

type ModelOutput = { type: 'text'; value: string } | { type: 'json'; value: AnyJson }

/** A JSON value, with the types that the AI SDK expects. */
type AnyJson = null | string | number | boolean | AnyJson[] | { [field: string]: AnyJson }

export interface AiSdkCallOptions {
  readonly toolCallId: string
  readonly context?: unknown
  /** The name of `context` in AI SDK 6. */
  readonly experimental_context?: unknown
}

type TypesOf<Given> = Given extends { readonly '~types'?: infer Types | undefined } ? Types : never
type InputOf<Given> = TypesOf<Given> extends { readonly input: infer Input } ? Input : never
type ResultOf<Given> = TypesOf<Given> extends { readonly result: infer Result } ? Result : never

/**
 * Converts tools for AI SDK 6 and 7. The AI SDK handles approvals, and each tool's own schema validates its arguments.
 * Progress becomes preliminary results. Features that only runs have do not apply: timeouts, concurrency, effects,
 * policies, limits and taint tracking.
 * @throws CapstanError `unsupported` for a hosted tool or a handoff, `invalid_tool` for a value that is not a tool, or
 * for a duplicate name
 */
export function toAiSdkTools<const Tools extends readonly AnyTool[]>(
  tools: Tools,
  options: ToAiSdkOptions<ContextOf<Tools>> = {},
): ToAiSdkTools<Tools> {
  checkOptions(options)
  const given = { ...options, artifacts: options.artifacts ?? memoryArtifacts() }
  const record: Record<string, unknown> = {}
  for (const tool of Array.isArray(tools) ? tools : [tools]) {
    checkTool(tool)
    if (Object.hasOwn(record, tool.name))
      throw new CapstanError('invalid_tool', `Duplicate tool name "${tool.name}". Rename one.`, {
        evidence: { name: tool.name },
      })
    const field = { enumerable: true, writable: true, configurable: true }
    Object.defineProperty(record, tool.name, { ...field, value: toTheirs(tool, given) })
  }
  return record as ToAiSdkTools<Tools>
}

function checkOptions(options: unknown): void {
  const wrong = isRecord(options)
    ? Object.keys(options).find((one) => one !== 'context' && one !== 'artifacts')
    : String(options)
  if (wrong === undefined) return
  const message = `toAiSdkTools has no option "${wrong}". Options: context, artifacts.`
  throw new CapstanError('invalid_request', message, { evidence: { option: wrong } })
}

function checkTool(tool: AnyTool): void {
  const { name, hosted, agent, toInput, definition } = Object(tool) as Partial<AnyTool>
  if (hosted) {
    const message = `The hosted tool "${hosted.type}" runs on a server. Use the tools from its AI SDK provider package.`
    throw new CapstanError('unsupported', message, { evidence: { type: hosted.type } })
  }
  if (!name || !definition)
    throw new CapstanError(
      'invalid_tool',
      'toAiSdkTools needs an array of tools. Use toAiSdkTools([tool({ ... })]).',
    )
  if (agent ? !toInput : 'to' in tool) {
    const message = `"${name}" hands the conversation over, which the AI SDK does not support. Use agentTool(agent).`
    throw new CapstanError('unsupported', message, { evidence: { name } })
  }
}

interface Given {
  readonly context?: unknown
  readonly artifacts: ArtifactStore
}

function toTheirs(tool: AnyTool, given: Given): Partial<AiSdkToolOf<unknown, unknown>> {
  const { definition, settings, execute } = tool
  const { parameters, description } = definition.function
  const { needsApproval, strict } = settings
  return {
    description: tool.describe ? tool.describe(given.context) : description,
    // Returns the arguments unparsed. The AI SDK stores them in its messages, and they are parsed at each use.
    inputSchema: withJson(parameters, async (value) => {
      const checked = await validate(tool.parameters, value)
      return checked.issues ? checked : { value }
    }),
    ...(strict && { strict }),
    ...(needsApproval && {
      needsApproval:
        typeof needsApproval === 'function'
          ? async (input, options) => needsApproval(await parse(tool, input), viewOf(options, given))
          : true,
    }),
    ...(execute && { execute: (input, options) => run(tool, input, { options, given }) }),
    toModelOutput: async ({ output }) => toModelOutput(tool.toModel ? await tool.toModel(output) : output),
  }
}

/** Validates and parses arguments. @throws CapstanError `invalid_arguments` if they do not match the tool's schema */
async function parse({ name, parameters }: AnyTool, input: unknown): Promise<unknown> {
  const checked = await validate(parameters, input)
  if (!checked.issues) return checked.value
  const issues = checked.issues.map(({ path = [], message }) =>
    [...path.map((part) => String(Object(part).key ?? part)), message].join(': '),
  )
  const message = `Invalid arguments for "${name}": ${issues.join('; ')}.`
  throw new CapstanError('invalid_arguments', message, { evidence: { tool: name, issues } })
}

function contextOf(
  { context = {}, experimental_context = context }: AiSdkCallOptions,
  given: Given,
): unknown {
  return given.context ?? experimental_context
}

/**
 * Returns the data for `needsApproval` functions. The AI SDK passes no data about a run, so usage is zero, and the
 * call's id is also used as the run id.
 */
function viewOf(options: AiSdkCallOptions, given: Given): PolicyView {
  const tokens = { requests: 0, unreported: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  const others = { toolCalls: 0, perTool: {}, repairs: 0, images: 0, audioSeconds: 0, characters: 0 }
  const usage = { ...tokens, ...others }
  return { context: contextOf(options, given), runId: options.toolCallId, step: 0, usage, approved: [] }
}

interface Call {
  readonly options: AiSdkCallOptions & { readonly abortSignal?: AbortSignal }
  readonly given: Given
}

/** Runs a tool. Yields its progress, then its result. Aborts the tool if the consumer stops early. */
async function* run(tool: AnyTool, input: unknown, { options, given }: Call): AsyncGenerator<unknown> {
  const args = await parse(tool, input)
  const { toolCallId: id, abortSignal } = options
  abortSignal?.throwIfAborted()
  const stopped = new AbortController()
  const signal = abortSignal ? AbortSignal.any([abortSignal, stopped.signal]) : stopped.signal
  const values: unknown[] = []
  let notify = () => {}
  let isDone = false
  const progress = (value: unknown) => {
    values.push(value)
    notify()
  }
  const ids = { runId: id, callId: id, idempotencyKey: id, step: 0 }
  const context = contextOf(options, given)
  const ctx = { ...ids, context, signal, artifacts: given.artifacts, progress, spend: async () => {} }
  const result = settle(tool, args, ctx).finally(() => {
    isDone = true
    notify()
  })
  // Awaited below, unless the consumer stops before then.
  result.catch(() => {})
  signal.addEventListener('abort', () => notify())
  try {
    for (;;) {
      while (values.length > 0) yield values.shift()
      signal.throwIfAborted()
      if (isDone) break
      await new Promise<void>((resolve) => {
        notify = resolve
      })
    }
    yield await result
  } finally {
    stopped.abort()
  }
}

/** Runs a tool's function and returns its result. Values that a generator yields are reported as progress. */
async function settle(tool: AnyTool, args: unknown, ctx: ToolContext): Promise<unknown> {
  let returned = await tool.execute?.(args, ctx)
  if (hasMethod(returned, 'next') && hasMethod(returned, 'throw')) {
    const generator = returned as unknown as AsyncGenerator
    for (;;) {
      const { done, value } = await generator.next()
      returned = value
      if (done) break
      ctx.progress(value)
      if (!ctx.signal.aborted) continue
      await generator.return(undefined)
      throw ctx.signal.reason
    }
  }
  if (returned instanceof Error) throw returned
  return returned instanceof StoredResult ? returned.result : returned
}

/** Returns the version of a result that the model gets, with references instead of artifacts. */
function toModelOutput(value: unknown): ModelOutput {
  if (value === undefined) return { type: 'text', value: 'Done. The tool returned no value.' }
  if (typeof value === 'string') return { type: 'text', value }
  const json = JSON.stringify(value, (_key, part) => (isArtifact(part) ? toReference(part) : part))
  return { type: 'json', value: JSON.parse(json) as AnyJson }
}

function toReference({ id, mediaType, width, height, durationMs }: import('@capstan/core').Artifact): object {
  return { artifact: id, mediaType, width, height, durationMs }
}
