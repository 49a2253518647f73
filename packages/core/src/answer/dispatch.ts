import type { Tool } from '../tool/tool.js'
import { type Checked, validate } from '../tool/validate.js'
import { andThen } from '../words/and-then.js'
import { isCapstanError } from '../words/error.js'
import type { StepContext } from '../words/host.js'
import type { Json } from '../words/json.js'
import type { ToolCall } from '../words/message.js'
import type { Answer, CallNotes, Outcome, Waiting } from '../words/state.js'
import { approve } from './approve.js'
import type { Place } from './call-order.js'
import { coerce } from './coerce.js'
import type { Desk } from './desk.js'
import { execute } from './execute.js'
import { type ParsedArguments, parseArguments } from './parse-arguments.js'
import { denial, invalidArguments, notRun, refusal, rejection, unknownTool } from './refusals.js'
import { toolFailure } from './tool-errors.js'
import { withDeadline } from './with-deadline.js'

/** A yes to a call, with the arguments it is to run with where a person changed them. */
export interface Approval {
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

export interface DispatchRequest {
  readonly call: ToolCall
  /** Nobody is asked about this call any more. */
  readonly approval?: Approval | undefined
  /** Whether the text of its arguments was looked through when it came. Default: it is now. */
  readonly isSound?: boolean | undefined
}

/** Answers one call, or says that it waits: never throws, whatever the model sent and whatever the tool does. */
export async function dispatch(request: DispatchRequest, desk: Desk, step: StepContext): Promise<Outcome> {
  const place = desk.order.join()
  try {
    return await answerCall(request, place, { desk, step })
  } finally {
    place.pass()
  }
}

interface Site {
  readonly desk: Desk
  readonly step: StepContext
}

async function answerCall(
  { call, approval, isSound }: DispatchRequest,
  place: Place,
  { desk, step }: Site,
): Promise<Outcome> {
  const { name } = call.function
  const tool = desk.toolset.get(name)
  if (!tool) return rejection(unknownTool(name, desk.toolset.names))
  const parsed = approval?.arguments
    ? { ok: true as const, value: approval.arguments }
    : toArguments(call, isSound)
  if (!parsed.ok) return rejection(invalidArguments(tool, name, parsed.reason))
  const candidate = { call, tool, value: parsed.value, isApproved: approval !== undefined }
  const judged = prepare(candidate, { desk, step })
  const ready = judged instanceof Promise ? await judged : judged
  if ('status' in ready) return ready
  const notes = ready.repaired || approval ? toNotes(ready, approval) : none
  if (!tool.child) {
    const answer = await execute({ call, tool, args: ready.args, place }, desk, step)
    return notes === none ? answer : { ...answer, ...notes }
  }
  desk.emit?.({ type: 'tool-start', step: desk.step, callId: call.id, name, arguments: ready.args })
  return { status: 'delegated', input: tool.child.toInput(ready.args), notes: { ...notes } }
}

const none: CallNotes = {}

function toNotes({ repaired }: Prepared, approval: Approval | undefined): CallNotes {
  return {
    ...(repaired ? { repaired } : {}),
    ...(approval ? { approved: true } : {}),
    ...(approval?.arguments ? { arguments: approval.arguments as Json } : {}),
  }
}

/** Parsed anew: a function may do with them what it likes. */
function toArguments({ function: { arguments: text } }: ToolCall, isSound = false): ParsedArguments {
  return isSound ? { ok: true, value: JSON.parse(text), text, repairs: [] } : parseArguments(text)
}

interface Candidate {
  readonly call: ToolCall
  readonly tool: Tool
  readonly value: Readonly<Record<string, unknown>>
  readonly isApproved: boolean
}

interface Prepared {
  readonly args: unknown
  readonly repaired?: boolean | undefined
}

/** A schema that holds itself is checked by recursion. */
const tooDeep = 'they are nested too deep to be checked: make them flatter'

type Judged = Prepared | Answer | Waiting

/** The arguments as the function takes them, or why it does not run: checks and policies are the user's code. */
function prepare(candidate: Candidate, { desk, step }: Site): Judged | Promise<Judged> {
  const timeoutMs = candidate.tool.settings.timeoutMs ?? desk.timeoutMs
  const refused = (error: unknown): Answer | Promise<Answer> => {
    if (step.signal.aborted) return notRun
    if (error instanceof RangeError)
      return rejection(invalidArguments(candidate.tool, candidate.tool.name, tooDeep))
    const isLate = isCapstanError(error) && error.evidence?.timeoutMs === timeoutMs
    const late = `checking this call did not end within ${timeoutMs} ms, nothing was run.`
    if (isLate) return refusal('error', late)
    return toolFailure(error, { call: candidate.call, args: candidate.value }, desk, step)
  }
  try {
    step.signal.throwIfAborted()
    const judged = andThen(check(candidate, desk), (checked) => judge(candidate, checked, desk))
    if (!(judged instanceof Promise)) return judged
    return withDeadline(step.signal, timeoutMs, () => judged).answer.catch(refused)
  } catch (error) {
    return refused(error)
  }
}

function judge(candidate: Candidate, checked: Mended, desk: Desk): Judged | Promise<Judged> {
  const { call, tool, isApproved } = candidate
  if (!checked.ok) return rejection(invalidArguments(tool, tool.name, checked.issues.join('; ')))
  const ready = { args: checked.value, repaired: checked.repaired }
  const waiting = (kind: Waiting['kind']): Waiting => ({ status: 'pending', kind, arguments: shownOf(call) })
  // An approval given while the tool had a function does not make one.
  if (isApproved && !tool.execute) return waiting('result')
  const readsOnly = tool.settings.effects === 'read'
  const asked = { callId: call.id, name: tool.name, arguments: checked.value, readsOnly }
  return andThen(approve(asked, tool, desk.guards, desk.view), (verdict): Judged => {
    if (verdict.type === 'deny') return denial(verdict.reason)
    // The approval is the answer to a policy that asks.
    if (isApproved) return ready
    if (verdict.type === 'ask' && tool.execute && desk.guards.unattended)
      return denial(unattended(verdict.reason))
    const asks = verdict.type === 'ask' && verdict.reason !== undefined ? { reason: verdict.reason } : {}
    if (!tool.execute) return { ...waiting('result'), ...asks }
    return verdict.type === 'allow' ? ready : { ...waiting('approval'), ...asks }
  })
}

/** The arguments that a person is shown: those of the message, whatever a policy did to the ones it was given. */
function shownOf(call: ToolCall): Json {
  const parsed = toArguments(call)
  return (parsed.ok ? parsed.value : {}) as Json
}

function unattended(why = ''): string {
  return `${why} Nobody can be asked for a yes in this run.`.trim()
}

type Mended = Checked & { readonly repaired?: boolean }

/** Arguments that do not fit are read as the schema means them, where the agent asked for that. */
function check({ tool, value, call }: Candidate, { repair, step, emit }: Desk): Mended | Promise<Mended> {
  return andThen(validate(tool.parameters, value), (checked) => {
    const coerced = checked.ok || !repair ? undefined : coerce(value, tool.definition.function.parameters)
    if (!coerced || coerced.repairs.length === 0) return checked
    return andThen(validate(tool.parameters, coerced.value), (again): Mended => {
      if (!again.ok) return checked
      emit?.({ type: 'repair-applied', step, callId: call.id, name: tool.name, repairs: coerced.repairs })
      return { ...again, repaired: true }
    })
  })
}
