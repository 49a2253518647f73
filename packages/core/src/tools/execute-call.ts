import type {
  Artifact,
  ArtifactInfo,
  ArtifactKind,
  ArtifactOrigin,
  ArtifactStore,
} from '../artifacts/artifact.js'
import { chain } from '../async.js'
import { isCapstanError } from '../errors.js'
import type { Json } from '../json.js'
import { limitOf, type SpendLimiter } from '../limits.js'
import { defaultMaxResultBytes, truncateResult } from '../middleware/long-results.js'
import type { Emit } from '../types/event.js'
import type { StepContext } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import type { CallNotes, CallResult, LimitName, Outcome, PendingOutcome } from '../types/state.js'
import type { Spending } from '../usage.js'
import { approve } from './approvals.js'
import { type CallScheduler, type KeyOrder, type KeyPlace, withDeadline } from './concurrency.js'
import { type ParsedArguments, parseArguments } from './parse-arguments.js'
import type { Guards, PolicyView } from './policies.js'
import {
  cancelledResult,
  deniedResult,
  type ErrorSettings,
  errorResult,
  invalidArguments,
  notRunResult,
  rejectedResult,
  toolFailure,
  unknownTool,
} from './rejections.js'
import { renderOutput } from './render-result.js'
import { coerce } from './repair.js'
import { toShownJson } from './to-json.js'
import { settle, type Tool, type ToolContext, type Toolset } from './tool.js'
import { type Checked, validate } from './validate.js'

/** A yes to a call, with the arguments it is to run with where a person changed them. */
export interface Approval {
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

interface DispatchRequest {
  readonly call: ToolCall
  /** Nobody is asked about this call any more. */
  readonly approval?: Approval | undefined
  /** Whether the text of its arguments was looked through when it came. Default: it is now. */
  readonly isSound?: boolean | undefined
}

/** Answers one call, or says that it waits: never throws, whatever the model sent and whatever the tool does. */
export async function dispatch(
  request: DispatchRequest,
  desk: CallContext,
  step: StepContext,
): Promise<Outcome> {
  const place = desk.order.join()
  try {
    return await answerCall(request, place, { desk, step })
  } finally {
    place.pass()
  }
}

interface DispatchContext {
  readonly desk: CallContext
  readonly step: StepContext
}

async function answerCall(
  { call, approval, isSound }: DispatchRequest,
  place: KeyPlace,
  { desk, step }: DispatchContext,
): Promise<Outcome> {
  const { name } = call.function
  const tool = desk.toolset.get(name)
  if (!tool) return rejectedResult(unknownTool(name, desk.toolset.names))
  const parsed = approval?.arguments
    ? { ok: true as const, value: approval.arguments }
    : toArguments(call, isSound)
  if (!parsed.ok) return rejectedResult(invalidArguments(tool, name, parsed.reason))
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

function toNotes({ repaired }: PreparedCall, approval: Approval | undefined): CallNotes {
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

interface ParsedCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly value: Readonly<Record<string, unknown>>
  readonly isApproved: boolean
}

interface PreparedCall {
  readonly args: unknown
  readonly repaired?: boolean | undefined
}

/** A schema that holds itself is checked by recursion. */
const tooDeep = 'they are nested too deep to be checked: make them flatter'

type JudgedCall = PreparedCall | CallResult | PendingOutcome

/** The arguments as the function takes them, or why it does not run: checks and policies are the user's code. */
function prepare(candidate: ParsedCall, { desk, step }: DispatchContext): JudgedCall | Promise<JudgedCall> {
  const timeoutMs = candidate.tool.settings.timeoutMs ?? desk.timeoutMs
  const refused = (error: unknown): CallResult | Promise<CallResult> => {
    if (step.signal.aborted) return notRunResult
    if (error instanceof RangeError)
      return rejectedResult(invalidArguments(candidate.tool, candidate.tool.name, tooDeep))
    const isLate = isCapstanError(error) && error.evidence?.timeoutMs === timeoutMs
    const late = `checking this call did not end within ${timeoutMs} ms, nothing was run.`
    if (isLate) return errorResult('error', late)
    return toolFailure(error, { call: candidate.call, args: candidate.value }, desk, step)
  }
  try {
    step.signal.throwIfAborted()
    const judged = chain(validateArguments(candidate, desk), (checked) =>
      askPolicies(candidate, checked, desk),
    )
    if (!(judged instanceof Promise)) return judged
    return withDeadline(step.signal, timeoutMs, () => judged).answer.catch(refused)
  } catch (error) {
    return refused(error)
  }
}

function askPolicies(
  candidate: ParsedCall,
  checked: RepairedArguments,
  desk: CallContext,
): JudgedCall | Promise<JudgedCall> {
  const { call, tool, isApproved } = candidate
  if (!checked.ok) return rejectedResult(invalidArguments(tool, tool.name, checked.issues.join('; ')))
  const ready = { args: checked.value, repaired: checked.repaired }
  const waiting = (kind: PendingOutcome['kind']): PendingOutcome => ({
    status: 'pending',
    kind,
    arguments: shownOf(call),
  })
  // An approval given while the tool had a function does not make one.
  if (isApproved && !tool.execute) return waiting('result')
  const readsOnly = tool.settings.effects === 'read'
  const asked = { callId: call.id, name: tool.name, arguments: checked.value, readsOnly }
  return chain(approve(asked, tool, desk.guards, desk.view), (verdict): JudgedCall => {
    if (verdict.type === 'deny') return deniedResult(verdict.reason)
    // The approval is the answer to a policy that asks.
    if (isApproved) return ready
    if (verdict.type === 'ask' && tool.execute && desk.guards.unattended)
      return deniedResult(unattended(verdict.reason))
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

type RepairedArguments = Checked & { readonly repaired?: boolean }

/** Arguments that do not fit are read as the schema means them, where the agent asked for that. */
function validateArguments(
  { tool, value, call }: ParsedCall,
  { repair, step, emit }: CallContext,
): RepairedArguments | Promise<RepairedArguments> {
  return chain(validate(tool.parameters, value), (checked) => {
    const coerced = checked.ok || !repair ? undefined : coerce(value, tool.definition.function.parameters)
    if (!coerced || coerced.repairs.length === 0) return checked
    return chain(validate(tool.parameters, coerced.value), (again): RepairedArguments => {
      if (!again.ok) return checked
      emit?.({ type: 'repair-applied', step, callId: call.id, name: tool.name, repairs: coerced.repairs })
      return { ...again, repaired: true }
    })
  })
}

/** A call that may run. */
interface ReadyCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: unknown
  readonly place: KeyPlace
}

/** Runs a call's function when its turn and a slot have come, to its deadline. Never throws. */
async function execute(ready: ReadyCall, desk: CallContext, step: StepContext): Promise<CallResult> {
  const { tool, place } = ready
  const log: CallLog = { started: Number.NaN, spent: [] }
  try {
    const key = keyOf(ready)
    if (key !== undefined) await place.reached(step.signal)
    const taken = desk.slots.take({ tool, key }, step.signal, () => {
      log.started = performance.now()
      return withDeadline(step.signal, tool.settings.timeoutMs ?? desk.timeoutMs, (signal) =>
        run(ready, desk, { step: { ...step, signal }, log }),
      )
    })
    place.pass()
    const answer = await taken
    const ms = since(log)
    return log.spent.length === 0 && !log.limit ? { ...answer, ms } : { ...answer, ...recorded(log), ms }
  } catch (error) {
    const ms = since(log)
    return { ...(await failure(error, log, { ready, desk, step })), ...recorded(log), ms }
  }
}

/** What is noted of a call while it goes on. */
interface CallLog {
  started: number
  readonly spent: Spending[]
  limit?: LimitName
}

/** @throws TypeError when the tool names no text as what it writes */
function keyOf({ tool, args }: ReadyCall): string | undefined {
  const { effects } = tool.settings
  if (typeof effects !== 'function') return undefined
  const key: unknown = effects(args)
  if (typeof key === 'string') return key
  throw new TypeError(`effects of "${tool.name}" must return a string that names what the call writes.`)
}

interface RunningCall {
  readonly step: StepContext
  readonly log: CallLog
}

async function run(
  { tool, call, args }: ReadyCall,
  desk: CallContext,
  running: RunningCall,
): Promise<CallResult> {
  const { emit } = desk
  const { signal } = running.step
  const ref = { step: desk.step, callId: call.id, name: tool.name }
  // A function that outlives its answer has nothing more to say in the run.
  const progress = (value: unknown) => {
    if (!signal.aborted) emit?.({ type: 'tool-progress', ...ref, value: toShownJson(value) })
  }
  emit?.({ type: 'tool-start', ...ref, arguments: args })
  const { context, given } = toContext(call, desk, { ...running, progress })
  const output = await settle(tool.execute?.(args, context), progress, signal)
  const { content: all, result, artifacts } = renderOutput(output, given)
  // What is the run's answer is no burden to the model.
  const usual = tool.settings.returnDirect ? Number.POSITIVE_INFINITY : defaultMaxResultBytes
  const { maxResultBytes = usual } = tool.settings
  const told = truncateResult(all, maxResultBytes, { store: desk.artifacts, origin: originOf(call, desk) })
  const { content, whole } = told instanceof Promise ? await told : told
  const answer: CallResult = { status: 'ok', content, artifacts, ms: 0 }
  const taintedBy = tool.reads && (await desk.untrustedSource(tool.reads(args)))
  if (result === undefined && !whole && taintedBy === undefined) return answer
  return {
    ...answer,
    ...(result === undefined ? {} : { result }),
    ...(whole ? { whole } : {}),
    ...(taintedBy === undefined ? {} : { taintedBy }),
  }
}

function originOf({ id, function: { name } }: ToolCall, { runId }: CallContext): ArtifactOrigin {
  return { tool: name, callId: id, runId }
}

function toContext(
  one: ToolCall,
  desk: CallContext,
  { step: { idempotencyKey, signal }, log, progress }: RunningCall & Pick<ToolContext, 'progress'>,
): { readonly context: ToolContext; readonly given: ReadonlyMap<string, Artifact> } {
  const { id, function: called } = one
  const { context, artifacts, runId, step, spendLimiter, emit } = desk
  const spend = (spending: Spending) => {
    try {
      spendLimiter.spend(spending)
    } catch (error) {
      const limit = limitOf(error)
      if (limit) log.limit = limit
      throw error
    }
    log.spent.push({ ...spending })
  }
  const stored = (artifact: Artifact) =>
    emit?.({ type: 'artifact-stored', step, callId: id, name: called.name, artifact })
  const call = { origin: originOf(one, desk), spendLimiter, spend, stored }
  const { store, given } = callArtifacts(artifacts, call)
  const ids = { runId, callId: id, step, idempotencyKey }
  return { given, context: { ...ids, context, artifacts: store, signal, progress, spend } }
}

interface Failed {
  readonly ready: ReadyCall
  readonly desk: CallContext
  readonly step: StepContext
}

function failure(
  error: unknown,
  { started }: CallLog,
  { ready: { call, args }, desk, step }: Failed,
): CallResult | Promise<CallResult> {
  const { signal } = step
  if (!signal.aborted) return toolFailure(error, { call, args }, desk, step)
  const limit = limitOf(signal.reason)
  const outcome = Number.isNaN(started) ? notRunResult : cancelledResult
  return limit ? { ...outcome, limit } : outcome
}

function recorded({ spent, limit }: CallLog): Pick<CallResult, 'spent' | 'limit'> {
  return { ...(spent.length > 0 ? { spent } : {}), ...(limit ? { limit } : {}) }
}

function since({ started }: CallLog): number {
  return Number.isNaN(started) ? 0 : Math.round(performance.now() - started)
}

/** What answering calls needs, the same for all calls of a turn. */
export interface CallContext extends ErrorSettings {
  readonly toolset: Toolset
  readonly context: unknown
  readonly artifacts: ArtifactStore
  readonly slots: CallScheduler
  readonly order: KeyOrder
  readonly spendLimiter: SpendLimiter
  readonly guards: Guards
  /** What policies are told of the run. */
  readonly view: PolicyView
  readonly runId: string
  readonly step: number
  /** Whether arguments may be read as the schema means them. */
  readonly repair: boolean
  /** Deadline of calls whose tool has none of its own. */
  readonly timeoutMs?: number | undefined
  /** The untrusted source of an artifact's text, if it has one. */
  untrustedSource(id: string): Promise<string | undefined>
  readonly emit: Emit
}

/** A call that stores artifacts. */
interface StoringCall {
  readonly origin: ArtifactOrigin
  readonly spendLimiter: SpendLimiter
  /** Hears of each artifact once it is stored. */
  stored(artifact: Artifact): void
  spend(spending: Spending): void
}

/** A run's store as one call sees it. */
interface CallArtifacts {
  readonly store: ArtifactStore
  /** The artifacts that the store gave to this call, by id: only these are artifacts in its result. */
  readonly given: ReadonlyMap<string, Artifact>
}

/** Artifacts that a call puts into the store name it as their origin, and count towards the run's limits. */
function callArtifacts(store: ArtifactStore, call: StoringCall): CallArtifacts {
  const given = new Map<string, Artifact>()
  const give = <One extends Artifact | undefined>(artifact: One): One => {
    if (artifact) given.set(artifact.id, artifact)
    return artifact
  }
  const stat = async (id: string) => give(await store.stat(id))
  return {
    given,
    store: {
      stat,
      async put(data, info) {
        const artifact = await store.put(counted(data, call), withOrigin(info, call.origin))
        call.stored(artifact)
        return give(artifact)
      },
      async open(id) {
        if (!given.has(id)) await stat(id)
        return store.open(id)
      },
      list: async () => (await store.list()).map(give),
      delete: (id) => store.delete(id),
    },
  }
}

function withOrigin<Kind extends ArtifactKind>(
  info: ArtifactInfo<Kind>,
  origin: ArtifactOrigin,
): ArtifactInfo<Kind> {
  return { ...info, origin: { ...origin, ...info.origin } }
}

type Data = Parameters<ArtifactStore['put']>[0]

/** @throws CapstanError `stopped` when a limit of the run would be passed; a stream breaks off with it */
function counted(data: Data, { spendLimiter, spend }: StoringCall): Data {
  if (!spendLimiter.countsArtifacts) return data
  const count = (artifactBytes: number) => spend({ artifacts: 1, artifactBytes })
  if (data instanceof Uint8Array) {
    count(data.byteLength)
    return data
  }
  let bytes = 0
  const meter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      bytes += chunk.byteLength
      // Not at the end: a stream may never come to one.
      if (bytes > spendLimiter.bytesLeft) count(bytes)
      out.enqueue(chunk)
    },
    flush: () => count(bytes),
  })
  return data.pipeThrough(meter)
}
