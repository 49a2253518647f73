import type { ChatModel, ModelRequest } from '@capstan/core'
import { withRetries } from '@capstan/core/internal'
import { Script } from './script.js'
import type { ScriptStep } from './script-step.js'

export interface ScriptedModelOptions {
  /** Default `scripted`. */
  readonly name?: string
  /** How often one request goes on with the next step after a failure that may pass, without waiting. Default 0. */
  readonly retries?: number
  /** As of a server that holds its answers to a form that it is asked for. Default false. */
  readonly structuredOutput?: boolean
}

export interface ScriptedModel extends ChatModel {
  /** What it was asked, one request for each step it used: as they were then. */
  readonly requests: readonly ModelRequest[]
  /**
   * Holds when each step was used, and every request had a step that fits it.
   * @throws CapstanError `conflict` with a list of the steps that are left, and of the requests that went wrong: also
   * of those that the run got over, such as one for a last answer
   */
  assertUsedUp(): void
}

/**
 * A model that answers from a script, without a server. Steps are handed out in the order of the requests, whoever
 * makes them: runs that share a model share its script. Where agents run side by side, give each a model of its own.
 * A request beyond the script, or one that a step does not expect, fails with `conflict`.
 */
export function scriptedModel(
  steps: readonly ScriptStep[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const { name = 'scripted', retries = 0, structuredOutput = false } = options
  const script = new Script(name, steps)
  return {
    name,
    structuredOutput,
    requests: script.requests,
    complete(request, sink) {
      const bounds = { max: request.retries === false ? 0 : retries, wait: async () => {} }
      const ask = (one: ModelRequest) => script.answer(one, { sink, isRetried: bounds.max > 0 })
      return withRetries(ask, request, bounds, sink)
    },
    assertUsedUp: () => script.assertUsedUp(),
  }
}
