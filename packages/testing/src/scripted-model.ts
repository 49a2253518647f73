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
import { callsOf, checkOptionNames, kindOf, messageOf, textOf, withRetries } from '@capstan/core/internal'
import { formatCall, formatInline, formatToolCall } from './diff.js'
import { diffRequest } from './expectations.js'
import { type ScriptAnswer, type ScriptStep, scriptedError, scriptedReply } from './script.js'

/** Options for a scripted model. */
export interface ScriptedModelOptions {
  /** The name of the model. Default `scripted`. */
  readonly name?: string
  /**
   * How many times a request is retried after a retryable failure. Each retry uses the next step, without a delay.
   * Default 0.
   */
  readonly retries?: number
  /** Whether the model reports native support for structured output. Default false. */
  readonly structuredOutput?: boolean
}

/** A chat model whose replies come from a script. */
export interface ScriptedModel extends ChatModel {
  /** Copies of the requests that the model has received, in order. */
  readonly requests: readonly ModelRequest[]
  /**
   * Checks that every step was used and every request matched its step.
   * @throws CapstanError `conflict`, naming the steps that were not used and the requests that did not match, even if
   * the run continued after such a request failed
   */
  assertUsedUp(): void
}

/**
 * Creates a model that replies from a script, without a server. Each request uses the next step, whichever run sends
 * it, so give concurrent agents separate models. If the script has ended, or its step expects a different request, the
 * request fails with `conflict`.
 * @throws CapstanError `invalid_request` for a value that is not a step, or an unknown option
 */
export function scriptedModel(
  steps: readonly ScriptStep[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  checkSteps(steps)
  checkOptionNames(options, optionKinds, { of: 'scriptedModel', code: 'invalid_request' })
  const { name = 'scripted', retries = 0, structuredOutput = false } = options
  const script = new Script(name, steps)
  return {
    name,
    structuredOutput,
    requests: script.requests,
    complete(request, sink) {
      const isRetried = request.retries !== false && retries > 0
      const send = (one: ModelRequest) => script.answer(one, { sink, isRetried })
      return withRetries(request, sink, { send, maxRetries: retries, wait: async () => {} })
    },
    assertUsedUp: () => script.assertUsedUp(),
  }
}

const optionKinds = {
  name: 'a string',
  retries: 'a number of at least 0',
  structuredOutput: 'true or false',
} as const

function checkSteps(steps: unknown): void {
  if (!Array.isArray(steps)) {
    const message = `scriptedModel takes an array of steps, not ${kindOf(steps)}. Use scriptedModel([reply.text("Hi.")]).`
    throw new CapstanError('invalid_request', message)
  }
  for (const [at, step] of steps.entries()) {
    const { type, message } = Object(step)
    if (typeof step === 'function' || type !== undefined || message !== undefined) continue
    const problem = `scriptedModel: step ${at + 1} is ${kindOf(step)}. Use reply.text("..."), reply.call(name, args) or { message }.`
    throw new CapstanError('invalid_request', problem)
  }
}

interface ReplyOptions {
  readonly sink: ModelSink | undefined
  /** Whether the model itself retries a retryable failure, without a delay. */
  readonly isRetried: boolean
}

/** A script in use, with the requests received so far and the problems found in them. */
class Script {
  readonly requests: ModelRequest[] = []
  /** All problems, including problems after which a run continued. */
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
        `Step ${place} of the script (${describeStep(answer)}) expected a different request:\n${differs}`,
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

  /**
   * Returns a step's reply. If the step is a function that throws, also records the error as a problem, because the run
   * may continue, which would hide a failed assertion.
   */
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
    const message = `The script of the model "${this.name}" ended after step ${this.steps.length}, but this is request ${this.requests.length}.`
    return `${message} Add a step, or find out why the request was sent:\n${describeRequest(request)}`
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
 * Streams a message as a server would: text word by word, and arguments in fragments. Waits after each delta, so that a
 * listener can abort.
 * @throws the signal's reason if it aborts
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
    ...callsOf(message).flatMap(({ id, function: { name, arguments: args } }, index) =>
      splitArguments(args).map((part): ModelDelta => ({ type: 'call', index, id, name, arguments: part })),
    ),
  ]
}

/** Splits text into words. Each word includes the whitespace after it. */
function splitWords(text: unknown): readonly string[] {
  return typeof text === 'string' ? (text.match(/^\s+|\S+\s*/g) ?? []) : []
}

/**
 * Splits arguments into fragments. The first fragment is empty, because a server sends the name before the arguments.
 */
function splitArguments(args: string): readonly string[] {
  return ['', ...(args.match(/.{1,8}/gsu) ?? [])]
}

/** Formats a step on one line for error messages, such as `text "Hi."`. */
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

/** Formats a request for error messages, as a few lines with the last messages and the offered tools. */
function describeRequest({ messages, tools }: ModelRequest): string {
  const left = Math.max(0, messages.length - maxMessages)
  const lines = [
    ...(left > 0 ? [`(${left} earlier messages)`] : []),
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
