// Questions from a server to the user. A call that asks a question ends its step like a pending child run. The child's
// state contains everything that the server needs to continue, so any process can pass on the answer.
import type {
  ArtifactStore,
  CallResult,
  Decision,
  Json,
  Middleware,
  OpenCall,
  Outcome,
  PendingCall,
  ResultNotes,
  RunState,
  RunView,
  Step,
  StepContext,
  ToolContext,
} from '@capstan/core'
import { noUsage, stepKey, tryJson } from '@capstan/core/internal'
import { toParameters } from '@capstan/schema/imported-schema'
import type { ElicitResult } from '@modelcontextprotocol/client'
import { cancelOpenCalls } from './open-calls.js'
import type { McpTool } from './options.js'
import type { InputRequired, Question } from './question.js'

/** A call's questions, either from one response or asked while the call's request is open. */
export interface Asked extends InputRequired {
  /** Whether the call's request is still open, in the process that made it. */
  readonly isOpen?: boolean
}

/** A call with the answers to its questions. */
export interface Answered extends Asked {
  /** The answers so far, by question key. */
  readonly answers: Readonly<Record<string, ElicitResult>>
  /** How many times the server has asked questions. */
  readonly rounds: number
}

/** A call with questions, in the form in which a run's state stores it. */
interface AskingCall extends Answered {
  readonly arguments: Json
  readonly notes: ResultNotes
  /** The number of questions in earlier rounds. */
  readonly before: number
}

/** Thrown to end a tool's function when the server asks a question. */
export class QuestionAsked extends Error {
  constructor(readonly asked: Asked) {
    super('The server asks the user a question.')
  }
}

/** One execution of a call's function. */
interface Leg {
  readonly answered?: AskingCall
  asked?: Asked
}

/** Executions that may end with a pending question, by the artifact store of their tool context. */
const legs = new WeakMap<ArtifactStore, Leg>()

/** The calls that each run is making again with answers, by call id. */
const answeredCalls = new WeakMap<RunView, Map<string, Leg>>()

/** Returns the execution that a tool context belongs to. Undefined if no one can answer the execution's questions. */
export function legOf({ artifacts }: ToolContext): { readonly answered?: Answered } | undefined {
  return legs.get(artifacts)
}

/** Returns a tool whose calls wait for the answers to their questions. */
export function withQuestions(made: McpTool): McpTool {
  return {
    ...made,
    async execute(args, ctx) {
      try {
        return await made.execute?.(args, ctx)
      } catch (error) {
        const leg = legs.get(ctx.artifacts)
        if (!(error instanceof QuestionAsked) || !leg) throw error
        leg.asked = error.asked
        // The result is empty, so no middleware stores it. `afterTool` replaces it with the pending result.
        return ''
      }
    },
    middleware: questions,
    answerOf: ({ schema }) => schema && toParameters(schema),
    run: answerCall,
  }
}

const name = 'mcp-questions'

const questions: Middleware = {
  name,
  wrapTool(call, next, run) {
    const { artifacts, step, callId } = call
    const leg = answeredCalls.get(run)?.get(callId) ?? {}
    if (artifacts && !step?.unattended) legs.set(artifacts, leg)
    return next()
  },
  // A tool's own middleware is first in the list, so this `afterTool` is called last.
  afterTool(result, call, run) {
    const asked = call.artifacts && legs.get(call.artifacts)?.asked
    const open = run.openCalls.find((one) => one.call.id === call.callId)
    // `goOn` makes a call again, and reads its questions from `leg` itself.
    if (!asked || !open || answeredCalls.get(run)?.has(call.callId)) return result
    const given = tryJson(open.call.function.arguments)
    const isEdited = JSON.stringify(given) !== JSON.stringify(call.arguments)
    const asking: AskingCall = {
      ...asked,
      arguments: call.arguments as Json,
      notes: open.pending ? { approved: true, ...(isEdited && { arguments: call.arguments as Json }) } : {},
      answers: {},
      rounds: 1,
      before: 0,
    }
    return waitFor(asking, open, run) as Outcome as CallResult
  },
  afterRun({ reason }, run) {
    if (reason !== 'pending') cancelOpenCalls(run.runId)
    return undefined
  },
}

/** Returns a pending result for a call, and the next question to ask. */
function waitFor(asking: AskingCall, { index, call }: OpenCall, run: RunView): Outcome {
  const place = Object.keys(asking.answers).length
  const { key: _, ...question } = asking.questions[place] as Question
  const pending: PendingCall = {
    callId: `question${asking.before + place + 1}`,
    name: call.function.name,
    agent: run.agent,
    arguments: (tryJson(call.function.arguments) ?? {}) as Json,
    kind: 'input',
    ...question,
  }
  const state: RunState = {
    schema: 1,
    runId: run.callKey(index, 'child'),
    agent: run.agent,
    definitionHash: '',
    stepCount: 0,
    messages: [{ role: 'user', content: question.message }],
    results: {},
    pending: [pending],
    usage: noUsage,
    limits: {},
    stopReason: 'pending',
    flags: {},
    kept: { [name]: asking as unknown as Json },
  }
  tell(pending, call.id, run)
  return { status: 'paused', state }
}

/** The ids of the questions that each run has already emitted an event for. */
const told = new WeakMap<RunView, Set<string>>()

function tell(pending: PendingCall, callId: string, run: RunView): PendingCall {
  const inRun = { ...pending, callId: `${callId}/${pending.callId}` }
  const known = told.get(run) ?? new Set()
  told.set(run, known)
  if (!known.has(inRun.callId)) run.emit({ type: 'call-pending', ...inRun })
  known.add(inRun.callId)
  return inRun
}

/** Returns the step in which a call gets an answer. After the last answer, the call is made again. */
function answerCall(open: OpenCall, run: RunView): Step<Outcome> | CallResult {
  const { index, call, child } = open
  const asking = child?.state.kept[name] as unknown as AskingCall | undefined
  if (!child || !asking) throw new TypeError(`The call "${call.id}" has no question.`)
  if (run.signal.aborted) return stopped
  const part = `${index}.${child.round}` as const
  return {
    key: stepKey(run.step, `decided${part}`),
    options: { kind: 'tool', name: call.function.name, callId: call.id },
    async run(context) {
      const [pending] = child.state.pending
      if (!pending) throw new TypeError(`The call "${call.id}" has no question.`)
      const decision =
        child.state.decisions?.[pending.callId] ??
        (await run.waitFor<Decision>(`decision${part}`, { call: tell(pending, call.id, run) }))
      if (context.signal.aborted) return stopped
      if (!decision) return { status: 'paused', state: child.state }
      return goOn(withAnswer(asking, decision), open, { run, context })
    },
  }
}

const stopped: CallResult = {
  status: 'cut_off',
  content: 'Error: the run stopped during this call. It may have taken effect; check before you repeat it.',
  ms: 0,
}

function withAnswer(asking: AskingCall, decision: Decision): AskingCall {
  const { questions, answers } = asking
  const { key, url } = questions[Object.keys(answers).length] as Question
  const content = decision.type === 'result' && url === undefined ? { content: decision.value as never } : {}
  const answer: ElicitResult =
    decision.type === 'result' ? { action: 'accept', ...content } : { action: 'decline' }
  return { ...asking, answers: { ...answers, [key]: answer } }
}

interface AnswerStep {
  readonly run: RunView
  readonly context: StepContext
}

/** Asks the next question, or makes the call again with all answers. */
async function goOn(asking: AskingCall, open: OpenCall, { run, context }: AnswerStep): Promise<Outcome> {
  const { answers, questions, before, rounds } = asking
  if (Object.keys(answers).length < questions.length) return waitFor(asking, open, run)
  const { id, function: called } = open.call
  const leg: Leg = { answered: asking }
  const calls = answeredCalls.get(run) ?? new Map<string, Leg>()
  answeredCalls.set(run, calls.set(id, leg))
  try {
    const result = await run.runCall(
      {
        callId: id,
        name: called.name,
        step: run.step,
        arguments: asking.arguments,
        status: 'ok',
        content: '',
        ms: 0,
      },
      // Use the same key for all attempts, in any process.
      { ...context, idempotencyKey: run.callKey(open.index) },
    )
    if (!leg.asked) return { ...result, ...asking.notes }
    const { requestState: _, isOpen: __, ...same } = asking
    const next = { ...same, ...leg.asked, answers: {}, rounds: rounds + 1, before: before + questions.length }
    return waitFor(next, open, run)
  } finally {
    calls.delete(id)
  }
}
