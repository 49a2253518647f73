import { type Json, onceFor, setNewest } from '../../json.js'
import {
  calledIn,
  estimateTokenCount,
  estimateTools,
  learnRatio,
  picturesIn,
  pictureTokens,
  ratioOf,
} from '../../run/estimate.js'
import type { Feature } from '../../run/feature.js'
import { withoutKept } from '../../run/hooks.js'
import type { Middleware, NextRequest, RunView, StepReply, StepRequest } from '../../run/middleware.js'
import { type Message, textOf } from '../../types/message.js'
import type { ChatModel } from '../../types/model.js'
import { type Prompt, PromptReports } from './prompt-reports.js'

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
    const estimated = prompt.head + prompt.text + pictureTokens * prompt.pictures
    const least = reports.judge(prompt, keys, reported)
    if (!least) {
      learnRatio(call.model, estimated, reported)
      return reply
    }
    // If prompts are cut, the window is about as large as the largest prompt that was reported.
    const window = reports.largest
    const before = lossIn(run)
    if (before && (reaction !== 'compact' || window >= 0.9 * before)) return reply
    const model = call.model.name
    const sent = Math.round(Math.max(least, ratioOf(call.model) * estimated))
    const kept: Record<string, Json> = { ...reply.kept, [name]: { model, sent, reported, window } }
    // Only the first loss of a run is reported to its caller.
    if (before) return { ...reply, kept }
    run.emit({ type: 'context-lost', sent, reported, window })
    const warning = `The server of "${model}" read ${reported} of about ${sent} tokens: its context window is about ${window}. Enlarge it (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: --ctx-size), or set onContextLost: 'compact'.`
    return { ...reply, kept, warning }
  }
  return {
    name,
    // Those around it see a loss with the reply, and may ask again.
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

/** The newest reports count: a server may answer with the name of any model. */
const maxNames = 20

/** Returns the estimates of a request, and for each message a key of all up to it. */
function promptOf(call: StepRequest, run: RunView): [Prompt, keys: readonly number[]] {
  const { messages } = call
  const instructions = call.instructions && run.system ? toPart(run.system).tokens : 0
  const tools = call.isFinal || call.toolChoice === 'none' ? 0 : estimateTools(call.tools)
  // The history of a run grows at its end: what was counted before is not counted again.
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

/** The window of a stored loss, or NaN. A stored state may come from anywhere. */
function lossIn({ kept }: RunView): number {
  return Number(Object(kept[name]).window)
}

/** What is counted of one message. */
interface Part {
  /** Equal for messages of the same length and size. */
  readonly id: number
  readonly tokens: number
  /** Tokens of reasoning, which servers may leave out once the user has written again. */
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

function sum<One>(list: readonly One[], count: (one: One) => number): number {
  return list.reduce((all, one) => all + count(one), 0)
}
