import type { ModelDelta } from '@capstan/core'
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

  /**
   * The pieces, those of one text looked through together by `hide`: a secret may be cut between two, with others in
   * between. Where it hid something the text comes as `hide` gave it, at its first piece.
   */
  deltas(hide: (pieces: readonly string[]) => readonly string[]): readonly WrittenDelta[] {
    const mended = this.#mended(hide)
    return this.#pieces.flatMap((piece) => {
      const kind = kindOf(piece)
      const shown = mended.get(kind) ?? [textOf(piece)]
      if (mended.has(kind)) mended.set(kind, [])
      return shown.map((text) => toWritten(piece, text))
    })
  }

  /** The texts in which something was hidden, by kind. */
  #mended(hide: (pieces: readonly string[]) => readonly string[]): Map<string, readonly string[]> {
    const texts = new Map<string, string[]>()
    for (const piece of this.#pieces) {
      const pieces = texts.get(kindOf(piece))
      if (pieces) pieces.push(textOf(piece))
      else texts.set(kindOf(piece), [textOf(piece)])
    }
    const shown = [...texts].map(([kind, pieces]) => [kind, hide(pieces)] as const)
    return new Map(shown.filter(([kind, pieces]) => pieces.join('') !== texts.get(kind)?.join('')))
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
