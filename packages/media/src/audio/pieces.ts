import type { Artifact } from '@capstan/core'

/** A recording that is read as a stream, as often as needed. */
export interface Recording {
  readonly artifact: Artifact
  open(): Promise<ReadableStream<Uint8Array>>
  /** The same as a file on disk, where it is one. */
  file?(): Promise<Blob | undefined>
}

/** Above which a recording is sent in pieces, and how long these are. */
export interface PieceSize {
  readonly maxBytes: number
  readonly maxSeconds: number
}

/** A recording as several. */
export interface Pieces {
  /** How many. */
  readonly of: number
  /** How long the whole recording sounds. */
  readonly seconds: number
  /** In order, each made when it is asked for. */
  each(): AsyncIterable<Piece>
}

/** One of them: a recording of its own. */
export interface Piece {
  /** From 1. */
  readonly number: number
  readonly file: File
  /** Where in the whole it begins, in seconds. */
  readonly at: number
  readonly seconds: number
  /** Begins again with the end of the piece before. */
  readonly overlaps: boolean
}
