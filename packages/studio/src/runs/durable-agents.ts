import { CapstanError, type Decision } from '@capstan/core'
import type { InboxCall } from '../types.js'
import type { DurableLike } from './agent-exports.js'

/** Lists the pending calls of durable runs, and makes decisions on them. */
export class DurableAgents {
  readonly #agents: ReadonlyMap<string, DurableLike>

  constructor(agents: ReadonlyMap<string, DurableLike>) {
    this.#agents = agents
  }

  /** Returns the pending calls of all durable agents that can list their runs. */
  async calls(): Promise<readonly InboxCall[]> {
    const since = new Date().toISOString()
    const lists = await Promise.all(
      [...this.#agents.values()].map(async (agent) => {
        const { runs = [] } = (await agent.list?.({ phases: ['pending'] })) ?? {}
        return runs.flatMap(({ runId, pending }) =>
          pending.map(
            (call): InboxCall => ({
              source: 'durable',
              agent: agent.name,
              run: runId,
              call,
              about: '',
              since,
            }),
          ),
        )
      }),
    )
    return lists.flat()
  }

  /** Decides on a durable run's pending call. @throws CapstanError `not_found` for an unknown agent */
  async decide({ name, run, callId, decision }: DurableDecision): Promise<void> {
    const agent = this.#agents.get(name)
    if (!agent) throw new CapstanError('not_found', `The file exports no durable agent "${name}".`)
    await agent.decide(run, callId, decision)
  }
}

interface DurableDecision {
  readonly name: string
  readonly run: string
  readonly callId: string
  readonly decision: Decision
}
