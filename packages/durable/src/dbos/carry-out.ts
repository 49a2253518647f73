import { type Decision, type Decisions, isCapstanError } from '@capstan/core'
import type { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { RoundEnd } from '../round-end.js'
import type { Plan } from './engine.js'
import { abortId, roundId, runWorkflow } from './names.js'
import { settledRound } from './rounds.js'
import type { AbortStart, DecisionStart, RoundStart } from './start.js'
import { versionFor } from './version-for.js'

/** What became of a decision. */
export type Decided = 'carried_out' | 'not_waited_for' | { readonly refused: string }

/**
 * What a decision does, however long that takes: it waits until the run waits for it, and lets the run go on in a
 * round of its own. Done again it does nothing more, so it may be cut off anywhere.
 */
export async function carryOut(
  { runId, callId, decision }: DecisionStart,
  plan: Plan,
  { client, by }: { readonly client: DBOSClient; readonly by: string },
): Promise<Decided> {
  for (let from = 0; ; from++) {
    const round = await settledRound(client, runId, { from })
    if (!round || (await client.getWorkflow(abortId(runId)))) return 'not_waited_for'
    from = round.number
    const [begun] = round.status.input as [RoundStart]
    // It was cut off after it had begun this round.
    if (begun.by === by) return 'carried_out'
    const end = round.status.status === 'SUCCESS' ? (round.status.output as RoundEnd) : undefined
    if (!end?.state.pending.some((call) => call.callId === callId)) return 'not_waited_for'
    const refused = await whyRefused(plan, end, { [callId]: decision as unknown as Decision })
    if (refused !== undefined) return { refused }
    const workflowID = roundId(runId, from + 1)
    const start: RoundStart = {
      state: {
        ...end.state,
        decisions: { ...end.state.decisions, [callId]: decision as unknown as Decision },
      },
      options: begun.options,
      toolCalls: end.toolCalls,
      by,
    }
    const version = begun.options.allowChangedTools ? {} : await versionFor(plan, end.state, round.status)
    await client.enqueue(
      { workflowName: runWorkflow(plan.agent.name), queueName: plan.queue, workflowID, ...version },
      start,
    )
    // Another decision may have begun it: then this one waits for the round after that.
    const next = await client.getWorkflow(workflowID)
    if ((next?.input?.[0] as RoundStart | undefined)?.by === by) return 'carried_out'
  }
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
