import { type ArtifactOrigin, artifactReader, prefixes } from '../../artifacts/artifact.js'
import { readBytes } from '../../artifacts/memory-artifacts.js'
import { fromUtf8, toUtf8 } from '../../bytes.js'
import { CapstanError } from '../../errors.js'
import { onceFor, withoutUndefined } from '../../json.js'
import type { Feature } from '../../run/feature.js'
import type { RunView, StepEffects } from '../../run/middleware.js'
import { ownParameters } from '../../tools/json-schema-lite.js'
import { shortenResult } from '../../tools/render-result.js'
import { type RunningCall, type Tool, tool } from '../../tools/tool.js'
import {
  callsOf,
  type Message,
  type MessageMedia,
  mediaOf,
  type ToolMessage,
  textOf,
} from '../../types/message.js'
import type { CallResult } from '../../types/state.js'
import {
  type Bounds,
  type Cut,
  type LongRequest,
  origins,
  type Shorten,
  type ShortResult,
  shownWith,
  startOf,
} from './shorten-history.js'

/**
 * Shortens results that are longer than the tool's `maxResultBytes`: the model reads both ends, and can page through
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
    // Text of a result may be in an artifact alone: the rest of a long one, or a text that was in base64.
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

/** A part of a text artifact, as the model reads it. */
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
  description: 'Read a part of a text artifact, at most 8000 characters at one time.',
  parameters: ownParameters({
    type: 'object',
    properties: {
      artifact: { type: 'string', description: 'Id of the artifact' },
      from: { type: 'integer', minimum: 0, description: 'First character to read. Default 0' },
      length: { type: 'integer', minimum: 1, maximum: 8000, description: 'Characters to read. Default 8000' },
    },
    required: ['artifact'],
  }),
  effects: 'read',
  async execute(args, { artifacts }): Promise<ArtifactPart> {
    const { artifact, from = 0, length = 8000 } = args as { artifact: string; from?: number; length?: number }
    const found = await artifacts.stat(artifact)
    if (found && found.kind !== 'text') {
      const message = `"${artifact}" has the kind ${found.kind}, but only text artifacts can be read.`
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

/** Returns the place, moved by one when it would split a character; at most the end. */
function atCharacter(text: string, place: number): number {
  const isInside = (text.codePointAt(place - 1) ?? 0) > 0xffff
  return Math.min(text.length, isInside ? place + 1 : place)
}

const readers = [readArtifact]

/** Names long results in place of their text, all that may go at once. */
export function clearing({
  keep,
  above,
  except,
}: {
  readonly keep: number
  readonly above: number
  readonly except: readonly string[]
}): Shorten {
  return async (request, cut, { startTokens }) => {
    const { messages, indexes, tokensOf } = request
    const results = messages.flatMap(({ role }, place) => (role === 'tool' ? [place] : []))
    const reply = messages.findLastIndex(({ role }) => role === 'assistant')
    const from = startOf(request, cut)
    const kept = ['read_artifact', ...except]
    const old = results.slice(0, results.length - keep).filter((place) => {
      if (place < from || place > reply || cut.short[String(indexes[place])]?.[1] === 0) return false
      return bytesOf(messages[place] as ToolMessage) > above && !kept.includes(toolOf(messages, place))
    })
    const before = tokensOf(shownWith(request, cut))
    const freed = old.reduce((sum, place) => sum + tokensOf([messages[place] as Message]) - request.fixed, 0)
    // A few tokens at a time would break the prefix at each step.
    if (old.length === 0 || (before - freed > startTokens && freed < startTokens / 2)) return cut
    const short = { ...cut.short }
    for (const place of old)
      short[String(indexes[place])] = [await storeResult(request, place), 0, sizeAt(messages, place)]
    return { ...cut, short }
  }
}

/** The least characters that are shown of a result of the newest step. */
const leastShown = 1024

/** Shortens the results of the newest step, the largest first, when they alone are too long. */
export async function withShortStep(request: LongRequest, cut: Cut, { maxTokens }: Bounds): Promise<Cut> {
  const { messages, indexes, tokensOf } = request
  const overOf = (one: Cut) => tokensOf(shownWith(request, one)) - maxTokens
  let last = cut
  let over = request.isLeft ? 0 : overOf(cut)
  if (over <= 0) return cut
  const reply = messages.findLastIndex(({ role }) => role === 'assistant')
  const results = messages.flatMap(({ role }, place) => (place > reply && role === 'tool' ? [place] : []))
  for (const place of results.sort((one, other) => sizeAt(messages, other) - sizeAt(messages, one))) {
    const length = sizeAt(messages, place)
    const key = String(indexes[place])
    // After a refusal a part of it is shown already.
    const before = last.short[key]?.[1] ?? length
    if (over <= 0 || before <= leastShown) continue
    const perToken = length / (tokensOf([messages[place] as Message]) - request.fixed)
    // The line that names the rest takes some, too.
    const shown = Math.max(leastShown, Math.floor(before - (over + 64) * perToken))
    const short = { ...last.short, [key]: [await storeResult(request, place), shown, length] as const }
    last = { ...last, short }
    over = overOf(last)
  }
  return last
}

function sizeAt(messages: readonly Message[], place: number): number {
  return textOf(messages[place]?.content).length
}

/** Returns a result as it is shown. */
export function showPart(
  messages: readonly Message[],
  place: number,
  [artifact, shown, length]: ShortResult,
): Message {
  const message = messages[place] as ToolMessage
  const { content } = message
  if (content.length !== length) return message
  const known = shortBefore(message)
  const key = `${artifact} ${shown}`
  const before = known.get(key)
  if (before) return before
  const [head, what] =
    shown > 0
      ? [`${content.slice(0, shown).toWellFormed()}\n`, `${length - shown} of ${length} characters`]
      : ['', `${bytesOf(message)} bytes of ${toolOf(messages, place)}`]
  const made = {
    ...message,
    content: `${head}[${what} omitted: read_artifact reads any part of "${artifact}"]`,
  }
  origins.set(made, origins.get(message) ?? message)
  known.set(key, made)
  return made
}

const shortBefore = /* @__PURE__ */ onceFor((_message: ToolMessage) => new Map<string, Message>())

const bytesOf = /* @__PURE__ */ onceFor((message: ToolMessage) => toUtf8(message.content).byteLength)

/** Returns the name of the tool whose result stands at a place. */
function toolOf(messages: readonly Message[], place: number): string {
  let at = place
  while (messages[at]?.role === 'tool') at--
  return namesIn(messages[at] as Message).get((messages[place] as ToolMessage).tool_call_id) ?? 'a tool'
}

const namesIn = /* @__PURE__ */ onceFor(
  (reply: Message) => new Map(callsOf(reply).map(({ id, function: { name } }) => [id, name])),
)

/** Stores the whole text of a result, unless it was shortened before: then the text names its artifact. */
async function storeResult({ run, messages }: LongRequest, place: number): Promise<string> {
  const { content, tool_call_id: callId } = messages[place] as ToolMessage
  const [, known] = /read_artifact reads any part of "(txt_[a-z2-7]+)"/.exec(content) ?? []
  if (known && (await run.artifacts.stat(known))) return known
  const tool = toolOf(messages, place)
  const taintedBy = run.trustOf(tool) === 'untrusted' ? tool : run.taintedBy
  const origin = withoutUndefined({ tool, callId, runId: run.runId, taintedBy })
  const stored = await run.artifacts.put(toUtf8(content), { kind: 'text', mediaType: 'text/plain', origin })
  return stored.id
}
