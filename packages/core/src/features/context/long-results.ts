import { type ArtifactOrigin, artifactReader, prefixes } from '../../artifacts/artifact.js'
import { readBytes } from '../../artifacts/memory-artifacts.js'
import { fromUtf8, toUtf8 } from '../../bytes.js'
import { CapstanError } from '../../errors.js'
import { startsWith, withoutUndefined } from '../../json.js'
import { estimateMessages } from '../../run/estimate.js'
import type { Feature } from '../../run/feature.js'
import type { RunView, StepEffects, StepReply, StepRequest } from '../../run/middleware.js'
import { shortenResult } from '../../tools/render-result.js'
import { type RunningCall, type Tool, tool } from '../../tools/tool.js'
import { ownParameters } from '../../tools/validate.js'
import { type Message, type MessageMedia, mediaOf, type ToolMessage } from '../../types/message.js'
import type { ModelRequest } from '../../types/model.js'
import type { CallResult } from '../../types/state.js'
import {
  type Bounds,
  bytesOf,
  type Cut,
  type LongRequest,
  lastReplyIn,
  type Shorten,
  type ShortResult,
  shownWith,
  startOf,
  toolOf,
} from './shorten-history.js'

/**
 * Shortens results that are longer than the tool's `maxResultBytes`: the model gets both ends, and can page through
 * the rest with `read_artifact`. On by default.
 */
export function longResults(): Feature {
  return {
    name: 'long-results',
    toolSettings: ['maxResultBytes'],
    // Once a result was shortened, or text was attached. The tool is then the last of each request.
    tools: ({ kept }) => (kept['long-results'] ? readers : []),
    toolNames: [readArtifact.name],
    afterTool: shortenedResult,
    // Text of a result may be in an artifact alone: the rest of a long one, or text that was in base64.
    afterCall: ({ whole, media = [] }) => (whole || media.some(isText) ? { state: true } : undefined),
    // The results of earlier runs are in the messages alone.
    beforeRun: ({ messages }): StepEffects | undefined =>
      messages.some(isReadable) ? { state: true } : undefined,
  }
}

function isReadable(message: Message): boolean {
  const { role, content } = message
  return (role === 'tool' && content.includes(readArtifact.name)) || mediaOf(message).some(isText)
}

function isText({ artifact }: MessageMedia): boolean {
  return artifact?.startsWith(prefixes.text) === true
}

function shortenedResult(
  result: CallResult,
  call: RunningCall,
  run: RunView,
): CallResult | Promise<CallResult> {
  if (result.status !== 'ok') return result
  const keep = () => ({ store: run.artifacts, origin: originOf(result, call, run) })
  const text = shortenResult(result.content, call.tool.settings, keep)
  if (text instanceof Promise) return text.then((shorter) => ({ ...result, ...shorter }))
  return text.content === result.content ? result : { ...result, ...text }
}

function originOf(
  result: CallResult,
  { callId, name, tool }: RunningCall,
  { runId, taintedBy: before }: RunView,
): ArtifactOrigin {
  // As for what a call stores: the model may have written it into the arguments.
  const taintedBy = tool.settings.untrusted ? name : (result.taintedBy ?? before)
  return withoutUndefined({ tool: name, callId, runId, taintedBy })
}

/** A part of a text artifact, as the model gets it. */
export interface ArtifactPart {
  readonly artifact: string
  /** The start and end of this part, and the total, in characters. */
  readonly from: number
  readonly to: number
  readonly of: number
  readonly text: string
}

const reader = tool({
  name: artifactReader,
  description: 'Read part of a text artifact, up to 8000 characters per call.',
  parameters: ownParameters({
    type: 'object',
    properties: {
      artifact: { type: 'string', description: 'Id of the artifact' },
      from: { type: 'integer', minimum: 0, description: 'Offset of the first character. Default 0' },
      length: { type: 'integer', minimum: 1, maximum: 8000, description: 'Characters to read. Default 8000' },
    },
    required: ['artifact'],
  }),
  effects: 'read',
  async execute(args, { artifacts }): Promise<ArtifactPart> {
    const { artifact, from = 0, length = 8000 } = args as { artifact: string; from?: number; length?: number }
    const found = await artifacts.stat(artifact)
    if (found && found.kind !== 'text') {
      const message = `"${artifact}" is of kind ${found.kind}. ${artifactReader} only reads text.`
      throw new CapstanError('invalid_arguments', message, { evidence: { artifact } })
    }
    const text = fromUtf8([await readBytes(await artifacts.open(artifact))])
    const begin = atCharacter(text, from)
    const to = atCharacter(text, begin + length)
    return { artifact, from: begin, to, of: text.length, text: text.slice(begin, to) }
  },
})

/** The tool `read_artifact`: reads parts of a truncated result, or of an attached text. */
export const readArtifact: Tool = {
  ...reader,
  reads: (args) => (args as { readonly artifact: string }).artifact,
}

/** Returns the position, moved by one if it would split a character; at most the end. */
function atCharacter(text: string, place: number): number {
  const isInside = (text.codePointAt(place - 1) ?? 0) > 0xffff
  return Math.min(text.length, isInside ? place + 1 : place)
}

export const readers = [readArtifact]

/** Options of `clearResults`: the results that a line with an artifact id replaces. */
export interface ClearOptions {
  /** A request with more tokens is shortened. Default: half of the context window. */
  readonly maxTokens?: number
  /** The newest results that stay. Default 4. */
  readonly keep?: number
  /** Results of at most this number of bytes stay. Default 2048. */
  readonly above?: number
  /** Names of tools whose results are kept. Default: none. */
  readonly except?: readonly string[]
}

/** Replaces all replaceable long results with lines that name artifacts. */
export function clearing({ keep = 4, above = 2048, except = [] }: ClearOptions): Shorten {
  return async (request, cut, { maxTokens }) => {
    const { messages, indexes, tokensOf, fixed } = request
    const kept = ['read_artifact', ...except]
    const [from, reply] = [startOf(request, cut), lastReplyIn(messages)]
    const old = resultsIn(messages)
      .slice(0, -keep || undefined)
      .filter(({ message, place }) => {
        if (place < from || place > reply || cut.short?.[String(indexes[place])]?.[1] === 0) return false
        return bytesOf(message) > above && !kept.includes(toolOf(messages, place))
      })
    const freed = tokensOf(old.map(({ message }) => message)) - fixed
    // A few tokens in each step would change the start of each request, which servers then cannot read from a cache.
    const isEnough = tokensOf(shownWith(request, cut)) - freed <= maxTokens || freed >= maxTokens / 2
    if (!old[0] || !isEnough) return cut
    const short = { ...cut.short }
    for (const one of old) await shorten(request, short, one, 0)
    return { ...cut, short }
  }
}

interface PlacedResult {
  readonly message: ToolMessage
  readonly place: number
}

function resultsIn(messages: readonly Message[]): readonly PlacedResult[] {
  return messages.flatMap((message, place) => (message.role === 'tool' ? [{ message, place }] : []))
}

/** At least this number of characters is shown of a result of the newest step. */
const leastShown = 1024

/** Shortens the newest step's results, largest first, if they alone are too long. */
export async function withShortStep(request: LongRequest, cut: Cut, { maxTokens }: Bounds): Promise<Cut> {
  const { messages, tokensOf, fixed } = request
  const short = { ...cut.short }
  let last = cut
  const reply = lastReplyIn(messages)
  const results = resultsIn(messages).filter(({ place }) => place > reply)
  for (const one of results.sort((a, b) => b.message.content.length - a.message.content.length)) {
    const over = tokensOf(shownWith(request, last)) - maxTokens
    const { content } = one.message
    // A request that was rejected before may show a part already.
    const before = short[String(request.indexes[one.place])]?.[1] ?? content.length
    if (request.isLeft || over <= 0) break
    if (before <= leastShown) continue
    const perToken = content.length / (tokensOf([one.message]) - fixed)
    // The line that names the artifact has tokens, too.
    await shorten(request, short, one, Math.max(leastShown, Math.floor(before - (over + 64) * perToken)))
    last = { ...cut, short }
  }
  return last
}

/**
 * Shows the first characters of a result. Stores its full text, unless an artifact contains it and the text names
 * that artifact.
 */
async function shorten(
  { run, messages, indexes }: LongRequest,
  short: Record<string, ShortResult>,
  { message, place }: PlacedResult,
  shown: number,
): Promise<void> {
  const { content, tool_call_id: callId } = message
  let [, id] = /read_artifact with artifact "(txt_[a-z2-7]+)"/.exec(content) ?? []
  if (!id || !(await run.artifacts.stat(id))) {
    const tool = toolOf(messages, place)
    const taintedBy = run.trustOf(tool) === 'untrusted' ? tool : run.taintedBy
    const origin = withoutUndefined({ tool, callId, runId: run.runId, taintedBy })
    const stored = await run.artifacts.put(toUtf8(content), { kind: 'text', mediaType: 'text/plain', origin })
    id = stored.id
  }
  short[String(indexes[place])] = [id, shown, content.length]
}

/**
 * Compares each request of a run with the one before it. A `prefix-broken` event reports a request that does not extend
 * it: a server then reads less from its cache. `usage.cacheable` is the share of the input that does extend it. On by
 * default.
 */
export function prefix(): Feature {
  return { name: 'prefix', isInner: true, afterModel: compare }
}

/** One request. */
interface Sent {
  /** False where no other agent can take over. */
  readonly agent: string | false
  readonly call: StepRequest
  /** The instructions, the definitions of tools, those of the server first, and the conversation. */
  readonly parts: readonly unknown[]
  /** The number of tools. */
  readonly count: number
  /** The input tokens that the server has counted. */
  readonly input: number
}

/** The last request of each run. */
const sentBefore = new WeakMap<RunView, Sent>()

function compare(
  reply: StepReply,
  call: StepRequest,
  run: RunView,
  sent?: ModelRequest,
): StepReply | undefined {
  if (!sent) return undefined
  const { hostedTools = [], tools, messages } = sent
  const input = reply.tokens?.inputTokens ?? 0
  // A host may record requests in which the instructions are the first message of the conversation.
  const instructions = messages[0] === call.messages[0] || messages[0]
  const parts = [instructions, ...hostedTools, ...tools, ...call.messages]
  const agent = run.agents.size > 1 && run.agent
  const now: Sent = { agent, call, parts, count: hostedTools.length + tools.length, input }
  const before = sentBefore.get(run)
  sentBefore.set(run, now)
  const was = before?.parts ?? []
  let at = 0
  // Each model has its own cache.
  if (before?.call.model === call.model)
    while (
      at < was.length &&
      (was[at] === parts[at] || JSON.stringify(was[at]) === JSON.stringify(parts[at]))
    )
      at++
  const share = before && at < was.length ? tellBreak(at, before, now, run) : 1
  // Another process sends the same bytes.
  const known = before?.input ?? Math.max(0, Number(run.kept.prefix) || 0)
  if (!input) return undefined
  return { cacheable: Math.min(1, (share * known) / input), ...reply, kept: { ...reply.kept, prefix: input } }
}

/** Reports the first part that differs, and its cause. Returns how much of the request before is in front of it. */
function tellBreak(at: number, before: Sent, now: Sent, run: RunView): number {
  const messages = before.parts.slice(1 + before.count) as Message[]
  const tools = Math.max(before.count, now.count)
  const place = at - 1 - now.count
  const fields =
    at === 0 ? ['instructions', 'model'] : at > tools ? ['messages'] : ['tools', 'hostedTools', 'toolChoice']
  const isOther = (name: string) =>
    fields.some((field) => {
      const [was, is] = [before, now].map(({ call }) => call.by[name]?.[field])
      if (field !== 'messages' || !(was ?? is))
        return was !== is && JSON.stringify(was) !== JSON.stringify(is)
      return !startsWith((is ?? now.call.messages) as Message[], (was ?? messages) as Message[])
    })
  const isOfServer = at > tools || (at > 0 && now.call.isFinal)
  const because =
    before.agent !== now.agent
      ? 'handoff'
      : (Object.keys({ ...now.call.by, ...before.call.by }).find(isOther) ??
        (isOfServer ? 'server' : 'instructions'))
  const where = at === 0 ? 'instructions' : at > tools ? `messages[${place}]` : `tools[${at - 1}]`
  run.emit({ type: 'prefix-broken', at: where as 'instructions', because })
  return at > tools ? estimateMessages(messages.slice(0, place)) / estimateMessages(messages) : 0
}
