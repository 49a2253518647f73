import PQueue from 'p-queue'
import type { Tool } from '../tool/tool.js'
import type { Work } from './with-deadline.js'

/** Bounds on calls at one time: the run's, and each tool's own, which holds across runs. */
export interface Slots {
  /** Starts the work when there is a slot. Rejects with the signal's reason when aborted before that. */
  take<T>(tool: Tool, signal: AbortSignal, start: () => Work<T>): Promise<T>
}

export function toSlots(concurrency: number): Slots {
  const ofRun = new PQueue({ concurrency })
  return {
    take(tool, signal, start) {
      const ofTool = queueOf(tool)
      // The tool's slot first: waiting for it must not hold a slot that another tool could use.
      return inSlot(ofTool ? [ofTool, ofRun] : [ofRun], signal, start)
    },
  }
}

const queues = new WeakMap<Tool, PQueue>()

function queueOf(tool: Tool): PQueue | undefined {
  const { concurrency } = tool.settings
  if (concurrency === undefined) return undefined
  const queue = queues.get(tool) ?? new PQueue({ concurrency })
  queues.set(tool, queue)
  return queue
}

/** The slots stay taken until the work is really over, though its answer may come sooner. */
function inSlot<T>(line: readonly PQueue[], signal: AbortSignal, start: () => Work<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const waiting = new AbortController()
    const leave = () => waiting.abort(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    const begin = () => {
      signal.removeEventListener('abort', leave)
      const { answer, settled } = start()
      answer.then(resolve, reject)
      return settled
    }
    const queued = line.reduceRight<() => Promise<void>>(
      (next, queue) => () => queue.add(next, { signal: waiting.signal }),
      begin,
    )
    queued().catch((error) => {
      signal.removeEventListener('abort', leave)
      reject(error)
    })
  })
}
