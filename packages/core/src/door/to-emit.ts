import type { Emit, EventBody, Stamp } from '../words/event.js'
import { guarded } from '../words/listener.js'
import type { Observer } from './agent-options.js'

/** The sink of a run's events: stamps each and hands it to all; absent when nobody listens, so that none is made. */
export function toEmit(runId: string, observers: readonly (Observer | undefined)[]): Emit {
  const listeners = observers.filter((one) => one !== undefined).map(guarded)
  if (listeners.length === 0) return undefined
  let seq = 0
  return (event) => {
    const stamped = event as EventBody & Writable<Stamp>
    stamped.runId = runId
    stamped.seq = seq++
    for (const listener of listeners) listener(stamped)
  }
}

type Writable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] }
