import { type AnyTool, CapstanError, type StandardSchemaV1, type Tool, type ToolContext } from '@capstan/core'
import { readModelOutput } from './content.js'
import {
  type CallFacts,
  checkOptions,
  entriesOf,
  type FrameworkToolsOptions,
  factsOf,
  hostedError,
  notTheirs,
  type Returned,
  toTool,
} from './foreign-tool.js'
import { type AiSdkMessage, toAiSdkMessages } from './history.js'
import type { Execute, Known } from './inferred.js'
import type { Stored } from './media.js'
import { hasMethod, isRecord } from './records.js'
import { toSchema, validate } from './schema.js'

/** A tool from AI SDK 6 or 7, created with `tool()` or `dynamicTool()`. */
export interface AiSdkTool {
  readonly type?: string | undefined
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly contextSchema?: unknown
  readonly description?: string | ((options: never) => string) | undefined
  readonly strict?: boolean | undefined
  readonly needsApproval?: unknown
  readonly execute?: ((input: never, options: never) => unknown) | undefined
}

/** The types of converted tools, as if each had been created with Capstan's `tool()`. The keys become their names. */
export type FromAiSdkTools<Record extends Readonly<{ [name: string]: AiSdkTool }>> = {
  [Name in keyof Record & string]: FromAiSdkTool<Name, Record[Name]>
}[keyof Record & string][]

type FromAiSdkTool<Name extends string, Given extends AiSdkTool> = Tool<{
  name: Name
  input: ArgumentsOf<Given>
  args: ArgumentsOf<Given>
  result: ResultOf<Given>
  context: ContextOf<Given>
}>

type ArgumentsOf<Given extends AiSdkTool> =
  Execute<Given> extends (input: infer Input, options: never) => unknown
    ? Known<Input>
    : Known<OfSchema<Given['inputSchema']>>

/**
 * The type that a schema validates to. The AI SDK types a schema as a union of the forms that it accepts, all for the
 * same type.
 */
type OfSchema<Schema> =
  Extract<Schema, { readonly _type: unknown }> extends { readonly _type: infer Type }
    ? [Type] extends [never]
      ? OfStandard<Schema>
      : Type
    : OfStandard<Schema>

type OfStandard<Schema> =
  Extract<Schema, StandardSchemaV1> extends StandardSchemaV1<unknown, infer Output> ? Output : unknown

type ResultOf<Given extends AiSdkTool> =
  Execute<Given> extends (input: never, options: never) => infer Returned
    ? Stored<Settled<Returned>>
    : Stored<OfSchema<Given['outputSchema']>>

type Settled<Returned> = 0 extends 1 & Returned
  ? unknown
  : Returned extends AsyncIterable<infer Last>
    ? Last
    : Awaited<Returned>

/** The context that a tool requires. A tool without a `contextSchema` accepts any context. */
type ContextOf<Given> =
  Execute<Given> extends (input: never, options: infer Options) => unknown
    ? Options extends { readonly context: infer Context }
      ? string extends keyof Context
        ? unknown
        : Context
      : unknown
    : unknown

/**
 * Converts tools from AI SDK 6 or 7 for use in an agent. If a tool has no `execute`, the run stops at its calls, and
 * you provide the results.
 * @throws CapstanError `unsupported` for a tool that runs on a provider's server, `invalid_tool` for a value that is
 * not a tool, or for a name or schema that servers reject
 */
export function fromAiSdkTools<const Given extends Readonly<Record<string, AiSdkTool>>>(
  tools: Given,
  options: FrameworkToolsOptions = {},
): FromAiSdkTools<Given> {
  checkOptions(options, 'fromAiSdkTools')
  const made = entriesOf(tools, 'fromAiSdkTools').map(([name, given]) => toOurs(name, given, options))
  return made as AnyTool[] as FromAiSdkTools<Given>
}

function toOurs(name: string, value: unknown, options: FrameworkToolsOptions): AnyTool {
  if (!isRecord(value)) throw notTheirs(name, 'the AI SDK', 'Create it with tool({ ... }) from "ai"')
  if (/^provider/.test(String(value.type))) throw hostedError(name, value.id ?? value.type)
  if (!value.inputSchema) throw notTheirs(name, 'the AI SDK 6 or 7', 'It has no inputSchema')
  const given = value as unknown as RunnableTool
  const { description = name, inputSchema, outputSchema, strict, needsApproval, type } = given
  return toTool(
    {
      name,
      description: typeof description === 'string' ? description : (context) => description({ context }),
      parameters: toSchema(inputSchema, name),
      settings: {
        ...(strict === true && { strict }),
        ...(needsApproval !== undefined && { needsApproval: approvalOf(needsApproval) }),
      },
      ...(outputSchema !== undefined && { output: toSchema(outputSchema, name) }),
      ...(given.execute && { run: (args, ctx, facts) => run(name, given, { args, ctx, facts }) }),
      ...(type === 'dynamic' && { isDynamic: true }),
    },
    options,
  )
}

/** The fields of a tool that the conversion uses, with the signatures of its functions. */
interface RunnableTool {
  readonly type?: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly contextSchema?: unknown
  readonly description?: string | ((options: { readonly context: unknown }) => string)
  readonly strict?: boolean
  readonly needsApproval?:
    | boolean
    | ((input: unknown, options: CallOptions) => boolean | PromiseLike<boolean>)
  execute?(input: unknown, options: CallOptions): unknown
  onInputAvailable?(options: CallOptions & { readonly input: unknown }): unknown
  toModelOutput?(options: {
    readonly toolCallId: string
    readonly input: unknown
    readonly output: unknown
  }): unknown
}

interface CallOptions {
  readonly toolCallId: string
  readonly messages: readonly AiSdkMessage[]
  readonly context: unknown
  /** The name of `context` in AI SDK 6. */
  readonly experimental_context: unknown
  readonly abortSignal?: AbortSignal
}

function approvalOf(needsApproval: NonNullable<RunnableTool['needsApproval']>) {
  if (typeof needsApproval !== 'function') return needsApproval
  return async (args: unknown, { context }: { readonly context: unknown }) => {
    const facts = factsOf(args)
    return needsApproval(args, optionsOf(facts, { callId: facts.callId ?? '', context }))
  }
}

function optionsOf(
  { messages }: CallFacts,
  { callId, context, signal }: Partial<ToolContext> & Pick<ToolContext, 'callId'>,
): CallOptions {
  const options = {
    toolCallId: callId,
    context,
    experimental_context: context,
    ...(signal && { abortSignal: signal }),
    [history]: messages,
  }
  return Object.defineProperty(options, 'messages', lazyMessages) as typeof options & CallOptions
}

const history = Symbol('history')

/**
 * Converts the history only when a tool reads `messages`, because most tools never do. All calls share one getter: an
 * object with its own getter stays in memory until a major garbage collection.
 */
const lazyMessages: PropertyDescriptor & ThisType<{ [history]: CallFacts['messages'] }> = {
  enumerable: true,
  get() {
    return toAiSdkMessages(this[history])
  },
}

interface Call {
  readonly args: unknown
  readonly ctx: ToolContext
  readonly facts: CallFacts
}

async function run(name: string, tool: RunnableTool, { args: input, ctx, facts }: Call): Promise<Returned> {
  const context = await contextOf(name, tool, ctx.context)
  const options = optionsOf(facts, { ...ctx, context })
  await tool.onInputAvailable?.({ ...options, input })
  const output = await lastOf(tool.execute?.(input, options), ctx)
  if (!tool.toModelOutput) return { result: output }
  const shown = await tool.toModelOutput({ toolCallId: ctx.callId, input, output })
  return { result: output, shown: readModelOutput(shown) }
}

/**
 * Validates the run's context with the tool's `contextSchema`, and returns the parsed context.
 * @throws CapstanError `invalid_request` if the context does not match
 */
async function contextOf(name: string, { contextSchema }: RunnableTool, context: unknown): Promise<unknown> {
  if (contextSchema === undefined) return context
  const checked = await validate(toSchema(contextSchema, name), context ?? {})
  if (!checked.issues) return checked.value
  // The error contains only the names of fields, because their values may be secrets.
  const fields = checked.issues.map(({ path = [] }) =>
    path.map((part) => String(Object(part).key ?? part)).join('.'),
  )
  const message = `The run's context does not match the contextSchema of "${name}" (${fields.join(', ')}). Pass one that does: agent.run(input, { context }).`
  throw new CapstanError('invalid_request', message, { evidence: { name } })
}

/**
 * Returns a tool's result. If the tool returns an async iterator, each value is reported as progress, and the last one
 * is the result.
 */
async function lastOf(returned: unknown, ctx: ToolContext): Promise<unknown> {
  if (!hasMethod(returned, Symbol.asyncIterator as never)) return returned
  let last: unknown
  for await (const value of returned as unknown as AsyncIterable<unknown>) {
    last = value
    ctx.progress(value)
    ctx.signal.throwIfAborted()
  }
  return last
}
