import { type AnyToolCall, CapstanError, jsonSchema, type Tool, tool } from '@capstan/core'
import { checkRequiredOption, isRecord } from '@capstan/core/internal'
import { boundKinds, defaultBounds, type ProgramBounds, withBounds } from './engine/program.js'
import { type Taint, taintKind } from './kept.js'
import { replaceLiterals } from './literals.js'
import { ownNames, programTools } from './program-tools.js'
import {
  asPrograms,
  boundsOfPrograms,
  type ProgramResult,
  runProgramName,
  runsInRuns,
  withoutFence,
} from './run-program.js'

type Parameters = Readonly<Record<string, string | number | boolean>>

/** The types of the parameters that replace literals. */
type ValuesFor<Literals extends Parameters> = {
  -readonly [Name in keyof Literals]: Literals[Name] extends string
    ? string
    : Literals[Name] extends number
      ? number
      : boolean
}

export type SavedProgram<Name extends string, Literals extends Parameters> = Tool<{
  name: Name
  input: ValuesFor<Literals>
  args: ValuesFor<Literals>
  result: ProgramResult
  context: unknown
}>

/**
 * Settings for the new tool, and the literals that become its parameters. A bound that is set applies in every agent.
 * Default: the bound in the agent's `codeMode`, or the default of `codeMode` if the agent has no code mode.
 */
export interface SaveOptions<Name extends string = string, Literals extends Parameters = Parameters>
  extends Partial<ProgramBounds> {
  /** The name of the new tool. */
  readonly name: Name
  readonly description: string
  /**
   * The parameters, each with the literal that it replaces: `{ city: 'Oslo' }`. Every equal literal in the program is
   * replaced, so two parameters cannot have the same literal. Keys, directives and tagged templates are not literals. The
   * literal determines the parameter's type.
   */
  readonly parameters: Literals
  /** The id of the call that ran the program. Default: the call of the last successful program. */
  readonly callId?: string
  /** Which calls need approval after the program has read untrusted text, as in `codeMode`. Default `run`. */
  readonly taint?: Taint
}

/**
 * Returns a tool that runs a successful program again, with different values for some of its literals. Policies apply
 * to its calls as to the calls of any program. The agent needs the tools that the program calls, but does not need code
 * mode.
 * @throws CapstanError `not_found` if the result does not contain the program, or the program does not contain a
 * parameter's literal; `invalid_request` for an unknown option, an invalid bound, or two parameters with the same
 * literal; `invalid_tool` for an invalid name or an empty description; `unsupported` if the program does not parse
 */
export function saveProgram<const Name extends string, const Literals extends Parameters>(
  result: Finished,
  options: SaveOptions<Name, Literals>,
): SavedProgram<Name, Literals> {
  const kinds = {
    name: 'a string',
    description: 'a string',
    parameters: 'an object',
    callId: 'a string',
    taint: taintKind,
    ...boundKinds,
  } as const
  checkRequiredOption(options, kinds, { of: 'saveProgram', required: 'parameters' })
  const { name, description, parameters, callId, taint = 'run', ...bounds } = options
  const toSource = replaceLiterals(sourceOf(result, callId), parameters)
  const types = Object.entries(parameters).map(([key, literal]) => [key, { type: typeof literal }])
  const made = tool({
    name,
    description,
    parameters: jsonSchema({
      type: 'object',
      properties: Object.fromEntries(types),
      required: Object.keys(parameters),
      additionalProperties: false,
    }),
    effects: 'read',
    execute: runsInRuns,
  })
  const saved = asPrograms(made as unknown as Tool, {
    boundsOf: (run) => withBounds(boundsOfPrograms(run) ?? defaultBounds, bounds),
    taint,
    isSaved: true,
    toSource,
    toolsOf: (run) => programTools(run, { own: [...ownNames, name] }),
  })
  return saved as unknown as SavedProgram<Name, Literals>
}

interface Finished {
  readonly toolCalls: readonly AnyToolCall[]
}

function sourceOf({ toolCalls }: Finished, callId: string | undefined): string {
  const found = toolCalls.findLast((one) =>
    callId === undefined ? one.name === runProgramName && one.status === 'ok' : one.callId === callId,
  )
  const code = isRecord(found?.arguments) ? found.arguments.code : undefined
  if (typeof code === 'string') return withoutFence(code)
  const which =
    callId === undefined ? 'contains no program that succeeded' : `contains no program "${callId}"`
  throw new CapstanError(
    'not_found',
    `saveProgram: the result ${which}. Pass the result of the run that executed the program.`,
  )
}
