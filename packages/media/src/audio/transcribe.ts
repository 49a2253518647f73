import { type Artifact, CapstanError, isCapstanError, type ToolContext } from '@capstan/core'
import { toUpload } from '../client/request.js'
import type { MediaService } from '../client/service.js'
import { type TimedParts, type Transcript, transcriptReader } from '../client/transcripts.js'
import { forEachConcurrent } from '../concurrency.js'
import type { Allow } from '../inputs/allow.js'
import { findArtifact, type LoadedArtifact, openArtifact } from '../inputs/resolve-input.js'
import type { AudioLimits } from '../options.js'
import { readDuration } from './duration.js'
import { type ChunkTranscript, joinTexts, joinTranscripts } from './join-transcripts.js'
import type { Chunk, Chunks, Recording } from './plan-chunks.js'
import { detectKind, loadedRecording, notARecording, splitRecording, storedRecording } from './recording.js'

/** The service, model and limits for a transcription. */
interface TranscriptionConfig {
  readonly service: MediaService
  readonly endpoint: '/audio/transcriptions' | '/audio/translations'
  readonly model: string
  readonly limits: AudioLimits
  /** Additional fields for each request. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The parts that the transcript must contain, with timestamps. */
  readonly parts: readonly TimedParts[]
  /** The files and URLs that are accepted as recordings. Default: none. */
  readonly allow?: Allow | undefined
}

/** Transcript of a recording in a store. */
export interface TranscribedRecording extends Transcript {
  readonly recording: Artifact
}

/**
 * Transcribes a recording. A recording that exceeds the service's limits is sent in chunks, and the transcripts are
 * joined.
 */
export async function transcribe(
  file: string,
  config: TranscriptionConfig,
  ctx: ToolContext,
): Promise<TranscribedRecording> {
  const store = config.service.storeOf(ctx)
  const { limits, allow } = config
  const artifact = await findArtifact(file, {
    kind: 'audio',
    field: 'file',
    store,
    allow,
    signal: ctx.signal,
  })
  if (artifact.size > limits.maxBytes) {
    const transcript = await transcribeInChunks(storedRecording(artifact, store), config, ctx)
    return { ...transcript, recording: artifact }
  }
  await using loaded = { artifact, ...(await openArtifact(artifact, store, ctx.signal)) }
  return { ...(await transcribeWhole(loaded, config, ctx)), recording: artifact }
}

async function transcribeWhole(
  loaded: LoadedArtifact,
  config: TranscriptionConfig,
  ctx: ToolContext,
): Promise<Transcript> {
  const { service, endpoint, model, limits, fields } = config
  const recording = loadedRecording(loaded)
  const { mediaType, container } = await detectKind(recording)
  const durationMs = loaded.artifact.durationMs ?? (await readDuration(loaded))
  if (durationMs === 0 || (container === 'wav' && durationMs === undefined))
    throw notARecording(loaded.artifact, 'contains no audio')
  // Estimates an unknown duration at 32 kbit/s, a common rate for speech.
  const audioSeconds = durationMs === undefined ? loaded.blob.size / 4000 : durationMs / 1000
  if (durationMs !== undefined && audioSeconds > limits.maxSeconds)
    return transcribeInChunks(recording, config, ctx)
  const body = {
    model,
    ...fields,
    file: toUpload({ ...loaded, artifact: { ...loaded.artifact, mediaType } }),
  }
  const read = transcriptReader(config.parts)
  return service.send(ctx, { endpoint, body, spends: { audioSeconds, model }, read })
}

async function transcribeInChunks(
  recording: Recording,
  config: TranscriptionConfig,
  ctx: ToolContext,
): Promise<Transcript> {
  const { service, endpoint, model, limits, fields } = config
  const chunks = await splitRecording(recording, await detectKind(recording), limits)
  // Spends once for the entire recording, so that a limit rejects it before the first chunk is sent.
  await ctx.spend({ audioSeconds: chunks.seconds, model })
  const read = transcriptReader(config.parts)
  const ask = ({ file }: { file: File }, ctx: ToolContext) =>
    service.send(ctx, { endpoint, body: { model, ...fields, file }, spends: {}, read })
  return transcribeChunks(chunks, { ask, inFlight: limits.inFlight }, ctx)
}

interface ChunkTranscriber {
  readonly inFlight: number
  ask(chunk: Chunk, ctx: ToolContext): Promise<Transcript>
}

/**
 * Transcribes all chunks and joins their transcripts. Each request has its own idempotency key, `<key>/piece<n>`.
 * Reports progress `{ piece, of, seconds }` after each request.
 * @throws CapstanError of the first chunk that failed. `evidence.transcribed` contains the text before that chunk
 */
async function transcribeChunks(
  chunks: Chunks,
  { ask, inFlight }: ChunkTranscriber,
  ctx: ToolContext,
): Promise<Transcript> {
  const { of } = chunks
  const texts: ChunkTranscript[] = []
  let failed: Chunk | undefined
  const run = async (chunk: Chunk, signal: AbortSignal) => {
    const { number, at, seconds, overlaps } = chunk
    const idempotencyKey = `${ctx.idempotencyKey}/piece${number}`
    try {
      const transcript = await ask(chunk, { ...ctx, signal, idempotencyKey, spend: async () => {} })
      texts[number - 1] = { ...transcript, overlaps, at }
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
  return joinTranscripts(texts)
}

interface FailedChunk {
  readonly chunk: Chunk
  readonly of: number
  /** The transcripts so far, by position. Chunks that are still in progress leave gaps. */
  readonly texts: readonly ChunkTranscript[]
}

function chunkError(error: CapstanError, { chunk, of, texts }: FailedChunk): CapstanError {
  const { code, message, status, retryable, retryAfterMs } = error
  const { number, at, seconds } = chunk
  // For the developer, because the model cannot set this option.
  const fix = status === 413 ? { fix: `Set audio: { maxBytes } below ${chunk.file.size}.` } : {}
  const place = `Chunk ${number} of ${of} (${formatClock(at)} to ${formatClock(at + seconds)})`
  const before = Array.from(texts.slice(0, number - 1))
  const gapAt = before.indexOf(undefined as never)
  const transcribed = joinTexts(gapAt === -1 ? before : before.slice(0, gapAt))
  return new CapstanError(code, `${place} failed: ${message}`, {
    evidence: { ...error.evidence, ...fix, piece: number, of, transcribed },
    cause: error,
    retryable,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** Formats seconds as `mm:ss`, or as `h:mm:ss` for an hour or more. */
function formatClock(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${whole < 3600 ? '' : `${Math.floor(whole / 3600)}:`}${two((whole / 60) % 60)}:${two(whole % 60)}`
}
