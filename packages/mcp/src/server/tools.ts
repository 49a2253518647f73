import {
  Agent,
  type AnyAgent,
  type AnyTool,
  type ArtifactStore,
  CapstanError,
  type ChatModel,
  type Run,
  type RunOptions,
  type RunResult,
  type ToolSettings,
  without,
} from '@capstan/core'
import { kindOf, notATool } from '@capstan/core/internal'
import type { Tool as ListOptions } from '@modelcontextprotocol/server'
import type { Served } from './options.js'

/** A tool or an agent that clients can call. */
export interface ServedTool {
  readonly listing: ListOptions
  readonly artifacts: ArtifactStore
  /**
   * Starts a run for a call.
   * @throws CapstanError `invalid_arguments` if a call to an agent has no `input` in its arguments
   */
  start(args: Readonly<Record<string, unknown>>, options: StartOptions): Run<RunResult>
  /** Converts a run's result to the output for the client. */
  toOutput(result: RunResult): ToolOutput
}

type StartOptions = RunOptions<never>

export interface ToolOutput {
  readonly text: string
  readonly isError: boolean
  /** The structured result, if there is one. */
  readonly value?: unknown
  /** Whether the client was given a schema that `value` matches. */
  readonly isDeclared?: boolean
}

/**
 * Checks the types of the served values, because JavaScript callers can pass anything.
 * @throws CapstanError `invalid_request` or `invalid_tool`
 */
export function checkServed(served: Served): void {
  if (typeof Object(served).prepare === 'function') return
  if (!Array.isArray(served)) {
    const message = `mcpServer takes an agent, or an array of tools and agents, not ${kindOf(served)}.`
    throw new CapstanError('invalid_request', message)
  }
  for (const one of served) if (!one?.definition && typeof one?.run !== 'function') throw notATool(one)
}

/**
 * Returns the served tools by name.
 * @throws CapstanError `invalid_tool` for a duplicate name or a handoff
 */
export function toServedTools(served: Served, artifacts: ArtifactStore): ReadonlyMap<string, ServedTool> {
  const servedTools = new Map<string, ServedTool>()
  for (const one of 'prepare' in served ? [served] : served) {
    const servedTool = 'definition' in one ? serveTool(one, artifacts) : serveAgent(one)
    const { name } = servedTool.listing
    if (servedTools.has(name))
      throw new CapstanError(
        'invalid_tool',
        `Duplicate tool name "${name}". Rename one of the tools or agents.`,
        {
          evidence: { name },
        },
      )
    servedTools.set(name, servedTool)
  }
  return servedTools
}

function serveAgent(agent: AnyAgent): ServedTool {
  const name = `ask_${agent.name.replace(/[^a-zA-Z0-9_-]+/g, '_')}`.slice(0, 64)
  const inputSchema = {
    type: 'object' as const,
    properties: { input: { type: 'string', description: 'The task, as text' } },
    required: ['input'],
  }
  return {
    listing: { name, description: `Delegate a task to the agent ${agent.name}.`, inputSchema },
    artifacts: agent.artifacts,
    start({ input }, options) {
      if (typeof input === 'string' && input.trim() !== '') return agent.stream(input, options)
      throw new CapstanError('invalid_arguments', `"${name}" needs { "input": "<the task, as text>" }.`)
    },
    toOutput({ stopReason, text, limit, refusal, state }) {
      if (stopReason === 'done' || (stopReason === 'condition' && text !== ''))
        return { text, isError: false, value: state.output }
      const why = `The agent did not finish: ${limit ?? stopReason}.`
      return { text: [why, refusal ?? text].filter((part) => part !== '').join('\n'), isError: true }
    },
  }
}

/**
 * Serves a tool. Each call is a run that makes one tool call, so deadlines, approvals, concurrency limits and progress
 * work as in any other run.
 */
function serveTool(tool: AnyTool, artifacts: ArtifactStore): ServedTool {
  const { name } = tool
  if (tool.middleware?.name === 'handoff') {
    const message = `Tool "${name}" hands the conversation over, so a call would have no result. Serve its agent instead.`
    throw new CapstanError('invalid_tool', message, { evidence: { name } })
  }
  const { description, parameters } = tool.definition.function
  const direct = tool.toInput ? tool : { ...tool, settings: toDirect(tool.settings) }
  const agent = new Agent({
    name: caller,
    model: oneCallModel(name, {}),
    tools: [direct],
    stopWhen: () => true,
    middleware: [without('final-answer')],
    artifacts,
  })
  // The schema for a model omits `$schema`, but a client may need it for validation.
  const { $schema } = writtenSchemaOf(tool.parameters) ?? {}
  const inputSchema = {
    ...($schema === undefined ? {} : { $schema }),
    ...parameters,
  } as ListOptions['inputSchema']
  const outputSchema = outputSchemaOf(tool)
  return {
    listing: { name, description, inputSchema, ...(outputSchema && { outputSchema }) },
    artifacts,
    start: (args, options) =>
      (agent as unknown as AnyAgent).stream(name, {
        ...options,
        model: (own, agent) => (agent === caller ? oneCallModel(name, args) : own),
      }),
    toOutput({ toolCalls: [call] }) {
      const { content = 'The call did not run.', status, result } = call ?? {}
      return {
        text: content,
        isError: status !== 'ok',
        value: result,
        isDeclared: outputSchema !== undefined,
      }
    },
  }
}

/**
 * Returns the schema for a tool's results. Undefined if the results are not objects, or the schema cannot be converted
 * to JSON Schema.
 */
function outputSchemaOf({ output }: AnyTool): ListOptions['outputSchema'] {
  const written = writtenSchemaOf(output)
  if (written) return written.type === 'object' ? (written as ListOptions['outputSchema']) : undefined
  try {
    // Omit `$schema`, because clients that use the 2025 protocol reject this draft's name. The draft is the default
    // anyway.
    const { $schema: _, ...made } = Object(output)['~standard'].jsonSchema.output({ target: 'draft-2020-12' })
    return made.type === 'object' ? made : undefined
  } catch {
    return undefined
  }
}

/** Returns the original schema if it was written as JSON Schema. Undefined otherwise. */
function writtenSchemaOf(given: unknown): Readonly<Record<string, unknown>> | undefined {
  const { '~standard': standard, schema } = Object(given)
  return Object(standard).vendor === 'capstan' ? schema : undefined
}

/**
 * Returns settings for returning a result directly and without a size limit, because the client gets the entire result.
 */
function toDirect({ maxResultBytes: _, ...settings }: ToolSettings): ToolSettings {
  return { ...settings, returnDirect: true }
}

/** The name of the agent whose runs execute clients' calls. No agent in the application has this name. */
const caller = 'client of the server'

function oneCallModel(name: string, args: Readonly<Record<string, unknown>>): ChatModel {
  const call = {
    id: 'call_1',
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }
  return {
    name: 'client',
    complete: async () => ({
      message: { role: 'assistant', content: null, tool_calls: [call] },
      finishReason: 'tool_calls',
    }),
  }
}
