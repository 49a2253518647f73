import type { AnyAgent, CreateHost, HostContext, RunResult, RunState, Step } from '@capstan/core'
import { settle } from '@capstan/core/internal'
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import { type Recorded, reveal } from '../recorded.js'
import type { DbosConfig } from './engine.js'
import type { ChildStart, SegmentStart } from './stored.js'

/**
 * Restores the result of an aborted or failed segment by running the agent with the recorded step results until none
 * are left. Does not send requests, run tools or emit events.
 * @throws the segment's error, with the run's state
 */
export async function replay(
  { agent }: DbosConfig,
  { workflowID, input }: WorkflowStatus,
  client: DBOSClient,
): Promise<RunResult> {
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
  /** Aborted when the recorded steps have been used up. */
  readonly end: AbortController
}

/** Creates a host that returns a workflow's recorded step results. */
async function replayHost(workflowID: string, replay: Replay): Promise<CreateHost> {
  const { outcomes, times } = readSteps((await replay.client.listWorkflowSteps(workflowID)) ?? [])
  const unknown = (): never => {
    replay.end.abort(new Error('The recorded steps end here.'))
    throw replay.end.signal.reason
  }
  return (binding) => {
    const step = async <T>(one: Step<T>): Promise<T> => {
      if ('run' in one) return reveal((outcomes.get(one.key) as Recorded | undefined) ?? unknown())
      const id = `${workflowID}/${one.key}`
      const child = outcomes.get(id) as { readonly state: RunState } | undefined
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

function readSteps(steps: Steps): { readonly outcomes: Map<string, unknown>; readonly times: number[] } {
  const outcomes = new Map<string, unknown>()
  const times: number[] = []
  for (const { name, output, childWorkflowID, error } of steps) {
    if (error) continue
    if (name === 'DBOS.now') times.push(output as number)
    else if (name === 'DBOS.getResult' && childWorkflowID) outcomes.set(childWorkflowID, output)
    else outcomes.set(name, output)
  }
  return { outcomes, times }
}

/** Replays a child run that was aborted together with its parent, so that the parent's usage includes it. */
async function replayChild(id: string, binding: HostContext, replay: Replay): Promise<RunState | undefined> {
  const [start] = ((await replay.client.getWorkflow(id))?.input ?? []) as [ChildStart?]
  const agent = start && replay.agent.agents.get(start.state.agent)
  if (!start || !agent) return undefined
  const hostWithin = await replayHost(id, replay)
  const { state } = start
  return agent.proceed(state, { ...binding, runId: state.runId, emit: undefined, hostWithin })
}
