import { chain, withDeadline } from '../async.js'
import { isCapstanError } from '../errors.js'
import { isFunction, type Json, withoutUndefined } from '../json.js'
import type { SpendLimiter } from '../limits.js'
import type { Approval, Middleware, RunView, Tool, Toolset } from '../run/middleware.js'
import type { Emit } from '../types/event.js'
import type { StepContext } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import type { CallResult, PendingOutcome, ResultNotes } from '../types/state.js'
import type { SlotScheduler } from './concurrency.js'
import { argumentsOf, tooDeep } from './parse-arguments.js'
import { allow, ask, strictest, viewOf } from './policies.js'
import {
  deniedResult,
  type ErrorSettings,
  errorResult,
  invalidArguments,
  notRunResult,
  rejectedResult,
  toolFailure,
  unknownTool,
} from './rejections.js'
import type { Repair } from './repair.js'
import { linesOf, type Outcome, outcomeOf } from './validate.js'

type Having<Hook extends keyof Middleware> = Required<Pick<Middleware, Hook>>

/** Settings and state that a step's calls share. */
export interface CallStep extends ErrorSettings {
  readonly run: RunView
  readonly hooks: {
    readonly [Hook in 'beforeTool' | 'wrapTool' | 'beforeSpend' | 'afterTool']: readonly Having<Hook>[]
  }
  readonly toolset: Toolset
  readonly scheduler: SlotScheduler
  /** Checks what these calls spend. Created when a call first spends something. */
  limiter?: SpendLimiter
  /** Whether calls that need approval are denied, because nobody can approve them. */
  readonly unattended: boolean
  readonly step: number
  /** The untrusted source whose text the model had read before it made these calls. */
  readonly taintedBy?: string | undefined
  /** Coerces arguments that do not match their schema. Undefined if the agent does not repair arguments. */
  readonly repair: Repair | undefined
  /** Timeout in milliseconds for calls to tools that do not set their own. */
  readonly timeoutMs?: number | undefined
  readonly emit: Emit
}

/** A call that may run: its tool exists, its arguments are valid, and no policy prevents it. */
export interface PreparedCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: unknown
  readonly notes: ResultNotes
}

type Preparation = PreparedCall | CallResult | PendingOutcome

/**
 * Finds a call's tool, parses and validates the arguments, and asks the policies. Validation and policies run user
 * code, which may throw or hang. Never throws: if a call may not run, its result is returned.
 */
export function prepareCall(
  call: ToolCall,
  step: CallStep,
  host: StepContext,
  approval?: Approval,
): Preparation | Promise<Preparation> {
  const { name } = call.function
  const tool = step.toolset.get(name)
  if (!tool) return rejectedResult(unknownTool(name, step.toolset.names))
  const parsed = argumentsOf(call)
  if (!parsed.ok && !approval?.arguments) return rejectedResult(invalidArguments(tool, name, parsed.reason))
  // User functions may change the value, so they get a copy.
  const value = approval?.arguments ?? (parsed.ok && JSON.parse(parsed.text))
  const timeoutMs = tool.settings.timeoutMs ?? step.timeoutMs
  const toFailure = (error: unknown): CallResult | Promise<CallResult> => {
    if (host.signal.aborted) return notRunResult
    // Recursive schemas are checked recursively, so deeply nested arguments can overflow the stack.
    if (error instanceof RangeError) return rejectedResult(invalidArguments(tool, name, tooDeep))
    if (isCapstanError(error) && error.evidence?.timeoutMs === timeoutMs)
      return errorResult('error', `checking this call timed out after ${timeoutMs} ms; the tool did not run.`)
    return toolFailure(error, { call, args: value }, step, host)
  }
  const judgeChecked = (checked: Outcome, repaired?: true): Preparation | Promise<Preparation> => {
    if (!checked.issues) {
      const notes = withoutUndefined({
        repaired,
        approved: approval && true,
        arguments: approval?.arguments as Json | undefined,
      })
      return judge({ call, tool, args: checked.value, notes }, approval, step)
    }
    const issues = linesOf(checked.issues, value).join('; ')
    const rejected = rejectedResult(invalidArguments(tool, name, issues))
    const { repair, emit } = step
    // Arguments that do not match the schema are coerced and validated again.
    const { value: coerced, repairs = [] } = repair?.coerce(value, tool.definition.function.parameters) ?? {}
    if (repairs.length === 0) return rejected
    return chain(outcomeOf(tool.parameters, coerced), (again) => {
      if (again.issues) return rejected
      emit?.({ type: 'repair-applied', step: step.step, callId: call.id, name, repairs })
      return judgeChecked(again, true)
    })
  }
  try {
    host.signal.throwIfAborted()
    const preparation = chain(outcomeOf(tool.parameters, value), judgeChecked)
    if (!(preparation instanceof Promise)) return preparation
    return withDeadline(host.signal, { name, timeoutMs }, () => preparation).result.catch(toFailure)
  } catch (error) {
    return toFailure(error)
  }
}

function judge(
  prepared: PreparedCall,
  approval: Approval | undefined,
  { hooks, run, unattended }: CallStep,
): Preparation | Promise<Preparation> {
  const { call, tool, args } = prepared
  // If the tool has lost its function since the approval, the caller supplies the result.
  if (approval && !tool.execute) return toPending(call, 'result')
  const { effects, needsApproval } = tool.settings
  const policyCall = { callId: call.id, name: tool.name, arguments: args, readsOnly: effects === 'read' }
  const own = {
    beforeTool() {
      const isNeeded = isFunction(needsApproval) ? needsApproval(args, viewOf(run)) : needsApproval
      return chain(isNeeded, (needed) => (needed ? ask(`"${tool.name}" needs approval.`) : allow))
    },
  }
  const all = needsApproval ? [...hooks.beforeTool, own] : hooks.beforeTool
  // Policies do not apply to the tool for the final answer, which has no side effects.
  const judges = tool.endsRun ? [] : all
  const judged = strictest(judges, (one) => one.beforeTool(policyCall, run))
  return chain(judged, (verdict): Preparation => {
    if (verdict.type === 'deny') return deniedResult(verdict.reason)
    // An approval overrides policies that ask.
    if (approval) return prepared
    const reason = verdict.type === 'ask' ? verdict.reason : undefined
    if (!tool.execute) return toPending(call, 'result', reason)
    if (verdict.type === 'allow') return prepared
    return unattended
      ? deniedResult(`${reason ?? ''} This run cannot request approvals.`.trim())
      : toPending(call, 'approval', reason)
  })
}

function toPending(call: ToolCall, kind: PendingOutcome['kind'], reason?: string): PendingOutcome {
  return withoutUndefined({ status: 'pending', kind, arguments: messageArguments(call), reason })
}

/**
 * Returns the arguments to show for approval. These are the arguments in the message, because a policy may have changed
 * its copy.
 */
export function messageArguments(call: ToolCall): Json {
  const parsed = argumentsOf(call)
  return (parsed.ok ? parsed.value : {}) as Json
}
