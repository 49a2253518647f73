import type { AnyAgent, Decisions, RunState } from '@capstan/core'
import { type Journal, journalHost } from '../../src/testing/journal-host.js'

/** A segment of a run, as it is stored. */
export interface Segment {
  readonly given: RunState
  /** The step keys that the run passed to its host, in order. Hosts that count their steps depend on the order. */
  readonly asked: readonly string[]
  readonly journal: readonly Entry[]
  readonly end: RunState
}

type Recorded = NonNullable<ReturnType<Journal['get']>>
export type Entry = readonly [key: string, recorded: Recorded]

/** Continues a state with a journal that already contains some entries. */
export async function runOver(agent: AnyAgent, given: RunState, known: readonly Entry[]): Promise<Segment> {
  const map = new Map(known)
  const asked: string[] = []
  const journal: Journal = {
    get(key) {
      asked.push(key)
      return map.get(key)
    },
    set: (key, recorded) => map.set(key, recorded),
  }
  const state = throughJson(given)
  const options = { decisions: state.decisions, host: journalHost(journal), context: undefined as never }
  const result = await agent.run(state, options)
  return throughJson({ given, asked, journal: [...map], end: result.state })
}

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** Approves each pending call of a state. */
export function approvals({ pending }: RunState): Decisions {
  return Object.fromEntries(pending.map(({ callId }) => [callId, { type: 'approve' }]))
}
