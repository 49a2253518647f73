import {
  CapstanError,
  jsonSchema,
  type Middleware,
  type RunView,
  type Tool,
  type ToolDefinition,
  tool,
} from '@capstan/core'
import { callsOf, checkOptionNames, suggest, toJsonSchema } from '@capstan/core/internal'
import { type Declared, declarationsOf, linesOf, type Schema } from './declarations.js'
import { warmEngine } from './engine/engine.js'
import { boundKinds, defaultBounds, type ProgramBounds, withBounds } from './engine/program.js'
import { keptIn, type Taint, taintKind } from './kept.js'
import { describeName, programTools } from './program-tools.js'
import { description, makeRunProgram, type RunProgram, runProgramName } from './run-program.js'

/** Which tools programs may call, how the tools are declared to the model, and the bounds of a program. */
export interface CodeModeOptions extends Partial<ProgramBounds> {
  /**
   * The names of the tools that programs may call. Default: all of the agent's tools, except those that middleware
   * adds.
   */
  readonly tools?: readonly string[]
  /** The names of tools that the model may also call directly. Default: none. */
  readonly keep?: readonly string[]
  /**
   * The maximum size of all declarations, in estimated tokens. If the declarations are larger, the model gets one line
   * per tool and calls `describe_tools` for the declarations that it needs. Default: a tenth of the model's
   * `contextTokens`, or 3,200 if it is not set.
   */
  readonly declarationTokens?: number
  /**
   * Which calls need approval after a program has read untrusted text. `run`: all calls that can change data. `values`:
   * only those that depend on untrusted text, through an argument or through a condition under which they are made.
   * Default `run`.
   */
  readonly taint?: Taint
}

/** The middleware that `codeMode` returns, with the tools that it adds to the agent. */
export interface CodeMode extends Middleware {
  readonly tools: readonly [run: RunProgram, describe: DescribeTools]
}

type DescribeTools = Tool<{
  name: typeof describeName
  input: { names: string[] }
  args: { names: string[] }
  result: string
  context: unknown
}>

/**
 * Lets the model write programs instead of making many calls. In requests, the tool `run_program` replaces the tools
 * that programs may call. Each call in a program is validated, checked against policies, approved, recorded and
 * reported like a direct call.
 * @throws CapstanError `invalid_request` for an unknown option or an invalid bound. A run fails with `unknown_tool` if
 * an option names a tool that the agent does not have
 */
export function codeMode(options: CodeModeOptions = {}): CodeMode {
  checkOptionNames(options, optionKinds, { of: 'codeMode' })
  const { tools: chosen, keep = [], declarationTokens, taint = 'run', ...given } = options
  const bounds = withBounds(defaultBounds, given)
  const names: Names = { chosen, keep }
  const toolsOf = (run: RunView) => programTools(run, { chosen, offered: offeredIn(run) })
  const mostTokens = (run: RunView) => declarationTokens ?? (run.model.contextTokens ?? 32_000) / 10
  return {
    name,
    tools: [makeRunProgram({ bounds, taint, toolsOf }), describeTools],
    beforeRun(run) {
      // A program's result contains text from the tools that the program called.
      if (keptIn(run) || run.taintedBy !== undefined || !hasUntrustedResult(run)) return undefined
      return { taintedBy: runProgramName }
    },
    beforeModel(call, run) {
      warmEngine(bounds.memoryMb)
      checkNames(names, run)
      const { names: all } = programTools(run, { chosen })
      const shown = new Map(call.tools.map((one) => [one.function.name, one]))
      // Other middleware, or `prepareStep`, may have removed some tools from the request.
      const callable = all.filter((one) => shown.has(one))
      const isPart = callable.length < all.length
      const text = textFor(declaredTools(callable, run, shown), mostTokens(run))
      const hidden = new Set(callable.filter((one) => !keep.includes(one)))
      if (!text.isIndex) hidden.add(describeName)
      const tools = call.tools
        .filter((one) => !hidden.has(one.function.name))
        .map((one) => (one.function.name === runProgramName ? withDescription(one, text.text) : one))
      if (!isPart && !run.kept[name]) return { tools }
      return { tools, keep: () => ({ [name]: isPart ? { offered: callable } : null }) }
    },
    async wrapTool(call, next, run) {
      if (call.name !== describeName) return next()
      const { names: wanted } = call.arguments as { readonly names: readonly string[] }
      const { names: callable } = toolsOf(run)
      const missing = wanted.filter((one) => !callable.includes(one))
      const found = declaredTools(
        wanted.filter((one) => callable.includes(one)),
        run,
        new Map(),
      )
      const lines = missing.map((one) => unknownLine(one, callable))
      const content = [found.length > 0 ? declarationsOf(found) : '', ...lines].filter(Boolean).join('\n')
      return { status: 'ok', content, result: content, ms: 0 }
    },
  }
}

/**
 * The middleware's name, which is also the name of its stored state: if a request does not contain all tools, the state
 * contains the names of those that it does contain.
 */
const name = 'code-mode'

function offeredIn({ kept }: RunView): readonly string[] | undefined {
  const { offered } = Object(kept[name]) as { readonly offered?: readonly string[] }
  return offered
}

const optionKinds = {
  tools: ['an array of tool names', areNames],
  keep: ['an array of tool names', areNames],
  declarationTokens: ['a number of at least 0', (value: unknown) => typeof value === 'number' && value >= 0],
  taint: taintKind,
  ...boundKinds,
} as const satisfies Record<keyof CodeModeOptions, unknown>

function areNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

interface Names {
  readonly chosen: readonly string[] | undefined
  readonly keep: readonly string[]
}

/** @throws CapstanError `unknown_tool` if the options name a tool that the agent does not have */
function checkNames({ chosen = [], keep }: Names, { toolset }: RunView): void {
  for (const name of [...chosen, ...keep]) {
    if (toolset.get(name)) continue
    const near = suggest(name, toolset.names)
    const message = `codeMode names the tool "${name}", which its agent does not have.${near ? ` Did you mean "${near}"?` : ''}`
    throw new CapstanError('unknown_tool', message, { evidence: { name } })
  }
}

function declaredTools(
  names: readonly string[],
  { toolset, context }: RunView,
  shown: ReadonlyMap<string, ToolDefinition>,
): readonly Declared[] {
  return names.flatMap((name): Declared | readonly [] => {
    const tool = toolset.get(name)
    if (!tool) return []
    // Prefers definitions whose descriptions were written for this run.
    const written = shown.get(name) ?? toolset.describe?.(context).find((one) => one.function.name === name)
    return { definition: written ?? tool.definition, output: outputOf(tool) }
  })
}

const outputs = new WeakMap<Tool, Schema | undefined>()

/** Returns the JSON Schema of a tool's results. Undefined if the tool declares none. */
function outputOf(tool: Tool): Schema | undefined {
  if (outputs.has(tool)) return outputs.get(tool)
  let schema: Schema | undefined
  try {
    if (tool.output) schema = toJsonSchema(tool.output, tool.name)
    else if (tool.toInput && tool.agent?.hasOutput === false) schema = { type: 'string' }
  } catch {
    // JSON Schema cannot express this schema.
  }
  outputs.set(tool, schema)
  return schema
}

/**
 * Returns the description of the tools for the model: their declarations, or one line per tool if the declarations
 * exceed `most` estimated tokens.
 */
function textFor(
  tools: readonly Declared[],
  most: number,
): { readonly text: string; readonly isIndex: boolean } {
  const all = declarationsOf(tools)
  // Text for the model.
  if (all.length / 4 <= most) return { text: `The tools:\n${all}`, isIndex: false }
  // Text for the model.
  const text = `The tools and what each does. ${describeName} returns their types: call it before you use one.\n${linesOf(tools)}`
  return { text, isIndex: true }
}

function withDescription(definition: ToolDefinition, tools: string): ToolDefinition {
  return { ...definition, function: { ...definition.function, description: `${description}\n\n${tools}` } }
}

const describeTools: DescribeTools = tool({
  name: describeName,
  description: 'Get the TypeScript declarations of tools, for programs.',
  parameters: jsonSchema<{ names: string[] }>({
    type: 'object',
    properties: { names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 50 } },
    required: ['names'],
    additionalProperties: false,
  }),
  effects: 'read',
  // Never runs. The middleware provides the result instead, because only it has access to the run's tools.
  execute: () => '',
})

function unknownLine(name: string, names: readonly string[]): string {
  const near = suggest(name, names)
  // Text for the model.
  return `Programs cannot call "${name}": there is no such tool.${near ? ` Did you mean "${near}"?` : ''}`
}

/**
 * Whether a run starts with a history that contains program results, and any of the run's agents has untrusted or
 * hosted tools. False for a resumed run, because its state already records what the run has read.
 */
function hasUntrustedResult({ messages, agents, usage }: RunView): boolean {
  if (usage.requests + usage.toolCalls > 0) return false
  const hasProgram = messages.some((one) =>
    callsOf(one).some((call) => call.function.name === runProgramName),
  )
  if (!hasProgram) return false
  return [...agents.values()].some(({ givenTools, toolset }) =>
    [...givenTools, ...toolset.tools].some((one) => one.hosted || one.settings.untrusted),
  )
}
