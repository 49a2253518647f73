import { CapstanError, isCapstanError, type ToolContext } from '@capstan/core'
import { toUpload } from '../client/request.js'
import { readText } from '../client/responses.js'
import type { MediaService } from '../client/service.js'
import { forEachConcurrent } from '../concurrency.js'
import type { Allow } from '../inputs/allow.js'
import { findArtifact, type LoadedArtifact, openArtifact } from '../inputs/resolve-input.js'
import type { AudioLimits } from '../options.js'
import { readDuration } from './duration.js'
import type { Chunk, Chunks, Recording } from './plan-chunks.js'
import { detectKind, loadedRecording, notARecording, splitRecording, storedRecording } from './recording.js'

/** Service, model and limits of a transcription. */
interface TranscriptionConfig {
  readonly service: MediaService
  readonly endpoint: '/audio/transcriptions' | '/audio/translations'
  readonly model: string
  readonly limits: AudioLimits
  /** Files and addresses that are accepted as recordings. Default none. */
  readonly allow?: Allow | undefined
}

/** Transcribes a recording to one text. Sends it in chunks if it is above the service's limits. */
export async function transcribe(
  file: string,
  config: TranscriptionConfig,
  ctx: ToolContext,
): Promise<string> {
  const store = config.service.storeOf(ctx)
  const { limits, allow } = config
  const artifact = await findArtifact(file, {
    kind: 'audio',
    field: 'file',
    store,
    allow,
    signal: ctx.signal,
  })
  if (artifact.bytes > limits.maxBytes)
    return transcribeInChunks(storedRecording(artifact, store), config, ctx)
  await using loaded = { artifact, ...(await openArtifact(artifact, store, ctx.signal)) }
  return await transcribeWhole(loaded, config, ctx)
}

async function transcribeWhole(
  loaded: LoadedArtifact,
  config: TranscriptionConfig,
  ctx: ToolContext,
): Promise<string> {
  const { service, endpoint, model, limits } = config
  const recording = loadedRecording(loaded)
  const { mediaType, container } = await detectKind(recording)
  const durationMs = loaded.artifact.durationMs ?? (await readDuration(loaded))
  if (durationMs === 0 || (container === 'wav' && durationMs === undefined))
    throw notARecording(loaded.artifact, 'holds no audio')
  // An unknown duration is estimated at 32 kbit/s, a common rate for speech.
  const audioSeconds = durationMs === undefined ? loaded.blob.size / 4000 : durationMs / 1000
  if (durationMs !== undefined && audioSeconds > limits.maxSeconds)
    return transcribeInChunks(recording, config, ctx)
  const body = { model, file: toUpload({ ...loaded, artifact: { ...loaded.artifact, mediaType } }) }
  return service.send(ctx, { endpoint, body, spends: { audioSeconds, model }, read: readText })
}

async function transcribeInChunks(
  recording: Recording,
  config: TranscriptionConfig,
  ctx: ToolContext,
): Promise<string> {
  const { service, endpoint, model, limits } = config
  const chunks = await splitRecording(recording, await detectKind(recording), limits)
  // Spent once for the whole recording, so that a limit rejects it before the first chunk.
  ctx.spend({ audioSeconds: chunks.seconds, model })
  const ask = ({ file }: { file: File }, ctx: ToolContext) =>
    service.send(ctx, { endpoint, body: { model, file }, spends: {}, read: readText })
  return transcribeChunks(chunks, { ask, inFlight: limits.inFlight }, ctx)
}

interface ChunkTranscriber {
  readonly inFlight: number
  ask(chunk: Chunk, ctx: ToolContext): Promise<string>
}

/**
 * Transcribes all chunks to one text. Each request has its own key, `<key>/piece<n>`, and reports progress `{ piece,
 * of, seconds }` when it is done.
 * @throws CapstanError the error of the first failed chunk, with the text before it in `evidence.transcribed`
 */
async function transcribeChunks(
  chunks: Chunks,
  { ask, inFlight }: ChunkTranscriber,
  ctx: ToolContext,
): Promise<string> {
  const { of } = chunks
  const texts: ChunkText[] = []
  let failed: Chunk | undefined
  const run = async (chunk: Chunk, signal: AbortSignal) => {
    const { number, seconds, overlaps } = chunk
    const idempotencyKey = `${ctx.idempotencyKey}/piece${number}`
    try {
      const text = await ask(chunk, { ...ctx, signal, idempotencyKey, spend: () => {} })
      texts[number - 1] = { text, overlaps }
      ctx.progress({ piece: number, of, seconds })
    } catch (error) {
      if (!signal.aborted) failed = chunk
      throw error
    }
  }
  try {
    await forEachConcurrent(chunks.each(), { inFlight, run }, ctx.signal)
  } catch (error) {
    throw failed && isCapstanError(error) ? chunkError(error, { chunk: failed, of, texts }) : error
  }
  return joinTexts(texts)
}

interface FailedChunk {
  readonly chunk: Chunk
  readonly of: number
  /** May have gaps. */
  readonly texts: readonly ChunkText[]
}

function chunkError(error: CapstanError, { chunk, of, texts }: FailedChunk): CapstanError {
  const { code, message, status, retryable, retryAfterMs } = error
  const { number, at, seconds } = chunk
  const advice = status === 413 ? ` Set audio: { maxBytes } below ${chunk.file.size}.` : ''
  const place = `Chunk ${number} of ${of} (${formatClock(at)} to ${formatClock(at + seconds)})`
  const before = Array.from(texts.slice(0, number - 1))
  const gapAt = before.indexOf(undefined as never)
  const transcribed = joinTexts(gapAt === -1 ? before : before.slice(0, gapAt))
  return new CapstanError(code, `${place} failed: ${message}${advice}`, {
    evidence: { ...error.evidence, piece: number, of, transcribed },
    cause: error,
    retryable,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** Formats seconds as hours, minutes and seconds. */
function formatClock(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${whole < 3600 ? '' : `${Math.floor(whole / 3600)}:`}${two((whole / 60) % 60)}:${two(whole % 60)}`
}

/** Text of one chunk. */
interface ChunkText {
  readonly text: string
  /** Whether the chunk repeats the end of the previous one. */
  readonly overlaps: boolean
}

/** Joins the texts of chunks. Words in the overlap of two chunks appear once. */
export function joinTexts(chunks: readonly ChunkText[]): string {
  return chunks.reduce((before, { text, overlaps }) => {
    const next = text.trim()
    if (!before || !next) return before || next
    return overlaps ? joinOverlap(before, next) : before + separator(before, next) + next
  }, '')
}

/** Maximum number of words in the overlap. */
const maxOverlapWords = 20

/** Joins two texts at the longest run of equal words near the split. Words directly at the split are often wrong. */
function joinOverlap(before: string, next: string): string {
  const [tail, head] = [toWords(before).slice(-maxOverlapWords), toWords(next).slice(0, maxOverlapWords)]
  const run = longestRun(tail, head)
  if (!run) return before + separator(before, next) + next
  const [leave, join] = [tail[run.inTail + run.length - 1], head[run.inHead + run.length - 1]]
  return before.slice(0, leave?.end) + next.slice(join?.end)
}

interface Word {
  readonly normalized: string
  readonly end: number
}

/** Splits into words by letters only, since punctuation differs between two transcripts. */
function toWords(text: string): Word[] {
  return [...text.matchAll(word)].map((found) => ({
    normalized: found[0].normalize('NFKC').toLowerCase().replace(/[’']/g, ''),
    end: found.index + found[0].length,
  }))
}

/** Scripts without spaces between words are compared letter by letter. */
const letter = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
const word = new RegExp(`[${letter}]\\p{M}*|(?:(?![${letter}])[\\p{L}\\p{M}\\p{N}’'])+`, 'gu')

interface Run {
  readonly inTail: number
  readonly inHead: number
  readonly length: number
}

/** Finds the longest run. A single word counts only directly at the split, since it may be equal by chance. */
function longestRun(tail: readonly Word[], head: readonly Word[]): Run | undefined {
  const runs = tail.flatMap((_, inTail) => head.map((_, inHead) => runAt(tail, head, { inTail, inHead })))
  return runs
    .filter(({ length, inTail, inHead }) => {
      const lost = [tail.length - inTail - length, inHead]
      return length > 1 ? Math.max(...lost) <= maxGarbledWords : length === 1 && Math.max(...lost) === 0
    })
    .sort((a, b) => b.length - a.length)[0]
}

/** Words on each side of a split that may be wrong. */
const maxGarbledWords = 2

function runAt(tail: readonly Word[], head: readonly Word[], at: Omit<Run, 'length'>): Run {
  const { inTail, inHead } = at
  let length = 0
  while (
    inTail + length < tail.length &&
    tail[inTail + length]?.normalized === head[inHead + length]?.normalized
  )
    length++
  return { ...at, length }
}

function separator(before: string, next: string): string {
  return new RegExp(`[${letter}。、！？]$`, 'u').test(before) && new RegExp(`^[${letter}]`, 'u').test(next)
    ? ''
    : ' '
}
