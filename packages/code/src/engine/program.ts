// A program as the engine runs it, and what it answers. Plain JSON: it goes to a thread and into states of runs.

import type { Json } from '@capstan/core'

export interface ProgramBounds {
  /**
   * The fuel for the entire program, in units of about 10,000 loop turns, calls or regular expression steps. Default
   * 20,000.
   */
  readonly fuel: number
  /** The engine's memory in MiB, at least 17: the engine itself uses 16. Default 64. */
  readonly memoryMb: number
  /** The size of its stack in KiB. Default 256. */
  readonly stackKb: number
  /** Maximum characters of its console output, and of its returned value as JSON. Default 32,768. */
  readonly output: number
  /** Maximum tool calls. Default 500. */
  readonly calls: number
  /** Maximum milliseconds that it computes between two waits. Default 10,000. */
  readonly timeMs: number
}

export type BoundName = keyof ProgramBounds

export const defaultBounds: ProgramBounds = {
  fuel: 20_000,
  memoryMb: 64,
  stackKb: 256,
  output: 32_768,
  calls: 500,
  timeMs: 10_000,
}

export interface Program {
  readonly source: string
  /** The seed of `Math.random`. */
  readonly seed: string
  /** The names of the tools that it may call. */
  readonly tools: readonly string[]
  /** Reasons why other tools cannot be called, by name. */
  readonly refused: Readonly<Record<string, string>>
  readonly bounds: ProgramBounds
}

/** A call that a program makes. */
export interface MadeCall {
  readonly name: string
  /** Its arguments as JSON. */
  readonly arguments: string
  /** The place in the source that makes the call, as the index among all names `tools`. -1 if it is unknown. */
  readonly site?: number
}

/** The result of a call. Its promise resolves, or rejects with an error that the program can catch. */
export type CallOutcome =
  | { readonly ok: true; readonly value?: Json | undefined }
  | { readonly ok: false; readonly status: string; readonly message: string }

/** The calls that a program waits for, with their results. The program continues after all of them. */
export interface Batch {
  readonly calls: readonly MadeCall[]
  readonly outcomes: readonly CallOutcome[]
}

/** A program that waits for calls, or has ended. */
export type Turn = { readonly calls: readonly MadeCall[] } | { readonly end: ProgramEnd }

export interface ProgramEnd {
  /** The returned value as JSON. Absent after an error, or if it returned nothing. */
  readonly value?: string
  readonly error?: ProgramError
  /** The lines of its console. */
  readonly console: readonly string[]
}

/** The error that ended a program. */
export interface ProgramError {
  readonly name: string
  readonly message: string
  /** The bound that was exceeded, if any. */
  readonly bound?: BoundName
  /** The line in the source, from 1. */
  readonly line?: number
  readonly column?: number
}
