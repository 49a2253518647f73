import { type AnyTool, jsonSchema, type Tool, type ToolContext, ToolError } from '@capstan/core'
import {
  type CallFacts,
  checkOptions,
  type FrameworkToolsOptions,
  factsOf,
  hostedError,
  listOf,
  notTheirs,
  type Returned,
  toTool,
} from './foreign-tool.js'
import type { Stored } from './media.js'

/** A function tool from the OpenAI Agents SDK, created with `tool()`. */
export interface AgentsTool {
  readonly type: string
  readonly name: string
}

/** The types of converted tools, as if each had been created with Capstan's `tool()`. */
export type FromAgentsTools<List extends readonly AgentsTool[]> = {
  [At in keyof List]: Tool<{
    name: List[At]['name']
    input: Record<string, unknown>
    args: Record<string, unknown>
    result: ResultOf<List[At]>
    context: ContextOf<List[At]>
  }>
}

/** The type of a tool's result. If the tool fails, `invoke` may return the error as text instead. */
type ResultOf<Given> = Given extends { invoke(...args: never): Promise<infer Result> }
  ? Stored<Result>
  : unknown

type ContextOf<Given> = Given extends { invoke(runContext: infer Run, ...rest: never): unknown }
  ? Run extends { context: infer Context }
    ? Context
    : unknown
  : unknown

/**
 * Converts function tools from the OpenAI Agents SDK for use in an agent. Their guardrails run for each call.
 * @throws CapstanError `unsupported` for a tool that runs on a server or in the SDK's runner, `invalid_tool` for a
 * value that is not a tool
 */
export function fromAgentsTools<const List extends readonly AgentsTool[]>(
  tools: List,
  options: FrameworkToolsOptions = {},
): FromAgentsTools<List> {
  checkOptions(options, 'fromAgentsTools')
  const made = listOf(tools, 'fromAgentsTools').map((given) => toOurs(given, options))
  return made as readonly AnyTool[] as FromAgentsTools<List>
}

function toOurs(value: unknown, options: FrameworkToolsOptions): AnyTool {
  const { type, name, invoke } = Object(value) as Readonly<Record<string, unknown>>
  if (typeof type === 'string' && type !== 'function') throw hostedError(String(name), type)
  if (typeof name !== 'string' || typeof invoke !== 'function')
    throw notTheirs(
      String(name ?? value),
      'the OpenAI Agents SDK',
      'Create it with tool({ ... }) from "@openai/agents"',
    )
  const given = value as RunnableTool
  const { description, parameters, strict, needsApproval, isEnabled } = given
  return toTool(
    {
      name,
      description: description || name,
      parameters: jsonSchema<Record<string, unknown>>(parameters),
      settings: {
        ...(strict === true && { strict }),
        ...(needsApproval && {
          needsApproval: async (args, { context }) =>
            needsApproval(toRunContext(context), args, factsOf(args).callId),
        }),
      },
      ...(isEnabled && {
        isEnabled: ({ context, agent }) => isEnabled(toRunContext(context), { name: agent }),
      }),
      run: (args, ctx, facts) => run(given, args, ctx, facts),
    },
    options,
  )
}

/** The fields of a tool that the conversion uses, with the signatures of its functions. */
interface RunnableTool {
  readonly type: 'function'
  readonly name: string
  readonly description?: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly strict?: boolean
  needsApproval?(runContext: RunContext, args: unknown, callId: string | undefined): Promise<boolean>
  isEnabled?(runContext: RunContext, agent: unknown): Promise<boolean>
  invoke(
    runContext: RunContext,
    input: string,
    details: { readonly toolCall: FunctionCall; readonly signal: AbortSignal },
  ): Promise<unknown>
  readonly inputGuardrails?: readonly Guardrail[]
  readonly outputGuardrails?: readonly Guardrail[]
}

interface RunContext {
  readonly context: unknown
  readonly usage: Readonly<Record<string, number>>
}

interface FunctionCall {
  readonly type: 'function_call'
  readonly callId: string
  readonly name: string
  readonly arguments: string
  readonly status: 'completed'
}

interface Guardrail {
  readonly name: string
  run(
    data: GuardrailData,
  ): Promise<{ readonly behavior: { readonly type: string; readonly message?: string } }>
}

interface GuardrailData {
  readonly context: RunContext
  readonly agent: unknown
  readonly toolCall: FunctionCall
  readonly output?: unknown
}

function toRunContext(context: unknown): RunContext {
  const usage = { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  return { context: context ?? {}, usage }
}

async function run(
  tool: RunnableTool,
  args: unknown,
  ctx: ToolContext,
  { agent = '' }: CallFacts,
): Promise<Returned> {
  const { name } = tool
  const input = JSON.stringify(args)
  const toolCall = {
    type: 'function_call',
    callId: ctx.callId,
    name,
    arguments: input,
    status: 'completed',
  } as const
  const data = { context: toRunContext(ctx.context), agent: { name: agent }, toolCall }
  const rejected = await judge(tool.inputGuardrails, data)
  if (rejected !== undefined) return { result: rejected }
  const output = await tool.invoke(data.context, input, { toolCall, signal: ctx.signal })
  return { result: (await judge(tool.outputGuardrails, { ...data, output })) ?? output }
}

/**
 * Runs guardrails in order. Returns the message of the first one that rejects the call or its output. Undefined if none
 * does.
 * @throws ToolError if a guardrail decides to throw
 */
async function judge(
  guardrails: readonly Guardrail[] = [],
  data: GuardrailData,
): Promise<string | undefined> {
  for (const one of guardrails) {
    const { behavior } = await one.run(data)
    if (behavior.type === 'rejectContent') return behavior.message ?? ''
    if (behavior.type === 'throwException')
      throw new ToolError(`The guardrail "${one.name}" stopped this call.`)
  }
  return undefined
}
