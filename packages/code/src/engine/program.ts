// Programs for the engine, and their results. All of it is plain JSON, for messages to threads and for run states.

import type { Json } from '@capstan/core'

export interface ProgramBounds {
  /**
   * How much an entire program can compute, in units of fuel. One unit is about 10,000 loop iterations, calls or
   * regular expression steps. Default 20,000.
   */
  readonly fuel: number
  /** The engine's memory limit in MiB. The minimum is 17, because the engine itself uses 16. Default 64. */
  readonly memoryMb: number
  /** The engine's stack size in KiB. Default 256. */
  readonly stackKb: number
  /** The maximum length in characters of the console output, and of the returned value as JSON. Default 32,768. */
  readonly output: number
  /** The maximum number of tool calls in a program. Default 500. */
  readonly calls: number
  /** How long a program may compute between two waits for calls, in milliseconds. Default 10,000. */
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

/** Replaces those bounds that are given. */
export function withBounds(bounds: ProgramBounds, given: Partial<ProgramBounds>): ProgramBounds {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...bounds, ...Object.fromEntries(set) }
}

const whole = ['a whole number of 1 or more', (value: unknown) => isWhole(value, 1)] as const

/** The valid values of each bound, and how errors describe them. */
export const boundKinds = {
  fuel: whole,
  memoryMb: ['a whole number from 17 to 4096', (value: unknown) => isWhole(value, 17, 4096)],
  stackKb: ['a whole number from 16 to 1024', (value: unknown) => isWhole(value, 16, 1024)],
  output: whole,
  calls: whole,
  timeMs: whole,
} as const satisfies Record<BoundName, unknown>

function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
}

export interface Program {
  readonly source: string
  /** The seed of `Math.random`. */
  readonly seed: string
  /** The names of the tools that the program may call. */
  readonly tools: readonly string[]
  /** The reasons why other tools cannot be called, by tool name. */
  readonly refused: Readonly<Record<string, string>>
  readonly bounds: ProgramBounds
}

/** A program and its script. The engine runs the script instead of the source. */
export interface ProgramWithScript extends Program {
  readonly script: Script
}

/** A program's source as a script for the engine. */
export interface Script {
  /** The script. Its value is the program's function. */
  readonly code: string
  /** The number of occurrences of the name `tools`. */
  readonly sites: number
  /** The changes to the source, in order. Their positions include the text before the program. */
  readonly edits: readonly Edit[]
}

/** A change to a program's source. */
export interface Edit {
  readonly at: number
  /** The number of characters to replace. */
  readonly length: number
  readonly text: string
}

/** A tool call that a program has made. */
export interface MadeCall {
  readonly name: string
  /** The call's arguments as JSON. */
  readonly arguments: string
  /**
   * The call's position: the index of the `tools` that makes the call, among all occurrences of that name in the
   * source. -1 if the position is unknown.
   */
  readonly site?: number
}

/** The result of a call: the program's promise resolves, or rejects with an error that the program can catch. */
export type CallOutcome =
  | { readonly ok: true; readonly value?: Json | undefined }
  | { readonly ok: false; readonly status: string; readonly message: string }

/** Calls that a program made together, and their results. The program continues when all of them have ended. */
export interface Batch {
  readonly calls: readonly MadeCall[]
  readonly outcomes: readonly CallOutcome[]
}

/** The result of letting a program run: the calls that it is now waiting for, or its end. */
export type Turn = { readonly calls: readonly MadeCall[] } | { readonly end: ProgramEnd }

export interface ProgramEnd {
  /** The returned value as JSON. Absent after an error, or if the program returned nothing. */
  readonly value?: string
  readonly error?: ProgramError
  /** The lines that the program wrote to its console. */
  readonly console: readonly string[]
}

/** The error that ended a program: one that it did not catch, or an exceeded bound. */
export interface ProgramError {
  readonly name: string
  readonly message: string
  /** The bound that the program exceeded, if any. */
  readonly bound?: BoundName
  /** The line in the source, counted from 1. */
  readonly line?: number
  readonly column?: number
}
