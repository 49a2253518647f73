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
import type { Repair } from './repair.js'
import { toShownJson } from './to-json.js'
import { settle, type Tool, type ToolContext, type Toolset } from './tool.js'
import { type Checked, validate } from './validate.js'

/** The approval of a call. */
export interface Approval {
  /** The arguments to run with, where a person changed them. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

/** Context shared by all tool calls of one step. */
export interface CallContext extends ErrorSettings {
  readonly toolset: Toolset
  readonly context: unknown
  readonly artifacts: ArtifactStore
  readonly slots: CallScheduler
  readonly order: KeyOrder
  readonly spendLimiter: SpendLimiter
  readonly guards: Guards
  /** The run as policies see it. */
  readonly view: PolicyView
  readonly runId: string
  readonly step: number
  /** Coerces arguments that do not fit the schema. */
  readonly repair: Repair | undefined
  /** Deadline in milliseconds of calls whose tool has none. */
  readonly timeoutMs?: number | undefined
  /** Returns the untrusted source of an artifact's text, if it has one. */
  untrustedSource(id: string): Promise<string | undefined>
  readonly emit: Emit
}

interface DispatchRequest {
  readonly call: ToolCall
  /** The call was approved: it never becomes pending for an approval again. */
  readonly approval?: Approval | undefined
  /** Whether the arguments text was checked when the reply arrived. Default: it is checked now. */
  readonly isChecked?: boolean | undefined
}

/** Runs one call, or leaves it pending. Never throws: every failure becomes the result of the call. */
export async function dispatch(
  request: DispatchRequest,
  context: CallContext,
  step: StepContext,
): Promise<Outcome> {
  const place = context.order.join()
  try {
    return await runCall(request, place, { context, step })
  } finally {
    place.pass()
  }
}

interface DispatchContext {
  readonly context: CallContext
  readonly step: StepContext
}

async function runCall(
  { call, approval, isChecked }: DispatchRequest,
  place: KeyPlace,
  { context, step }: DispatchContext,
): Promise<Outcome> {
  const { name } = call.function
  const tool = context.toolset.get(name)
  if (!tool) return rejectedResult(unknownTool(name, context.toolset.names))
  const parsed = approval?.arguments
    ? { ok: true as const, value: approval.arguments }
    : toArguments(call, isChecked)
  if (!parsed.ok) return rejectedResult(invalidArguments(tool, name, parsed.reason))
  const candidate = { call, tool, value: parsed.value, isApproved: approval !== undefined }
  const preparation = prepare(candidate, { context, step })
  const ready = preparation instanceof Promise ? await preparation : preparation
  if ('status' in ready) return ready
  const notes = ready.repaired || approval ? toNotes(ready, approval) : none
  if (!tool.child) {
    const result = await execute({ call, tool, args: ready.args, place }, context, step)
    return notes === none ? result : { ...result, ...notes }
  }
  context.emit?.({ type: 'tool-start', step: context.step, callId: call.id, name, arguments: ready.args })
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

/** Parses the arguments again for each use: the tool's function may change its copy. */
function toArguments({ function: { arguments: text } }: ToolCall, isChecked = false): ParsedArguments {
  return isChecked ? { ok: true, value: JSON.parse(text), text, repairs: [] } : parseArguments(text)
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

/** Recursive schemas are checked by recursion, which deep arguments overflow. */
const tooDeep = 'they are nested too deep to check. Make them flatter.'

type Preparation = PreparedCall | CallResult | PendingOutcome

/** Validates the arguments and asks the policies. Both run code of the user, which may throw or hang. */
function prepare(
  candidate: ParsedCall,
  { context, step }: DispatchContext,
): Preparation | Promise<Preparation> {
  const timeoutMs = candidate.tool.settings.timeoutMs ?? context.timeoutMs
  const toFailure = (error: unknown): CallResult | Promise<CallResult> => {
    if (step.signal.aborted) return notRunResult
    if (error instanceof RangeError)
      return rejectedResult(invalidArguments(candidate.tool, candidate.tool.name, tooDeep))
    const isLate = isCapstanError(error) && error.evidence?.timeoutMs === timeoutMs
    if (isLate)
      return errorResult('error', `checking this call did not end within ${timeoutMs} ms; nothing was run.`)
    return toolFailure(error, { call: candidate.call, args: candidate.value }, context, step)
  }
  try {
    step.signal.throwIfAborted()
    const preparation = chain(validateArguments(candidate, context), (checked) =>
      askPolicies(candidate, checked, context),
    )
    if (!(preparation instanceof Promise)) return preparation
    return withDeadline(step.signal, timeoutMs, () => preparation).result.catch(toFailure)
  } catch (error) {
    return toFailure(error)
  }
}

function askPolicies(
  candidate: ParsedCall,
  checked: RepairedArguments,
  context: CallContext,
): Preparation | Promise<Preparation> {
  const { call, tool, isApproved } = candidate
  if (!checked.ok) return rejectedResult(invalidArguments(tool, tool.name, checked.issues.join('; ')))
  const ready = { args: checked.value, repaired: checked.repaired }
  const toPending = (kind: PendingOutcome['kind']): PendingOutcome => ({
    status: 'pending',
    kind,
    arguments: messageArguments(call),
  })
  // The tool may have lost its function since the approval: then the caller supplies the result.
  if (isApproved && !tool.execute) return toPending('result')
  const readsOnly = tool.settings.effects === 'read'
  const policyCall = { callId: call.id, name: tool.name, arguments: checked.value, readsOnly }
  return chain(approve(policyCall, tool, context.guards, context.view), (verdict): Preparation => {
    if (verdict.type === 'deny') return deniedResult(verdict.reason)
    // The approval settles policies that ask.
    if (isApproved) return ready
    if (verdict.type === 'ask' && tool.execute && context.guards.unattended)
      return deniedResult(withoutApproval(verdict.reason))
    const reason = verdict.type === 'ask' && verdict.reason !== undefined ? { reason: verdict.reason } : {}
    if (!tool.execute) return { ...toPending('result'), ...reason }
    return verdict.type === 'allow' ? ready : { ...toPending('approval'), ...reason }
  })
}

/** The arguments that a person sees: those of the message, since a policy may have changed its copy. */
function messageArguments(call: ToolCall): Json {
  const parsed = toArguments(call)
  return (parsed.ok ? parsed.value : {}) as Json
}

function withoutApproval(reason = ''): string {
  return `${reason} This run cannot request approvals.`.trim()
}

type RepairedArguments = Checked & { readonly repaired?: boolean }

/** Validates arguments. With `repair`, arguments that do not fit are coerced to the schema and validated again. */
function validateArguments(
  { tool, value, call }: ParsedCall,
  { repair, step, emit }: CallContext,
): RepairedArguments | Promise<RepairedArguments> {
  return chain(validate(tool.parameters, value), (checked) => {
    const coerced = checked.ok ? undefined : repair?.coerce(value, tool.definition.function.parameters)
    if (!coerced || coerced.repairs.length === 0) return checked
    return chain(validate(tool.parameters, coerced.value), (again): RepairedArguments => {
      if (!again.ok) return checked
      emit?.({ type: 'repair-applied', step, callId: call.id, name: tool.name, repairs: coerced.repairs })
      return { ...again, repaired: true }
    })
  })
}

/** A call that may run now. */
interface ReadyCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: unknown
  readonly place: KeyPlace
}

/** Runs a call's function within its deadline, once its key and a slot are free. Never throws. */
async function execute(ready: ReadyCall, context: CallContext, step: StepContext): Promise<CallResult> {
  const { tool, place } = ready
  const log: CallLog = { started: Number.NaN, spent: [] }
  try {
    const key = keyOf(ready)
    if (key !== undefined) await place.waitForEarlier(step.signal)
    const running = context.slots.take({ tool, key }, step.signal, () => {
      log.started = performance.now()
      return withDeadline(step.signal, tool.settings.timeoutMs ?? context.timeoutMs, (signal) =>
        run(ready, context, { step: { ...step, signal }, log }),
      )
    })
    place.pass()
    const result = await running
    const ms = since(log)
    return log.spent.length === 0 && !log.limit ? { ...result, ms } : { ...result, ...recorded(log), ms }
  } catch (error) {
    const ms = since(log)
    return { ...(await failure(error, log, { ready, context, step })), ...recorded(log), ms }
  }
}

/** The record of a call in progress. */
interface CallLog {
  started: number
  readonly spent: Spending[]
  limit?: LimitName
}

/** @throws TypeError when `effects` returns anything but a string */
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
  context: CallContext,
  running: RunningCall,
): Promise<CallResult> {
  const { emit } = context
  const { signal } = running.step
  const ref = { step: context.step, callId: call.id, name: tool.name }
  // A function may outlive its call: its later progress is dropped.
  const progress = (value: unknown) => {
    if (!signal.aborted) emit?.({ type: 'tool-progress', ...ref, value: toShownJson(value) })
  }
  emit?.({ type: 'tool-start', ...ref, arguments: args })
  const { toolContext, given } = toToolContext(call, context, { ...running, progress })
  const output = await settle(tool.execute?.(args, toolContext), progress, signal)
  const { content: rendered, result, artifacts } = renderOutput(output, given)
  // A result that is the run's answer takes no room in the model's context.
  const defaultBytes = tool.settings.returnDirect ? Number.POSITIVE_INFINITY : defaultMaxResultBytes
  const { maxResultBytes = defaultBytes } = tool.settings
  const keep = { store: context.artifacts, origin: originOf(call, context) }
  const truncated = truncateResult(rendered, maxResultBytes, keep)
  const { content, whole } = truncated instanceof Promise ? await truncated : truncated
  const callResult: CallResult = { status: 'ok', content, artifacts, ms: 0 }
  const taintedBy = tool.reads && (await context.untrustedSource(tool.reads(args)))
  if (result === undefined && !whole && taintedBy === undefined) return callResult
  return {
    ...callResult,
    ...(result === undefined ? {} : { result }),
    ...(whole ? { whole } : {}),
    ...(taintedBy === undefined ? {} : { taintedBy }),
  }
}

function originOf({ id, function: { name } }: ToolCall, { runId }: CallContext): ArtifactOrigin {
  return { tool: name, callId: id, runId }
}

function toToolContext(
  { id, function: called }: ToolCall,
  callContext: CallContext,
  { step: { idempotencyKey, signal }, log, progress }: RunningCall & Pick<ToolContext, 'progress'>,
): { readonly toolContext: ToolContext; readonly given: ReadonlyMap<string, Artifact> } {
  const { context, artifacts, runId, step, spendLimiter, emit } = callContext
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
  const origin: ArtifactOrigin = { tool: called.name, callId: id, runId }
  const { store, given } = callArtifacts(artifacts, { origin, spendLimiter, spend, stored })
  const ids = { runId, callId: id, step, idempotencyKey }
  return { given, toolContext: { ...ids, context, artifacts: store, signal, progress, spend } }
}

interface FailedRun {
  readonly ready: ReadyCall
  readonly context: CallContext
  readonly step: StepContext
}

function failure(
  error: unknown,
  { started }: CallLog,
  { ready: { call, args }, context, step }: FailedRun,
): CallResult | Promise<CallResult> {
  const { signal } = step
  if (!signal.aborted) return toolFailure(error, { call, args }, context, step)
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

/** A call that stores artifacts. */
interface StoringCall {
  readonly origin: ArtifactOrigin
  readonly spendLimiter: SpendLimiter
  /** Called with each artifact once it is stored. */
  stored(artifact: Artifact): void
  spend(spending: Spending): void
}

/** A run's store as one call sees it. */
interface CallArtifacts {
  readonly store: ArtifactStore
  /** Artifacts that the store returned to this call, by id. Only these count as artifacts in its result. */
  readonly given: ReadonlyMap<string, Artifact>
}

/** Wraps the store for one call: artifacts that it stores name it as their origin and count towards the run's limits. */
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

/** Counts stored bytes. @throws CapstanError `stopped` when a limit of the run would be passed; a stream fails with it */
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
      // Not only at the end: a stream may never end.
      if (bytes > spendLimiter.bytesLeft) count(bytes)
      out.enqueue(chunk)
    },
    flush: () => count(bytes),
  })
  return data.pipeThrough(meter)
}
