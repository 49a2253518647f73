import type { StandardSchemaV1 } from '@standard-schema/spec'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import { ignore, withDeadline } from '../async.js'
import { CapstanError } from '../errors.js'
import { isFunction, withoutUndefined } from '../json.js'

import type { AnyTool, Tool, Toolset, ToolTypes } from '../run/middleware.js'
import { toParameters } from './to-json-schema.js'
import {
  type CallOptions,
  checkDescription,
  checkToolOptions,
  invalidTool,
  notATool,
  type ToolContext,
  type ToolOptions,
  type ToolSettings,
} from './tool-options.js'
import { settle, validate, withOutput } from './validate.js'

export type {
  AnyTool,
  RunningCall,
  Tool,
  ToolOutcome,
  Toolset,
  ToolTypes,
} from '../run/middleware.js'
export type {
  CallOptions,
  Rate,
  RateLimit,
  RateQueue,
  ToolContext,
  ToolOptions,
  ToolSettings,
} from './tool-options.js'

type TypesOf<T> = T extends { readonly '~types'?: infer Types | undefined }
  ? Extract<Types, ToolTypes>
  : never

/** A tool's name as a literal type. */
export type NameOf<T extends AnyTool> = TypesOf<T>['name']
/** A tool's arguments as the model writes them: the schema's input type. */
export type ArgumentsOf<T extends AnyTool> = TypesOf<T>['input']
/** A tool's result type: the output of its `output` schema, or what its function returns. */
export type ResultOf<T extends AnyTool> = TypesOf<T>['result']

/** The context type that satisfies all of the tools; `unknown` if none of them declares one. */
export type ContextOf<Tools extends readonly AnyTool[]> = Intersection<
  { [K in keyof Tools]: Asking<Tools[K]> }[number]
>

/** Distributes over a union of tools, because an array's element type is a union. */
type Asking<T> = T extends AnyTool ? { asks: TypesOf<T>['context'] } : never

type Intersection<U> = [U] extends [never]
  ? unknown
  : (U extends { asks: infer C } ? (context: C) => void : never) extends (context: infer I) => void
    ? I
    : unknown

/**
 * Prevents TypeScript from inferring the type from where the tool is used, such as an agent's `tools`, which accept any
 * result. `NoInfer` would remain visible in the tool's type.
 */
type NotFromContext<Type> = [Type][Type extends unknown ? 0 : never]

/**
 * Defines a tool. The tool's types are inferred from the schema and the function.
 * @throws CapstanError `invalid_tool` for a name that servers reject, an empty description, an invalid option, or a
 * schema that JSON Schema cannot express
 */
export function tool<
  const Name extends string,
  Schema extends StandardSchemaV1,
  Result,
  Context = unknown,
  Output = Result,
>(
  options: ToolOptions<Name, Schema, Result, Context, Output>,
): Tool<{
  name: Name
  input: StandardSchemaV1.InferInput<Schema>
  args: StandardSchemaV1.InferOutput<Schema>
  result: NotFromContext<Output>
  context: Context
}> {
  checkToolOptions({ ...options })
  // The cast is safe: the function is called only with validated arguments, and in a run that has the context.
  const { name, ...given } = options
  const { description, parameters, execute, output, toModel, ...settings } = given as unknown as AnyOptions
  const run = execute && output ? withOutput(name, execute, output) : execute
  const isComputed = isFunction(description)
  const { strict } = settings
  const wire = {
    name,
    description: isComputed ? '' : description,
    parameters: toParameters(parameters, name),
    ...(strict && { strict }),
  }
  const made = {
    name,
    description: wire.description,
    parameters,
    settings,
    definition: Object.freeze({ type: 'function', function: Object.freeze(wire) } as const),
    ...withoutUndefined({ execute: run, output, toModel, describe: isComputed ? description : undefined }),
  }
  return { ...made, call: (input, ...[given]) => callDirectly(made, input, given) as Promise<Output> }
}

type AnyOptions = ToolOptions<string, StandardSchemaV1, unknown, unknown>

/** The part of a tool that a direct call needs. */
interface Callable {
  readonly name: string
  readonly parameters: StandardSchemaV1
  readonly settings: ToolSettings
  readonly execute?: (args: unknown, ctx: ToolContext) => unknown
}

/** Calls a tool's function without a run. Arguments are validated, and the tool's timeout applies. */
async function callDirectly(
  { name, parameters, settings: { timeoutMs }, execute }: Callable,
  input: unknown,
  { context, artifacts = memoryArtifacts(), signal: given = new AbortController().signal }: CallOptions = {},
): Promise<unknown> {
  if (!execute) {
    const message = `"${name}" has no execute, so it cannot be called directly.`
    throw new CapstanError('unsupported', message, { evidence: { tool: name } })
  }
  const checked = await validate(parameters, input)
  if (checked.issues) {
    const message = `Invalid arguments for "${name}": ${checked.issues.join('; ')}.`
    throw new CapstanError('invalid_arguments', message, { evidence: { tool: name, issues: checked.issues } })
  }
  const id = `call_${crypto.randomUUID()}`
  const ids = { runId: id, callId: id, idempotencyKey: id, step: 0 }
  given.throwIfAborted()
  return withDeadline(given, { name, timeoutMs }, async (signal) => {
    const ctx = { context, signal, artifacts, progress: ignore, spend: async () => {}, ...ids }
    return settle(execute(checked.value, ctx), ignore, signal)
  }).result
}

/**
 * Collects the tools of an agent or a run.
 * @throws CapstanError `invalid_tool` for two tools with the same name, or a value that is not a tool
 */
export function toToolset(tools: readonly Tool[]): Toolset {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (!tool?.definition) throw notATool(tool)
    if (byName.has(tool.name)) {
      throw invalidTool(tool.name, `Duplicate tool name "${tool.name}". Rename one`)
    }
    byName.set(tool.name, tool)
  }
  const definitions = tools.map((tool) => tool.definition)
  return {
    tools,
    names: [...byName.keys()],
    definitions,
    describe: tools.some(({ describe }) => describe)
      ? (context) =>
          tools.map(({ name, definition, describe }) => {
            if (!describe) return definition
            const description = describe(context)
            checkDescription(name, description)
            return { ...definition, function: { ...definition.function, description } }
          })
      : undefined,
    get: byName.get.bind(byName),
  }
}
