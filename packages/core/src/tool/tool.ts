import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ToolDefinition } from '../words/message.js'
import { checkOptions } from './check-options.js'
import { type CallArgument, plainCall } from './plain-call.js'
import { toParameters } from './to-parameters.js'
import type { ToolContext } from './tool-context.js'
import type { ToolSettings } from './tool-settings.js'

/** What a tool's types are: the schema's input and output, the function's result, the context it asks for. */
export interface ToolTypes {
  readonly name: string
  readonly input: unknown
  readonly args: unknown
  readonly result: unknown
  readonly context: unknown
}

/** What `tool(...)` takes. */
export interface ToolOptions<Name extends string, Schema extends StandardSchemaV1, Result, Context>
  extends ToolSettings<StandardSchemaV1.InferOutput<Schema>> {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: Name
  /** What the tool does and when to use it: the model chooses by this. */
  readonly description: string
  /** An object schema: zod 4, zod 3, another Standard Schema that can say its JSON Schema, or `jsonSchema({...})`. */
  readonly parameters: Schema
  /**
   * Runs the tool. A generator reports what it yields as progress and returns the result. Without it the caller
   * answers the calls: the run ends as pending.
   */
  execute?(
    args: StandardSchemaV1.InferOutput<Schema>,
    ctx: ToolContext<Context>,
  ): Result | Promise<Result> | AsyncGenerator<unknown, Result> | Generator<unknown, Result>
}

/** An agent as a tool. */
export interface ChildTool {
  /** Its name, known to the run. */
  readonly agent: string
  /** What it is told of a call. */
  toInput(args: unknown): string
}

/** A typed function that a model may call. */
export interface Tool<Types extends ToolTypes = ToolTypes> {
  /** What the model calls it by. */
  readonly name: Types['name']
  /** The schema that arguments are checked against. */
  readonly parameters: StandardSchemaV1
  readonly settings: ToolSettings
  /** The tool as requests show it to the model. */
  readonly definition: ToolDefinition
  /** The function itself, for arguments that were checked; absent where the caller answers. */
  execute?(args: Types['args'], ctx: ToolContext<Types['context']>): unknown
  /**
   * The plain function: checks the arguments, runs to the tool's deadline, returns. Its calls take no slot: the
   * tool's `concurrency` and `rate` bound runs. @throws CapstanError `invalid_arguments`, `timeout`, `unsupported`
   * without a function, or the signal's reason
   */
  call(args: Types['input'], ...options: CallArgument<Types['context']>): Promise<Types['result']>
  /** The agent that answers the calls, in place of a function. */
  readonly child?: ChildTool
  /** The agent that goes on with the conversation after a call. */
  readonly handoff?: string
  /** The id of the artifact whose text a call gives back: the result is as little trusted as that text. */
  reads?(args: unknown): string
  /** Whether its name is known at run time only: results call its calls dynamic. */
  readonly isDynamic?: boolean
  /** Types only; never there at run time. */
  readonly '~types'?: Types
}

/**
 * Defines a tool; its types follow from the schema and the function.
 * @throws CapstanError `invalid_tool` for a name that servers refuse, an option that cannot be kept, or a schema that
 * JSON cannot express
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
  checkOptions({ ...options }, Object.keys(known))
  const { name, description, parameters, execute, ...settings } = options
  const { timeoutMs, strict = false } = settings
  // Only ever called with arguments that the schema let pass, in a run that has the context.
  const run =
    execute && ((args: unknown, ctx: ToolContext) => execute(args as never, ctx as ToolContext<Context>))
  return {
    name,
    parameters,
    settings: settings as ToolSettings,
    definition: toDefinition({ name, description, parameters, strict }),
    ...(run ? { execute: run } : {}),
    call: (input, ...[given]) =>
      plainCall({ name, parameters, timeoutMs, execute: run }, input, given) as Promise<Result>,
  }
}

/** Every option by its name: the compiler finds one that is missing here. */
const known: Readonly<Record<keyof ToolOptions<string, StandardSchemaV1, unknown, unknown>, true>> = {
  name: true,
  description: true,
  parameters: true,
  execute: true,
  timeoutMs: true,
  concurrency: true,
  rate: true,
  effects: true,
  needsApproval: true,
  untrusted: true,
  returnDirect: true,
  show: true,
  maxResultBytes: true,
  maxRejections: true,
  strict: true,
}

type DefinitionOptions = Pick<
  ToolOptions<string, StandardSchemaV1, unknown, unknown>,
  'name' | 'description' | 'parameters' | 'strict'
>

function toDefinition({ name, description, parameters, strict }: DefinitionOptions): ToolDefinition {
  const shown = {
    name,
    description,
    parameters: toParameters(parameters, name),
    ...(strict ? { strict } : {}),
  }
  return Object.freeze({ type: 'function', function: Object.freeze(shown) })
}
