import type { AnyRunResult, ChatModel, ModelRequest, ToolDefinition } from '@capstan/core'
import { exampleOf, isRecord, outputToolName } from '@capstan/core/internal'
import { type ArgumentCase, argumentCases, seededRandom, shuffle } from './argument-cases.js'
import { formatCall, formatInline } from './diff.js'
import {
  call,
  calls,
  type ScriptCall,
  type ScriptCalls,
  type ScriptText,
  scriptedReply,
  text,
} from './script.js'
import { streamDeltas } from './scripted-model.js'

export interface AutoModelOptions {
  /** The same seed makes the same calls. Default 1. */
  readonly seed?: number
  /** Calls of each tool, at most. Default 9. */
  readonly perTool?: number
  /** Valid arguments by tool name, for tools whose schema does not say enough: the id of something that is there. */
  readonly examples?: Readonly<Record<string, readonly object[]>>
  /** What is said at the end. Default `All tools were called.` */
  readonly text?: string
}

/** A call that was made, and of what kind its arguments are. */
export interface AutoCase extends ArgumentCase {
  readonly tool: string
  readonly callId: string
}

export interface AutoModel extends ChatModel {
  /** The calls so far. */
  readonly cases: readonly AutoCase[]
  /**
   * What became of them otherwise than their kind says, a line each: valid and boundary ones that were not `ok`, invalid
   * ones that were not `rejected`. `[]` is what to expect of tools that take all that their schema allows.
   */
  surprises(result: Pick<AnyRunResult, 'toolCalls'>): string[]
}

/**
 * A model that calls each tool it is offered with valid, boundary and invalid arguments made from the tool's JSON
 * Schema, a few in each answer, and then ends in words. It knows what the schema says and no more: refinements may refuse
 * what it takes for valid, and a schema that coerces may take what is invalid. It runs the tools: give it none that do
 * harm. Of an agent with an `output` it gives an example.
 */
export function autoModel(options: AutoModelOptions = {}): AutoModel {
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
    surprises: ({ toolCalls }) =>
      plan.cases.flatMap((one) => {
        const answer = toolCalls.find(({ callId }) => callId === one.callId)
        if (answer?.status === (one.kind === 'invalid' ? 'rejected' : 'ok')) return []
        const became = answer ? `${answer.status}: ${formatInline(answer.content)}` : 'not answered'
        return [`${formatCall(one.tool, one.arguments)} is ${one.kind} (${one.about}) and was ${became}`]
      }),
  }
}

interface CaseGroup {
  readonly tool: string
  /** Which group of its tool this is. */
  readonly round: number
  readonly cases: readonly ArgumentCase[]
}

/** Groups of cases that go into one answer. */
const groupsPerReply = 2

/** The calls that are still to be made. */
class CallPlan {
  readonly cases: AutoCase[] = []
  readonly #known = new Set<string>()
  #groups: readonly CaseGroup[] = []

  constructor(readonly toCases: (tool: ToolDefinition) => readonly (readonly ArgumentCase[])[]) {}

  /** The next few calls of tools that are offered, each tool once before one is called again; undefined when all are made. */
  next({ tools, toolChoice }: ModelRequest): ScriptCalls | undefined {
    const forced = isRecord(toolChoice) ? toolChoice.function.name : undefined
    const offered = toolChoice === 'none' ? [] : tools.filter((tool) => isCallable(tool, forced))
    for (const tool of offered) this.#learn(tool)
    const names = new Set(offered.map((tool) => tool.function.name))
    const now = this.#groups.filter(({ tool }) => names.has(tool)).slice(0, groupsPerReply)
    this.#groups = this.#groups.filter((group) => !now.includes(group))
    const made = now.flatMap(({ tool, cases }) => cases.map((one) => this.#make(tool, one)))
    if (made.length === 0) return undefined
    return calls(
      ...made.map(({ tool, callId, arguments: args }) => call(tool, JSON.stringify(args), { id: callId })),
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

/** The tool of the final answer ends the run: it is not called before the others are done. */
function isCallable({ function: { name } }: ToolDefinition, forced: string | undefined): boolean {
  return name !== outputToolName && (forced === undefined || name === forced)
}

/** The end, in the form that is asked for. */
function finalReply({ tools, settings }: ModelRequest, words: string): ScriptCall | ScriptText {
  const final = tools.find((tool) => tool.function.name === outputToolName)
  if (final) return call(outputToolName, Object(exampleOf(final.function.parameters)))
  const format = settings?.response_format
  const form = isRecord(format) && isRecord(format.json_schema) ? format.json_schema.schema : undefined
  return text(isRecord(form) ? JSON.stringify(exampleOf(form)) : words)
}

interface AutoCasesOptions {
  readonly seed: number
  /** Of one tool, at most. */
  readonly count: number
  /** Valid arguments, by tool name. */
  readonly examples: Readonly<Record<string, readonly object[]>>
}

/**
 * What a tool is called with, in groups of up to one case of each kind: a run ends after several answers of calls that
 * were all rejected, so invalid ones go along with others.
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
  // The first two are what was given, or the least and all there is.
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
