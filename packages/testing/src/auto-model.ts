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

/** Which calls `autoModel` makes, and its last reply. */
export interface AutoModelOptions {
  /** The seed of the generator. The same seed gives the same calls. Default 1. */
  readonly seed?: number
  /** Maximum calls per tool. Default 9. */
  readonly perTool?: number
  /**
   * Valid arguments by tool name, for tools that need more than their schema tells, such as the id of an existing
   * record.
   */
  readonly examples?: Readonly<Record<string, readonly object[]>>
  /** The final reply. Default `All tools were called.` */
  readonly text?: string
}

/** A call that the model made, with the kind of its arguments. */
export interface AutoCase extends ArgumentCase {
  readonly tool: string
  readonly callId: string
}

/** A chat model that calls every tool. */
export interface AutoModel extends ChatModel {
  /** The calls made so far. */
  readonly cases: readonly AutoCase[]
  /**
   * Lists calls whose result does not match their kind, one line each: valid and boundary calls that were not `ok`,
   * invalid calls that were not `rejected`. Expect `[]` from tools that accept everything their schema allows. Pending
   * calls are listed, with the way to decide on them. For a resumed run, pass all its results in order.
   */
  surprises(...results: readonly AutoResult[]): string[]
}

/** The part of a result that `surprises` reads. */
type AutoResult = Pick<RunResult, 'toolCalls' | 'pending'>

/**
 * Returns approvals for the calls that need one. Resume the run with them:
 * `agent.run(result.state, { decisions: approveAll(result) })`. Calls that wait for their result are omitted.
 * @throws CapstanError `invalid_state` if no call needs an approval
 */
export function approveAll({ pending = [] }: Pick<RunResult, 'pending'>): Decisions {
  const calls = pending.filter(({ kind }) => kind === 'approval')
  if (calls.length > 0)
    return Object.fromEntries(calls.map(({ callId }) => [callId, { type: 'approve' } as const]))
  const [first] = pending
  const message = first
    ? `No call waits for an approval, and "${first.name}" waits for its result. Pass it: { ${first.callId}: { type: 'result', value } }.`
    : 'No call of this run is pending. Resume runs whose stopReason is "pending".'
  throw new CapstanError('invalid_state', message)
}

/**
 * Creates a model that calls each offered tool with valid, boundary and invalid arguments made from its JSON Schema,
 * several in each reply, and then replies with text. It only uses the schema: refinements may reject its valid
 * arguments, and coercing schemas may accept its invalid ones. The tools really run, so pass none that do harm. Calls
 * that need an approval are pending: resume with the decisions of `approveAll(result)`. For an agent with `output` it
 * replies with an example.
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
        const became = answer
          ? `was ${answer.status}: ${formatInline(answer.content)}`
          : 'was without a result'
        const call = waiting.get(one.callId)
        return [
          `${formatCall(one.tool, one.arguments)} is ${one.kind} (${one.about}) and ${call ? waitsFor(call) : became}`,
        ]
      })
    },
  }
}

function waitsFor({ callId, kind, reason }: PendingCall): string {
  return kind === 'approval'
    ? `waits for an approval: ${reason ?? 'it needs one.'} Resume it: agent.run(result.state, { decisions: approveAll(result) })`
    : `waits for its result. Pass it: agent.run(result.state, { decisions: { ${callId}: { type: 'result', value } } })`
}

interface CaseGroup {
  readonly tool: string
  /** The position of this group among the tool's groups. */
  readonly round: number
  readonly cases: readonly ArgumentCase[]
}

/** The number of groups of cases per reply. */
const groupsPerReply = 2

/** The calls that have not been made yet. */
class CallPlan {
  readonly cases: AutoCase[] = []
  readonly #known = new Set<string>()
  #groups: readonly CaseGroup[] = []

  constructor(readonly toCases: (tool: ToolDefinition) => readonly (readonly ArgumentCase[])[]) {}

  /** Returns the next calls to offered tools, alternating between tools. Undefined if all calls were made. */
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

/** Whether the model may call a tool. False for the tool of the final output, which would end the run. */
function isCallable({ function: { name } }: ToolDefinition, forced: string | undefined): boolean {
  return name !== outputToolName && (forced === undefined || name === forced)
}

/** Returns the final reply in the requested format. */
function finalReply({ tools, settings }: ModelRequest, words: string): ScriptCall | ScriptText {
  const final = tools.find((tool) => tool.function.name === outputToolName)
  if (final) return reply.call(outputToolName, Object(exampleOf(final.function.parameters)))
  const format = settings?.response_format
  const form = isRecord(format) && isRecord(format.json_schema) ? format.json_schema.schema : undefined
  return reply.text(isRecord(form) ? JSON.stringify(exampleOf(form)) : words)
}

interface AutoCasesOptions {
  readonly seed: number
  /** Maximum cases of one tool. */
  readonly count: number
  /** Valid arguments by tool name. */
  readonly examples: Readonly<Record<string, readonly object[]>>
}

/**
 * Returns a tool's cases in groups of at most one case of each kind. Groups mix the kinds, because a run ends after
 * several steps in which every call was rejected.
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
  // The first two are given examples, or the required fields and all fields.
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
