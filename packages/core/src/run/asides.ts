import { limitPassed } from '../answer/purse.js'
import { fingerprint } from '../words/fingerprint.js'
import type { StepContext } from '../words/host.js'
import { type Message, textOf } from '../words/message.js'
import type { ChatModel } from '../words/model.js'
import { orAborted } from '../words/or-aborted.js'
import { costOf } from '../words/price.js'
import type { RunState } from '../words/state.js'
import { estimateMessages, estimateTokens } from './estimate-tokens.js'
import type { RunPlan } from './walk.js'
import { type CountedRequest, withRequests } from './with-requests.js'

/** What a request took that is no step of the run's: plain JSON, recorded with the step that it was made for. */
export type Aside = CountedRequest

interface AsidesOf {
  readonly step: StepContext
  readonly taken: Aside[]
}

/** The requests that are made beside one of the run's own, such as those for a summary. */
export class Asides {
  readonly #state: RunState
  readonly #plan: RunPlan
  readonly #step: StepContext
  readonly #taken: Aside[]

  /** What they take is added to `taken`. */
  constructor(state: RunState, plan: RunPlan, { step, taken }: AsidesOf) {
    this.#state = state
    this.#plan = plan
    this.#step = step
    this.#taken = taken
  }

  /** Asks without tools. @throws CapstanError `stopped` when a limit would be passed, and what the model throws */
  async ask(messages: readonly Message[], given: ChatModel): Promise<string> {
    const model = this.#plan.modelOf(given)
    this.#check(messages, model)
    const { idempotencyKey, signal } = this.#step
    const asked = {
      messages,
      tools: [],
      stream: false,
      signal,
      retries: this.#plan.host.retries === 'core',
      idempotencyKey: `${idempotencyKey}/aside-${fingerprint(model.name + JSON.stringify(messages))}`,
    }
    const { message, tokens, model: answering } = await orAborted(signal, model.complete(asked))
    const counted = tokens ?? (needsCounts(this.#state) ? estimateTokens(messages, message) : undefined)
    const aside = { reported: tokens !== undefined, model: answering ?? model.name }
    this.#taken.push(counted ? { ...aside, tokens: counted } : aside)
    return textOf(message.content)
  }

  #check(messages: readonly Message[], { name }: ChatModel): void {
    const { usage, limits } = this.#state
    const { prices } = this.#plan
    const inputTokens = estimateMessages(messages)
    const { totalTokens, cost = 0 } = withRequests(usage, this.#taken, prices)
    if (limits.tokens !== undefined && totalTokens + inputTokens > limits.tokens)
      throw limitPassed('tokens', limits.tokens)
    if (limits.cost === undefined) return
    const more = prices ? costOf({ inputTokens }, name, prices) : 'unknown'
    if (cost === 'unknown' || more === 'unknown' || cost + more > limits.cost)
      throw limitPassed('cost', limits.cost)
  }
}

/** Whether a limit asks for counts that a server may not give. */
export function needsCounts({ limits }: RunState): boolean {
  return limits.tokens !== undefined || limits.cost !== undefined
}
