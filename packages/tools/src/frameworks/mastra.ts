import { type AnyTool, type Tool, type ToolContext, ToolError } from '@capstan/core'
import { readModelOutput } from './content.js'
import {
  type CallFacts,
  checkOptions,
  entriesOf,
  type FrameworkToolsOptions,
  hostedError,
  notTheirs,
  type Returned,
  toTool,
  unsupported,
} from './foreign-tool.js'
import { toAiSdkMessages } from './history.js'
import type { Execute, Known } from './inferred.js'
import type { Stored } from './media.js'
import { hasMethod, isRecord } from './records.js'
import { toSchema, unparsed } from './schema.js'

/** A Mastra tool, created with `createTool()` of version 0.20 or later. */
export interface MastraTool {
  readonly id: string
  readonly description: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly suspendSchema?: unknown
  readonly requireApproval?: unknown
  readonly execute?: ((input: never, context: never) => Promise<unknown>) | undefined
}

/** The types of converted tools, as if each had been created with Capstan's `tool()`. The keys become their names. */
export type FromMastraTools<Record extends Readonly<{ [name: string]: MastraTool }>> = {
  [Name in keyof Record & string]: FromMastraTool<Name, Record[Name]>
}[keyof Record & string][]

type FromMastraTool<Name extends string, Given extends MastraTool> = Tool<{
  name: Name
  input: ArgumentsOf<Given>
  args: Record<string, unknown>
  result: ResultOf<Given>
  context: unknown
}>

/**
 * The type of a tool's arguments. In Mastra 0, the arguments are the field `context` of the first parameter of
 * `execute`.
 */
type ArgumentsOf<Given> =
  Execute<Given> extends (input: infer Input, ...rest: never) => unknown
    ? Input extends { readonly context: infer Arguments; readonly runtimeContext: unknown }
      ? Known<Arguments>
      : Known<Input>
    : Record<string, unknown>

type ResultOf<Given> =
  Execute<Given> extends (...args: never) => infer Returned
    ? 0 extends 1 & Returned
      ? unknown
      : Stored<Exclude<Awaited<Returned>, MastraValidationError | void>>
    : unknown

export interface MastraValidationError {
  readonly error: true
  readonly message: string
  readonly validationErrors: unknown
}

/**
 * Converts Mastra tools for use in an agent. If a tool has no `execute`, the run stops at its calls, and you provide
 * the results.
 * @throws CapstanError `unsupported` for a tool that suspends, hides parts of its results with `transform`, or runs on
 * a provider's server; `invalid_tool` for a value that is not a tool, or for a name or schema that servers reject
 */
export function fromMastraTools<const Given extends Readonly<Record<string, MastraTool>>>(
  tools: Given,
  options: FrameworkToolsOptions = {},
): FromMastraTools<Given> {
  checkOptions(options, 'fromMastraTools')
  const made = entriesOf(tools, 'fromMastraTools').map(([name, given]) => toOurs(name, given, options))
  return made as AnyTool[] as FromMastraTools<Given>
}

function toOurs(name: string, value: unknown, options: FrameworkToolsOptions): AnyTool {
  if (!isRecord(value))
    throw notTheirs(name, 'Mastra', 'Create it with createTool({ ... }) from "@mastra/core/tools"')
  const { id, type, suspendSchema, transform } = value
  if (/^provider/.test(String(type))) throw hostedError(name, id ?? type)
  if (typeof id !== 'string') throw notTheirs(name, 'Mastra', 'It has no id')
  if (suspendSchema !== undefined) throw suspends(name)
  if (transform !== undefined)
    throw unsupported(
      name,
      'has a `transform`, which hides parts of results from pages',
      'Return only what pages may show',
    )
  const given = value as unknown as RunnableTool
  const { description, inputSchema, outputSchema, requireApproval: asks, strict } = given
  return toTool(
    {
      name,
      description: description || name,
      parameters: unparsed(toSchema(inputSchema, name), name),
      settings: {
        ...(strict === true && { strict }),
        ...(asks && {
          needsApproval:
            typeof asks === 'function'
              ? async (args, { context }) => asks(args, { requestContext: isRecord(context) ? context : {} })
              : true,
        }),
      },
      ...(outputSchema !== undefined && { output: toSchema(outputSchema, name) }),
      ...(given.execute && { run: (args, ctx, facts) => run(name, given, { args, ctx, facts }) }),
    },
    options,
  )
}

/** The fields of a tool that the conversion uses, with the signatures of its functions. */
interface RunnableTool {
  readonly description?: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly strict?: boolean
  readonly requireApproval?:
    | boolean
    | ((input: unknown, options: { readonly requestContext: unknown }) => boolean | Promise<boolean>)
  execute?(input: unknown, context: unknown): Promise<unknown>
  toModelOutput?(output: unknown): unknown
  onInputAvailable?(options: Readonly<Record<string, unknown>>): unknown
  onOutput?(options: Readonly<Record<string, unknown>>): unknown
}

interface Call {
  readonly args: unknown
  readonly ctx: ToolContext
  readonly facts: CallFacts
}

async function run(name: string, tool: RunnableTool, call: Call): Promise<Returned> {
  const { args, ctx } = call
  const { callId: toolCallId, signal: abortSignal } = ctx
  const of = { toolCallId, abortSignal }
  await tool.onInputAvailable?.({ ...of, input: args, messages: toAiSdkMessages(call.facts.messages) })
  const output = await tool.execute?.(...argumentsFor(name, tool, call))
  if (isValidationError(output)) throw new ToolError(output.message)
  await tool.onOutput?.({ ...of, output, toolName: name })
  if (!tool.toModelOutput) return { result: output }
  return { result: output, shown: readModelOutput(await tool.toModelOutput(output)) }
}

/**
 * Returns the two arguments for `execute`. In Mastra 0, the tool's arguments are the field `context` of the first one.
 */
function argumentsFor(
  name: string,
  tool: RunnableTool,
  { args, ctx, facts }: Call,
): [input: unknown, context: unknown] {
  const { callId: toolCallId, signal: abortSignal, context } = ctx
  const requestContext =
    isRecord(context) && !hasMethod(context, 'get') ? new RequestContext(context) : context
  const suspend = async () => {
    throw suspends(name)
  }
  const writer = writerOf(ctx)
  const messages = toAiSdkMessages(facts.messages)
  if (isVersion0(tool)) {
    const runtimeContext = requestContext ?? new RequestContext({})
    const options = { toolCallId, messages, abortSignal, suspend, writableStream: writer }
    return [{ context: args, runtimeContext, writer, suspend }, options]
  }
  const agent = { agentId: facts.agent ?? '', toolCallId, messages, suspend }
  const observe = { span: (_name: string, work: () => unknown) => work(), log() {} }
  return [
    args,
    {
      requestContext: requestContext ?? new RequestContext({}),
      abortSignal,
      writer,
      suspend,
      agent,
      observe,
    },
  ]
}

/**
 * Whether a tool was created with Mastra 0, whose tool class lacks the field `mcp`. A plain object is treated as a tool
 * of a later version.
 */
function isVersion0(tool: RunnableTool): boolean {
  return Object.getPrototypeOf(tool) !== Object.prototype && !('mcp' in tool)
}

/** The run's context in the form of Mastra's request context. */
class RequestContext extends Map<string, unknown> {
  constructor(record: Readonly<Record<string, unknown>>) {
    super(Object.entries(record))
  }

  get all(): Record<string, unknown> {
    return Object.fromEntries(this)
  }

  toJSON(): Record<string, unknown> {
    return this.all
  }
}

/** Returns a stream that reports each chunk as progress of the call. */
function writerOf({ progress }: ToolContext): WritableStream<unknown> {
  const write = async (chunk: unknown) => progress(chunk)
  return Object.assign(new WritableStream<unknown>({ write }), { write, custom: write })
}

function isValidationError(value: unknown): value is MastraValidationError {
  return (
    isRecord(value) &&
    value.error === true &&
    typeof value.message === 'string' &&
    'validationErrors' in value
  )
}

function suspends(name: string) {
  return unsupported(
    name,
    'suspends its run',
    'Set requireApproval, or omit execute and provide the results yourself',
  )
}
