import { setTimeout as sleep } from 'node:timers/promises'
import { type Decision, type Decisions, isCapstanError } from '@capstan/core'
import type { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { RoundEnd } from '../round-end.js'
import type { Plan } from './engine.js'
import { abortId, roundId, runWorkflow } from './names.js'
import { type Round, Rounds } from './rounds.js'
import type { AbortStart, DecisionStart, RoundStart } from './start.js'
import { versionFor } from './version-for.js'

/** What became of a decision. */
export type Decided = 'carried_out' | 'not_waited_for' | { readonly refused: string }

/**
 * What a decision does, however long that takes: it waits until the run waits for it, and lets the run go on in a
 * round of its own. Done again it does nothing more, so it may be cut off anywhere.
 */
export async function carryOut(start: DecisionStart, site: DecisionSite): Promise<Decided> {
  const { plan, client, by, signal } = site
  const { runId, callId } = start
  const rounds = new Rounds(plan, client)
  for (let from = 0; ; ) {
    signal.throwIfAborted()
    const round = await rounds.settled(runId, from)
    if (!round || (await client.getWorkflow(abortId(runId)))) return 'not_waited_for'
    from = round.number
    const [begun] = round.status.input as [RoundStart]
    // It was cut off after it had begun this round.
    if (begun.by === by) return 'carried_out'
    const end = round.status.status === 'SUCCESS' ? (round.status.output as RoundEnd) : undefined
    if (end?.state.stopReason !== 'pending') return 'not_waited_for'
    if (end.state.pending.some((call) => call.callId === callId)) {
      const decided = await begin(start, { round, begun, end }, site)
      if (decided) return decided
    } else await sleep(1000, undefined, { signal, ref: false })
  }
}

interface DecisionSite {
  readonly plan: Plan
  readonly client: DBOSClient
  /** The decision's own id. */
  readonly by: string
  /** Aborts with the worker. */
  readonly signal: AbortSignal
}

interface Waiting {
  readonly round: Round
  readonly begun: RoundStart
  readonly end: RoundEnd
}

/** Begins the round after the one that waits; undefined when another decision has. */
async function begin(
  { runId, callId, decision }: DecisionStart,
  { round, begun, end }: Waiting,
  { plan, client, by }: DecisionSite,
): Promise<Decided | undefined> {
  const decisions = { [callId]: decision as unknown as Decision }
  const refused = await whyRefused(plan, end, decisions)
  if (refused !== undefined) return { refused }
  const workflowID = roundId(runId, round.number + 1)
  const start: RoundStart = {
    ...begun,
    state: { ...end.state, decisions: { ...end.state.decisions, ...decisions } },
    toolCalls: end.toolCalls,
    by,
  }
  const version = begun.options.allowChangedTools ? {} : await versionFor(plan, end.state, round.status)
  const workflow = { workflowName: runWorkflow(plan.agent.name), queueName: plan.place }
  await client.enqueue({ ...workflow, workflowID, ...version }, start)
  const next = await client.getWorkflow(workflowID)
  return (next?.input?.[0] as RoundStart | undefined)?.by === by ? 'carried_out' : undefined
}

async function whyRefused(
  { agent }: Plan,
  { state }: RoundEnd,
  decisions: Decisions,
): Promise<string | undefined> {
  try {
    await agent.prepare(state, { decisions, allowChangedTools: true })
    return undefined
  } catch (error) {
    if (isCapstanError(error)) return error.message
    throw error
  }
}

/** Ends what of a run is worked on: what is begun after this finds that it was ended. */
export async function endRounds({ runId }: AbortStart, client: DBOSClient): Promise<void> {
  const ids: string[] = []
  for (let round = 0; await client.getWorkflow(roundId(runId, round)); round++)
    ids.push(roundId(runId, round))
  await client.cancelWorkflows(ids, { cancelChildren: true })
}
