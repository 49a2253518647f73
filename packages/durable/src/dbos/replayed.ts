import type { AnyRunResult, BindHost, RunState, Step } from '@capstan/core'
import { settle } from '@capstan/core/wire'
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import { type Recorded, reveal } from '../recorded.js'
import type { Plan } from './engine.js'
import type { RoundStart } from './start.js'

/**
 * What a round that was cut off, or failed, came to: it is gone through once more from what was recorded of it, and
 * ended where that ends. Nothing is asked and nothing is run. @throws what the round failed with, with the run's state
 */
export async function replayed(
  { agent }: Plan,
  { workflowID, input }: WorkflowStatus,
  client: DBOSClient,
): Promise<AnyRunResult> {
  const steps = (await client.listWorkflowSteps(workflowID)) ?? []
  const kept = new Map<string, unknown>()
  const times: number[] = []
  for (const { name, output, childWorkflowID, error } of steps) {
    if (error) continue
    if (name === 'DBOS.now') times.push(output as number)
    else if (name === 'DBOS.getResult' && childWorkflowID) kept.set(childWorkflowID, output)
    else kept.set(name, output)
  }
  const end = new AbortController()
  const unknown = (): never => {
    end.abort(new Error('This is as far as the run came.'))
    throw end.signal.reason
  }
  const host: BindHost = () => {
    const step = async <T>(one: Step<T>): Promise<T> => {
      if ('run' in one) return reveal((kept.get(one.key) as Recorded | undefined) ?? unknown())
      const child = kept.get(`${workflowID}/${one.key}`) as { readonly state: RunState } | undefined
      return one.settle((child ?? unknown()).state)
    }
    return {
      step,
      all: (all) => Promise.all(all.map((one) => settle(step(one)))),
      waitFor: async () => undefined,
      now: async () => times.shift() ?? unknown(),
      id: async () => unknown(),
      sleep: async () => {},
      retries: 'core',
    }
  }
  const [{ state }] = input as [RoundStart]
  return agent.run(state, { host, signal: end.signal, allowChangedTools: true, context: undefined as never })
}
