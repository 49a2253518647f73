import type { Artifact } from '../artifacts/artifact.js'
import { chain, withDeadline } from '../async.js'
import { isCapstanError } from '../errors.js'
import type { Json } from '../json.js'
import type { SpendLimiter } from '../limits.js'
import type { Approval, RunningCall, RunView, Tool, ToolOutcome, Toolset } from '../run/middleware.js'
import type { Emit } from '../types/event.js'
import type { StepContext } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import type { CallNotes, CallResult, PendingOutcome } from '../types/state.js'
import type { CallScheduler } from './concurrency.js'
import { argumentsOf, type ParsedArguments, tooDeep } from './parse-arguments.js'
import {
  allow,
  ask,
  checkVerdict,
  type PolicyCall,
  type PolicyView,
  strictest,
  type Verdict,
  viewOf,
} from './policies.js'
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
import { type Checked, validate } from './validate.js'

/** The hooks of calls. */
interface CallHooks {
  readonly beforeTool: readonly Judge<RunView>[]
  readonly wrapTool: readonly unknown[]
  wrap(call: RunningCall, run: RunView, work: () => Promise<ToolOutcome>): Promise<CallResult>
  finish(result: CallResult, call: RunningCall, run: RunView): CallResult | Promise<CallResult>
}

/** Context shared by all tool calls of one step. */
export interface CallContext extends ErrorSettings {
  readonly run: RunView
  readonly hooks: CallHooks
  readonly toolset: Toolset
  readonly scheduler: CallScheduler
  /** Checks the spending of these calls. Made for the first one that spends. */
  limiter?: SpendLimiter
  /** Whether calls that need an approval are denied, because no person can give one. */
  readonly unattended: boolean
  readonly step: number
  /** The untrusted source whose text the model had read before it made these calls. */
  readonly taintedBy?: string | undefined
  /** Returns the untrusted source of an artifact's text. */
  sourceOf?(artifact: Artifact): string | undefined
  /** Coerces arguments that do not fit the schema. */
  readonly repair: Repair | undefined
  /** Deadline in milliseconds of calls whose tool has none. */
  readonly timeoutMs?: number | undefined
  readonly emit: Emit
}

/** A call that may run: its tool is known, its arguments are valid, and no policy objects. */
export interface PreparedCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: unknown
  readonly notes: CallNotes
}

type Preparation = PreparedCall | CallResult | PendingOutcome

/**
 * Finds the tool of a call, parses and validates its arguments, and asks the policies. Validation and policies run code
 * of the user, which may throw or hang. Never throws: a call that may not run has its result.
 */
export function prepareCall(
  call: ToolCall,
  context: CallContext,
  step: StepContext,
  approval?: Approval,
): Preparation | Promise<Preparation> {
  const { name } = call.function
  const tool = context.toolset.get(name)
  if (!tool) return rejectedResult(unknownTool(name, context.toolset.names))
  const parsed = approval?.arguments ? { ok: true as const, value: approval.arguments } : toArguments(call)
  if (!parsed.ok) return rejectedResult(invalidArguments(tool, name, parsed.reason))
  const timeoutMs = tool.settings.timeoutMs ?? context.timeoutMs
  const toFailure = (error: unknown): CallResult | Promise<CallResult> => {
    if (step.signal.aborted) return notRunResult
    // Recursive schemas are checked by recursion, which deep arguments overflow.
    if (error instanceof RangeError) return rejectedResult(invalidArguments(tool, name, tooDeep))
    const isLate = isCapstanError(error) && error.evidence?.timeoutMs === timeoutMs
    if (isLate)
      return errorResult('error', `checking this call timed out after ${timeoutMs} ms; nothing was run.`)
    return toolFailure(error, { call, args: parsed.value }, context, step)
  }
  try {
    step.signal.throwIfAborted()
    const preparation = chain(validateArguments({ call, tool, value: parsed.value }, context), (checked) =>
      checked.ok
        ? judge({ call, tool, args: checked.value, notes: toNotes(checked, approval) }, approval, context)
        : rejectedResult(invalidArguments(tool, name, checked.issues.join('; '))),
    )
    if (!(preparation instanceof Promise)) return preparation
    return withDeadline(step.signal, { name, timeoutMs }, () => preparation).result.catch(toFailure)
  } catch (error) {
    return toFailure(error)
  }
}

export const noNotes: CallNotes = {}

function toNotes(
  { repaired }: { readonly repaired?: boolean | undefined },
  approval: Approval | undefined,
): CallNotes {
  if (!repaired && !approval) return noNotes
  return {
    ...(repaired ? { repaired } : {}),
    ...(approval ? { approved: true } : {}),
    ...(approval?.arguments ? { arguments: approval.arguments as Json } : {}),
  }
}

/** Returns a copy of the arguments, which the functions of the user may change. */
function toArguments(call: ToolCall): ParsedArguments {
  const parsed = argumentsOf(call)
  return parsed.ok ? { ...parsed, value: JSON.parse(parsed.text) } : parsed
}

function judge(
  prepared: PreparedCall,
  approval: Approval | undefined,
  context: CallContext,
): Preparation | Promise<Preparation> {
  const { call, tool, args } = prepared
  // The tool may have lost its function since the approval: then the caller supplies the result.
  if (approval && !tool.execute) return toPending(call, 'result')
  const readsOnly = tool.settings.effects === 'read'
  const policyCall = { callId: call.id, name: tool.name, arguments: args, readsOnly }
  return chain(judgeCall(policyCall, tool, context.hooks.beforeTool, context.run), (verdict): Preparation => {
    if (verdict.type === 'deny') return deniedResult(verdict.reason)
    // The approval settles policies that ask.
    if (approval) return prepared
    const reason = verdict.type === 'ask' ? verdict.reason : undefined
    if (!tool.execute) return toPending(call, 'result', reason)
    if (verdict.type === 'allow') return prepared
    return context.unattended
      ? deniedResult(`${reason ?? ''} This run cannot request approvals.`.trim())
      : toPending(call, 'approval', reason)
  })
}

function toPending(call: ToolCall, kind: PendingOutcome['kind'], reason?: string): PendingOutcome {
  const outcome = { status: 'pending' as const, kind, arguments: messageArguments(call) }
  return reason === undefined ? outcome : { ...outcome, reason }
}

/** The arguments that a person sees: those of the message, since a policy may have changed its copy. */
export function messageArguments(call: ToolCall): Json {
  const parsed = argumentsOf(call)
  return (parsed.ok ? parsed.value : {}) as Json
}

type RepairedArguments = Checked & { readonly repaired?: boolean }

interface UncheckedCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly value: Readonly<Record<string, unknown>>
}

/** Validates arguments. With `repair`, arguments that do not fit are coerced to the schema and validated again. */
function validateArguments(
  { tool, value, call }: UncheckedCall,
  { repair, step, emit }: CallContext,
): RepairedArguments | Promise<RepairedArguments> {
  const checked = validate(tool.parameters, value)
  if (!repair) return checked
  return chain(checked, (checked) => {
    const coerced = checked.ok ? undefined : repair.coerce(value, tool.definition.function.parameters)
    if (!coerced || coerced.repairs.length === 0) return checked
    return chain(validate(tool.parameters, coerced.value), (again): RepairedArguments => {
      if (!again.ok) return checked
      emit?.({ type: 'repair-applied', step, callId: call.id, name: tool.name, repairs: coerced.repairs })
      return { ...again, repaired: true }
    })
  })
}

/** Judges calls before they run. Undefined allows a call. */
export interface Judge<View> {
  beforeTool(call: PolicyCall, run: View): Verdict | undefined | void | Promise<Verdict | undefined | void>
}

/**
 * Returns the strictest verdict of the judges and of the tool's `needsApproval`. The tool of the final answer changes
 * nothing, so it needs no approval.
 */
export function judgeCall<View extends PolicyView>(
  call: PolicyCall,
  { settings, endsRun }: Tool,
  judges: readonly Judge<View>[],
  run: View,
): Verdict | Promise<Verdict> {
  const { needsApproval = false } = settings
  if (endsRun) return allow
  const isNeeded = () =>
    typeof needsApproval === 'function' ? needsApproval(call.arguments, viewOf(run)) : needsApproval
  const all = judges.map((one) => () => chain(one.beforeTool(call, run), toVerdict))
  if (needsApproval)
    all.push(() => chain(isNeeded(), (needed) => (needed ? ask(`"${call.name}" needs approval.`) : allow)))
  return strictest(all)
}

function toVerdict(given: Verdict | undefined | void): Verdict {
  return given === undefined ? allow : checkVerdict(given)
}
