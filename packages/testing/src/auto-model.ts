import {
  CapstanError,
  type ChatModel,
  type Decisions,
  type ModelRequest,
  type PendingCall,
  type RunResult,
  type ToolDefinition,
} from '@capstan/core'
import { checkOptionNames, isRecord, outputToolName } from '@capstan/core/internal'
import { type ArgumentCase, argumentCases, seededRandom, shuffle } from './argument-cases.js'
import { formatCall, formatInline } from './diff.js'
import { exampleOf } from './example.js'
import { reply, type ScriptCall, type ScriptCalls, type ScriptText, scriptedReply } from './script.js'
import { streamDeltas } from './scripted-model.js'

/** Options for `autoModel`: which calls it makes, and its last reply. */
export interface AutoModelOptions {
  /** The seed for the random choice of calls. The same seed gives the same calls. Default 1. */
  readonly seed?: number
  /** Maximum number of calls per tool. Default 9. */
  readonly perTool?: number
  /**
   * Valid arguments by tool name, for tools whose arguments cannot be guessed from the schema, such as the id of an
   * existing record.
   */
  readonly examples?: Readonly<Record<string, readonly object[]>>
  /** The text of the final reply. Default `All tools were called.` */
  readonly text?: string
}

/** A call that the model has made, with the kind of its arguments. */
export interface AutoCase extends ArgumentCase {
  readonly tool: string
  readonly callId: string
}

/** A chat model that calls each offered tool with generated arguments. */
export interface AutoModel extends ChatModel {
  /** The calls that the model has made so far. */
  readonly cases: readonly AutoCase[]
  /**
   * Lists the calls whose status does not match their kind, one line each: valid and boundary calls that were not `ok`,
   * and invalid calls that were not `rejected`. For tools that accept everything their schema allows, expect `[]`.
   * Pending calls are also listed, with instructions for deciding on them. If a run was resumed, pass all of its
   * results in order.
   */
  surprises(...results: readonly AutoResult[]): string[]
}

/** The fields of a run result that `surprises` needs. */
type AutoResult = Pick<RunResult, 'toolCalls' | 'pending'>

/**
 * Returns approvals for all calls that need one. To resume the run with them, call `agent.run(result.state, {
 * decisions: approveAll(result) })`. Calls that are waiting for a result are omitted.
 * @throws CapstanError `invalid_state` if no call needs approval
 */
export function approveAll({ pending = [] }: Pick<RunResult, 'pending'>): Decisions {
  const calls = pending.filter(({ kind }) => kind === 'approval')
  if (calls.length > 0)
    return Object.fromEntries(calls.map(({ callId }) => [callId, { type: 'approve' } as const]))
  const [first] = pending
  const message = first
    ? `No call is waiting for approval, but "${first.name}" is waiting for a result. Pass one: { ${first.callId}: { type: 'result', value } }.`
    : 'No call of this run is pending. Resume runs whose stopReason is "pending".'
  throw new CapstanError('invalid_state', message)
}

/**
 * Creates a model that calls each offered tool with valid, boundary and invalid arguments, generated from the tool's
 * JSON Schema. The model makes several calls in each reply, and finally replies with text or, if the agent has
 * `output`, with an example. Only the schema is used, so a refinement may reject valid arguments, and a coercing schema
 * may accept invalid ones. The tools' functions really run, so do not pass tools that do harm. Calls that need approval
 * become pending: resume the run with the decisions from `approveAll(result)`.
 */
export function autoModel(options: AutoModelOptions = {}): AutoModel {
  const kinds = {
    seed: true,
    perTool: 'a number of at least 0',
    examples: 'an object',
    text: 'a string',
  } as const
  checkOptionNames(options, kinds, { of: 'autoModel', code: 'invalid_request' })
  const { seed = 1, perTool = 9, examples = {}, text: words = 'All tools were called.' } = options
  const plan = new CallPlan((tool) => autoCases(tool, { seed, count: perTool, examples }))
  let answers = 0
  return {
    name: 'auto',
    cases: plan.cases,
    async complete(request, sink) {
      request.signal.throwIfAborted()
      answers += 1
      const reply = scriptedReply(plan.next(request) ?? finalReply(request, words), answers)
      if (request.stream && sink) await streamDeltas(reply.message, sink, request.signal)
      return reply
    },
    surprises(...results) {
      const answers = new Map(results.flatMap(({ toolCalls }) => toolCalls).map((one) => [one.callId, one]))
      const waiting = new Map(results.at(-1)?.pending?.map((one) => [one.callId, one]))
      return plan.cases.flatMap((one) => {
        const answer = answers.get(one.callId)
        if (answer?.status === (one.kind === 'invalid' ? 'rejected' : 'ok')) return []
        const became = answer ? `was ${answer.status}: ${formatInline(answer.content)}` : 'has no result'
        const call = waiting.get(one.callId)
        return [
          `${formatCall(one.tool, one.arguments)} is ${one.kind} (${one.about}) but ${call ? waitsFor(call) : became}`,
        ]
      })
    },
  }
}

function waitsFor({ callId, kind, reason }: PendingCall): string {
  return kind === 'approval'
    ? `is waiting for approval: ${reason ?? 'it needs one.'} Resume the run: agent.run(result.state, { decisions: approveAll(result) })`
    : `is waiting for a result. Pass one: agent.run(result.state, { decisions: { ${callId}: { type: 'result', value } } })`
}

interface CaseGroup {
  readonly tool: string
  /** The group's position among the groups for its tool, starting at 0. */
  readonly round: number
  readonly cases: readonly ArgumentCase[]
}

/** Maximum number of groups of cases per reply. The reply contains one call for each case. */
const groupsPerReply = 2

/** Decides which calls to make next. */
class CallPlan {
  readonly cases: AutoCase[] = []
  readonly #known = new Set<string>()
  #groups: readonly CaseGroup[] = []

  constructor(readonly toCases: (tool: ToolDefinition) => readonly (readonly ArgumentCase[])[]) {}

  /** Returns the next calls to the offered tools, alternating between the tools. Undefined if no calls are left. */
  next({ tools, toolChoice }: ModelRequest): ScriptCalls | undefined {
    const forced = isRecord(toolChoice) ? toolChoice.function.name : undefined
    const offered = toolChoice === 'none' ? [] : tools.filter((tool) => isCallable(tool, forced))
    for (const tool of offered) this.#learn(tool)
    const names = new Set(offered.map((tool) => tool.function.name))
    const now = this.#groups.filter(({ tool }) => names.has(tool)).slice(0, groupsPerReply)
    this.#groups = this.#groups.filter((group) => !now.includes(group))
    const made = now.flatMap(({ tool, cases }) => cases.map((one) => this.#make(tool, one)))
    if (made.length === 0) return undefined
    return reply.calls(
      ...made.map(({ tool, callId, arguments: args }) =>
        reply.call(tool, JSON.stringify(args), { id: callId }),
      ),
    )
  }

  #make(tool: string, one: ArgumentCase): AutoCase {
    const made = { ...one, tool, callId: `auto_${this.cases.length + 1}` }
    this.cases.push(made)
    return made
  }

  #learn(tool: ToolDefinition): void {
    const { name } = tool.function
    if (this.#known.has(name)) return
    this.#known.add(name)
    const groups = this.toCases(tool).map((cases, round) => ({ tool: name, round, cases }))
    this.#groups = [...this.#groups, ...groups].sort((one, other) => one.round - other.round)
  }
}

/**
 * Whether the model may call a tool. It must not call the tool for the final output, because that would end the run.
 */
function isCallable({ function: { name } }: ToolDefinition, forced: string | undefined): boolean {
  return name !== outputToolName && (forced === undefined || name === forced)
}

/** Returns the final reply, in the format that the request requires. */
function finalReply({ tools, settings }: ModelRequest, words: string): ScriptCall | ScriptText {
  const final = tools.find((tool) => tool.function.name === outputToolName)
  if (final) return reply.call(outputToolName, Object(exampleOf(final.function.parameters)))
  const format = settings?.response_format
  const form = isRecord(format) && isRecord(format.json_schema) ? format.json_schema.schema : undefined
  return reply.text(isRecord(form) ? JSON.stringify(exampleOf(form)) : words)
}

interface AutoCasesOptions {
  readonly seed: number
  /** Maximum number of cases for a tool. */
  readonly count: number
  /** Valid arguments by tool name, from the options. */
  readonly examples: Readonly<Record<string, readonly object[]>>
}

/**
 * Returns the cases for a tool in groups. Each group has at most one case of each kind, because a run ends if all calls
 * are rejected for several steps.
 */
function autoCases(tool: ToolDefinition, { seed, count, examples }: AutoCasesOptions): ArgumentCase[][] {
  const { name, parameters } = tool.function
  const all = argumentCases(parameters, Object.hasOwn(examples, name) ? examples[name] : [])
  const random = seededRandom(seed, name)
  const valid = all.filter(({ kind }) => kind === 'valid')
  const others = (kind: ArgumentCase['kind']) =>
    shuffle(
      all.filter((one) => one.kind === kind),
      random,
    )
  // The first two valid cases are either the given examples, or one example with only the required fields and one with
  // all fields.
  const byKind = [
    [...valid.slice(0, 2), ...shuffle(valid.slice(2), random)],
    others('boundary'),
    others('invalid'),
  ]
  const rows = Math.max(...byKind.map((cases) => cases.length))
  const groups = Array.from({ length: rows }, (_, row) => byKind.flatMap((cases) => cases[row] ?? []))
  return limitCases(groups, count).filter(
    (group) => valid.length === 0 || group.some(({ kind }) => kind !== 'invalid'),
  )
}

function limitCases(groups: readonly ArgumentCase[][], count: number): ArgumentCase[][] {
  const [group, ...others] = groups
  if (group === undefined || count <= 0) return []
  return [group.slice(0, count), ...limitCases(others, count - group.length)]
}
