import { type Admitted, admit } from '../ask/admit.js'
import type { Toolset } from '../tool/toolset.js'
import { isCapstanError } from '../words/error.js'
import type { StepContext } from '../words/host.js'
import { callsOf, type Message, textOf } from '../words/message.js'
import type { ModelReply, ModelRequest, ModelSink } from '../words/model.js'
import { orAborted } from '../words/or-aborted.js'
import type { RunState } from '../words/state.js'
import { type Aside, type Asides, needsCounts } from './asides.js'
import { estimateTokens } from './estimate-tokens.js'
import type { Offer } from './offer.js'
import { type ReadOutput, readOutput } from './output.js'
import { shortened } from './shorten.js'
import type { RunPlan, StepChanges, Walk } from './walk.js'
import { withPictures } from './with-pictures.js'

export interface Asking {
  readonly changes: StepChanges
  readonly offer: Offer
  readonly step: StepContext
  readonly asides: Asides
  /** Said to the model behind the instructions, for this request alone. */
  readonly note?: string | undefined
  /** Request fields that ask the server for the form of its answer. */
  readonly form?: Readonly<Record<string, unknown>> | undefined
}

/** The model's answer to a request. */
export interface Answered extends Admitted, Omit<ModelReply, 'message'> {
  /** The model that was asked. */
  readonly model: string
  /** Whether the server named the token counts; else they are absent, or estimated where a limit needs them. */
  readonly reported: boolean
  /** Whether this request forced a tool: that happens once in a run. */
  readonly forced: boolean
  /** Of an answer in words, where a form is asked for. */
  readonly output?: ReadOutput
  /** Whether the server turned out not to be one that can be asked for a form. */
  readonly outputByTool?: boolean
  /** What was asked besides. */
  readonly asides?: readonly Aside[]
  readonly limit?: undefined
}

/** Asks, and once more where a server will not take a history with calls, or settings for them, without tools. */
export async function request(walk: Walk, plan: RunPlan, asking: Asking): Promise<Answered> {
  const form = isNative(walk.state, plan) ? plan.output?.responseFormat : undefined
  try {
    return await askOnce(walk, plan, { ...asking, form })
  } catch (error) {
    if (plan.output && form && isAboutForm(error)) {
      const { toolset, tool } = plan.output
      const offer: Offer = { tools: [...asking.offer.tools, tool.definition], toolChoice: 'auto' }
      const answered = await askOnce(walk, { ...plan, toolset }, { ...asking, offer })
      return { ...answered, outputByTool: true }
    }
    const { definitions } = plan.toolset
    const hasCalls = () => walk.state.messages.some((message) => callsOf(message).length > 0)
    const isRefused = isCapstanError(error) && error.code === 'invalid_request'
    if (!isRefused || asking.offer.tools.length > 0 || definitions.length === 0 || !hasCalls()) throw error
    // Under the same key, a service that drops doubles would refuse again without a look.
    const step = { ...asking.step, idempotencyKey: `${asking.step.idempotencyKey}/again` }
    return askOnce(walk, plan, { ...asking, form, step, offer: { tools: definitions, toolChoice: 'none' } })
  }
}

/** One request, and its answer made fit for the history. */
async function askOnce(
  walk: Walk,
  plan: RunPlan,
  { changes, offer, step, asides, note, form }: Asking,
): Promise<Answered> {
  const { state, callIds } = walk
  const { host, repair, toolset, stream } = plan
  const model = changes.model ? plan.modelOf(changes.model) : plan.model
  const { signal } = step
  const { compact, emit } = plan
  const history = compact ? await shortened(walk, compact, { model, asides, signal, emit }) : state.messages
  const given = changes.instructions ?? plan.instructions
  const text = typeof given === 'function' ? await orAborted(signal, given(plan.context)) : given
  const messages = withInstructions(walk, [text, note], history)
  const shown = withPictures(messages, {
    store: plan.artifacts,
    options: plan.show,
    made: state.artifacts ?? [],
  })
  const asked: ModelRequest = {
    messages: shown instanceof Promise ? await orAborted(signal, shown) : shown,
    ...offer,
    settings: { ...form, ...plan.settings, ...changes.settings },
    stream,
    retries: host.retries === 'core',
    ...step,
  }
  // A listener may have stopped the run by now.
  signal.throwIfAborted()
  const answer = model.complete(asked, toSink(walk, plan, signal))
  const reply = await orAborted(step.signal, answer)
  const { message, tokens } = reply
  const offered = offer.toolChoice === 'none' ? [] : namesOf(offer, toolset)
  const admitted = admit(reply, { toolset, offered, taken: callIds, turn: state.turn, repair })
  const words = textOf(message.content)
  const isAnswer = !admitted.message.tool_calls && !message.refusal && words.trim() !== ''
  const output =
    plan.output && isAnswer ? await orAborted(step.signal, readOutput(words, plan.output)) : undefined
  const counted = tokens ?? (needsCounts(state) ? estimateTokens(messages, message) : undefined)
  const answered: Answered = {
    ...reply,
    ...admitted,
    reported: tokens !== undefined,
    model: reply.model ?? model.name,
    forced: offered.length > 0 && offer.toolChoice !== 'auto',
  }
  if (counted === tokens && !output) return answered
  return { ...answered, ...(counted ? { tokens: counted } : {}), ...(output ? { output } : {}) }
}

function namesOf({ tools }: Offer, { definitions, names }: Toolset): readonly string[] {
  return tools === definitions ? names : tools.map((tool) => tool.function.name)
}

/** Whether the server is asked for the form of its answer. */
export function isNative({ flags }: RunState, { output, model }: RunPlan): boolean {
  return output !== undefined && model.structuredOutput === true && !flags.outputByTool
}

function isAboutForm(error: unknown): boolean {
  return (
    isCapstanError(error) &&
    error.code === 'invalid_request' &&
    /response_format|json_schema|structured/i.test(error.message)
  )
}

function withInstructions(
  walk: Walk,
  texts: readonly (string | undefined)[],
  history: readonly Message[],
): readonly Message[] {
  const content = texts.filter(Boolean).join('\n\n')
  if (!content) return history
  // The same object while the text is the same: it is written to JSON once.
  if (walk.system?.content !== content) walk.system = { role: 'system', content }
  return [walk.system, ...history]
}

/** Reports what is streamed, and keeps the text in case the answer is cut off. After that nothing is reported. */
function toSink(walk: Walk, { emit, stream }: RunPlan, signal: AbortSignal): ModelSink | undefined {
  if (!emit) return undefined
  const step = walk.state.turn
  let text = ''
  return (delta) => {
    if (signal.aborted) return
    if (delta.type === 'retry') {
      text = ''
      walk.streamed = undefined
      emit({ ...delta, type: 'retry-scheduled', step })
    } else if (!stream) return
    else if (delta.type === 'call') emit({ ...delta, type: 'call-delta', step })
    else if (delta.type === 'reasoning') emit({ type: 'reasoning-delta', step, text: delta.text })
    else {
      text += delta.text
      walk.streamed = text
      emit({ type: 'text-delta', step, text: delta.text })
    }
  }
}
