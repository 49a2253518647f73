// Long results, written with what @capstan/core exports.

import {
  type Artifact,
  type ArtifactOrigin,
  type ArtifactPart,
  type ArtifactStore,
  type CallResult,
  CapstanError,
  type Feature,
  jsonSchema,
  type MessageMedia,
  type RunningCall,
  type RunView,
  readArtifactBytes,
  type StepEffects,
  type Tool,
  type ToolSettings,
  tool,
} from '@capstan/core'

/**
 * Shortens results that are longer than the tool's `maxResultBytes`: the model reads both ends, and can page through
 * the rest with `read_artifact`. On by default.
 */
export function longResults(): Feature {
  return {
    name: 'long-results',
    toolSettings: ['maxResultBytes'],
    tools: readersOf,
    toolNames: [reader.name],
    afterTool: shortenedResult,
    afterCall: (result) => (mayBeRead(result) ? { state: true } : undefined),
    beforeRun({ messages }): StepEffects | undefined {
      const attached = messages.flatMap((message) => (message.role === 'user' ? (message.media ?? []) : []))
      return attached.some(isText) ? { state: true } : undefined
    },
  }
}

/** Whether text of a result is in an artifact alone: the rest of a long one, or a text that was in base64. */
function mayBeRead({ whole, media = [] }: CallResult): boolean {
  return whole !== undefined || media.some(isText)
}

function isText({ artifact }: MessageMedia): boolean {
  return artifact?.startsWith('txt') === true
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
  return { tool: name, callId, runId, ...(taintedBy !== undefined && { taintedBy }) }
}

/** Offers `read_artifact` once a result was shortened, or text was attached. */
function readersOf({ kept }: RunView): readonly Tool[] {
  return kept['long-results'] ? readers : []
}

const reader = tool({
  name: 'read_artifact',
  description: 'Read part of a text artifact, up to 8000 characters per call.',
  parameters: jsonSchema({
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
      const message = `"${artifact}" is of kind ${found.kind}. read_artifact only reads text.`
      throw new CapstanError('invalid_arguments', message, { evidence: { artifact } })
    }
    const text = new TextDecoder().decode(await readArtifactBytes(artifacts, artifact))
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

/** The text of a result that the model reads. */
interface TruncatedResult {
  readonly content: string
  /** The complete text, when the model reads only its head and tail. */
  readonly whole?: Artifact
}

/** The default of a tool's `maxResultBytes`: longer results are truncated. */
const defaultMaxResultBytes = 64 * 1024

/**
 * Truncates a result that is longer than the tool's `maxResultBytes` to its head, its tail and the id of an artifact with
 * the complete text. Returns a shorter one unchanged.
 */
function shortenResult(
  content: string,
  { returnDirect, maxResultBytes }: Pick<ToolSettings, 'returnDirect' | 'maxResultBytes'>,
  keep: () => ResultKeeper,
): TruncatedResult | Promise<TruncatedResult> {
  // A result that is the run's answer takes no room in the model's context.
  const maxBytes = maxResultBytes ?? (returnDirect ? Number.POSITIVE_INFINITY : defaultMaxResultBytes)
  // A UTF-16 code unit takes at most three bytes.
  return content.length * 3 <= maxBytes ? { content } : shortened(content, maxBytes, keep())
}

/** The store for a long result, and the call that returned it. */
interface ResultKeeper {
  readonly store: Pick<ArtifactStore, 'put'>
  readonly origin: ArtifactOrigin
}

async function shortened(
  content: string,
  maxBytes: number,
  { store, origin }: ResultKeeper,
): Promise<TruncatedResult> {
  const bytes = new TextEncoder().encode(content)
  if (bytes.byteLength <= maxBytes) return { content }
  const whole = await store.put(bytes, { kind: 'text', mediaType: 'text/plain', origin })
  const head = decode(bytes.subarray(0, Math.floor(maxBytes * 0.75)))
  const tail = decode(bytes.subarray(bytes.byteLength - Math.floor(maxBytes * 0.25)))
  const left = `[${content.length - head.length - tail.length} of ${content.length} characters omitted. Use read_artifact with artifact "${whole.id}" to read any part.]`
  return { content: `${head}\n${left}\n${tail}`, whole }
}

/** Decodes bytes that are cut anywhere, without half characters at the ends. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\ufffd+|\ufffd+$/g, '')
}
