import {
  type CallResult,
  CapstanError,
  jsonSchema,
  type OpenCall,
  type RunState,
  type RunView,
  type Tool,
  tool,
  type Usage,
} from '@capstan/core'
import {
  cancelledResult,
  errorResult,
  hiddenFailure,
  type Outcome,
  rejectedResult,
  remainingLimits,
  stepKey,
  tryJson,
} from '@capstan/core/internal'
import { endedCalls, type ProgramRef } from './ended-calls.js'
import type { ProgramBounds } from './engine/program.js'
import { endOf, type KeptProgram, nameOfRuns, type Taint } from './kept.js'
import { programRuns } from './program-runs.js'
import { reportOf } from './report.js'

export const runProgramName = 'run_program'

/** The result of `run_program`. */
export interface ProgramResult {
  /** The returned value. Absent if the program returned nothing. */
  readonly value?: unknown
  readonly console?: readonly string[]
}

/** The tool `run_program`, which code mode adds. */
export type RunProgram = Tool<{
  name: typeof runProgramName
  input: { code: string }
  args: { code: string }
  result: ProgramResult
  context: unknown
}>

/** The tools that a program may call, and why it cannot call the others. */
export interface ProgramTools {
  readonly names: readonly string[]
  /** The reasons why programs cannot call other tools, by tool name. */
  readonly refused: Readonly<Record<string, string>>
}

/** How a tool runs programs. */
interface ProgramOptions {
  boundsOf(run: RunView): ProgramBounds
  readonly taint: Taint
  /** Returns a program's source, given the call's validated arguments. */
  toSource(args: unknown): string
  /** Whether the programs were saved, so that the tool's arguments do not contain their source. */
  readonly isSaved?: boolean
  toolsOf(run: RunView): ProgramTools
}

interface RunProgramOptions extends Pick<ProgramOptions, 'taint' | 'toolsOf'> {
  readonly bounds: ProgramBounds
}

/** Creates the tool `run_program`. */
export function makeRunProgram({ bounds, ...options }: RunProgramOptions): RunProgram {
  const made = tool({
    name: runProgramName,
    description,
    parameters: jsonSchema<{ code: string }>({
      type: 'object',
      properties: { code: { type: 'string', pattern: '\\S', description: 'The body of an async function' } },
      required: ['code'],
      additionalProperties: false,
    }),
    // The tool itself changes nothing, and each call of a program is judged separately.
    effects: 'read',
    execute: runsInRuns,
  })
  const toSource = (args: unknown) => withoutFence((args as { readonly code: string }).code)
  const own = asPrograms(made as unknown as Tool, { ...options, toSource, boundsOf: () => bounds })
  boundsByTool.set(own, bounds)
  return own as unknown as RunProgram
}

/** The bounds of each `run_program`. */
const boundsByTool = new WeakMap<Tool, ProgramBounds>()

/** Returns the bounds that the agent's code mode sets. Undefined if the agent has no code mode. */
export function boundsOfPrograms({ toolset }: RunView): ProgramBounds | undefined {
  const own = toolset.get(runProgramName)
  return own && boundsByTool.get(own)
}

/**
 * Removes the Markdown fence that some models write around a program, and the text around the fence. If there are
 * several fenced blocks, returns the text unchanged, because any of them could be the program.
 */
export function withoutFence(code: string): string {
  const lines = code.trim().split('\n')
  const marks = lines.map((line) => /^\s*(`{3,}(?!`)|~{3,}(?!~))[^`]*$/.exec(line)?.[1]?.[0])
  const begin = marks.findIndex((mark) => mark !== undefined)
  if (begin < 0) return code
  // The closing fence is missing.
  if (begin === lines.length - 1) return lines.slice(0, begin).join('\n')
  // Fences of a different kind inside belong to the program's own text.
  const last = marks.at(-1) ? lines.length - 1 : lines.length
  const found = marks.indexOf(marks[begin], begin + 1)
  const end = found < 0 ? last : found
  if (marks.slice(end + 1).some((mark) => mark !== undefined)) return code
  const isWhole = begin === 0 || (end < lines.length && !isOpen(lines.slice(0, begin).join('\n')))
  return isWhole ? lines.slice(begin + 1, end).join('\n') : code
}

/** Whether text ends inside a comment or a template. */
function isOpen(text: string): boolean {
  const isComment = text.split('/*').slice(1).at(-1)?.includes('*/') === false
  return isComment || text.replace(/\\./g, '').split('`').length % 2 === 0
}

/**
 * Throws when a tool that runs programs is called directly, because a program needs a run.
 * @throws CapstanError `unsupported`
 */
export function runsInRuns(): never {
  throw new CapstanError('unsupported', 'A program can run only within a run of its agent. Call agent.run.')
}

/** Returns a tool that runs programs. Each call is a child run of the current agent. */
export function asPrograms(made: Tool, options: ProgramOptions): Tool {
  const { toSource, toolsOf } = options
  return {
    ...made,
    middleware: programRuns,
    toInput: toSource,
    run(open, run) {
      const { index, call, child, input = '' } = open
      const { signal, step, runId, agent } = run
      const { toolset } = run
      const program: ProgramRef = { callId: call.id, via: call.function.name, step, toolset }
      if (child && signal.aborted) return stopped(child.state, program)
      const tools = child ? undefined : toolsOf(run)
      const refusal = tools && refusalOf(input, tools)
      if (refusal !== undefined) return rejectedResult(refusal)
      const { state, round, notes } = child ?? {
        state: begin(open, run, { ...options, tools }),
        round: 0,
        notes: open.notes,
      }
      return {
        key: stepKey(step, round === 0 ? `child${index}` : `child${index}.${round}`),
        child: { agent, state, callId: call.id },
        settle(end): Outcome {
          if (end.stopReason === 'pending') return { status: 'paused', state: end }
          const idempotencyKey = `${runId}/${stepKey(step, `child${index}`)}`
          return { ...toResult(end, { program, idempotencyKey, shown: run.toolErrors }), ...notes }
        },
      }
    },
  }
}

/** Text for the model. */
export const description = `Run a JavaScript program that calls tools. Use it for several calls, loops and conditions: one reply instead of many.
- \`await tools.NAME(args)\` calls a tool and returns its result. A failed call throws an Error, which you can catch. \`await Promise.all([...])\` makes calls concurrently. Await every call.
- The code is the body of an async function. You get only what it returns, as JSON, and what it writes with console.log: return the answer, not the data.
- It has no network, files, clock, timers or imports.`

/**
 * Returns the reason why a program cannot start: the source contains several programs, or names a tool that programs
 * cannot call. Undefined if the program can start.
 */
function refusalOf(source: string, { refused }: ProgramTools): string | undefined {
  // Text for the model.
  if (/^\s*(?:```|~~~)/.test(source))
    return 'the code contains several Markdown fences. Send one program, without fences. The program did not start.'
  if (source.length > mostCharacters)
    return `the code has ${source.length} characters, of at most ${mostCharacters}. Pass long texts to tools by artifact id. The program did not start.`
  for (const [, ...found] of source.matchAll(namedTools))
    for (const name of found.join(' ').match(/[\w$-]+/g) ?? [])
      if (Object.hasOwn(refused, name)) return `${refused[name]} The program did not start.`
  return undefined
}

/** Matches the names in `tools.name`, `tools['name']` and `{ name } = tools`. */
const namedTools =
  /\btools\s*(?:\?\.|\.)\s*([\w$]{1,64})|\btools\s*(?:\?\.)?\[\s*["'`]([\w-]{1,64})["'`]|\{([^{}]{0,1000})\}\s*=\s*tools\b/g

/** The maximum length of a program's source. The source is parsed in your code's thread, without a time limit. */
const mostCharacters = 100_000

/**
 * The reply limit for a program's run. It is practically infinite, because the program's bounds and the call limit
 * apply instead.
 */
const unlimitedReplies = 2 ** 40

/** Creates the state for a program's run. Its limits are what remains of the current run's limits. */
function begin(
  { index, input = '' }: OpenCall,
  run: RunView,
  {
    boundsOf,
    taint,
    isSaved,
    tools = { names: [], refused: {} },
  }: Pick<ProgramOptions, 'boundsOf' | 'taint' | 'isSaved'> & { readonly tools: ProgramTools | undefined },
): RunState {
  const agent = agentOf(run)
  if (!agent) throw new CapstanError('not_found', `This run has no agent "${run.agent}".`)
  const runId = run.callKey(index, 'child')
  const begun = agent.start(input, { runId, limits: remainingLimits(index, run) })
  const { names, refused } = tools
  // Keeps only names that occur in the source, because there may be hundreds of tools.
  const named = Object.entries(refused).filter(([name]) => input.includes(name))
  const program: KeptProgram = {
    ...{ seed: runId, tools: names, bounds: boundsOf(run), taint, outcomes: [], ended: [] },
    refused: Object.fromEntries(named),
    ...(run.taintedBy !== undefined && { taintedBy: run.taintedBy }),
    ...(isSaved && { isSaved }),
  }
  return {
    ...begun,
    flags: { ...begun.flags, finalReplies: unlimitedReplies },
    kept: { ...keptForTools(run), [nameOfRuns]: program as never },
    ...(run.approved.length > 0 && { approved: run.approved }),
    // The model had read untrusted text when it wrote the program.
    ...(run.taintedBy !== undefined && { taintedBy: run.taintedBy }),
  }
}

type Runner = NonNullable<ReturnType<RunView['agents']['get']>>

/** Returns the current agent as hosts find it by name: without tools that were added for this run only. */
export function agentOf(run: RunView): Runner | undefined {
  const agent = run.agents.get(run.agent)
  const behind: Runner | null = agent ? Object.getPrototypeOf(agent) : null
  return behind && Object.hasOwn(behind, 'toolset') ? behind : agent
}

/** Returns the stored state of each middleware whose tools depend on that state. */
function keptForTools(run: RunView): RunState['kept'] {
  const { middlewares = [] } = Object(agentOf(run)) as {
    readonly middlewares?: readonly { name: string; tools?: unknown }[]
  }
  const names = middlewares.flatMap(({ name, tools }) => (typeof tools === 'function' ? name : []))
  return Object.fromEntries(Object.entries(run.kept).filter(([name]) => names.includes(name)))
}

interface Shown {
  readonly program: ProgramRef
  readonly idempotencyKey: string
  readonly shown: RunView['toolErrors']
}

const stopReasons: Readonly<Record<string, string>> = {
  stuck: 'too many of its calls in a row were rejected',
}

/** Converts the end of a program's run to the result of the call that started the program. */
function toResult(state: RunState, { program, idempotencyKey, shown }: Shown): CallResult {
  const { stopReason, flags, limit, messages } = state
  if (stopReason === 'aborted') return stopped(state, program)
  const end = endOf(state)
  const left = leftBehind(state, program)
  const source = String(messages[0]?.content)
  if (!end) {
    if (flags.failure !== undefined && shown === 'expected')
      return { ...hiddenFailure('the program failed', idempotencyKey), ...left }
    const why =
      flags.failure ??
      (limit ? `the run's limit ${limit} was reached` : (stopReasons[String(stopReason)] ?? stopReason))
    const error = { name: 'Error', message: `The program was stopped before its end: ${why}.` }
    const report = reportOf(source, { error, console: [] }, left.calls)
    return { ...errorResult('error', report.slice('Error: '.length)), ...left, ...(limit && { limit }) }
  }
  const content = reportOf(source, end, left.calls)
  const { value, error, console } = end
  if (error) return { status: 'error', content, ...left, ms: 0 }
  const result = {
    ...(value !== undefined && { value: tryJson(value) }),
    ...(console.length > 0 && { console }),
  }
  return { status: 'ok', content, result: result as never, ...left, ms: 0 }
}

/** Returns the call's result for a program that was stopped, with the program's usage and calls. */
function stopped(state: RunState, program: ProgramRef): CallResult {
  return { ...cancelledResult, ...leftBehind(state, program) }
}

/**
 * Returns what the parent run takes over from a program's run, regardless of how that run ended. The program's replies
 * do not count as model requests.
 */
function leftBehind(state: RunState, program: ProgramRef) {
  const { artifacts = [], usage, taintedBy, stepCount } = state
  const counted: Usage = { ...usage, requests: Math.max(0, usage.requests - stepCount) }
  const tainted = taintedBy !== undefined && { taintedBy }
  return { artifacts, usage: counted, calls: endedCalls(state, program), ...tainted }
}
