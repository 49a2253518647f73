import { isString, type Json, onceFor, setNewest } from '../json.js'
import {
  calledIn,
  estimateTokenCount,
  estimateTools,
  learnRatio,
  picturesIn,
  ratioOf,
} from '../run/estimate.js'
import type { Feature } from '../run/feature.js'
import { withoutKept } from '../run/hooks.js'
import type { Middleware, NextRequest, RunView, StepReply, StepRequest } from '../run/middleware.js'
import { type Message, textOf } from '../types/message.js'
import type { ChatModel } from '../types/model.js'

/** How a run reacts to a prompt that is too long for the server. */
type OnContextLost = 'recover' | 'compact' | 'warn' | 'stop'

/**
 * Detects prompts that exceed the server's context window. Some servers reject them. Others silently drop a part of the
 * prompt and report fewer tokens than were sent: the run then emits one `context-lost` event and a warning. The
 * `onContextLost` option sets the reaction. `recover`, the default, shortens a rejected request and sends it again, and
 * shortens later requests too. `compact` also does so after a silent loss. With `warn` or `stop`, a rejection fails the
 * run. `stop` also ends the run after a silent loss, before its next request.
 */
export function lostContext(): Feature {
  return {
    name,
    isInner: true,
    agentOptions: {
      onContextLost: [
        '"recover", "compact", "warn" or "stop"',
        (value: unknown) => /^(recover|compact|warn|stop)$/.test(String(value)),
      ],
    },
    forAgent: toMiddleware,
  }
}

const name = 'lost-context'

function toMiddleware({ onContextLost: reaction }: { readonly onContextLost?: OnContextLost }): Middleware {
  const known = onceFor((_model: ChatModel) => new Map<string, PromptReports>())
  const checked = (reply: StepReply, call: StepRequest, run: RunView): StepReply => {
    const reported = reply.tokens?.inputTokens
    if (!reported) return reply
    const { model: answering = '' } = reply
    const ofModel = known(call.model)
    const reports = ofModel.get(answering) ?? new PromptReports()
    setNewest(ofModel, answering, reports, maxNames)
    if (reports.isConstant(reported)) return reply
    const [prompt, keys] = promptOf(call, run)
    const estimated = prompt.head + prompt.text + prompt.pictures
    const least = reports.judge(prompt, keys, reported)
    if (!least) {
      learnRatio(call.model, estimated, reply.tokens)
      return reply
    }
    // If prompts are cut, the window is about as large as the largest prompt that was reported.
    const window = reports.largest
    const before = lossIn(run)
    if (before && (reaction !== 'compact' || window >= 0.9 * before)) return reply
    const model = call.model.name
    const sent = Math.round(Math.max(least, ratioOf(call.model) * estimated))
    const kept: Record<string, Json> = { ...reply.kept, [name]: { model, sent, reported, window } }
    // The caller is told about the run's first loss only.
    if (before) return { ...reply, kept }
    run.emit({ type: 'context-lost', sent, reported, window })
    const warning = `The server of "${model}" read ${reported} of about ${sent} tokens: its context window is about ${window}. Enlarge it (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: --ctx-size), or set onContextLost: 'compact'.`
    return { ...reply, kept, warning }
  }
  return {
    name,
    // Middlewares outside this one get the loss with the reply, and may send the request again.
    ...(reaction === 'compact'
      ? {
          wrapModel: async (call: StepRequest, next: NextRequest, run: RunView) =>
            checked(await next(), call, run),
        }
      : { afterModel: checked }),
    // The server may have a larger window now.
    onResume: (state, { stopReason }) => (stopReason === 'condition' ? withoutKept(state, name) : state),
    ...(reaction === 'stop' && {
      shouldStop: (run: RunView) => (lossIn(run) ? { reason: 'condition' as const } : undefined),
    }),
  }
}

/** The number of model names to keep reports for. Limited, because a server may reply with any name. */
const maxNames = 20

/** Returns a request's estimated tokens and, for each message, a key that identifies all messages up to it. */
function promptOf(call: StepRequest, run: RunView): [Prompt, keys: readonly number[]] {
  const { messages } = call
  const instructions = call.instructions && run.system ? toPart(run.system).tokens : 0
  const tools = call.isFinal || call.toolChoice === 'none' ? 0 : estimateTools(call.tools)
  // A run's history only grows at its end, so earlier messages are not counted again.
  const totals = messages === run.messages ? totalsOf(run) : noTotals()
  const { keys } = totals
  for (let at = keys.length; at < messages.length; at++) {
    const message = messages[at] as Message
    const part = toPart(message)
    keys.push((Math.imul(keys.at(-1) ?? 0, 31) + part.id) | 0)
    totals.text += part.tokens
    totals.pictures += part.pictures
    totals.optional = message.role === 'user' ? 0 : totals.optional + part.optional
  }
  const { text, optional, pictures } = totals
  const isReply = messages.at(-1)?.role === 'tool'
  return [{ head: instructions + tools, tools, text, optional, pictures, isReply }, keys]
}

const noTotals = () => ({ keys: [] as number[], text: 0, optional: 0, pictures: 0 })
const totalsOf = onceFor((_run: RunView) => noTotals())

/**
 * Returns the window's size from a stored loss. NaN if there is none, or if the state is invalid, since a state may
 * come from anywhere.
 */
function lossIn({ kept }: RunView): number {
  return Number(Object(kept[name]).window)
}

/** The estimates for one message. */
interface Part {
  /** Equal for messages with equally long text and the same number of tokens. */
  readonly id: number
  readonly tokens: number
  /** Tokens of reasoning, which servers may omit once the user has written again. */
  readonly optional: number
  readonly pictures: number
}

const toPart = onceFor((message: Message): Part => {
  const calls = calledIn(message)
  const said = textOf(message.content)
  const plain = said.includes('<think>') ? said.replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '') : said
  const text = [plain, ...calls].join('\n')
  const hidden = message.role === 'assistant' ? reasoningOf(message) : 0
  const tokens = 4 + estimateTokenCount(text)
  return {
    id: (Math.imul(text.length, 4099) + tokens) | 0,
    tokens,
    optional: hidden + (plain === said ? 0 : estimateTokenCount(said) - estimateTokenCount(plain)),
    pictures: picturesIn(message),
  }
})

/** Estimates the tokens of a message's other fields, such as `reasoning_content`. */
function reasoningOf({
  role: _,
  content: __,
  tool_calls: ___,
  ...further
}: Message & { tool_calls?: unknown }) {
  let tokens = 0
  for (const value of Object.values(further))
    tokens += isString(value) ? estimateTokenCount(value) : value ? 64 : 0
  return tokens
}

// A server reports how many tokens of a prompt it has read. If the report is too low for what was sent, the prompt was
// cut.

/** A request's parts, in estimated tokens. */
interface Prompt {
  /** Instructions and tool definitions. */
  readonly head: number
  readonly tools: number
  /** All messages together. */
  readonly text: number
  /** Reasoning since the last user message. */
  readonly optional: number
  readonly pictures: number
  /** Whether the request ends with a tool result: some templates include tool definitions only after a user message. */
  readonly isReply: boolean
}

/** A request and its reported tokens. Later requests that start with the same messages are compared with it. */
interface Anchor extends Prompt {
  /** The number of messages in the request. */
  readonly count: number
  /** Equal for requests with the same messages. */
  readonly key: number
  readonly reported: number
  /** The reported tokens or, if the prompt was cut, the minimum that should have been reported. */
  readonly floor: number
}

const nothing: Anchor = {
  count: 0,
  key: 0,
  head: 0,
  tools: 0,
  text: 0,
  optional: 0,
  pictures: 0,
  isReply: false,
  reported: 0,
  floor: 0,
}

/** The minimum token count of text in any language, as a share of the usual count. */
const leastShare = 0.6
/**
 * The maximum number of tokens that a server counts: per estimated token of text, for its template, and per estimated
 * token of an image.
 */
const [most, mostOfTemplate, mostOfPicture] = [2.5, 1000, 4]
/** The smallest context window of any server. A lower report does not mean that the prompt was cut. */
const smallestWindow = 512
const [maxAnchors, mostCompared] = [400, 8]

/** The token reports of one model on one server, and the limits that follow from them. */
class PromptReports {
  /** Sorted from oldest to newest. */
  readonly #anchors: Anchor[] = []
  /** Estimated tokens, and the tokens that the server counted for them. The initial values are low guesses. */
  #estimated = 500
  #counted = 290
  /** Counters for reports that grew with the request, and for reports that cannot be the request's token count. */
  #consistent = 0
  #contrary = 0
  /** The largest report. If prompts are cut, the window has about this size. */
  largest = 0
  /** The first report, and how often it has been repeated. */
  #first = 0
  #repeats = 0

  /**
   * Whether the server reports the same number for every request, which makes the number meaningless. Call this once
   * with each report.
   */
  isConstant(reported: number): boolean {
    this.#first ||= reported
    this.#repeats = reported === this.#first ? this.#repeats + 1 : -Infinity
    return this.#repeats > 4
  }

  /**
   * Records the reported tokens. If the report shows a loss, returns the minimum number of tokens that should have been
   * reported.
   */
  judge(now: Prompt, keys: readonly number[], reported: number): number | undefined {
    const rate = (leastShare * this.#counted) / this.#estimated
    let last = nothing
    // Some templates omit tool definitions.
    let least = rate * (now.head - now.tools + now.text)
    // Comparing with older requests adds little, and a long conversation has many.
    for (let at = this.#anchors.length - 1, left = mostCompared; at >= 0 && left > 0; at--) {
      const one = this.#anchors[at] as Anchor
      // An image's token count is not known.
      if (keys[one.count - 1] !== one.key || one.pictures > now.pictures) continue
      left -= 1
      if (one.count > last.count) last = one
      // The server may have omitted these tokens from this request.
      const hidden = now.isReply && !one.isReply ? now.tools : 0
      const dropped = Math.max(0, one.head - now.head + hidden) + Math.max(0, one.optional - now.optional)
      least = Math.max(least, one.floor + rate * (now.text - one.text) - most * dropped)
    }
    // The same report for a longer prompt means that the window is full.
    const isEqual = reported === last.reported
    const isShort = least - reported > Math.max(100, (isEqual ? 0.05 : 0.1) * least)
    if (isShort && reported < smallestWindow) this.#contrary += 1
    this.#learn(now, last, reported, rate)
    // The first report only counts as short if it would be short with any tokenizer.
    const needed = this.#anchors.length === 0 ? 0 : isEqual ? 0.5 : 2
    const [count, key = 0] = [keys.length, keys.at(-1)]
    this.#anchors.push({ ...now, count, key, reported, floor: isShort ? least : reported })
    if (this.#anchors.length > maxAnchors) this.#anchors.shift()
    return isShort && this.#consistent >= Math.max(needed, 6 * this.#contrary) ? least : undefined
  }

  #learn(now: Prompt, last: Anchor, reported: number, rate: number): void {
    const added = now.text - last.text
    const grown = reported - last.floor
    const pictures = now.pictures - last.pictures
    const optional = now.optional - last.optional
    this.largest = Math.max(this.largest, reported)
    if (grown > most * (added + now.head) + mostOfTemplate + mostOfPicture * pictures) this.#contrary += 1
    if (last === nothing || now.head !== last.head || pictures > 0) return
    if (grown <= rate * added || grown >= most * (added + optional)) return
    // A server that omits cached tokens also reports only what was added.
    this.#consistent += reported > 1.5 * added ? 1 : 0.5
    if (now.isReply !== last.isReply || optional !== 0) return
    this.#estimated += added
    this.#counted += grown
  }
}
