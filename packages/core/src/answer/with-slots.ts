import type { Tool } from '../tool/tool.js'
import { Lane, type LaneOptions } from './lane.js'
import type { Work } from './with-deadline.js'

/** Bounds on calls at one time: the run's, each tool's own, which holds across runs, and one for what they write. */
export interface Slots {
  /**
   * Starts the work when there is a slot, and when nothing else writes what `key` names; calls of one key start in
   * the order they come. Rejects with the signal's reason when aborted before that.
   */
  take<T>(request: SlotRequest, signal: AbortSignal, start: () => Work<T>): Promise<T>
}

export interface SlotRequest {
  readonly tool: Tool
  readonly key?: string | undefined
}

export function toSlots(concurrency: number): Slots {
  const ofRun = new Lane({ of: 'a run', concurrency })
  const ofKeys = new Map<string, Lane>()
  return {
    take({ tool, key }, signal, start) {
      const ofKey =
        key === undefined ? undefined : laneOf(ofKeys, key, { of: `what writes "${key}"`, concurrency: 1 })
      // The run's slot behind those: waiting for another must not hold one that other calls could use. The rate last:
      // it counts when functions start.
      const line = [ofKey, boundOf(tool), ofRun, rateOf(tool)]
      return inSlot(line, signal, start)
    },
  }
}

const bounds = new WeakMap<Tool, Lane>()

function boundOf(tool: Tool): Lane | undefined {
  const { concurrency = Number.POSITIVE_INFINITY } = tool.settings
  if (concurrency === Number.POSITIVE_INFINITY) return undefined
  return laneOf(bounds, tool, { of: `"${tool.name}"`, concurrency })
}

const rates = new WeakMap<Tool, Lane>()

function rateOf(tool: Tool): Lane | undefined {
  const { rate } = tool.settings
  return rate && laneOf(rates, tool, { of: `"${tool.name}"`, concurrency: Number.POSITIVE_INFINITY, rate })
}

interface Lanes<Key> {
  get(key: Key): Lane | undefined
  set(key: Key, lane: Lane): unknown
}

function laneOf<Key>(lanes: Lanes<Key>, key: Key, options: LaneOptions): Lane {
  const lane = lanes.get(key) ?? new Lane(options)
  lanes.set(key, lane)
  return lane
}

/** The slots stay taken until the work is really over, though its answer may come sooner. */
function inSlot<T>(
  line: readonly (Lane | undefined)[],
  signal: AbortSignal,
  start: () => Work<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const begin = () => {
      const work = start()
      for (const lane of line) lane?.watch(work)
      work.answer.then(resolve, reject)
      return work.settled
    }
    const enter = (at: number): Promise<void> => {
      if (at === line.length) return begin()
      return line[at]?.enter(signal, () => enter(at + 1)) ?? enter(at + 1)
    }
    enter(0).catch(reject)
  })
}
