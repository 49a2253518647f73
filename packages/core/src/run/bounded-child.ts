import { toToldResult, usualMaxResultBytes } from '../answer/long-result.js'
import type { ToolSettings } from '../tool/tool-settings.js'
import type { ArtifactStore } from '../words/artifact.js'
import { messageOf } from '../words/error.js'
import type { ChildStep } from '../words/host.js'
import type { Answer, Outcome } from '../words/state.js'

/** The step of an agent that answers a call, its words no longer than a result of its tool may be. */
export function boundedChild(
  step: ChildStep<Outcome>,
  { maxResultBytes, returnDirect }: ToolSettings = {},
  store: ArtifactStore,
): ChildStep<Outcome> {
  const maxBytes = maxResultBytes ?? (returnDirect ? Number.POSITIVE_INFINITY : usualMaxResultBytes)
  return {
    ...step,
    settle: async (end) => {
      const outcome = await step.settle(end)
      return 'content' in outcome ? bounded(outcome, maxBytes, store) : outcome
    },
  }
}

async function bounded(answer: Answer, maxBytes: number, store: ArtifactStore): Promise<Answer> {
  try {
    return { ...answer, ...(await toToldResult(answer.content, maxBytes, store)) }
  } catch (error) {
    // What the agent used is used, though its words cannot be kept.
    const { result: _, ...rest } = answer
    return { ...rest, status: 'error', content: `Error: ${messageOf(error)}` }
  }
}
