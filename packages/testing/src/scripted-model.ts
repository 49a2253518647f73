import {
  type AssistantMessage,
  CapstanError,
  type ChatModel,
  isCapstanError,
  type Message,
  type ModelDelta,
  type ModelReply,
  type ModelRequest,
  type ModelSink,
} from '@capstan/core'
import { callsOf, messageOf, textOf, withRetries } from '@capstan/core/internal'
import { formatCall, formatInline, formatToolCall } from './diff.js'
import { diffRequest } from './expectations.js'
import { type ScriptAnswer, type ScriptStep, scriptedError, scriptedReply } from './script.js'

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

interface ReplyOptions {
  readonly sink: ModelSink | undefined
  /** Whether a failure that may pass is asked about again: at once, here. */
  readonly isRetried: boolean
}

/** A script while it is played: the requests so far, and what was wrong with them. */
class Script {
  readonly requests: ModelRequest[] = []
  /** What went wrong, also where a run got over it. */
  readonly #problems: string[] = []

  constructor(
    readonly name: string,
    readonly steps: readonly ScriptStep[],
  ) {}

  async answer(request: ModelRequest, { sink, isRetried }: ReplyOptions): Promise<ModelReply> {
    request.signal.throwIfAborted()
    const place = this.requests.push(copyRequest(request))
    const step = this.steps[place - 1]
    if (!step) throw this.#conflict(this.#beyond(request))
    const answer = await this.#answerOf(step, request, place)
    const differs = 'asked' in answer && answer.asked !== undefined ? diffRequest(answer.asked, request) : ''
    if (differs !== '')
      throw this.#conflict(
        `Step ${place} of the script (${describeStep(answer)}) was asked something else:\n${differs}`,
      )
    const listener = request.stream ? sink : undefined
    if ('type' in answer && answer.type === 'fail') {
      const begun = { role: 'assistant', content: answer.after ?? '' } as const
      if (listener) await streamDeltas(begun, listener, request.signal)
      throw scriptedError(isRetried ? { retryAfterMs: 0, ...answer } : answer)
    }
    const reply = scriptedReply(answer, place)
    if (listener) await streamDeltas(reply.message, listener, request.signal)
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

function copyRequest(request: ModelRequest): ModelRequest {
  const { messages, tools, settings } = request
  return { ...request, ...structuredClone({ messages, tools, ...(settings ? { settings } : {}) }) }
}

/**
 * Tells a message as a server streams it: words one by one, arguments in fragments, each in a turn of its own, so that
 * whoever listens can stop it. @throws the signal's reason once it aborts
 */
export async function streamDeltas(
  message: AssistantMessage,
  sink: ModelSink,
  signal: AbortSignal,
): Promise<void> {
  for (const delta of deltasOf(message)) {
    signal.throwIfAborted()
    sink(delta)
    await undefined
  }
  signal.throwIfAborted()
}

function deltasOf(message: AssistantMessage): ModelDelta[] {
  const reasoning = message.reasoning_content ?? message.reasoning
  return [
    ...splitWords(reasoning).map((text): ModelDelta => ({ type: 'reasoning', text })),
    ...splitWords(textOf(message.content)).map((text): ModelDelta => ({ type: 'text', text })),
    ...callsOf(message).flatMap(({ function: { name, arguments: args } }, index) =>
      splitArguments(args).map((part): ModelDelta => ({ type: 'call', index, name, arguments: part })),
    ),
  ]
}

/** Each word with the white space behind it. */
function splitWords(text: unknown): readonly string[] {
  return typeof text === 'string' ? (text.match(/^\s+|\S+\s*/g) ?? []) : []
}

/** The name comes first, with none of the arguments. */
function splitArguments(args: string): readonly string[] {
  return ['', ...(args.match(/.{1,8}/gsu) ?? [])]
}

/** A step of a script in one line, as it was written there. */
function describeStep(step: ScriptStep): string {
  if (typeof step === 'function') return 'a function of the request'
  if (!('type' in step)) {
    const said = formatInline(textOf(step.message.content))
    return ['a reply', ...(said === '' ? [] : [said]), ...callsOf(step.message).map(formatToolCall)].join(' ')
  }
  if (step.type === 'text') return `text ${formatInline(JSON.stringify(step.text))}`
  if (step.type === 'fail') return `fail ${step.code}`
  const calls = step.type === 'call' ? [step] : step.calls
  return `call ${calls.map((call) => formatCall(call.name, call.arguments)).join(' + ')}`
}

/** A request in a few lines: its last messages, and the tools it offers. */
function describeRequest({ messages, tools }: ModelRequest): string {
  const left = Math.max(0, messages.length - maxMessages)
  const lines = [
    ...(left > 0 ? [`(${left} messages before these)`] : []),
    ...messages.slice(left).map(formatMessage),
    `tools offered: ${tools.map((tool) => tool.function.name).join(', ') || 'none'}`,
  ]
  return lines.map((line) => `  ${line}`).join('\n')
}

const maxMessages = 6

function formatMessage(message: Message): string {
  const said = formatInline(textOf(message.content))
  const parts = [...(said === '' ? [] : [said]), ...callsOf(message).map(formatToolCall)]
  return `${message.role}: ${parts.join(' + ') || '(nothing)'}`
}
