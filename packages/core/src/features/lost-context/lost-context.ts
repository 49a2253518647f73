import { isRecord, type Json, onceFor, setNewest } from '../../json.js'
import type { Feature } from '../../run/feature.js'
import { withoutKept } from '../../run/hooks.js'
import type { Middleware, RunView, StepReply, StepRequest } from '../../run/middleware.js'
import { calledIn, compacted, estimateTokenCount, trimming } from '../../run/trim-messages.js'
import { isTextPart, type Message, type ToolDefinition, textOf } from '../../types/message.js'
import type { ChatModel } from '../../types/model.js'
import { type Kind, type Part, PromptReports, type Sent, type Shortfall, sum } from './prompt-reports.js'

/** What a run does when a server seems to have read only a part of a request. */
type OnContextLost = 'warn' | 'compact' | 'stop'

/**
 * Notices servers that drop a part of a prompt that is too long for their context window and say nothing: the tokens
 * that they report stay behind what was sent. Once a run there is a `context-lost` event and a warning. `compact` asks
 * again with a history that fits, and shortens that of later requests. `stop` ends the run before its next request.
 * The option `onContextLost` is the reaction: `warn` by default.
 */
export function lostContext(): Feature {
  return {
    name,
    isInner: true,
    agentOptions: {
      onContextLost: ['"warn", "compact" or "stop"', (value: unknown) => reactions.includes(value)],
    },
    forAgent: ({ onContextLost: reaction = 'warn' }: { readonly onContextLost?: OnContextLost }) =>
      toMiddleware(reaction),
  }
}

const reactions: readonly unknown[] = ['warn', 'compact', 'stop'] satisfies OnContextLost[]

function toMiddleware(reaction: OnContextLost): Middleware {
  const learned = onceFor((_model: ChatModel) => new Map<string, PromptReports>())
  const find = (reply: StepReply, call: StepRequest, run: RunView): Loss | undefined => {
    const reported = reply.tokens?.inputTokens
    if (!reported) return undefined
    const { model = '' } = reply
    const ofModel = learned(call.model)
    const reports = ofModel.get(model) ?? new PromptReports()
    setNewest(ofModel, model, reports, maxNames)
    if (reports.isConstant(reported)) return undefined
    const lost = reports.judge(sentOf(call, run), reported)
    const known = toLoss(run.kept[name])
    const isNews = !known || (reaction === 'compact' && lost && lost.window < 0.9 * known.window)
    return lost && isNews ? { ...lost, model: call.model.name } : undefined
  }
  if (reaction === 'compact') return compacting(find)
  return {
    name,
    afterModel(reply, call, run: RunView) {
      const lost = reply.tokens && find(reply, call, run)
      return lost && marked(reply, lost, run)
    },
    // The server may have a larger window now.
    onResume: (state, { stopReason }) => (stopReason === 'condition' ? withoutKept(state, name) : state),
    ...(reaction === 'stop' && {
      shouldStop: ({ kept }) => (toLoss(kept[name]) ? { reason: 'condition' } : undefined),
    }),
  }
}

const name = 'lost-context'

/** A loss, as it is stored in the state of a run. */
interface Loss extends Shortfall {
  readonly model: string
}

type FindLoss = (reply: StepReply, call: StepRequest, run: RunView) => Loss | undefined

/** The newest reports count: a server may answer with the name of any model. */
const maxNames = 20

function sentOf(call: StepRequest, { system }: RunView): Sent {
  const hasInstructions = call.instructions !== undefined || call.isFinal
  const instructions = hasInstructions && system ? toPart(system).tokens : 0
  const tools = call.isFinal || call.toolChoice === 'none' ? 0 : sum(call.tools, sizeOfTool)
  const messages = call.messages.map(toPart)
  const total = instructions + tools + sum(messages, (part) => part.tokens)
  return { instructions, tools, messages, total, pictures: sum(messages, (part) => part.pictures) }
}

/** Asks again with a history that fits, and shortens the history of later requests to that model. */
function compacting(find: FindLoss): Middleware {
  return {
    name,
    beforeModel(call, run: RunView) {
      const lost = toLoss(run.kept[name])
      return lost?.model === call.model.name ? shortened(call, lost, run) : undefined
    },
    async wrapModel(call, next, run: RunView) {
      const reply = await next()
      const lost = find(reply, call, run)
      if (!lost) return reply
      const shorter = await shortened(call, lost, run)
      // The model has replied, although to a part of the prompt: that reply stays when the second request fails.
      const again = await (shorter &&
        next(shorter).catch((error: unknown) => {
          if (call.signal.aborted) throw error
        }))
      return marked(again ?? reply, lost, run)
    },
  }
}

/** The part of the window that a prompt fills: the reply needs some as well. */
const filled = 0.8

function shortened(call: StepRequest, { window, ratio }: Loss, run: RunView) {
  const { instructions, tools } = sentOf(call, run)
  const maxTokens = Math.max(0, (filled * window) / ratio - instructions - tools)
  return compacted(call, run, trimming({ maxTokens }))
}

/** Reports a loss, the first of a run to its caller. */
function marked(reply: StepReply, lost: Loss, run: RunView): StepReply {
  const kept: Record<string, Json> = { ...reply.kept, [name]: { ...lost } }
  if (run.kept[name]) return { ...reply, kept }
  const { model, sent, reported, window } = lost
  const warning = `The server of "${model}" read ${reported} of about ${sent} tokens: its context window is about ${window}. Enlarge it (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: --ctx-size), or set onContextLost: 'compact'.`
  run.emit({ type: 'context-lost', sent, reported, window })
  return { ...reply, kept, warning }
}

/** A stored state may come from anywhere. */
function toLoss(flag: Json | undefined): Loss | undefined {
  if (!isRecord(flag)) return undefined
  const { model, sent, reported, window, ratio } = flag
  const counts = [sent, reported, window, ratio]
  const isLoss = typeof model === 'string' && counts.every((count) => typeof count === 'number' && count > 0)
  return isLoss ? ({ model, sent, reported, window, ratio } as Loss) : undefined
}

const toPart = onceFor((message: Message): Part => {
  const calls = calledIn(message)
  const said = textOf(message.content)
  const plain = said.includes('<think>') ? said.replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '') : said
  const text = [plain, ...calls].join('\n')
  const hidden = message.role === 'assistant' ? reasoningOf(message) : 0
  const tokens = 4 + estimateLong(text)
  return {
    id: text.length * 2 ** 22 + tokens,
    kind: message.role === 'tool' || calls.length > 0 ? 'data' : kindOf(text),
    tokens,
    optional: hidden + (plain === said ? 0 : estimateLong(said) - estimateLong(plain)),
    pictures: Array.isArray(message.content) ? message.content.filter((part) => !isTextPart(part)).length : 0,
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
    typeof value === 'string' ? estimateLong(value) : value ? 64 : 0,
  )
}

/** Estimates long texts from samples: the cost of a request stays small. */
function estimateLong(text: string): number {
  if (text.length <= samples * sampleSize) return estimateTokenCount(text)
  const distance = (text.length - sampleSize) / (samples - 1)
  let count = 0
  for (let at = 0; at < samples; at++) {
    const start = Math.floor(at * distance)
    count += estimateTokenCount(text.slice(start, start + sampleSize))
  }
  return Math.round((count * text.length) / (samples * sampleSize))
}

const samples = 16
const sampleSize = 256

function kindOf(text: string): Kind {
  const head = text.slice(0, 400)
  if (!/[\u0250-\uffff]/.test(head)) return 'words'
  const wide = head.match(/[\u2e80-\ud7ff\uf900-\uffef]/g)?.length ?? 0
  if (wide * 4 > head.length) return 'signs'
  const letters = head.match(/[\u0370-\u2dff]/g)?.length ?? 0
  return letters * 4 > head.length ? 'letters' : 'words'
}

const sizeOfTool = onceFor((tool: ToolDefinition) => estimateLong(JSON.stringify(tool)))
