import type { ModelReply, ModelRequest, ModelSink } from '@capstan/core'
import { CapstanError, isCapstanError } from '@capstan/core'
import { messageOf } from '@capstan/core/internal'
import { diffOfAsked } from './asked.js'
import { describeRequest } from './describe-request.js'
import { describeStep } from './describe-step.js'
import { type ScriptAnswer, type ScriptStep, toFailure } from './script-step.js'
import { tellDeltas } from './tell-deltas.js'
import { toScriptedReply } from './to-scripted-reply.js'

interface Asking {
  readonly sink: ModelSink | undefined
  /** Whether a failure that may pass is asked about again: at once, here. */
  readonly isRetried: boolean
}

/** A script while it is played: the requests so far, and what was wrong with them. */
export class Script {
  readonly requests: ModelRequest[] = []
  /** What went wrong, also where a run got over it. */
  readonly #problems: string[] = []

  constructor(
    readonly name: string,
    readonly steps: readonly ScriptStep[],
  ) {}

  async answer(request: ModelRequest, { sink, isRetried }: Asking): Promise<ModelReply> {
    request.signal.throwIfAborted()
    const place = this.requests.push(asItWas(request))
    const step = this.steps[place - 1]
    if (!step) throw this.#conflict(this.#beyond(request))
    const answer = await this.#answerOf(step, request, place)
    const differs = 'asked' in answer && answer.asked !== undefined ? diffOfAsked(answer.asked, request) : ''
    if (differs !== '')
      throw this.#conflict(
        `Step ${place} of the script (${describeStep(answer)}) was asked something else:\n${differs}`,
      )
    const listener = request.stream ? sink : undefined
    if ('type' in answer && answer.type === 'fail') {
      const begun = { role: 'assistant', content: answer.after ?? '' } as const
      if (listener) await tellDeltas(begun, listener, request.signal)
      throw toFailure(isRetried ? { retryAfterMs: 0, ...answer } : answer)
    }
    const reply = toScriptedReply(answer, place)
    if (listener) await tellDeltas(reply.message, listener, request.signal)
    return reply
  }

  assertUsedUp(): void {
    const left = this.steps.slice(this.requests.length)
    const lines = left.map((step, at) => `  ${this.requests.length + at + 1}. ${describeStep(step)}`)
    const unused = `${left.length} of the ${this.steps.length} steps of the script were not used:`
    const problems = [...this.#problems, ...(left.length > 0 ? [[unused, ...lines].join('\n')] : [])]
    if (problems.length > 0) throw new CapstanError('conflict', problems.join('\n\n'))
  }

  /** What a function fails with is kept: an assertion in it must not be lost where a run gets over it. */
  async #answerOf(step: ScriptStep, request: ModelRequest, place: number): Promise<ScriptAnswer> {
    if (typeof step !== 'function') return step
    try {
      return await step(request)
    } catch (error) {
      if (!isCapstanError(error))
        this.#problems.push(`Step ${place} of the script failed: ${messageOf(error)}`)
      throw error
    }
  }

  #beyond(request: ModelRequest): string {
    const said = `The script of the model "${this.name}" is over after step ${this.steps.length}, and this is request ${this.requests.length}.`
    return `${said} Add a step for it, or see why it was made:\n${describeRequest(request)}`
  }

  #conflict(problem: string): CapstanError {
    this.#problems.push(problem)
    return new CapstanError('conflict', problem)
  }
}

function asItWas(request: ModelRequest): ModelRequest {
  const { messages, tools, settings } = request
  return { ...request, ...structuredClone({ messages, tools, ...(settings ? { settings } : {}) }) }
}
