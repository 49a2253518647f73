import { type Json, onceFor, setNewest } from '../../json.js'
import {
  calledIn,
  estimateMessages,
  estimateTokenCount,
  estimateTools,
  learnRatio,
  picturesIn,
  pictureTokens,
  ratioOf,
  windows,
} from '../../run/estimate.js'
import type { Feature } from '../../run/feature.js'
import { withoutKept } from '../../run/hooks.js'
import type { Middleware, NextRequest, RunView, StepReply, StepRequest } from '../../run/middleware.js'
import { isInstruction, type Message, textOf } from '../../types/message.js'
import type { ChatModel } from '../../types/model.js'
import { type Part, PromptReports, type Sent, sum } from './prompt-reports.js'

/** The reactions to a prompt that is too long for its server. */
type OnContextLost = 'recover' | 'compact' | 'warn' | 'stop'

/**
 * Notices prompts that are too long for the context window of their server. Some servers refuse them; others drop a part
 * and say nothing, but the tokens that they report stay behind what was sent: once a run there is a `context-lost` event
 * and a warning. The option `onContextLost` is the reaction. `recover`, the default, shortens a refused request and asks
 * again, and shortens later ones. `compact` does so after a silent loss as well. With `warn` a refusal fails the run.
 * `stop` also ends it before its next request after a silent loss.
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
    forAgent: ({ onContextLost: reaction = 'recover' }: { readonly onContextLost?: OnContextLost }) =>
      toMiddleware(reaction),
  }
}

const name = 'lost-context'

/** The window of a run's model, as far as it is known. */
interface Known {
  /**
   * Told by the application or the server, or what it seems to be: after a refusal without a number the next request has
   * three quarters of what was sent.
   */
  readonly window: number
  /** The place from which on requests show the history: most of them extend the one before. */
  readonly start: number
  /** The refusals of a step. */
  readonly refusals: number
  readonly step: number
}

const unknown: Known = { window: 0, start: 0, refusals: 0, step: 0 }

function toMiddleware(reaction: OnContextLost): Middleware {
  const find = finding(reaction)
  const isCompact = reaction === 'compact'
  const known = new WeakMap<RunView, Known>()
  const shortened = (call: StepRequest, run: RunView) => {
    const { messages, model } = call
    const found = known.get(run) ?? { ...unknown, window: model.contextTokens ?? windows.get(model) ?? 0 }
    if (!found.window) return undefined
    const start = startThatFits(call, run, found.start, 0.8 * found.window)
    const shown = shownFrom(messages, start, run.task)
    if (start > found.start) {
      const tokensOf = countingFor(call, run)
      const tokens = { before: tokensOf(messages), after: tokensOf(shown) }
      run.emit({ type: 'context-trimmed', by: name, before: messages.length, after: shown.length, tokens })
      known.set(run, { ...found, start })
    }
    return { messages: shown }
  }
  return {
    name,
    beforeModel: shortened,
    afterModel(reply, call, run) {
      const lost = !isCompact && reply.tokens && find(reply, call, run)
      return lost ? marked(reply, lost, run) : undefined
    },
    // The server may have a larger window now.
    onResume: (state, { stopReason }) => (stopReason === 'condition' ? withoutKept(state, name) : state),
    ...(reaction === 'stop' && {
      shouldStop: ({ kept }: RunView) => (lossIn({ kept }) ? { reason: 'condition' as const } : undefined),
    }),
    ...((isCompact || reaction === 'recover') && {
      retryModel(error: unknown, call: StepRequest, run: RunView) {
        const { code, evidence } = Object(error)
        const { start, step, refusals: before, window: last } = known.get(run) ?? unknown
        const refusals = step === run.step ? before + 1 : 1
        if (code !== 'context_length_exceeded' || refusals > 2) return false
        // A request that cannot be shorter is not made again.
        if (startThatFits(call, run, start, 0) === start) return false
        const { contextTokens, promptTokens = countingFor(call, run)(call.messages) } = evidence
        const window = refusals > 1 ? last / 2 : (contextTokens ?? 0.94 * promptTokens)
        known.set(run, { window, start, refusals, step: run.step })
        windows.set(call.model, window)
        return true
      },
    }),
    ...(isCompact && {
      async wrapModel(call: StepRequest, next: NextRequest, run: RunView) {
        const reply = await next()
        const lost = find(reply, call, run)
        if (!lost) return reply
        known.set(run, { ...unknown, window: lost.window })
        // The model has replied, although to a part of the prompt: that reply stays when the second request fails.
        const again = await next(shortened(call, run)).catch((error: unknown) => {
          if (call.signal.aborted) throw error
        })
        return marked(again ?? reply, lost, run)
      },
    }),
  }
}

/** Estimates the tokens of requests with these messages, and with the instructions and tools of one. */
function countingFor(call: StepRequest, run: RunView): (messages: readonly Message[]) => number {
  const { instructions, tools } = sentOf(call, run)
  return (messages) => Math.ceil(ratioOf(call.model) * (instructions + tools + estimateMessages(messages)))
}

/** Returns the place from which on a request shows the history: further on when it is too long, so that half is left. */
function startThatFits(call: StepRequest, run: RunView, start: number, maxTokens: number): number {
  const { messages } = call
  const tokensOf = countingFor(call, run)
  const fixed = tokensOf([])
  let from = start
  if (tokensOf(shownFrom(messages, start, run.task)) > maxTokens)
    for (let place = messages.length - 1, left = (maxTokens - fixed) / 2; place > start; place--) {
      const message = messages[place] as Message
      left -= tokensOf([message]) - fixed
      if (left < 0 && from > start) break
      if (message.role === (place > run.task ? 'assistant' : 'user')) from = place
    }
  return from
}

/** Returns a history from a place on. Before it stay instructions, and the run's first and last user message. */
function shownFrom(messages: readonly Message[], start: number, task: number): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const isShown = (message: Message, place: number) =>
    place >= start || place === task || place === last || isInstruction(message)
  return start > 0 ? messages.filter(isShown) : messages
}

/** A loss, as it is stored in the state of a run, in tokens as the server counts them. */
interface Loss {
  readonly model: string
  /** The tokens that the request is expected to have. */
  readonly sent: number
  readonly reported: number
  /** The largest prompt that the server has reported: its window is about that size. */
  readonly window: number
}

type FindLoss = (reply: StepReply, call: StepRequest, run: RunView) => Loss | undefined

/** The newest reports count: a server may answer with the name of any model. */
const maxNames = 20

function finding(reaction: OnContextLost): FindLoss {
  const known = onceFor((_model: ChatModel) => new Map<string, PromptReports>())
  return (reply, call, run) => {
    const reported = reply.tokens?.inputTokens
    if (!reported) return undefined
    const { model = '' } = reply
    const ofModel = known(call.model)
    const reports = ofModel.get(model) ?? new PromptReports()
    setNewest(ofModel, model, reports, maxNames)
    const sent = sentOf(call, run)
    const estimated = sent.total + pictureTokens * sent.pictures
    const least = reports.judge(sent, reported)
    if (!least) {
      learnRatio(call.model, estimated, reported)
      return undefined
    }
    const window = reports.largest
    const before = lossIn(run)
    if (before && (reaction !== 'compact' || window >= 0.9 * before)) return undefined
    const expected = Math.max(least, ratioOf(call.model) * estimated)
    return { sent: Math.round(expected), reported, window, model: call.model.name }
  }
}

function sentOf(call: StepRequest, { system }: RunView): Sent {
  const hasInstructions = call.instructions !== undefined || call.isFinal
  const instructions = hasInstructions && system ? toPart(system).tokens : 0
  const tools = call.isFinal || call.toolChoice === 'none' ? 0 : estimateTools(call.tools)
  const messages = call.messages.map(toPart)
  const total = instructions + tools + sum(messages, (part) => part.tokens)
  return { instructions, tools, messages, total, pictures: sum(messages, (part) => part.pictures) }
}

/** Reports a loss, the first of a run to its caller. */
function marked(reply: StepReply, lost: Loss, run: RunView): StepReply {
  const kept: Record<string, Json> = { ...reply.kept, [name]: { ...lost } }
  if (lossIn(run)) return { ...reply, kept }
  const { model, sent, reported, window } = lost
  const warning = `The server of "${model}" read ${reported} of about ${sent} tokens: its context window is about ${window}. Enlarge it (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: --ctx-size), or set onContextLost: 'compact'.`
  run.emit({ type: 'context-lost', sent, reported, window })
  return { ...reply, kept, warning }
}

/** The window of a stored loss, or NaN. A stored state may come from anywhere. */
function lossIn({ kept }: Pick<RunView, 'kept'>): number {
  return Number(Object(kept[name]).window)
}

const toPart = onceFor((message: Message): Part => {
  const calls = calledIn(message)
  const said = textOf(message.content)
  const plain = said.includes('<think>') ? said.replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '') : said
  const text = [plain, ...calls].join('\n')
  const hidden = message.role === 'assistant' ? reasoningOf(message) : 0
  const tokens = 4 + estimateTokenCount(text)
  return {
    id: text.length * 2 ** 22 + tokens,
    tokens,
    optional: hidden + (plain === said ? 0 : estimateTokenCount(said) - estimateTokenCount(plain)),
    pictures: picturesIn(message),
    role: message.role,
  }
})

/** The text of further fields, such as `reasoning_content`. */
function reasoningOf({
  role: _,
  content: __,
  tool_calls: ___,
  ...further
}: Message & { tool_calls?: unknown }) {
  return sum(Object.values(further), (value) =>
    typeof value === 'string' ? estimateTokenCount(value) : value ? 64 : 0,
  )
}
