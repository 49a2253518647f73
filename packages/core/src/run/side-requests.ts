import { abortable, noted } from '../async.js'
import { CapstanError } from '../errors.js'
import { hash } from '../json.js'
import { limitExceeded } from '../limits.js'
import type { StepContext } from '../types/host.js'
import { isReplyMessage, type Message, type ToolDefinition, textOf } from '../types/message.js'
import type { ChatModel, ModelReply, ModelRequest, ModelSink } from '../types/model.js'
import type { Flags } from '../types/state.js'
import {
  addCost,
  addRequests,
  type CountedRequest,
  copyOfUsage,
  costOf,
  type PriceTable,
  type TokenUsage,
} from '../usage.js'
import { estimateMessages, estimateTokenCount, estimateTokens, estimateTools, ratioOf } from './estimate.js'
import type { StepReply } from './middleware.js'
import type { RunContext } from './run-context.js'

/** A request's usage as plain JSON, which is recorded with the request's step. */
export interface SideRequest extends CountedRequest {
  readonly tokens?: TokenUsage
}

/** The context of a host step, with the requests that it has made. */
export interface StepRequests extends StepContext {
  /** The usage of the requests so far. The array grows while the step runs. */
  readonly taken: SideRequest[]
}

/**
 * Sends a request without tools, such as one for a summary, and returns the text of the reply.
 * @throws CapstanError `stopped` if a limit would be exceeded, or the model's error
 */
export async function sendSideRequest(
  run: RunContext,
  { idempotencyKey, signal, taken }: StepRequests,
  messages: readonly Message[],
  given: ChatModel,
): Promise<string> {
  const model = run.settings.modelOf(given)
  checkLimits(run, taken, { messages, model })
  const asked = {
    messages,
    tools: [],
    stream: false,
    signal,
    retries: run.parts.host.retries === 'core',
    idempotencyKey: `${idempotencyKey}/ask-${hash(model.name + JSON.stringify(messages))}`,
  }
  const { reply } = await sendCounted(model, asked, run, taken)
  return textOf(reply.message.content)
}

/**
 * Sends a request and adds its usage to `taken`. The usage is estimated if the signal or a timeout cuts off the reply,
 * or if a limit needs token counts that the server did not report.
 * @throws CapstanError `invalid_response` if a custom model returned no reply
 */
export async function sendCounted(
  model: ChatModel,
  request: ModelRequest,
  run: RunContext,
  taken: SideRequest[],
  sink?: ModelSink,
): Promise<{ readonly reply: StepReply; readonly counted: SideRequest }> {
  const { messages, tools, signal } = request
  let pieces: string[] = []
  const failed = (code: unknown) => {
    if (code === 'timeout')
      taken.push({
        reported: false,
        model: model.name,
        tokens: estimateTokens(messages, { role: 'assistant', content: pieces.join('') }, tools),
      })
    pieces = []
  }
  const read: ModelSink = (delta) => {
    if (delta.type === 'retry') failed(delta.code)
    else pieces.push(delta.type === 'call' ? delta.name + delta.arguments : delta.text)
    sink?.(delta)
  }
  try {
    const { wrapRequest } = run.settings.hooks
    const work =
      wrapRequest.length > 0 ? sendWrapped(model, request, run, read) : model.complete(request, read)
    const given = await abortable(signal, work)
    if (!isReplyMessage(given?.message)) {
      const message = `Model "${model.name}" returned no valid reply. complete must return { message: { role: 'assistant', content } }.`
      throw new CapstanError('invalid_response', message, { evidence: { model: model.name } })
    }
    const reply = given.tokens ? withWholes(given, given.tokens, model) : given
    const { tokens } = reply
    const counts = tokens ?? (run.needsCounts && estimateTokens(messages, reply.message, tools))
    const counted = {
      reported: tokens !== undefined,
      model: reply.model ?? model.name,
      ...(counts && { tokens: counts }),
    }
    taken.push(counted)
    return { reply, counted }
  } catch (error) {
    failed(signal.aborted ? 'timeout' : Object(error).code)
    throw noted(error, `Model "${model.name}"`)
  }
}

/** Sends a request through the middlewares that wrap it, outermost first. */
function sendWrapped(
  model: ChatModel,
  request: ModelRequest,
  run: RunContext,
  read: ModelSink,
): Promise<ModelReply> {
  const send = run.settings.hooks.wrapRequest.reduceRight<(given: ModelRequest) => Promise<ModelReply>>(
    (next, one) => (given) => one.wrapRequest(given, next, model, run),
    (given) => model.complete(given, read),
  )
  return send(request)
}

/**
 * Returns the reply with token totals that are no smaller than their parts. Some servers omit cached tokens from the
 * input.
 */
export function withWholes(
  reply: StepReply,
  tokens: TokenUsage,
  { name }: Pick<ChatModel, 'name'>,
): StepReply {
  const {
    cachedInputTokens: cached = 0,
    cacheWriteTokens: written = 0,
    reasoningTokens: thought = 0,
  } = tokens
  const inputTokens = Math.max(tokens.inputTokens, cached, written)
  const outputTokens = Math.max(tokens.outputTokens, thought)
  const isRaised = inputTokens + outputTokens > tokens.inputTokens + tokens.outputTokens
  if (!isRaised && cached + written <= inputTokens) return reply
  const totalTokens = Math.max(tokens.totalTokens, inputTokens + outputTokens)
  const counts = { ...tokens, inputTokens, outputTokens, totalTokens }
  // The same tokens may be both written and read.
  if (written > 0) counts.cacheWriteTokens = Math.min(written, inputTokens - cached)
  const warning = `"${name}" reported more cached or reasoning tokens than in total. The larger number is used.`
  return { ...reply, tokens: counts, ...(isRaised && { warning }) }
}

/** The data from which a request's input is estimated. */
interface EstimatedRequest {
  readonly messages: readonly Message[]
  readonly model: ChatModel
  /** The instructions, as text. */
  readonly text?: string | undefined
  readonly tools?: readonly ToolDefinition[]
  /** The usage of the previous request. That request contains most of this request's messages. */
  readonly last?: Flags['lastRequest']
}

/** Rejects a request whose input alone would exceed a limit. @throws CapstanError `stopped` */
export function checkLimits(
  { state: { usage, limits }, settings: { prices } }: RunContext,
  taken: readonly SideRequest[],
  request: EstimatedRequest,
): void {
  const sum = copyOfUsage(usage)
  addRequests(sum, taken, prices)
  const { totalTokens, cost = 0 } = sum
  const input = leastInput(request, prices)
  if (limits.tokens !== undefined && totalTokens + input.tokens > limits.tokens)
    throw limitExceeded('tokens', limits.tokens)
  if (limits.cost === undefined) return
  // An unknown cost is NaN here.
  if (!(Number(addCost(cost, input.cost)) <= limits.cost)) throw limitExceeded('cost', limits.cost)
}

/**
 * Returns the minimum number of input tokens that a request is expected to use, and their cost. The last reported
 * counts are more exact than an estimate, because they include tool definitions and cached tokens.
 */
function leastInput(
  { messages, model, text = '', tools = [], last }: EstimatedRequest,
  prices: PriceTable | undefined,
): { readonly tokens: number; readonly cost: number } {
  const costOfInput = (inputTokens: number) =>
    prices ? costOf({ inputTokens }, model.name, prices) : 'unknown'
  const least = tolerance * ratioOf(model)
  const tokens = least * (estimateMessages(messages) + estimateTokenCount(text) + estimateTools(tools))
  const cost = Number(costOfInput(tokens))
  const reply = messages.findLastIndex(({ role }) => role === 'assistant')
  if (!last || reply < 0) return { tokens, cost }
  const added = least * estimateMessages(messages.slice(reply + 1))
  const more = Number(addCost(last.cost, costOfInput(added)))
  return { tokens: Math.min(tokens, last.tokens + added), cost: Math.min(cost, more) }
}

/** Servers count up to a quarter fewer tokens than estimated, for example in Korean text. */
const tolerance = 0.75
