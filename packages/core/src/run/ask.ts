import { limitOf } from '../answer/purse.js'
import { CapstanError } from '../words/error.js'
import type { StepContext } from '../words/host.js'
import { orAborted } from '../words/or-aborted.js'
import type { LimitName } from '../words/state.js'
import { type Aside, Asides } from './asides.js'
import { checkSettings } from './check-settings.js'
import { toOffer } from './offer.js'
import { type Answered, request } from './request.js'
import { endOfTime, withinTime } from './time.js'
import type { RunPlan, StepChanges, Walk } from './walk.js'

/** What one request came to, as it is recorded: an answer, or the limit that cut it off. */
export type Reply = Answered | Unanswered

export interface Unanswered {
  readonly message?: undefined
  readonly limit?: LimitName | undefined
  /** The text that was streamed until then. */
  readonly text?: string
  /** What was asked besides, all the same. */
  readonly asides?: readonly Aside[]
}

/** Asks the model once, as one step of the host. */
export function ask(walk: Walk, plan: RunPlan): Promise<Reply> {
  const key = `t${walk.state.turn}/model`
  return modelStep(key, walk, plan, (step) => inTime(walk, plan, step))
}

/** One request as a step of the host. What was streamed of it may come from what the host recorded. */
export async function modelStep(
  key: string,
  walk: Walk,
  { host, model }: RunPlan,
  run: (step: StepContext) => Promise<Reply>,
): Promise<Reply> {
  const reply = await host.step<Reply>({ key, options: { kind: 'model', name: model.name }, run })
  if (!reply.message) walk.streamed = reply.text
  return reply
}

/** Returns the text that was streamed of an answer that was cut off. */
export function streamedBy({ streamed: text }: Walk): Pick<Unanswered, 'text'> {
  return text ? { text } : {}
}

async function inTime(walk: Walk, plan: RunPlan, step: StepContext): Promise<Reply> {
  const bounds = { endsAt: endOfTime(walk), timeoutMs: plan.stepTimeoutMs }
  const taken: Aside[] = []
  try {
    const answered = await withinTime(bounds, step, async (timed) => {
      const changes = plan.prepareStep ? await changesOf(walk, plan, timed) : {}
      const asides = new Asides(walk.state, plan, { step: timed, taken })
      return request(walk, plan, { changes, offer: toOffer(walk.state, plan, changes), step: timed, asides })
    })
    return withAsides(answered, taken)
  } catch (error) {
    const limit = step.signal.aborted ? undefined : limitOf(error)
    if (limit) return withAsides({ limit, ...streamedBy(walk) }, taken)
    throw error
  }
}

/** What was asked besides is used, whatever came of the request itself. */
export function withAsides<R extends Reply>(reply: R, taken: readonly Aside[]): R {
  return taken.length > 0 ? { ...reply, asides: taken } : reply
}

/** What the agent's user changes of this request. */
export async function changesOf(
  { state, records }: Walk,
  plan: RunPlan,
  { signal }: StepContext,
): Promise<StepChanges> {
  if (!plan.prepareStep) return {}
  const view = { step: state.turn, messages: state.messages, toolCalls: records, context: plan.context }
  const changes = (await orAborted(signal, plan.prepareStep(view))) ?? {}
  checkSettings(changes.settings)
  if (changes.model && typeof changes.model.complete !== 'function') {
    const message =
      'prepareStep gave a model that is none. Give one that chatModel(...) or openaiModel(...) made.'
    throw new CapstanError('invalid_request', message)
  }
  return changes
}
