import type { CallRecord, Json, Middleware, RunView, StepEffects, StepReply } from '@capstan/core'
import { Hooks } from '@capstan/core/internal'
import { dropProgram, nextTurn } from './engine/engine.js'
import type { CallOutcome, MadeCall, ProgramEnd } from './engine/program.js'
import {
  batchesOf,
  type EndedCall,
  type KeptCalls,
  type KeptProgram,
  keepSites,
  keptCallsIn,
  keptIn,
  nameOfEnds,
  nameOfRuns,
  programOf,
  sitesIn,
} from './kept.js'
import { judgeTool, withSources } from './program-sources.js'

/**
 * The middleware for program runs. In such a run, the engine takes the role of the model: its replies contain the calls
 * that the program is waiting for. The run validates these calls, checks them against policies, and runs and records
 * them like any others.
 */
export const programRuns: Middleware = {
  name: nameOfRuns,
  beforeRun(run) {
    const program = programOf(run)
    if (!program) return undefined
    keepHooksOfCalls(run as WithSettings)
    // For the studio, traces and the command line, since the call's arguments do not contain the source.
    if (program.isSaved) run.emit({ name: nameOfRuns, action: 'program', data: { source: program.source } })
    return undefined
  },
  async wrapModel(_call, next, run) {
    const program = programOf(run)
    if (!program) return next()
    const { source, seed, tools, refused, bounds, outcomes } = program
    const made = { source, seed, tools, refused, bounds }
    const turn = await nextTurn(keyOf(run), made, batchesOf(run, outcomes))
    return 'end' in turn ? endReply(turn.end) : callReply(turn.calls, outcomes.length)
  },
  beforeTool: judgeTool,
  afterStep(results, run) {
    const program = keptIn(run)
    if (!program) return undefined
    const sites = sitesIn(run)
    const outcomes = [...program.outcomes, ...results.map(toOutcome)]
    const ended = [...program.ended, ...results.map((one, at) => toEnded(one, sites[at], run))]
    return toState({ ...program, outcomes, ended })
  },
  afterRun({ reason }, run) {
    if (keptIn(run)) {
      dropProgram(keyOf(run))
      return undefined
    }
    const before = keptCallsIn(run)
    // A failed run has no result, so the calls are kept in its state.
    const calls = reason === 'error' ? [...before, ...run.toolCalls.flatMap((one) => one.calls ?? [])] : []
    if (calls.length > 0) return toState({ calls })
    return before.length > 0 ? { state: null } : undefined
  },
}

function toState(kept: KeptProgram | KeptCalls): StepEffects {
  return { state: kept as unknown as Json }
}

/** A run whose settings can be replaced. */
interface WithSettings extends RunView {
  settings: { readonly hooks: Hooks; readonly instructions: unknown; readonly toolChoice: unknown }
}

/** The hooks that act on calls, and on an entire run. */
const hooksOfCalls = [
  ...(['tools', 'onResume', 'beforeRun', 'afterRun', 'decide'] as const),
  ...(['beforeTool', 'wrapTool', 'beforeSpend', 'afterTool', 'afterCall'] as const),
]

/**
 * Keeps only the hooks that act on calls or on an entire run. The other hooks act on a model's requests, replies and
 * steps, which a program does not have. For example, a program that makes the same call in a loop is not stuck.
 */
function keepHooksOfCalls(run: WithSettings): void {
  const list = run.settings.hooks.list.map((one): Middleware => {
    if (one === programRuns) return one
    const kept = hooksOfCalls.flatMap((hook) => {
      const value = one[hook]
      if (typeof value !== 'function') return []
      return [[hook, hook === 'beforeTool' ? withSources(one) : value.bind(one)] as const]
    })
    return {
      ...(typeof one.tools === 'object' && { tools: one.tools }),
      ...Object.fromEntries(kept),
      name: one.name,
    }
  })
  run.settings = { ...run.settings, hooks: new Hooks(list), instructions: undefined, toolChoice: 'auto' }
}

/** The key of each run's program in the engine. A resumed run gets a new key. */
const keys = new WeakMap<object, string>()

function keyOf(run: RunView): string {
  const known = keys.get(run)
  if (known !== undefined) return known
  const key = crypto.randomUUID()
  keys.set(run, key)
  return key
}

const noTokens = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

function callReply(calls: readonly MadeCall[], first: number): StepReply {
  const tool_calls = calls.map((made, at) => ({
    id: `call${first + at}`,
    type: 'function' as const,
    function: { name: made.name, arguments: made.arguments },
  }))
  return {
    message: { role: 'assistant', content: null, tool_calls },
    finishReason: 'tool_calls',
    tokens: noTokens,
    kept: keepSites(calls),
  }
}

function endReply(end: ProgramEnd): StepReply {
  const content = end.error ? 'The program failed.' : 'The program has ended.'
  return {
    message: { role: 'assistant', content },
    finishReason: 'stop',
    tokens: noTokens,
    kept: { [nameOfEnds]: end as unknown as Json },
  }
}

/** Converts a call's result for the program: the tool's value, or an error with the text that a model would get. */
function toOutcome({ status, content, result }: CallRecord): CallOutcome {
  if (status === 'ok') return result === undefined ? { ok: true } : { ok: true, value: result }
  return { ok: false, status, message: content.replace(/^Error: /, '') }
}

/**
 * Converts a finished call to the form in which the program's state contains it. All text from an untrusted tool is
 * untrusted, including the tool's errors.
 */
function toEnded(call: CallRecord, site = -1, run: RunView): EndedCall {
  const { callId, name, step: _, status, arguments: given, content: __, result: ___, ...facts } = call
  const hasText = status === 'ok' || status === 'error'
  const taintedBy =
    call.taintedBy ?? (hasText && run.toolset.get(name)?.settings.untrusted ? name : undefined)
  const made = run.openCalls.find(({ call: { id } }) => id === callId)
  // Someone may have edited the arguments when approving the call.
  const isChanged = made?.call.function.arguments !== JSON.stringify(given)
  return {
    site,
    ...facts,
    ...(taintedBy !== undefined && { taintedBy }),
    ...(isChanged && { arguments: given }),
  }
}
