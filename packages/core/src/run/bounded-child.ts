import { toToldResult, usualMaxResultBytes } from '../answer/long-result.js'
import type { ToolSettings } from '../tool/tool-settings.js'
import type { ArtifactStore } from '../words/artifact.js'
import { messageOf } from '../words/error.js'
import type { ChildStep } from '../words/host.js'
import { orAborted } from '../words/or-aborted.js'
import type { Answer, Outcome } from '../words/state.js'
import type { RunPlan } from './walk.js'

/** The step of an agent that answers a call, its words no longer than a result of its tool may be. */
export function boundedChild(
  step: ChildStep<Outcome>,
  { maxResultBytes, returnDirect }: ToolSettings = {},
  plan: Kept,
): ChildStep<Outcome> {
  const maxBytes = maxResultBytes ?? (returnDirect ? Number.POSITIVE_INFINITY : usualMaxResultBytes)
  return {
    ...step,
    settle: async (end) => {
      const outcome = await step.settle(end)
      return 'content' in outcome ? bounded(outcome, maxBytes, plan) : outcome
    },
  }
}

/** Where words are kept that are too long, until the run is over. */
type Kept = Pick<RunPlan, 'artifacts' | 'signal'>

async function bounded(answer: Answer, maxBytes: number, { artifacts, signal }: Kept): Promise<Answer> {
  const store: Pick<ArtifactStore, 'put'> = {
    put: (data, info) => orAborted(signal, artifacts.put(data, info)),
  }
  try {
    return { ...answer, ...(await toToldResult(answer.content, maxBytes, store)) }
  } catch (error) {
    // What the agent used is used, though its words cannot be kept.
    const { result: _, ...rest } = answer
    return { ...rest, status: 'error', content: `Error: ${messageOf(error)}` }
  }
}
