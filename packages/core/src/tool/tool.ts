import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from '../words/artifact.js'
import { CapstanError } from '../words/error.js'
import type { ToolDefinition } from '../words/message.js'
import { memoryArtifacts } from './memory-artifacts.js'
import { settle } from './settle.js'
import { toParameters } from './to-parameters.js'
import type { ToolContext } from './tool-context.js'
import { validate } from './validate.js'

/** What a tool's types are: the schema's input and output, the function's result, the context it asks for. */
export interface ToolTypes {
  readonly name: string
  readonly input: unknown
  readonly args: unknown
  readonly result: unknown
  readonly context: unknown
}

export interface ToolSettings {
  /** Deadline of one call in milliseconds, from when its function starts. Default: none. */
  readonly timeoutMs?: number
  /** Calls of this tool at one time, over all runs. Default: no bound of its own. */
  readonly concurrency?: number
  /** Calls in a row with arguments that do not fit, or of a cut answer, before the run ends as stuck. Default 3. */
  readonly maxRejections?: number
  /** Asks the server to hold the model to the schema. Default false. */
  readonly strict?: boolean
}

export interface ToolOptions<Name extends string, Schema extends StandardSchemaV1, Result, Context>
  extends ToolSettings {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: Name
  /** What the tool does and when to use it: the model chooses by this. */
  readonly description: string
  /** An object schema: zod 4, zod 3, another Standard Schema that can say its JSON Schema, or `jsonSchema({...})`. */
  readonly parameters: Schema
  /** Runs the tool. A generator reports what it yields as progress and returns the result. */
  execute(
    args: StandardSchemaV1.InferOutput<Schema>,
    ctx: ToolContext<Context>,
  ): Result | Promise<Result> | AsyncGenerator<unknown, Result>
}

export interface CallOptions<Context = unknown> {
  readonly context?: Context
  /** Default: a memory store of this call's own. */
  readonly artifacts?: ArtifactStore
  readonly signal?: AbortSignal
}

/** A typed function that a model may call. */
export interface Tool<Types extends ToolTypes = ToolTypes> {
  readonly name: Types['name']
  readonly parameters: StandardSchemaV1
  readonly settings: ToolSettings
  /** The tool as requests show it to the model. */
  readonly definition: ToolDefinition
  execute(args: Types['args'], ctx: ToolContext<Types['context']>): unknown
  /** The plain function: checks the arguments, runs, returns. @throws CapstanError `invalid_arguments` */
  call(args: Types['input'], options?: CallOptions<Types['context']>): Promise<Types['result']>
  /** Types only; never there at run time. */
  readonly '~types'?: Types
}

/**
 * Defines a tool; its types follow from the schema and the function.
 * @throws CapstanError `invalid_tool` for a name that servers refuse or a schema that JSON cannot express
 */
export function tool<const Name extends string, Schema extends StandardSchemaV1, Result, Context = unknown>(
  options: ToolOptions<Name, Schema, Result, Context>,
): Tool<{
  name: Name
  input: StandardSchemaV1.InferInput<Schema>
  args: StandardSchemaV1.InferOutput<Schema>
  result: Result
  context: Context
}> {
  const { name, description, parameters, execute, ...settings } = options
  checkName(name)
  checkSettings(name, settings)
  return {
    name,
    parameters,
    settings,
    definition: toDefinition(options),
    execute: (args, ctx) => execute(args as never, ctx),
    async call(
      input,
      { context, artifacts = memoryArtifacts(), signal = new AbortController().signal } = {},
    ) {
      const checked = await validate(parameters, input)
      if (!checked.ok) {
        throw new CapstanError(
          'invalid_arguments',
          `Invalid arguments for "${name}": ${checked.issues.join('; ')}.`,
          {
            evidence: { tool: name, issues: checked.issues },
          },
        )
      }
      const id = `call_${crypto.randomUUID()}`
      const ids = { runId: id, callId: id, idempotencyKey: id, step: 0 }
      const ctx = { context: context as Context, signal, artifacts, progress: ignore, ...ids }
      return (await settle(execute(checked.value as never, ctx), ignore, signal)) as Result
    },
  }
}

function checkName(name: string): void {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return
  const message = `"${name}" is no tool name that servers accept: use 1 to 64 letters, digits, "_" and "-".`
  throw new CapstanError('invalid_tool', message, { evidence: { name } })
}

function checkSettings(name: string, { timeoutMs = 1, concurrency = 1 }: ToolSettings): void {
  // A timer that is asked to wait longer than this does not wait at all.
  const isTime = timeoutMs > 0 && timeoutMs < 2 ** 31
  if (isTime && Number.isInteger(concurrency) && concurrency > 0) return
  const message = isTime
    ? `concurrency of tool "${name}" is ${concurrency}: use a whole number from 1 up, or leave it out for no bound.`
    : `timeoutMs of tool "${name}" is ${timeoutMs}: use 1 to ${2 ** 31 - 1}, or leave it out for no deadline.`
  throw new CapstanError('invalid_tool', message, { evidence: { name, timeoutMs, concurrency } })
}

function toDefinition(options: ToolOptions<string, StandardSchemaV1, unknown, unknown>): ToolDefinition {
  const { name, description, parameters, strict } = options
  const shown = {
    name,
    description,
    parameters: toParameters(parameters, name),
    ...(strict ? { strict } : {}),
  }
  return Object.freeze({ type: 'function', function: Object.freeze(shown) })
}

function ignore(): void {}
