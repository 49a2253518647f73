import { CapstanError, isCapstanError, type ToolContext } from '@capstan/core'
import { eachInFlight } from './each-in-flight.js'
import { joinTexts, type PieceText } from './join-texts.js'
import type { Piece, Pieces } from './pieces.js'

export interface PieceListener {
  readonly inFlight: number
  ask(piece: Piece, ctx: ToolContext): Promise<string>
}

/**
 * What is said in all pieces, as one text. Each is a request with a key of its own, `<key>/piece<n>`, and reported as
 * progress `{ piece, of, seconds }` when it is heard.
 * @throws CapstanError the error of the first piece that failed, with what was heard up to it in `evidence.transcribed`
 */
export async function hearPieces(
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
