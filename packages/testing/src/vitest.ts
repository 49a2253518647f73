// Matchers for vitest: importing this registers them, in a test or once in a file of `setupFiles`.

import type { Artifact, StopReason } from '@capstan/core'
import { expect } from 'vitest'
import {
  toBeUsedUp,
  toHaveCalledTool,
  toHaveCalledTools,
  toHaveProduced,
  toStopWith,
} from './run-matchers.js'

/** What an artifact is expected to be; a RegExp, or a matcher such as `expect.any(Number)`, may stand for any value. */
export type ExpectedArtifact = { readonly [Field in keyof Artifact]?: Artifact[Field] | RegExp }

/** What is asked of the result of a run, and of a scripted model. Failures show what the run did, a line for each call. */
export interface RunMatchers<T> {
  /**
   * Whether the run called the tool, with these arguments among others. A RegExp, or a matcher such as
   * `expect.any(String)`, may stand for any of them. A call that was rejected, denied or not run does not count, nor one
   * of an agent that answered a call.
   */
  toHaveCalledTool(name: CalledNames<T> | (string & {}), args?: object): void
  /** Whether the run called these tools, one after another, and no others. Calls count as above. */
  toHaveCalledTools(names: readonly (CalledNames<T> | (string & {}))[]): void
  /** Whether a call made an image, with these properties among others. */
  toHaveProducedImage(properties?: ExpectedArtifact): void
  /** Whether a call made audio, with these properties among others. */
  toHaveProducedAudio(properties?: ExpectedArtifact): void
  /** Whether the run ended for this reason. */
  toStopWith(reason: StopReason): void
  /** Whether each step of a scripted model was used, and each request had a step that fits it. */
  toBeUsedUp(): void
}

/** The names of the agent's tools, to choose from; tools known only at run time have others. */
export type CalledNames<T> = T extends { readonly toolCalls: readonly (infer Call)[] }
  ? NameOfKnown<Call>
  : never

type NameOfKnown<Call> = Call extends { readonly dynamic: true }
  ? never
  : Call extends { readonly name: infer Name extends string }
    ? Name
    : never

declare module 'vitest' {
  interface Matchers<T> extends RunMatchers<T> {}
}

expect.extend({
  toHaveCalledTool,
  toHaveCalledTools,
  toHaveProducedImage: (result: unknown, properties?: ExpectedArtifact) =>
    toHaveProduced('image', result, properties),
  toHaveProducedAudio: (result: unknown, properties?: ExpectedArtifact) =>
    toHaveProduced('audio', result, properties),
  toStopWith,
  toBeUsedUp,
})
