import type { AnyAgent, AnyRunResult, CreateHost, HostContext, RunState, Step } from '@capstan/core'
import { settle } from '@capstan/core/internal'
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import { type Recorded, reveal } from '../recorded.js'
import type { DbosConfig } from './engine.js'
import type { ChildStart, SegmentStart } from './stored.js'

/**
 * What a round that was cut off, or failed, came to: it is gone through once more from what was recorded of it, and
 * ended where that ends. Nothing is asked, run or told. @throws what the round failed with, with the run's state
 */
export async function replay(
  { agent }: DbosConfig,
  { workflowID, input }: WorkflowStatus,
  client: DBOSClient,
): Promise<AnyRunResult> {
  const end = new AbortController()
  const host = await replayHost(workflowID, { agent, client, end })
  const [{ state }] = input as [SegmentStart]
  return agent.run(state, {
    host,
    decisions: state.decisions,
    signal: end.signal,
    silent: true,
    allowChangedTools: true,
    context: undefined as never,
  })
}

interface Replay {
  readonly agent: AnyAgent
  readonly client: DBOSClient
  /** Aborted where what is recorded ends. */
  readonly end: AbortController
}

/** A host that gives what a workflow has recorded. */
async function replayHost(workflowID: string, replay: Replay): Promise<CreateHost> {
  const { kept, times } = readSteps((await replay.client.listWorkflowSteps(workflowID)) ?? [])
  const unknown = (): never => {
    replay.end.abort(new Error('This is as far as the run came.'))
    throw replay.end.signal.reason
  }
  return (binding) => {
    const step = async <T>(one: Step<T>): Promise<T> => {
      if ('run' in one) return reveal((kept.get(one.key) as Recorded | undefined) ?? unknown())
      const id = `${workflowID}/${one.key}`
      const child = kept.get(id) as { readonly state: RunState } | undefined
      const state = child?.state ?? (await replayChild(id, binding, replay)) ?? unknown()
      return one.settle(state)
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
}

type Steps = NonNullable<Awaited<ReturnType<DBOSClient['listWorkflowSteps']>>>

function readSteps(steps: Steps): { readonly kept: Map<string, unknown>; readonly times: number[] } {
  const kept = new Map<string, unknown>()
  const times: number[] = []
  for (const { name, output, childWorkflowID, error } of steps) {
    if (error) continue
    if (name === 'DBOS.now') times.push(output as number)
    else if (name === 'DBOS.getResult' && childWorkflowID) kept.set(childWorkflowID, output)
    else kept.set(name, output)
  }
  return { kept, times }
}

/** A run within the run that was cut off with it: what it used is used. */
async function replayChild(id: string, binding: HostContext, replay: Replay): Promise<RunState | undefined> {
  const [start] = ((await replay.client.getWorkflow(id))?.input ?? []) as [ChildStart?]
  const agent = start && replay.agent.agents.get(start.state.agent)
  if (!start || !agent) return undefined
  const hostWithin = await replayHost(id, replay)
  const { state } = start
  return agent.proceed(state, { ...binding, runId: state.runId, emit: undefined, hostWithin })
}
