import { type AnyTool, type StandardSchemaV1, type Tool, type ToolContext, ToolError } from '@capstan/core'
import {
  type CallFacts,
  checkOptions,
  type FrameworkToolsOptions,
  hostedError,
  listOf,
  notTheirs,
  type Returned,
  toTool,
  unsupported,
} from './foreign-tool.js'
import type { Stored } from './media.js'
import { hasMethod, isRecord } from './records.js'
import { toSchema, unparsed } from './schema.js'

/** A structured tool from LangChain, created with `tool()`, `DynamicStructuredTool` or your own class. */
export interface LangchainTool {
  readonly name: string
  readonly description?: string | undefined
  readonly schema: unknown
  readonly returnDirect?: boolean | undefined
  readonly responseFormat?: string | undefined
  invoke(input: never, config?: never): Promise<unknown>
}

/** The result of a tool with `responseFormat: 'content_and_artifact'`. The model gets only the content. */
export interface ContentAndArtifact {
  readonly content: unknown
  readonly artifact: unknown
}

/** The types of converted tools, as if each had been created with Capstan's `tool()`. */
export type FromLangchainTools<List extends readonly LangchainTool[]> = {
  [At in keyof List]: FromLangchainTool<List[At]>
}

type FromLangchainTool<Given extends LangchainTool> = Tool<{
  name: Given['name']
  input: ArgumentsOf<Given['schema']>
  args: Record<string, unknown>
  result: ResultOf<Given>
  context: unknown
}>

type ArgumentsOf<Schema> = 0 extends 1 & Schema
  ? Record<string, unknown>
  : Schema extends StandardSchemaV1
    ? StandardSchemaV1.InferInput<Schema>
    : Record<string, unknown>

/**
 * The type of a tool's result. An array may also be a pair of content and artifact, because the types do not show the
 * value of `responseFormat`.
 */
type ResultOf<Given> = Given extends { func(...args: never): infer Returned }
  ? Settled<Returned> extends infer Value
    ? 0 extends 1 & Value
      ? unknown
      : Value extends readonly unknown[]
        ? Stored<Value> | ContentAndArtifact
        : Stored<Value>
    : never
  : unknown

type Settled<Returned> = Returned extends AsyncGenerator<unknown, infer Value> ? Value : Awaited<Returned>

/**
 * Converts LangChain tools for use in an agent.
 * @throws CapstanError `unsupported` for a tool that runs on a provider's server, `invalid_tool` for a value that is
 * not a tool, or for a name or schema that servers reject
 */
export function fromLangchainTools<const List extends readonly LangchainTool[]>(
  tools: List,
  options: FrameworkToolsOptions = {},
): FromLangchainTools<List> {
  checkOptions(options, 'fromLangchainTools')
  const made = listOf(tools, 'fromLangchainTools').map((given) => toOurs(given, options))
  return made as readonly AnyTool[] as FromLangchainTools<List>
}

function toOurs(value: unknown, options: FrameworkToolsOptions): AnyTool {
  const { name, type, schema } = Object(value) as Readonly<Record<string, unknown>>
  if (!hasMethod(value, 'invoke')) {
    if (typeof type === 'string' && type !== 'function') throw hostedError(String(name ?? type), type)
    throw notTheirs(
      String(name ?? value),
      'LangChain',
      'Create it with tool(fn, { name, schema }) from "langchain"',
    )
  }
  if (typeof name !== 'string' || !schema)
    throw notTheirs(String(name), 'LangChain', 'It needs a name and a schema')
  const given = value as unknown as RunnableTool
  return toTool(
    {
      name,
      description: given.description || name,
      parameters: unparsed(toSchema(schema, name), name),
      settings: { ...(given.returnDirect === true && { returnDirect: true }) },
      run: (args, ctx, facts) => run(given, args as Record<string, unknown>, ctx, facts),
    },
    options,
  )
}

/** The fields of a tool that the conversion uses, with the signature of its function. */
interface RunnableTool {
  readonly name: string
  readonly description?: string
  readonly returnDirect?: boolean
  readonly responseFormat?: string
  invoke(
    input: Readonly<Record<string, unknown>>,
    config: Readonly<Record<string, unknown>>,
  ): Promise<unknown>
}

async function run(
  tool: RunnableTool,
  args: Readonly<Record<string, unknown>>,
  ctx: ToolContext,
  { messages }: CallFacts,
): Promise<Returned> {
  const { context, signal, callId, progress } = ctx
  const configurable = isRecord(context) ? context : {}
  const config = {
    signal,
    context,
    configurable,
    toolCallId: callId,
    config: { configurable, context, signal },
    state: { messages },
    writer: progress,
    // Gets the values that the function yields.
    callbacks: [{ handleToolEvent: (event: unknown) => progress(event) }],
  }
  // If invoked with a call, LangChain returns a tool message. The message contains the artifact, but any other result
  // as text.
  const isPair = tool.responseFormat === 'content_and_artifact'
  const call = { type: 'tool_call', id: callId, name: tool.name, args }
  const returned = await tool.invoke(isPair ? call : args, config)
  if (Object(returned).lg_name === 'Command')
    throw unsupported(tool.name, 'returned a Command, which changes the state of a graph', 'Return a value')
  return isMessage(returned) ? ofMessage(returned) : { result: returned }
}

interface ToolMessage {
  readonly content: unknown
  readonly artifact?: unknown
  readonly status?: string
}

function isMessage(value: unknown): value is ToolMessage {
  return Object(value).lc_direct_tool_output === true && 'content' in Object(value)
}

function ofMessage({ content, artifact, status }: ToolMessage): Returned {
  if (status === 'error') throw new ToolError(typeof content === 'string' ? content : JSON.stringify(content))
  return artifact === undefined ? { result: content } : { result: { content, artifact }, shown: content }
}
