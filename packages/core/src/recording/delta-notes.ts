import type { ModelDelta } from '../words/model.js'
import type { WrittenDelta, WrittenReply, WrittenRetry } from './lines.js'

type Piece = Exclude<ModelDelta, { type: 'retry' }>

/** What an answer streamed, and the failures before it. What was streamed of a failed answer is void. */
export class DeltaNotes {
  #pieces: Piece[] = []
  readonly #retries: WrittenRetry[] = []

  take(delta: ModelDelta): void {
    if (delta.type !== 'retry') this.#pieces.push(delta)
    else {
      const { type: _, ...retry } = delta
      this.#retries.push(retry)
      this.#pieces = []
    }
  }

  get retries(): Pick<WrittenReply, 'retries'> {
    return this.#retries.length > 0 ? { retries: this.#retries } : {}
  }

  /** The pieces, those of one text looked through together by `hide`: a secret may be cut between two. */
  deltas(hide: (pieces: readonly string[]) => readonly string[]): readonly WrittenDelta[] {
    return this.#runs().flatMap((run) =>
      hide(run.map(textOf)).map((text) => toWritten(run[0] as Piece, text)),
    )
  }

  /** Pieces that follow each other and are of one text. */
  #runs(): Piece[][] {
    const runs: Piece[][] = []
    for (const piece of this.#pieces) {
      const last = runs.at(-1)
      if (last?.[0] && kindOf(last[0]) === kindOf(piece)) last.push(piece)
      else runs.push([piece])
    }
    return runs
  }
}

function kindOf(piece: Piece): string {
  return piece.type === 'call' ? `call ${piece.index} ${piece.name}` : piece.type
}

function textOf(piece: Piece): string {
  return piece.type === 'call' ? piece.arguments : piece.text
}

function toWritten(piece: Piece, text: string): WrittenDelta {
  if (piece.type === 'text') return text
  if (piece.type === 'reasoning') return { reasoning: text }
  return { call: piece.index, name: piece.name, arguments: text }
}
