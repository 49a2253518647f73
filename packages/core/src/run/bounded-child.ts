import { toToldResult, usualMaxResultBytes } from '../answer/long-result.js'
import type { ToolSettings } from '../tool/tool-settings.js'
import type { ArtifactOrigin, ArtifactStore } from '../words/artifact.js'
import { messageOf } from '../words/error.js'
import type { ChildStep } from '../words/host.js'
import { orAborted } from '../words/or-aborted.js'
import type { Answer, Outcome } from '../words/state.js'
import type { RunPlan } from './walk.js'

/** The step of an agent that answers a call, its words no longer than a result of its tool may be. */
export function boundedChild(
  step: ChildStep<Outcome>,
  { maxResultBytes, returnDirect }: ToolSettings = {},
  kept: Kept,
): ChildStep<Outcome> {
  const maxBytes = maxResultBytes ?? (returnDirect ? Number.POSITIVE_INFINITY : usualMaxResultBytes)
  return {
    ...step,
    settle: async (end) => {
      const outcome = await step.settle(end)
      return 'content' in outcome ? bounded(outcome, maxBytes, kept) : outcome
    },
  }
}

/** The store for text that is too long, and the call that it answers. */
interface Kept extends Pick<RunPlan, 'artifacts' | 'signal'> {
  readonly origin: ArtifactOrigin
}

async function bounded(
  answer: Answer,
  maxBytes: number,
  { artifacts, signal, origin }: Kept,
): Promise<Answer> {
  const store: Pick<ArtifactStore, 'put'> = {
    put: (data, info) => orAborted(signal, artifacts.put(data, info)),
  }
  try {
    return { ...answer, ...(await toToldResult(answer.content, maxBytes, { store, origin })) }
  } catch (error) {
    // What the agent used is used, though its words cannot be kept.
    const { result: _, ...rest } = answer
    return { ...rest, status: 'error', content: `Error: ${messageOf(error)}` }
  }
}
