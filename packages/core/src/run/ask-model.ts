import { abortable, calling } from '../async.js'
import { codeOf, invalidRequest, messageOf } from '../errors.js'
import { isRecord, isString, type Json, withoutUndefined } from '../json.js'
import { limitOf } from '../limits.js'
import { normalizeReply } from '../model/normalize-reply.js'
import { isEmptyValue } from '../model/reply-fields.js'
import { checkSettings, toFields } from '../model/request-body.js'
import { checkModel } from '../model/retry.js'
import { kindOf } from '../option-names.js'
import { noSuchTool } from '../tools/rejections.js'
import type { Emit } from '../types/event.js'
import type { StepContext } from '../types/host.js'
import {
  callsOf,
  isPaired,
  type Message,
  type ToolDefinition,
  textOf,
  type WireToolChoice,
  withNote,
} from '../types/message.js'
import {
  type ChatModel,
  type ModelReply,
  type ModelRequest,
  type ModelSink,
  restartNotice,
} from '../types/model.js'
import { addRequests, type CountedRequest } from '../usage.js'
import { middlewareName } from './hooks.js'
import type { FinalRequest, NextRequest, StepReply, StepRequest } from './middleware.js'
import type { RunContext } from './run-context.js'
import {
  checkLimits,
  type SideRequest,
  type StepRequests,
  sendCounted,
  sendSideRequest,
} from './side-requests.js'
import { stepKey } from './step-keys.js'
import { keptCalls, type RecordedReply, type RequestOutcome, tellPiece, tellRest } from './steps.js'
import { withinTime } from './time-limit.js'

/**
 * Sends one request to the model as a host step. State that middlewares keep first (`keepFirst`) is stored by an
 * earlier host step. With `last`, requests a final reply without calls.
 */
export async function askModel(run: RunContext, last: FinalRequest | undefined): Promise<RequestOutcome> {
  const { state, settings, parts } = run
  const { model, stepTimeoutMs: timeoutMs } = settings
  // The key is separate, because the host may have recorded the request that the time limit cut off.
  const part = last ? 'final' : 'request'
  const earlier: CountedRequest[] = []
  let round = 0
  const askInTime = async (step: StepContext): Promise<RequestOutcome> => {
    const taken: SideRequest[] = []
    let reply: RequestOutcome
    try {
      const ask = (timed: StepContext) => request(run, { ...timed, taken }, last, round)
      reply = await withinTime(run, step, ask, { timeoutMs, isFinal: last !== undefined })
    } catch (error) {
      if (step.signal.aborted || !(last ?? limitOf(error))) {
        run.unanswered = taken
        throw error
      }
      reply = cutOffReply(error, run, last)
    }
    // Side requests count even if the request itself fails. They are copied, because later ones are not part of the
    // step.
    return taken.length > 0 ? { ...reply, sideRequests: [...taken] } : reply
  }
  parts.emit?.({ type: 'step-start', step: state.stepCount })
  for (; ; round++) {
    const outcome = await parts.host.step<RequestOutcome>({
      key: stepKey(state.stepCount, round > 0 ? `${part}${round}` : part),
      options: { kind: 'model', name: model.name },
      run: askInTime,
    })
    if (outcome.message) return earlier.length > 0 ? { ...outcome, earlier } : outcome
    if (!outcome.kept) return outcome
    const { kept, sideRequests = [] } = outcome
    addRequests(run.sum, sideRequests, settings.prices)
    earlier.push(...sideRequests)
    for (const name in kept) if (middlewareName.test(name)) state.kept[name] = kept[name] as Json
  }
}

/** Returns the outcome of a request that a limit cut off, or of a failed final request: the text that was streamed. */
function cutOffReply(error: unknown, run: RunContext, last: FinalRequest | undefined): RequestOutcome {
  const text = run.streamed.join('')
  const streamed = text ? { text } : {}
  if (!last) return { limit: limitOf(error), ...streamed }
  run.parts.emit?.({
    type: 'final-answer-failed',
    step: run.state.stepCount,
    code: codeOf(error),
    message: messageOf(error),
  })
  return streamed
}

async function request(
  run: RunContext,
  step: StepRequests,
  last: FinalRequest | undefined,
  round: number,
): Promise<RequestOutcome> {
  const { state, settings, toolset, parts } = run
  const { hooks } = settings
  const first: StepRequest = {
    model: settings.model,
    messages: run.messages,
    instructions: settings.instructions,
    tools: toolset.describe?.(run.context) ?? toolset.definitions,
    // A tool is forced only once: otherwise the run would never end.
    toolChoice: state.flags.toolForced ? 'auto' : settings.toolChoice,
    disabled: [],
    settings: settings.fields,
    stream: parts.stream ?? false,
    by: run.by,
    isFinal: last !== undefined,
    sink: parts.emit && toSink(run, parts.emit, step.signal),
    signal: step.signal,
    toolset,
    ask: (messages, model = settings.model) => sendSideRequest(run, step, messages, model),
  }
  const sending: Sending = { run, step, call: first, last, sent: [], attempts: round }
  const startedAt = performance.now()
  let reply: StepReply | undefined
  while (!reply) {
    let call = first
    for (const one of hooks.beforeModel) {
      const changes = one.beforeModel(call, run)
      const known = changes instanceof Promise ? await abortable(step.signal, changes) : changes
      if (known) call = withChanges(call, known, run, one.name)
    }
    if (call.messages !== run.messages && !isPaired(call.messages)) {
      const message = 'A middleware separated a call from its result. Keep or drop both.'
      throw invalidRequest(message)
    }
    // Bounded, because a middleware that always keeps something first would prevent every request.
    const kept = call.keepFirst && round < 9 && call.keep?.(noReply)
    if (kept) return { kept }
    sending.call = call
    try {
      reply = await (hooks.wrapModel.length > 0 ? sendWrapped(call, sending) : send(call, sending))
    } catch (error) {
      let isRetried = false
      if (!call.signal.aborted)
        for (const one of hooks.retryModel) isRetried ||= await one.retryModel(error, call, run)
      if (!isRetried) throw error
    }
  }
  for (const one of hooks.afterModel) {
    const { call: answered, asked } = requestOf(reply, sending)
    const changed = one.afterModel(reply, answered, run, asked)
    reply = (changed instanceof Promise ? await abortable(step.signal, changed) : changed) ?? reply
  }
  return normalize(reply, Math.round(performance.now() - startedAt), sending)
}

const noReply: StepReply = { message: { role: 'assistant', content: null } }

/** Sends a request through the middlewares that wrap it, outermost first. */
function sendWrapped(call: StepRequest, sending: Sending): Promise<StepReply> {
  const { run } = sending
  const wrapped = run.settings.hooks.wrapModel.reduceRight<(given: StepRequest) => Promise<StepReply>>(
    (next, one) => (given) => {
      const pass: NextRequest = (changes) =>
        next(changes ? withChanges(given, changes, run, one.name) : given)
      return one.wrapModel(given, pass, run)
    },
    (given) => send(given, sending),
  )
  return abortable(call.signal, wrapped(call))
}

/**
 * Returns the request with a hook's changes. Fields that are `undefined` change nothing.
 * @throws CapstanError `invalid_request` for a setting that only the agent may set, or an invalid `model`
 */
function withChanges(
  call: StepRequest,
  given: Partial<StepRequest>,
  run: RunContext,
  name: string,
): StepRequest {
  const changes: { -readonly [Name in keyof StepRequest]?: StepRequest[Name] } = withoutUndefined(given)
  changes.by = { ...call.by, [name]: { ...given } }
  const { keep } = changes
  if (keep) changes.keep = (reply) => ({ ...call.keep?.(reply), ...keep(reply) })
  if (changes.settings && changes.settings !== call.settings) {
    changes.settings = toFields(changes.settings)
    checkSettings(changes.settings)
  }
  const { model } = changes
  if (model && model !== call.model) {
    checkModel(model, 'The `model` of a middleware or prepareStep')
    changes.ask ??= (messages, other = model) => call.ask(messages, other)
    changes.model = run.settings.modelOf(model)
  }
  return { ...call, ...changes }
}

/** A request that was sent, with its usage and its reply. */
interface SentRequest {
  /** Absent if a middleware returned a reply without sending a request. */
  readonly reply?: StepReply
  readonly counted: SideRequest
  readonly call: StepRequest
  readonly asked?: ModelRequest
}

/** The requests of one step. Usually there is one request; a middleware may send more. */
interface Sending {
  readonly run: RunContext
  readonly step: StepRequests
  call: StepRequest
  readonly last: FinalRequest | undefined
  readonly sent: SentRequest[]
  /** The number of requests so far, including failed ones. */
  attempts: number
}

/**
 * Sends a request. If the server rejects or ignores `tool_choice: 'none'`, sends it again without tools. If the server
 * rejects a request without tools because its history contains calls, sends the request again with tools.
 */
async function send(call: StepRequest, sending: Sending): Promise<StepReply> {
  const { run, step, sent } = sending
  const { model, toolset, signal, instructions: given } = call
  const number = sending.attempts++
  // The text streamed so far is no longer valid.
  if (number > 0 && run.streamed.length > 0) call.sink?.(restartNotice('A middleware retries.'))
  const { idempotencyKey } = step
  // With the same key, a service that deduplicates would return the same reply.
  const key = number > 0 ? `${idempotencyKey}/${number}` : idempotencyKey
  const offer = toOffer(call)
  const isWithheld = offer.toolChoice === 'none'
  let form = isWithheld && refusingNone.has(model) ? noTools : offer
  for (let again = ''; ; again = '/again') {
    run.streamedCalls.clear()
    const written = typeof given === 'function' ? calling('instructions', () => given(run.context)) : given
    const text = written instanceof Promise ? await abortable(signal, written) : written
    const asked = toRequest(call, text, { ...form, idempotencyKey: key + again }, sending)
    try {
      // The request counts as a side request unless the step ends with its reply.
      const { reply: received, counted } = await sendCounted(model, asked, run, step.taken, call.sink)
      const reply = marked(received)
      sent.push({ reply, counted, call, asked })
      if (again && form === noTools) refusingNone.add(model)
      // Some servers ignore the tool choice.
      const isIgnored = form.toolChoice === 'none' && callsOf(reply.message).length > 0
      if (again || !isIgnored || textOf(reply.message.content)) return reply
      form = noTools
    } catch (error) {
      const isRefused = codeOf(error) === 'invalid_request'
      const needsTools = form.tools.length === 0 && call.messages.some((one) => callsOf(one).length > 0)
      const tools = isWithheld ? offer.tools : toolset.definitions
      const next: OfferedTools = needsTools ? { tools, toolChoice: 'none' } : isWithheld ? noTools : form
      if (again || !isRefused || next.tools.length === form.tools.length) throw error
      form = next
    }
  }
}

/** Models whose servers reject or ignore `tool_choice: 'none'` in a request with tools. */
const refusingNone = new WeakSet<ChatModel>()

const noTools: OfferedTools = { tools: [], toolChoice: 'auto' }

/**
 * Returns a request that starts with the instructions, if there are any.
 * @throws CapstanError `stopped` if a limit does not allow the request, `invalid_request` if the instructions are not a
 * string; the signal's reason after an abort
 */
function toRequest(
  call: StepRequest,
  text: string | undefined,
  fields: OfferedTools & Pick<ModelRequest, 'idempotencyKey'>,
  { run, step, last }: Sending,
): ModelRequest {
  const { hostedTools, signal, settings } = call
  run.hosted = hostedTools?.[0]?.type
  // A listener may have aborted the run.
  signal.throwIfAborted()
  if (run.needsCounts)
    checkLimits(run, step.taken, { ...call, ...fields, text, last: run.state.flags.lastRequest })
  let messages = last ? withNote(call.messages, last.note) : call.messages
  if (text) {
    if (!isString(text)) throw invalidRequest(`instructions returned ${kindOf(text)}. Return a string.`)
    // Unchanged text keeps the same object, so that it is serialized only once.
    if (run.system?.content !== text) run.system = { role: 'system', content: text }
    // Not a spread: until a spread is compiled, it allocates an object for each message.
    messages = [run.system as Message].concat(messages)
  }
  return {
    messages,
    ...fields,
    settings,
    stream: call.stream,
    retries: run.parts.host.retries === 'core',
    signal,
    ...(hostedTools && { hostedTools }),
  }
}

/** Normalizes the step's reply for the history. The other replies of the step count as side requests. */
function normalize(reply: StepReply, ms: number, sending: Sending): RecordedReply {
  const { run, sent } = sending
  const { taken } = sending.step
  const { call, asked: offer = toOffer(call), counted } = requestOf(reply, sending)
  const offered = namesOf(offer, call)
  const options = {
    toolset: call.toolset,
    offered,
    taken: run.callIds,
    turn: run.state.stepCount,
    repair: run.settings.repair,
    isFinal: call.isFinal,
  }
  const place = taken.indexOf(counted)
  if (place >= 0) taken.splice(place, 1)
  let by = reply.message.taintedBy
  // A middleware may have rewritten the message without this mark.
  for (const one of sent) by ??= one.reply?.message.taintedBy
  const whole = by === undefined ? reply : { ...reply, message: { ...reply.message, taintedBy: by } }
  const told = run.parts.stream && keptCalls(whole, run)
  const normalized = normalizeReply(whole, options)
  if (told) tellRest(whole, normalized, told, run)
  const forced = sent.length > 0 && offered.length > 0 && offer.toolChoice !== 'auto'
  // Taken before the spread, because in Node 20 each new field after a spread takes about a microsecond.
  const { keep } = call
  const kept = keep && { kept: { ...keep(reply), ...reply.kept } }
  return { forced, ms, ...reply, ...normalized, ...counted, ...kept }
}

/** Returns the request that a reply belongs to. If no request was sent, the usage is zero. */
function requestOf(given: StepReply, { sent, call }: Sending): SentRequest {
  const { message, tokens } = given
  // The usual case.
  if (sent.length === 1) return sent[0] as SentRequest
  return (
    sent.find(({ reply }) => reply?.message === message) ??
    sent.findLast(({ reply }) => reply?.tokens === tokens) ??
    sent.at(-1) ?? {
      call,
      counted: {
        reported: true,
        model: call.model.name,
        tokens: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      },
    }
  )
}

/** Marks a reply as untrusted if it contains results of the server's own tools or search. */
function marked(reply: ModelReply): ModelReply {
  const { message, extra, hostedCalls: [call] = [], sources } = reply
  if (!call && !sources?.length && !hasSources([message, extra])) return reply
  return { ...reply, message: { ...message, taintedBy: call?.type || 'sources' } }
}

function hasSources(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasSources)
  if (!isRecord(value)) return false
  for (const name in value)
    if (
      sourceField.test(name) ? !isEmptyValue(value[name]) : innerField.test(name) && hasSources(value[name])
    )
      return true
  return false
}

/** Matches fields in which servers return search results. `innerField` matches fields that may contain such fields. */
const sourceField =
  /citations|annotations|search_|_search$|grounding|references?$|reference_ids|executed_tools|^sources$|^tool_use_id$/
const innerField = /^(content|context|response_items|message_blocks|provider_specific_fields)$/

/** Returns the names of the tools that a reply may call. */
function namesOf({ tools, toolChoice }: OfferedTools, { toolset, disabled }: StepRequest): readonly string[] {
  if (toolChoice === 'none') return []
  const names = tools === toolset.definitions ? toolset.names : tools.map((tool) => tool.function.name)
  return disabled.length > 0 ? names.filter((name) => !disabled.includes(name)) : names
}

/**
 * Returns a sink that reports streamed deltas, and keeps the text in case the reply is cut off. The sink ignores all
 * deltas after an abort.
 */
function toSink(run: RunContext, emit: NonNullable<Emit>, signal: AbortSignal): ModelSink {
  const { stream } = run.parts
  const step = run.state.stepCount
  run.streamed = []
  return (delta) => {
    if (signal.aborted) return
    if (delta.type === 'retry') {
      run.streamed = []
      run.streamedCalls.clear()
      emit({ step, ...delta, type: 'retry-scheduled' })
    } else if (!stream) return
    else if (delta.type === 'call') tellPiece(delta, run)
    else {
      if (delta.type === 'text') run.streamed.push(delta.text)
      emit({ type: delta.type === 'text' ? 'text-delta' : 'reasoning-delta', step, text: delta.text })
    }
  }
}

type OfferedTools = Pick<ModelRequest, 'tools' | 'toolChoice'>

/**
 * Returns the tools that a request offers, and its tool choice. A final request still offers tools, although none may
 * be called: servers cache a request from its start, and the tools come first.
 * @throws CapstanError `unknown_tool` for a forced tool that is not offered
 */
function toOffer(call: StepRequest): OfferedTools {
  const { tools, toolChoice, toolset, isFinal } = call
  if (tools === toolset.definitions && toolChoice === 'auto')
    return { tools, toolChoice: isFinal ? 'none' : 'auto' }
  const chosen = toolChoice === 'none' ? [] : tools
  // The model must always be able to end the run.
  const missing = toolset.tools.flatMap(({ endsRun, definition }) =>
    endsRun && !chosen.includes(definition) ? definition : [],
  )
  const offered = missing[0] ? [...chosen, ...missing] : chosen
  return { tools: offered, toolChoice: isFinal ? 'none' : toWireChoice(call, offered) }
}

function toWireChoice(call: StepRequest, tools: readonly ToolDefinition[]): WireToolChoice {
  const { toolChoice: choice, disabled } = call
  if (choice === 'auto' || choice === 'none') return 'auto'
  const names = namesOf({ tools, toolChoice: 'auto' }, call)
  if (names.length === 0) return 'auto'
  if (choice === 'required') return 'required'
  const forced = isString(choice) ? { type: 'function' as const, function: { name: choice } } : choice
  const { name } = forced.function
  if (disabled.includes(name)) return 'auto'
  if (!names.includes(name)) throw noSuchTool(name, names)
  return forced
}
