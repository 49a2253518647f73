import { type ArtifactOrigin, artifactReader, prefixes } from '../artifacts/artifact.js'
import { readBytes } from '../artifacts/memory-artifacts.js'
import { fromUtf8 } from '../bytes.js'
import { CapstanError } from '../errors.js'
import { withoutUndefined } from '../json.js'
import type { Feature } from '../run/feature.js'
import type { RunView, StepEffects } from '../run/middleware.js'
import { ownParameters } from '../tools/json-schema-lite.js'
import { shortenResult } from '../tools/render-result.js'
import { type RunningCall, type Tool, tool } from '../tools/tool.js'
import { type Message, type MessageMedia, mediaOf } from '../types/message.js'
import type { CallResult } from '../types/state.js'

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
    toolNames: [reader.name],
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
  return (role === 'tool' && content.includes(artifactReader)) || mediaOf(message).some(isText)
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

/** The tool `read_artifact`: reads parts of a truncated result, or of an attached text. Offered once there is one. */
export const readArtifact: Tool = {
  ...reader,
  reads: (args) => (args as { readonly artifact: string }).artifact,
}

const readers = [readArtifact]

/** Returns the place, moved by one when it would split a character; at most the end. */
function atCharacter(text: string, place: number): number {
  const isInside = (text.codePointAt(place - 1) ?? 0) > 0xffff
  return Math.min(text.length, isInside ? place + 1 : place)
}
