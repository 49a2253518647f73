// Reads and writes the states of a run before each step. Each line contains the difference from the previous state.

import { join } from 'node:path'
import { CapstanError, type RunState } from '@capstan/core'
import { readLines } from './line-file.js'
import { runFiles } from './run-folder.js'

/** A line of `checkpoints.jsonl`. The first line of each round contains the full state. */
export interface CheckpointLine {
  readonly checkpoint: number
  /** Set if the line contains a full state, so that no earlier line is needed. */
  readonly isWhole?: true
  /** The fields with a new value. */
  readonly set?: Readonly<Record<string, unknown>>
  /** The arrays that have changed: the first `keep` items stay, and `items` follow them. */
  readonly lists?: Readonly<Record<string, { readonly keep: number; readonly items: readonly unknown[] }>>
  /** The fields that have been removed. */
  readonly unset?: readonly string[]
}

/** Returns the line, without its number, that converts one state to the next. Undefined if the states are equal. */
export function compareStates(
  before: RunState | undefined,
  now: RunState,
): Omit<CheckpointLine, 'checkpoint'> | undefined {
  const old = new Map(Object.entries(before ?? {}))
  const set: [string, unknown][] = []
  const lists: [string, { keep: number; items: readonly unknown[] }][] = []
  for (const [name, value] of Object.entries(now)) {
    // As in JSON, a field that is undefined counts as removed.
    if (value === undefined) continue
    const known = old.get(name)
    old.delete(name)
    if (isSame(known, value)) continue
    if (Array.isArray(value) && Array.isArray(known)) {
      const keep = equalItems(known, value)
      lists.push([name, { keep, items: value.slice(keep) }])
    } else set.push([name, value])
  }
  const unset = [...old].filter(([, value]) => value !== undefined).map(([name]) => name)
  if (set.length + lists.length + unset.length === 0) return undefined
  return {
    ...(set.length > 0 ? { set: Object.fromEntries(set) } : {}),
    ...(lists.length > 0 ? { lists: Object.fromEntries(lists) } : {}),
    ...(unset.length > 0 ? { unset } : {}),
  }
}

/**
 * Whether two values are equal. This is usually fast, because consecutive states share objects that have not changed.
 */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && equalItems(one, other) === one.length
  return JSON.stringify(one) === JSON.stringify(other)
}

function equalItems(one: readonly unknown[], other: readonly unknown[]): number {
  const most = Math.min(one.length, other.length)
  let equal = 0
  while (equal < most && isSame(one[equal], other[equal])) equal += 1
  return equal
}

/**
 * Reads a checkpoint's state, including its secrets. Use the state to continue a run, and never send it to a page.
 * @throws CapstanError `not_found` if there is no such checkpoint
 */
export async function readState(folder: string, checkpoint: number): Promise<RunState> {
  const lines = await readLines<CheckpointLine>(join(folder, runFiles.checkpoints))
  const state = new Map<string, unknown>()
  for (const line of lines) {
    applyLine(line, state)
    if (line.checkpoint === checkpoint) return Object.fromEntries(state) as unknown as RunState
  }
  throw new CapstanError('not_found', `This run has no checkpoint ${checkpoint}.`, {
    evidence: { checkpoint, checkpoints: lines.length },
  })
}

/** Returns the number of a run's last checkpoint. Undefined if the run has none. */
export async function lastCheckpoint(folder: string): Promise<number | undefined> {
  const lines = await readLines<CheckpointLine>(join(folder, runFiles.checkpoints))
  return lines.at(-1)?.checkpoint
}

function applyLine(
  { isWhole, set = {}, lists = {}, unset = [] }: CheckpointLine,
  state: Map<string, unknown>,
): void {
  if (isWhole) state.clear()
  for (const [name, value] of Object.entries(set)) state.set(name, value)
  for (const [name, { keep, items }] of Object.entries(lists)) {
    const before = state.get(name)
    state.set(name, [...(Array.isArray(before) ? before.slice(0, keep) : []), ...items])
  }
  for (const name of unset) state.delete(name)
}
