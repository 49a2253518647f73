import {
  type Artifact,
  type ArtifactOrigin,
  type ArtifactStore,
  artifactKindOf,
  sniffMediaType,
} from '../artifacts/artifact.js'
import { readBytes } from '../artifacts/memory-artifacts.js'
import { fromBase64 } from '../bytes.js'
import { CapstanError } from '../errors.js'
import type { Json } from '../json.js'
import type { Middleware, RunEffects, RunView } from '../run/middleware.js'
import { currentStep, type RunContext } from '../run/run-context.js'
import { ownParameters } from '../tools/json-schema-lite.js'
import { type RunningCall, type Tool, tool } from '../tools/tool.js'
import type { CallResult } from '../types/state.js'

/**
 * Shortens results that are longer than the tool's `maxResultBytes`: the model reads both ends, and can page through
 * the rest with `read_artifact`. Files that a result contains as base64 become artifacts first. On by default.
 */
export function longResults(): Middleware {
  return {
    name: 'long-results',
    tools: readersOf,
    afterTool(result, call, run: RunContext) {
      if (result.status !== 'ok') return result
      if (!mayHaveFiles(result, call)) return shortenedResult(result, call, run)
      return withoutFiles(result, call, run).then((shorter) => shortenedResult(shorter, call, run))
    },
    afterStep(results): RunEffects | undefined {
      return results.some(({ whole }) => whole) ? { flags: { shortened: true } } : undefined
    },
  }
}

function shortenedResult(
  result: CallResult,
  call: RunningCall,
  run: RunView,
): CallResult | Promise<CallResult> {
  const keep = { store: run.artifacts, origin: originOf(result, call, run) }
  const text = truncateResult(result.content, call.tool.settings, keep)
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
  return { tool: name, callId, runId, ...(taintedBy === undefined ? {} : { taintedBy }) }
}

/** Offers `read_artifact` once a result was shortened. */
export function readersOf({ flags }: RunView): readonly Tool[] {
  return flags.shortened ? readers : []
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
export function truncateResult(
  content: string,
  { returnDirect, maxResultBytes }: Pick<Tool['settings'], 'returnDirect' | 'maxResultBytes'>,
  keep: ResultKeeper,
): TruncatedResult | Promise<TruncatedResult> {
  // A result that is the run's answer takes no room in the model's context.
  const maxBytes = maxResultBytes ?? (returnDirect ? Number.POSITIVE_INFINITY : defaultMaxResultBytes)
  // A UTF-16 code unit takes at most three bytes.
  return content.length * 3 <= maxBytes ? { content } : shortened(content, maxBytes, keep)
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
  const left = `[${content.length - head.length - tail.length} of ${content.length} characters are left out here: read_artifact gives any part of "${whole.id}"]`
  return { content: `${head}\n${left}\n${tail}`, whole }
}

/** Decodes bytes that are cut anywhere, without half characters at the ends. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\ufffd+|\ufffd+$/g, '')
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
  name: 'read_artifact',
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
    const text = new TextDecoder().decode(await readBytes(await artifacts.open(artifact)))
    const begin = atCharacter(text, from)
    const to = atCharacter(text, begin + length)
    return { artifact, from: begin, to, of: text.length, text: text.slice(begin, to) }
  },
})

/** The tool `read_artifact`: reads parts of a truncated result. Offered once there is one. */
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

/** The characters of the shortest base64 that becomes an artifact, less one. */
const fewCharacters = 1024

/** Whether a result may contain a file as base64. Text of an artifact, and the answer of a run, stay as they are. */
function mayHaveFiles({ content }: CallResult, { tool }: RunningCall): boolean {
  if (content.length <= fewCharacters || tool.reads || tool.settings.returnDirect) return false
  return !base64Runs(content).next().done
}

/** Replaces each file in base64 by a reference to an artifact, in the text and in the value. */
async function withoutFiles(result: CallResult, call: RunningCall, run: RunContext): Promise<CallResult> {
  const found = new Map<string, Artifact>()
  const origin = originOf(result, call, run)
  const store = async (bytes: Uint8Array, mediaType: string) => {
    const artifact = await run.artifacts.put(bytes, { kind: artifactKindOf(mediaType), mediaType, origin })
    if (!found.has(artifact.id)) {
      const { callId, name } = call
      run.parts.emit?.({ type: 'artifact-stored', step: currentStep(run.state), callId, name, artifact })
    }
    found.set(artifact.id, artifact)
    return `${artifact.id} (${mediaType}, ${artifact.bytes} bytes)`
  }
  const content = await replaceFiles(result.content, store)
  if (found.size === 0) return result
  const value = result.result === undefined ? {} : { result: await replaceInside(result.result, store) }
  warnOnce(call.tool, result.content.length - content.length)
  for (const artifact of result.artifacts ?? []) found.delete(artifact.id)
  return { ...result, content, ...value, artifacts: [...(result.artifacts ?? []), ...found.values()] }
}

type StoreFile = (bytes: Uint8Array, mediaType: string) => Promise<string>

async function replaceInside(value: Json, store: StoreFile): Promise<Json> {
  if (typeof value === 'string') return replaceFiles(value, store)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Promise.all(value.map((part: Json) => replaceInside(part, store)))
  const entries = Object.entries(value).map(async ([name, part]) => [name, await replaceInside(part, store)])
  return Object.fromEntries(await Promise.all(entries))
}

async function replaceFiles(text: string, store: StoreFile): Promise<string> {
  let replaced = ''
  let end = 0
  for (const run of base64Runs(text)) {
    const file = fileIn(text, run)
    if (!file) continue
    replaced += text.slice(end, file.start) + (await store(file.bytes, file.mediaType))
    end = file.end
  }
  return replaced + text.slice(end)
}

/** A place in a text. */
interface TextRange {
  readonly start: number
  readonly end: number
}

/**
 * Yields the long stretches of base64 in a text, with line breaks, escaped or not. A stretch covers one of the places
 * that it looks at, so that plain text costs little.
 */
function* base64Runs(text: string): Generator<TextRange> {
  let from = 0
  for (let at = fewCharacters; at < text.length; at += fewCharacters) {
    if (!isBase64(text.charCodeAt(at))) continue
    let start = at
    while (start > from && isBase64(text.charCodeAt(start - 1))) start--
    while (isBase64(text.charCodeAt(at))) at++
    if (at - start > fewCharacters) yield { start, end: at }
    from = at
  }
}

/** Letters, digits, `+`, `/`, line breaks, and the backslash of an escaped one. */
function isBase64(code: number): boolean {
  const letter = code | 32
  const isLetter = letter >= 97 && letter <= 122
  return isLetter || (code >= 47 && code <= 57) || code === 43 || code === 10 || code === 13 || code === 92
}

/** A file in a text, with its `data:` prefix. */
interface FileRange extends TextRange {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** Returns the file in a stretch of base64. Undefined for anything but a known format, such as a hash or code. */
function fileIn(text: string, range: TextRange): FileRange | undefined {
  const parts = text.slice(range.start, range.end).split(lineBreak)
  const first = parts.findIndex(({ length }) => length >= shortestLine)
  const width = parts[first]?.length ?? 0
  let last = first
  // Words on lines of their own may stand before and after wrapped base64, whose lines have one length.
  while (width <= longestLine && parts[last]?.length === width && parts[last + 2]) last += 2
  const lines = parts.slice(first, last + 1)
  const encoded = lines.filter((_, at) => at % 2 === 0).join('')
  if (encoded.length <= fewCharacters || encoded.length % 4 === 1 || encoded.includes('\\')) return undefined
  const begin = range.start + parts.slice(0, first).join('').length
  const end = begin + lines.join('').length
  const [prefix = '', declared = ''] = dataPrefix.exec(text.slice(Math.max(0, begin - 100), begin)) ?? []
  const mediaType = sniffMediaType(fromBase64(encoded.slice(0, 32))) ?? declared
  // The frames of MPEG audio begin with two bytes: other data may begin with them as well.
  const isKnown = declared !== '' || mediaType !== 'audio/mpeg' || encoded.startsWith('SUQz')
  if (!isKnown || !/^(image|audio|video)\/|^application\/pdf$/.test(mediaType)) return undefined
  const padding = /^=*/.exec(text.slice(end, end + 2))?.[0].length ?? 0
  return { start: begin - prefix.length, end: end + padding, bytes: fromBase64(encoded), mediaType }
}

const dataPrefix = /data:([\w.+-]+\/[\w.+-]+)[\w.=;-]*;base64,$/
const lineBreak = /(\r?\n|(?:\\r)?\\n)/
const shortestLine = 60
const longestLine = 128

/** Tools whose results contained files. */
const warned = new WeakSet<Tool>()

/** The model cannot read base64: the tool should store its bytes itself. */
function warnOnce(tool: Tool, characters: number): void {
  if (warned.has(tool)) return
  warned.add(tool)
  const message = `Tool "${tool.name}" returned ${characters} characters of base64, which became an artifact. Use ctx.artifacts.put(bytes, info).`
  globalThis.process?.emitWarning?.(message, { type: 'CapstanWarning', code: 'capstan_base64_result' })
}
