import { type ArtifactOrigin, artifactReader, prefixes } from '../../artifacts/artifact.js'
import { readBytes } from '../../artifacts/memory-artifacts.js'
import { fromUtf8, toUtf8 } from '../../bytes.js'
import { CapstanError } from '../../errors.js'
import { withoutUndefined } from '../../json.js'
import type { Feature } from '../../run/feature.js'
import type { RunView, StepEffects } from '../../run/middleware.js'
import { shortenResult } from '../../tools/render-result.js'
import { type RunningCall, type Tool, tool } from '../../tools/tool.js'
import { ownParameters } from '../../tools/validate.js'
import { type Message, type MessageMedia, mediaOf, type ToolMessage } from '../../types/message.js'
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
 * Shortens results that are longer than the tool's `maxResultBytes`: the model gets the start and the end, and can page
 * through the rest with `read_artifact`. On by default.
 */
export function longResults(): Feature {
  return {
    name: 'long-results',
    toolSettings: ['maxResultBytes'],
    // The tool is offered once a result has been shortened or text has been attached, and is then the last tool in each
    // request.
    tools: ({ kept }) => (kept['long-results'] ? readers : []),
    toolNames: [readArtifact.name],
    afterTool: shortenedResult,
    // Some of a result's text may only be in an artifact: the rest of a long result, or text that was in base64.
    afterCall: ({ whole, media = [] }) => (whole || media.some(isText) ? { state: true } : undefined),
    // The results of earlier runs can only be found in the messages.
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
  return shortenResult(result, call.tool.settings, keep)
}

function originOf(
  result: CallResult,
  { callId, name, tool }: RunningCall,
  { runId, taintedBy: before }: RunView,
): ArtifactOrigin {
  // The model may have written untrusted text into the arguments, as with artifacts that a call stores.
  const taintedBy = tool.settings.untrusted ? name : (result.taintedBy ?? before)
  return withoutUndefined({ tool: name, callId, runId, taintedBy })
}

/** A part of a text artifact, as `read_artifact` returns it to the model. */
export interface ArtifactPart {
  readonly artifact: string
  /** The start and end of this part, and the length of the full text, in characters. */
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

/** The tool `read_artifact`, which reads parts of shortened results and of attached text. */
export const readArtifact: Tool = {
  ...reader,
  reads: (args) => (args as { readonly artifact: string }).artifact,
}

/** Returns `place`, or the next position if `place` would split a character, but at most the text's length. */
function atCharacter(text: string, place: number): number {
  const isInside = (text.codePointAt(place - 1) ?? 0) > 0xffff
  return Math.min(text.length, isInside ? place + 1 : place)
}

export const readers = [readArtifact]

/** Options for `clearResults`: which results are replaced with a line that contains an artifact id. */
export interface ClearOptions {
  /** Requests with more estimated tokens than this are shortened. Default: half of the context window. */
  readonly maxTokens?: number
  /** How many of the newest results are kept. Default 4. */
  readonly keep?: number
  /** Results of at most this many bytes are kept. Default 2048. */
  readonly above?: number
  /** Names of tools whose results are kept. Default: none. */
  readonly except?: readonly string[]
}

/** Returns a function that replaces old, long results with lines that name artifacts. */
export function clearing({ keep = 4, above = 2048, except = [] }: ClearOptions): Shorten {
  return async (request, cut, { maxTokens }) => {
    const { messages, indexes, tokensOf, fixed } = request
    const kept = [artifactReader, ...except]
    const [from, reply] = [startOf(request, cut), lastReplyIn(messages)]
    const old = resultsIn(messages)
      .slice(0, -keep || undefined)
      .filter(({ message, place }) => {
        if (place < from || place > reply || cut.short?.[String(indexes[place])]?.[1] === 0) return false
        return bytesOf(message) > above && !kept.includes(toolOf(messages, place))
      })
    const freed = tokensOf(old.map(({ message }) => message)) - fixed
    // Removing a few tokens in each step would change the start of each request, so that servers could not cache it.
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

/** The minimum number of characters to show of a result in the newest step. */
const leastShown = 1024

/** Shortens the newest step's results, longest first, until the request fits. */
export async function withShortStep(request: LongRequest, cut: Cut, { maxTokens }: Bounds): Promise<Cut> {
  const { messages, tokensOf, fixed } = request
  const short = { ...cut.short }
  let last = cut
  const reply = lastReplyIn(messages)
  const results = resultsIn(messages).filter(({ place }) => place > reply)
  for (const one of results.sort((a, b) => b.message.content.length - a.message.content.length)) {
    const over = tokensOf(shownWith(request, last)) - maxTokens
    const { content } = one.message
    // If an earlier request was rejected, the result may already be shortened.
    const before = short[String(request.indexes[one.place])]?.[1] ?? content.length
    if (request.isLeft || over <= 0) break
    if (before <= leastShown) continue
    const perToken = content.length / (tokensOf([one.message]) - fixed)
    // Leaves 64 tokens for the line that names the artifact.
    await shorten(request, short, one, Math.max(leastShown, Math.floor(before - (over + 64) * perToken)))
    last = { ...cut, short }
  }
  return last
}

/**
 * Shortens a result to its first characters. Stores the full text, unless the result already names an artifact that
 * contains the full text.
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
