import { CapstanError, isCapstanError, type ToolContext } from '@capstan/core'
import { toUpload } from '../client/request.js'
import { readText } from '../client/responses.js'
import type { MediaService } from '../client/service.js'
import type { Allow } from '../inputs/allow.js'
import { find, hold, type Loaded } from '../inputs/resolve-input.js'
import { eachInFlight } from '../map-concurrent.js'
import type { AudioLimits } from '../options.js'
import { durationOf } from './duration.js'
import type { Piece, Pieces, Recording } from './plan-chunks.js'
import { asLoaded, inStore, kindOf, noRecording, piecesOf } from './recording.js'

/** Who listens, and with which model. */
interface Listener {
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

interface PieceListener {
  readonly inFlight: number
  ask(piece: Piece, ctx: ToolContext): Promise<string>
}

/**
 * What is said in all pieces, as one text. Each is a request with a key of its own, `<key>/piece<n>`, and reported as
 * progress `{ piece, of, seconds }` when it is heard.
 * @throws CapstanError the error of the first piece that failed, with what was heard up to it in `evidence.transcribed`
 */
async function hearPieces(
  pieces: Pieces,
  { ask, inFlight }: PieceListener,
  ctx: ToolContext,
): Promise<string> {
  const { of } = pieces
  const heard: PieceText[] = []
  let failed: Piece | undefined
  const run = async (piece: Piece, signal: AbortSignal) => {
    const { number, seconds, overlaps } = piece
    const idempotencyKey = `${ctx.idempotencyKey}/piece${number}`
    try {
      const text = await ask(piece, { ...ctx, signal, idempotencyKey, spend: () => {} })
      heard[number - 1] = { text, overlaps }
      ctx.progress({ piece: number, of, seconds })
    } catch (error) {
      if (!signal.aborted) failed = piece
      throw error
    }
  }
  try {
    await eachInFlight(pieces.each(), { inFlight, run }, ctx.signal)
  } catch (error) {
    throw failed && isCapstanError(error) ? pieceError(error, { piece: failed, of, heard }) : error
  }
  return joinTexts(heard)
}

interface Failed {
  readonly piece: Piece
  readonly of: number
  /** With gaps. */
  readonly heard: readonly PieceText[]
}

function pieceError(error: CapstanError, { piece, of, heard }: Failed): CapstanError {
  const { code, message, status, retryable, retryAfterMs } = error
  const { number, at, seconds } = piece
  const advice = status === 413 ? ` Set audio: { maxBytes } below ${piece.file.size}.` : ''
  const place = `Piece ${number} of ${of} (${clock(at)} to ${clock(at + seconds)})`
  const before = Array.from(heard.slice(0, number - 1))
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

/** Seconds as hours, minutes and seconds. */
function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${whole < 3600 ? '' : `${Math.floor(whole / 3600)}:`}${two((whole / 60) % 60)}:${two(whole % 60)}`
}

/** What was heard in a piece of a recording. */
interface PieceText {
  readonly text: string
  /** Whether the piece began again with the end of the one before. */
  readonly overlaps: boolean
}

/** The texts of pieces as one: what two pieces both heard is written once. */
export function joinTexts(pieces: readonly PieceText[]): string {
  return pieces.reduce((before, { text, overlaps }) => {
    const next = text.trim()
    if (!before || !next) return before || next
    return overlaps ? joinOverlap(before, next) : before + gap(before, next) + next
  }, '')
}

/** More words are not said in the seconds that pieces share. */
const most = 20

/**
 * Words at a cut are often heard wrong, so what both texts hold of the shared seconds is looked for near the seam,
 * not at its very edge: the longest run of equal words, and from there on the next text counts.
 */
function joinOverlap(before: string, next: string): string {
  const [tail, head] = [toWords(before).slice(-most), toWords(next).slice(0, most)]
  const run = longestRun(tail, head)
  if (!run) return before + gap(before, next) + next
  const [leave, join] = [tail[run.inTail + run.length - 1], head[run.inHead + run.length - 1]]
  return before.slice(0, leave?.end) + next.slice(join?.end)
}

interface Word {
  readonly said: string
  readonly end: number
}

/** Words by letters alone: the same word ends a sentence in one text and not in the other. */
function toWords(text: string): Word[] {
  return [...text.matchAll(word)].map((found) => ({
    said: found[0].normalize('NFKC').toLowerCase().replace(/[’']/g, ''),
    end: found.index + found[0].length,
  }))
}

/** Scripts without spaces between words are taken letter by letter. */
const letter = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
const word = new RegExp(`[${letter}]\\p{M}*|(?:(?![${letter}])[\\p{L}\\p{M}\\p{N}’'])+`, 'gu')

interface Run {
  readonly inTail: number
  readonly inHead: number
  readonly length: number
}

/** A single word may be equal by chance, unless it is just where the texts meet. */
function longestRun(tail: readonly Word[], head: readonly Word[]): Run | undefined {
  const runs = tail.flatMap((_, inTail) => head.map((_, inHead) => runAt(tail, head, { inTail, inHead })))
  return runs
    .filter(({ length, inTail, inHead }) => {
      const lost = [tail.length - inTail - length, inHead]
      return length > 1 ? Math.max(...lost) <= mostGarbled : length === 1 && Math.max(...lost) === 0
    })
    .sort((a, b) => b.length - a.length)[0]
}

/** Words on each side of a cut that may be heard wrong. */
const mostGarbled = 2

function runAt(tail: readonly Word[], head: readonly Word[], at: Omit<Run, 'length'>): Run {
  const { inTail, inHead } = at
  let length = 0
  while (inTail + length < tail.length && tail[inTail + length]?.said === head[inHead + length]?.said)
    length++
  return { ...at, length }
}

function gap(before: string, next: string): string {
  return new RegExp(`[${letter}。、！？]$`, 'u').test(before) && new RegExp(`^[${letter}]`, 'u').test(next)
    ? ''
    : ' '
}
