import { abortable } from '../async.js'
import { CapstanError, isCapstanError } from '../errors.js'
import { limitOf } from '../limits.js'
import {
  compactHistory,
  estimateTokens,
  needsCounts,
  type SideRequest,
  SideRequests,
} from '../middleware/compact-history.js'
import { readArtifact } from '../middleware/long-results.js'
import { withImages } from '../middleware/show-images.js'
import {
  type ReadOutput,
  readOutput,
  type StructuredOutput,
  toStructuredOutput,
} from '../middleware/structured-output.js'
import { type NormalizedReply, normalizeReply } from '../model/normalize-reply.js'
import { checkSettings } from '../model/request-body.js'
import { type Toolset, toToolset } from '../tools/tool.js'
import type { StepContext } from '../types/host.js'
import { callsOf, type ToolDefinition, textOf, type WireToolChoice } from '../types/message.js'
import type { ModelReply, ModelRequest, ModelSink } from '../types/model.js'
import type { LimitName, RunState } from '../types/state.js'
import { withInstructions, writeInstructions } from './instructions.js'
import type { RunContext, RunSettings, StepChanges, ToolChoice } from './run-context.js'
import { endOfTime, withinTime } from './time-limit.js'

/** The recorded outcome of one request: a reply, or the limit that cut it off. */
export type Reply = ModelAnswer | Unanswered

interface Unanswered {
  readonly message?: undefined
  readonly limit?: LimitName | undefined
  /** The text that was streamed before the cut. */
  readonly text?: string
  /** The side requests that were made. */
  readonly asides?: readonly SideRequest[]
}

/** Asks the model once, as one host step. */
export function ask(walk: RunContext, plan: RunSettings): Promise<Reply> {
  const key = `t${walk.state.turn}/model`
  return modelStep(key, walk, plan, (step) => inTime(walk, plan, step))
}

/** Makes one request as a host step. Its streamed text may come from the host's record. */
export async function modelStep(
  key: string,
  walk: RunContext,
  { host, model }: RunSettings,
  run: (step: StepContext) => Promise<Reply>,
): Promise<Reply> {
  const reply = await host.step<Reply>({ key, options: { kind: 'model', name: model.name }, run })
  if (!reply.message) walk.streamed = reply.text
  return reply
}

/** Returns the streamed text of a reply that was cut off. */
export function streamedBy({ streamed: text }: RunContext): Pick<Unanswered, 'text'> {
  return text ? { text } : {}
}

async function inTime(walk: RunContext, plan: RunSettings, step: StepContext): Promise<Reply> {
  const bounds = { endsAt: endOfTime(walk), timeoutMs: plan.stepTimeoutMs }
  const taken: SideRequest[] = []
  try {
    const answered = await withinTime(bounds, step, async (timed) => {
      const changes = plan.prepareStep ? await changesOf(walk, plan, timed) : {}
      const asides = new SideRequests(walk.state, plan, { step: timed, taken })
      return request(walk, plan, {
        changes,
        offer: selectTools(walk.state, plan, changes),
        step: timed,
        asides,
      })
    })
    return withAsides(answered, taken)
  } catch (error) {
    const limit = step.signal.aborted ? undefined : limitOf(error)
    if (limit) return withAsides({ limit, ...streamedBy(walk) }, taken)
    throw error
  }
}

/** Adds the side requests to a reply: they count even when the request itself failed. */
export function withAsides<R extends Reply>(reply: R, taken: readonly SideRequest[]): R {
  return taken.length > 0 ? { ...reply, asides: taken } : reply
}

/** Returns the changes of `prepareStep` to this request. */
export async function changesOf(
  { state, records }: RunContext,
  plan: RunSettings,
  { signal }: StepContext,
): Promise<StepChanges> {
  if (!plan.prepareStep) return {}
  const view = { step: state.turn, messages: state.messages, toolCalls: records, context: plan.context }
  const changes = (await abortable(signal, plan.prepareStep(view))) ?? {}
  checkSettings(changes.settings)
  if (changes.model && typeof changes.model.complete !== 'function') {
    const message =
      'prepareStep returned a `model` that is not a ChatModel. Use chatModel(name) or openaiModel(client, name).'
    throw new CapstanError('invalid_request', message)
  }
  return changes
}

interface Asking {
  readonly changes: StepChanges
  readonly offer: OfferedTools
  readonly step: StepContext
  readonly asides: SideRequests
  /** Added after the instructions, for this request only. */
  readonly note?: string | undefined
  /** Request fields that ask the server for structured output. */
  readonly form?: Readonly<Record<string, unknown>> | undefined
}

/** The model's reply to a request. */
export interface ModelAnswer extends NormalizedReply, Omit<ModelReply, 'message'> {
  /** The model that was asked. */
  readonly model: string
  /** Whether the server reported token counts; otherwise they are absent, or estimated when a limit needs them. */
  readonly reported: boolean
  /** Whether this request forced a tool, which happens once in a run. */
  readonly forced: boolean
  /** The output of a text reply, when there is an output schema. */
  readonly output?: ReadOutput
  /** Whether the server turned out not to support structured output. */
  readonly outputByTool?: boolean
  /** The side requests that were made. */
  readonly asides?: readonly SideRequest[]
  readonly limit?: undefined
}

/** Asks the model. Asks again with tools when a server rejects a history or settings of calls without tools. */
export async function request(walk: RunContext, plan: RunSettings, asking: Asking): Promise<ModelAnswer> {
  const form = isNative(walk.state, plan) ? plan.output?.responseFormat : undefined
  try {
    return await askOnce(walk, plan, { ...asking, form })
  } catch (error) {
    if (plan.output && form && isAboutForm(error)) {
      const { toolset, tool } = plan.output
      const offer: OfferedTools = { tools: [...asking.offer.tools, tool.definition], toolChoice: 'auto' }
      const answered = await askOnce(walk, { ...plan, toolset }, { ...asking, offer })
      return { ...answered, outputByTool: true }
    }
    const { definitions } = plan.toolset
    const hasCalls = () => walk.state.messages.some((message) => callsOf(message).length > 0)
    const isRefused = isCapstanError(error) && error.code === 'invalid_request'
    if (!isRefused || asking.offer.tools.length > 0 || definitions.length === 0 || !hasCalls()) throw error
    // With the same key, a service that deduplicates would return the same rejection.
    const step = { ...asking.step, idempotencyKey: `${asking.step.idempotencyKey}/again` }
    return askOnce(walk, plan, { ...asking, form, step, offer: { tools: definitions, toolChoice: 'none' } })
  }
}

/** Makes one request and normalizes its reply for the history. */
async function askOnce(
  walk: RunContext,
  plan: RunSettings,
  { changes, offer, step, asides, note, form }: Asking,
): Promise<ModelAnswer> {
  const { state, callIds } = walk
  const { host, repair, toolset, stream } = plan
  const model = changes.model ? plan.modelOf(changes.model) : plan.model
  const { signal } = step
  const { compact, emit } = plan
  const history = compact
    ? await compactHistory(walk, compact, { model, asides, signal, emit })
    : state.messages
  const written = writeInstructions(changes.instructions ?? plan.instructions, plan.context, signal)
  const text = written instanceof Promise ? await written : written
  const messages = withInstructions(walk, [text, note], history)
  const shown = withImages(messages, {
    store: plan.artifacts,
    options: plan.show,
    made: state.artifacts ?? [],
  })
  const asked: ModelRequest = {
    messages: shown instanceof Promise ? await abortable(signal, shown) : shown,
    ...offer,
    settings: { ...form, ...plan.settings, ...changes.settings },
    stream,
    retries: host.retries === 'core',
    ...step,
  }
  // A listener may have aborted the run.
  signal.throwIfAborted()
  const answer = model.complete(asked, toSink(walk, plan, signal))
  const reply = await abortable(step.signal, answer)
  const { message, tokens } = reply
  const offered = offer.toolChoice === 'none' ? [] : namesOf(offer, toolset)
  const admitted = normalizeReply(reply, { toolset, offered, taken: callIds, turn: state.turn, repair })
  const words = textOf(message.content)
  const isAnswer = !admitted.message.tool_calls && !message.refusal && words.trim() !== ''
  const output =
    plan.output && isAnswer ? await abortable(step.signal, readOutput(words, plan.output)) : undefined
  const counted = tokens ?? (needsCounts(state) ? estimateTokens(messages, message) : undefined)
  const answered: ModelAnswer = {
    ...reply,
    ...admitted,
    reported: tokens !== undefined,
    model: reply.model ?? model.name,
    forced: offered.length > 0 && offer.toolChoice !== 'auto',
  }
  if (counted === tokens && !output) return answered
  return { ...answered, ...(counted ? { tokens: counted } : {}), ...(output ? { output } : {}) }
}

function namesOf({ tools }: OfferedTools, { definitions, names }: Toolset): readonly string[] {
  return tools === definitions ? names : tools.map((tool) => tool.function.name)
}

/** Whether the server itself produces the structured output. */
function isNative({ flags }: RunState, { output, model }: RunSettings): boolean {
  return output !== undefined && model.structuredOutput === true && !flags.outputByTool
}

function isAboutForm(error: unknown): boolean {
  return (
    isCapstanError(error) &&
    error.code === 'invalid_request' &&
    /response_format|json_schema|structured/i.test(error.message)
  )
}

/** Reports streamed deltas and keeps the text in case the reply is cut off. Reports nothing after an abort. */
function toSink(walk: RunContext, { emit, stream }: RunSettings, signal: AbortSignal): ModelSink | undefined {
  if (!emit) return undefined
  const step = walk.state.turn
  let text = ''
  return (delta) => {
    if (signal.aborted) return
    if (delta.type === 'retry') {
      text = ''
      walk.streamed = undefined
      emit({ ...delta, type: 'retry-scheduled', step })
    } else if (!stream) return
    else if (delta.type === 'call') emit({ ...delta, type: 'call-delta', step })
    else if (delta.type === 'reasoning') emit({ type: 'reasoning-delta', step, text: delta.text })
    else {
      text += delta.text
      walk.streamed = text
      emit({ type: 'text-delta', step, text: delta.text })
    }
  }
}

/** The tools of one request and the tool choice. */
interface OfferedTools {
  readonly tools: readonly ToolDefinition[]
  readonly toolChoice: WireToolChoice
}

export const nothing: OfferedTools = { tools: [], toolChoice: 'auto' }

/** Selects the tools of a request. @throws CapstanError `unknown_tool` for a name that no tool has */
export function selectTools({ flags }: RunState, plan: RunSettings, changes: StepChanges): OfferedTools {
  const isForcedOnce = flags.forcedChoiceUsed && !flags.misshapen
  const choice = changes.toolChoice ?? (isForcedOnce ? 'auto' : plan.toolChoice)
  if (choice === 'none') return plan.output ? onlyOutput(plan) : nothing
  const withheld = flags.withheld ?? []
  const tools = toTools(plan.toolset, changes.tools && [...changes.tools, ...outputName(plan)], withheld)
  return { tools, toolChoice: isForced(choice, withheld) ? 'auto' : toWireChoice(choice, tools) }
}

/** Offers only the tool of the final answer: the model must always be able to finish. */
function onlyOutput({ toolset, output }: RunSettings): OfferedTools {
  const tool = output && toolset.get(output.tool.name)
  return tool ? { tools: [tool.definition], toolChoice: 'auto' } : nothing
}

function outputName({ toolset, output }: RunSettings): string[] {
  return output && toolset.get(output.tool.name) ? [output.tool.name] : []
}

function toTools(
  toolset: Toolset,
  names: readonly string[] | undefined,
  withheld: readonly string[],
): readonly ToolDefinition[] {
  // The whole list as it is: it is serialized once.
  if (!names && withheld.length === 0) return toolset.definitions
  const wanted = (names ?? toolset.names).filter((name) => !withheld.includes(name))
  return wanted.map((name) => {
    const tool = toolset.get(name)
    if (!tool) throw unknownTool(name, toolset.names)
    return tool.definition
  })
}

/** Whether one of these tools is forced. */
function isForced(choice: ToolChoice, names: readonly string[]): boolean {
  return names.includes(typeof choice === 'string' ? choice : choice.function.name)
}

function toWireChoice(choice: ToolChoice, tools: readonly ToolDefinition[]): WireToolChoice {
  if (choice === 'auto' || choice === 'none' || tools.length === 0) return 'auto'
  if (choice === 'required') return 'required'
  const forced =
    typeof choice === 'string' ? { type: 'function' as const, function: { name: choice } } : choice
  const names = tools.map((tool) => tool.function.name)
  if (!names.includes(forced.function.name)) throw unknownTool(forced.function.name, names)
  return forced
}

function unknownTool(name: string, names: readonly string[]): CapstanError {
  const message = `Unknown tool "${name}" to offer or force. Tools: ${names.join(', ')}.`
  return new CapstanError('unknown_tool', message, { evidence: { name } })
}

/**
 * Returns the settings of the next step: those of the current agent, with the tool of the final answer when the
 * server has no structured output, and with `read_artifact` once a result was too long to show.
 */
export function settingsForStep(state: RunState, given: RunSettings): RunSettings {
  const { agent, flags } = state
  const plan = given.agent === agent ? given : handed(given, given.of(agent))
  const { output } = plan
  const toolset = output && !isNative(state, plan) ? output.toolset : plan.toolset
  const reading = flags.shortened && !toolset.get(readArtifact.name) ? withReader(toolset) : toolset
  if (reading === plan.toolset && !flags.misshapen) return plan
  // After a reply that did not match the schema the tool is forced, so that it cannot fail the same way.
  const forced =
    output && flags.misshapen && reading.get(output.tool.name) ? output.tool.name : plan.toolChoice
  return { ...plan, toolset: reading, toolChoice: forced }
}

/** Keeps the output schema of the first agent after a handoff. */
function handed({ output }: RunSettings, plan: RunSettings): RunSettings {
  return { ...plan, output: output && outputWith(output, plan.toolset) }
}

const outputs = new WeakMap<StructuredOutput, WeakMap<Toolset, StructuredOutput>>()

function outputWith(output: StructuredOutput, toolset: Toolset): StructuredOutput {
  const known = outputs.get(output) ?? new WeakMap<Toolset, StructuredOutput>()
  outputs.set(output, known)
  const made = known.get(toolset) ?? toStructuredOutput(output.schema, toolset.tools)
  known.set(toolset, made)
  return made
}

const known = new WeakMap<Toolset, Toolset>()

function withReader(toolset: Toolset): Toolset {
  const made = known.get(toolset) ?? toToolset([...toolset.tools, readArtifact])
  known.set(toolset, made)
  return made
}
