import type { ToolContext } from '@capstan/core'
import type { Allow } from '../inputs/allow.js'
import { find, hold, type Loaded } from '../load.js'
import type { MediaService } from '../media-service.js'
import { readText } from '../read-text.js'
import { toUpload } from '../to-upload.js'
import type { AudioLimits } from './audio-options.js'
import { durationOf } from './duration-of.js'
import { hearPieces } from './hear-pieces.js'
import type { Recording } from './pieces.js'
import { piecesOf } from './pieces-of.js'
import { asLoaded, inStore, kindOf, noRecording } from './recording.js'

/** Who listens, and with which model. */
export interface Listener {
  readonly service: MediaService
  readonly endpoint: '/audio/transcriptions' | '/audio/translations'
  readonly model: string
  readonly limits: AudioLimits
  /** Which addresses stand for recordings. Default none. */
  readonly allow?: Allow | undefined
}

/** What is said in a recording, as one text; one that is above the service's limits is sent in pieces. */
export async function hear(file: string, listener: Listener, ctx: ToolContext): Promise<string> {
  const store = listener.service.storeOf(ctx)
  const { limits, allow } = listener
  const artifact = await find(file, { kind: 'audio', field: 'file', store, allow, signal: ctx.signal })
  if (artifact.bytes > limits.maxBytes) return hearLong(inStore(artifact, store), listener, ctx)
  await using loaded = { artifact, ...(await hold(artifact, store, ctx.signal)) }
  return await hearShort(loaded, listener, ctx)
}

async function hearShort(loaded: Loaded, listener: Listener, ctx: ToolContext): Promise<string> {
  const { service, endpoint, model, limits } = listener
  const recording = asLoaded(loaded)
  const { mediaType, container } = await kindOf(recording)
  const durationMs = loaded.artifact.durationMs ?? (await durationOf(loaded))
  if (durationMs === 0 || (container === 'wav' && durationMs === undefined))
    throw noRecording(loaded.artifact, 'holds no sound')
  // Unknown, it counts as what its bytes would last at 32 kbit/s, as speech is often packed.
  const audioSeconds = durationMs === undefined ? loaded.blob.size / 4000 : durationMs / 1000
  if (durationMs !== undefined && audioSeconds > limits.maxSeconds) return hearLong(recording, listener, ctx)
  const body = { model, file: toUpload({ ...loaded, artifact: { ...loaded.artifact, mediaType } }) }
  return service.ask(ctx, { endpoint, body, spends: { audioSeconds, model }, read: readText })
}

async function hearLong(recording: Recording, listener: Listener, ctx: ToolContext): Promise<string> {
  const { service, endpoint, model, limits } = listener
  const pieces = await piecesOf(recording, await kindOf(recording), limits)
  // Once for all of it: a limit forbids the whole, not its last piece.
  ctx.spend({ audioSeconds: pieces.seconds, model })
  const ask = ({ file }: { file: File }, ctx: ToolContext) =>
    service.ask(ctx, { endpoint, body: { model, file }, spends: {}, read: readText })
  return hearPieces(pieces, { ask, inFlight: limits.inFlight }, ctx)
}
