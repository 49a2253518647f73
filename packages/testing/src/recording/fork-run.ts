import {
  Agent,
  type AnyAgent,
  type AssistantMessage,
  CapstanError,
  type ChatModel,
  type Message,
  type ModelReply,
  type ModelRequest,
  type ModelSettings,
  type ModelSink,
  type Policy,
  type RunInput,
  type RunResult,
  verdict,
} from '@capstan/core'
import {
  type CommonOptions,
  callsOf,
  checkRequiredOption,
  coreOf,
  isRecord,
  isRequestKey,
  outermostStep,
  readStepKey,
  splitIdempotencyKey,
  stepKey,
} from '@capstan/core/internal'
import { agentOfRecording, toToolOfCaller, withAgentResults } from './agent-of-recording.js'
import { ForkCalls, recordedCalls } from './fork-host.js'
import { isChildKey, type Line, withRunId } from './format.js'
import { type Exchange, type RunRecording, readRuns } from './read.js'
import { recordWith } from './record.js'
import { Recorder } from './recorder.js'
import { giveReply, requestMatcher } from './replay-model.js'

/** What to change in a fork. */
export interface ForkChanges {
  /** Replaces the text of the last user message in the run's input. */
  readonly prompt?: string
  /** Replaces the agent's instructions. Affects only requests from step `at` on. */
  readonly instructions?: string
  /** Replaces the model's reply in step `at`: its text, or a message with calls. */
  readonly reply?: string | AssistantMessage
  /**
   * Replaces the arguments of recorded calls before step `at`, by call id or by step key, such as `step1/call0`. These
   * calls then run.
   */
  readonly arguments?: Readonly<Record<string, object>>
  /** Replaces the results of recorded calls before step `at`, by call id or by step key. These calls do not run. */
  readonly results?: Readonly<Record<string, unknown>>
  /** The model to use from step `at` on. Default: the agent's model. */
  readonly model?: ChatModel
  /** Model settings, which override the agent's. */
  readonly settings?: ModelSettings
}

/** Where to fork a recorded run, what to change, and what to reuse. */
export interface ForkOptions extends ForkChanges {
  /** The step from which to continue, 0 or more. Earlier steps come from the recording. */
  readonly at: number
  /** The run's number in the recording, starting at 1. Required if the recording contains several runs. */
  readonly run?: number
  /**
   * The agent that continues the run. Default: an agent built from the recording. It has no functions, so its calls are
   * pending until you provide their results.
   */
  readonly agent?: AnyAgent
  /**
   * Which requests from step `at` on are sent to the model. `changed`: only requests that are not in the recording.
   * `all`: every request. Default: `all` with a `model`, otherwise `changed`.
   */
  readonly ask?: 'changed' | 'all'
  /**
   * Which calls run from step `at` on. `recorded`: calls without a recorded call that has the same arguments. Each
   * recorded result is used only once. `run`: all calls. Default `recorded`.
   */
  readonly tools?: 'recorded' | 'run'
  /**
   * Whether calls need approval. `ask`: calls need approval unless their tools only read. `run`: calls need approval
   * only if the agent requires it. Default `ask`.
   */
  readonly effects?: 'ask' | 'run'
  /** The file in which to record the fork. Default: it is not recorded. */
  readonly file?: string
  /**
   * The run's id. Default: a random id, so that services do not treat the fork's calls as repetitions of the recorded
   * ones.
   */
  readonly runId?: string
  /** The context for tools and policies. Default: none. */
  readonly context?: unknown
  /** Other run options, such as `limits` or `tools`. */
  readonly options?: Omit<
    CommonOptions,
    'model' | 'host' | 'runId' | 'session' | 'decisions' | 'attachments' | 'allowChangedTools' | 'settings'
  >
}

/**
 * Repeats a recorded run with changes, starting at one of its steps. Replies and results before that step come from the
 * recording, so no model is called and no effect is repeated. Without changes, the fork is the same as the recorded
 * run. By default, calls that may have effects need approval.
 * @throws CapstanError as a run does; `not_found` for a step or call that is not in the recording, `unsupported` for a
 * run that cannot be forked
 */
export async function forkRun(recording: string, options: ForkOptions): Promise<RunResult> {
  checkForkOptions(options)
  const fork = new Fork(recording, options)
  return fork.run()
}

const forkKinds = {
  at: true,
  run: true,
  agent: true,
  prompt: 'a string',
  instructions: 'a string',
  reply: true,
  arguments: 'an object',
  results: 'an object',
  model: true,
  settings: 'an object',
  ask: true,
  tools: true,
  effects: true,
  file: 'a string',
  runId: 'a string',
  context: true,
  options: 'an object',
} as const

function checkForkOptions(options: ForkOptions): void {
  checkRequiredOption(options, forkKinds, { of: 'forkRun', required: 'at' })
  if (Number.isInteger(options.at) && options.at >= 0) return
  const message = `The option "at" is ${JSON.stringify(options.at)}. Use a step number, 0 or more.`
  throw new CapstanError('invalid_request', message, { evidence: { at: options.at } })
}

/** Executes a fork as a separate run. */
class Fork {
  readonly #file: string
  readonly #options: ForkOptions
  readonly #run: RunRecording
  readonly #exchanges: ReadonlyMap<string, Exchange>
  readonly #isRecorded = requestMatcher()
  readonly #calls: ForkCalls
  readonly #arguments: ReadonlyMap<string, object>
  readonly #recorder: Recorder | undefined
  readonly #runId: string
  /**
   * Whether the fork has diverged from the recording, because it has called a model, run a call, or used the changed
   * reply.
   */
  #hasParted = false
  /**
   * The messages that were sent to the recorded run while it was in progress, by the step before which they arrived.
   */
  readonly #sent: Map<number, string[]>
  #send: ((text: string) => void) | undefined

  constructor(file: string, options: ForkOptions) {
    this.#file = file
    this.#options = options
    const recorded = selectRun(readRuns(file), file, options.run)
    this.#run = options.agent ? recorded : withAgentResults(recorded)
    checkForkable(recorded, file, options.at)
    this.#exchanges = new Map(recorded.exchanges.map((one) => [one.at, one]))
    const places = (given: object | undefined) => toPlaces(given, recorded, options.at)
    this.#arguments = places(options.arguments) as ReadonlyMap<string, object>
    this.#runId = options.runId ?? crypto.randomUUID()
    this.#recorder = options.file === undefined ? undefined : new Recorder(options.file)
    this.#sent = sentMessages(recorded)
    this.#calls = new ForkCalls({
      run: this.#run,
      at: options.at,
      results: places(options.results),
      changed: new Set(this.#arguments.keys()),
      runsAll: options.tools === 'run',
      onRecorded: (from, to) => this.#copyLines(from, to),
      onLive: () => {
        this.#hasParted = true
      },
    })
  }

  async run(): Promise<RunResult> {
    const { options = {}, settings, context } = this.#options
    const agent = this.#agent()
    const input = this.#input()
    const recorded = this.#recorder && recordWith(this.#recorder, this.#override)
    const { model, host } = recorded ?? this.#override
    const given = {
      artifacts: this.#options.agent?.artifacts ?? agent.artifacts,
      ...options,
      limits: { ...this.#run.begin?.limits, ...options.limits },
      ...(settings ? { settings } : {}),
      context: context as never,
      runId: this.#runId,
      decisions: this.#run.begin?.state?.decisions,
      allowChangedTools: true,
      model,
      host,
      observe: (event: Parameters<NonNullable<CommonOptions['observe']>>[0]) => {
        this.#calls.observe(event)
        recorded?.observe(event)
        options.observe?.(event)
      },
      onCheckpoint: async (state: Parameters<NonNullable<CommonOptions['onCheckpoint']>>[0]) => {
        await recorded?.onCheckpoint(state)
        await options.onCheckpoint?.(state)
      },
    }
    try {
      const isStreamed = this.#run.lines.some((line) => 'request' in line && line.request.stream)
      if (!isStreamed) return await agent.run(input, given)
      const run = agent.stream(input, given)
      this.#send = (text) => run.send(text)
      this.#sendBefore(0)
      return await run.result
    } finally {
      this.#recorder?.close()
    }
  }

  readonly #override = {
    model: (own: ChatModel): ChatModel => ({
      ...own,
      complete: (request, sink) => this.#complete(own, request, sink),
    }),
    host: (binding: Parameters<ForkCalls['host']>[0]) => this.#calls.host(binding),
  }

  /** Returns the agent with the changed instructions. If `effects` is `ask`, adds a policy that requires approval. */
  #agent(): AnyAgent {
    const {
      agent = agentOfRecording(this.#run, toToolOfCaller),
      instructions,
      effects = 'ask',
    } = this.#options
    if (effects === 'run' && instructions === undefined) return agent
    const { options, model } = coreOf(agent)
    const policies = options.policy === undefined ? [] : [options.policy].flat()
    const policy = effects === 'ask' ? [...policies, askForEffects] : policies
    const changed = { ...options, model, policy, ...(instructions === undefined ? {} : { instructions }) }
    return new Agent(changed as typeof options)
  }

  #input(): RunInput {
    const { messages = [], state } = this.#run.begin ?? {}
    const prompted = withPrompt(state?.messages ?? messages, this.#options.prompt)
    if (!state) return withRunId([...prompted], this.#runId)
    const started = withRunId({ ...state, messages: [...prompted], runId: this.#runId }, this.#runId)
    this.#calls.start(started)
    return started
  }

  async #complete(own: ChatModel, request: ModelRequest, sink: ModelSink | undefined): Promise<ModelReply> {
    const { at } = splitIdempotencyKey(request.idempotencyKey)
    const step = outermostStep(at)
    try {
      return await this.#answer({ own, request, sink, at, step })
    } finally {
      this.#sendBefore(step + 1)
    }
  }

  async #answer({ own, request, sink, at, step }: AskedRequest): Promise<ModelReply> {
    const { at: first, reply, model, ask = model ? 'all' : 'changed' } = this.#options
    const recorded = this.#exchanges.get(at)
    const isOwn = at === stepKey(step, 'request')
    if (reply !== undefined && step === first && isOwn) {
      this.#hasParted = true
      const message = typeof reply === 'string' ? { role: 'assistant' as const, content: reply } : reply
      return giveReply({ ...emptyExchange, at, reply: { message } }, request, sink)
    }
    const isReused = ask === 'changed' && recorded?.reply !== undefined && this.#isRecorded(recorded, request)
    const failsAgain =
      ask === 'changed' && recorded?.failure !== undefined && this.#isRecorded(recorded, request)
    if (step < first || isReused || failsAgain) {
      if (!recorded) throw missingReply(at, this.#file)
      if (isOwn) this.#calls.repeated(step)
      return giveReply(withArguments(recorded, this.#arguments), request, sink)
    }
    this.#hasParted = true
    const asked = model ?? (this.#options.agent ? own : undefined)
    if (!asked) throw noModel(at, this.#file)
    return asked.complete(request, sink)
  }

  /** Sends the messages that the recorded run received before this step, unless the fork has diverged. */
  #sendBefore(step: number): void {
    if (this.#hasParted) return
    for (const text of this.#sent.get(step) ?? []) this.#send?.(text)
    this.#sent.delete(step)
  }

  /**
   * Copies the recorded lines of a call whose result is reused, such as its child agent's requests, to the fork's
   * recording.
   */
  #copyLines(from: string, to: string): void {
    if (!this.#recorder) return
    for (const line of this.#run.lines) {
      const isInside = line.at.startsWith(`${from}/`)
      const isEvent = line.at === from && 'event' in line && line.event.type === 'middleware'
      if (isInside || isEvent) this.#copyLine(line, from, to)
    }
  }

  #copyLine({ run: _, at, ...content }: Line, from: string, to: string): void {
    const moved = (key: string) => (key.startsWith(from) ? to + key.slice(from.length) : key)
    const { request } = content as { readonly request?: { readonly after?: string } }
    const after = request?.after === undefined ? {} : { after: moved(request.after) }
    const what = request ? { ...content, request: { ...request, ...after } } : content
    this.#recorder?.note(this.#runId, moved(at), withRunId(what, this.#runId) as never)
  }
}

interface AskedRequest {
  readonly own: ChatModel
  readonly request: ModelRequest
  readonly sink: ModelSink | undefined
  readonly at: string
  readonly step: number
}

const emptyExchange = {
  model: '',
  system: undefined,
  messages: [],
  tools: [],
  toolChoice: 'auto',
  settings: {},
} as const

const askForEffects: Policy = ({ name, readsOnly }) =>
  readsOnly ? verdict.allow : verdict.ask(`"${name}" can change data, and this run is a fork.`)

/**
 * Returns the run to fork.
 * @throws CapstanError `not_found`; `invalid_request` if there are several runs and no number is given
 */
function selectRun(runs: readonly RunRecording[], file: string, number: number | undefined): RunRecording {
  const numbers = runs.map((one) => one.number)
  const evidence = { file, runs: numbers }
  if (number === undefined && runs.length > 1) {
    const message = `"${file}" contains the runs ${numbers.join(', ')}. Choose one: { run: ${numbers[0]} }.`
    throw new CapstanError('invalid_request', message, { evidence })
  }
  const found = number === undefined ? runs[0] : runs.find((one) => one.number === number)
  if (found) return found
  throw new CapstanError(
    'not_found',
    `"${file}" contains no run ${number}. It contains: ${numbers.join(', ')}.`,
    {
      evidence,
    },
  )
}

function checkForkable({ begin, exchanges, number, end }: RunRecording, file: string, at: number): void {
  const evidence = { file, run: number, at }
  if (!begin) {
    const message = `Run ${number} in "${file}" cannot be forked: only its requests were recorded. Record it with recordRun(file).`
    throw new CapstanError('unsupported', message, { evidence })
  }
  const makesFiles = end?.messages.some(({ role, media }) => role === 'assistant' && media)
  if (makesFiles) {
    const message = `Run ${number} in "${file}" cannot be forked: its model created files, whose bytes are not recorded.`
    throw new CapstanError('unsupported', message, { evidence })
  }
  const steps = exchanges.flatMap((one) => {
    const key = readStepKey(one.at)
    return key?.run === '' && isRequestKey(key) ? [key.step] : []
  })
  const [first, last] = [Math.min(...steps), Math.max(...steps)]
  // After the last step, there is no request to change, but a result can still be replaced.
  if (steps.length > 0 && at >= first && at <= last + 1) return
  const known = steps.length > 0 ? `It has steps ${first} to ${last}.` : 'It has no steps.'
  throw new CapstanError('not_found', `Run ${number} in "${file}" has no step ${at}. ${known}`, { evidence })
}

/**
 * Returns the changed values, by the `step/index` of the call that each value belongs to.
 * @throws CapstanError `not_found` for a call that is not recorded, or is not before the fork's step
 */
function toPlaces(given: object = {}, run: RunRecording, at: number): ReadonlyMap<string, unknown> {
  const calls = recordedCalls(run)
  const entries = Object.entries(given).map(([key, value]): [string, unknown] => {
    const call = calls.find(({ id, step, index }) => id === key || stepKey(step, `call${index}`) === key)
    if (call && call.step < at) return [`${call.step}/${call.index}`, value]
    const known = calls
      .filter(({ step }) => step < at)
      .map(({ step, index }) => stepKey(step, `call${index}`))
    const places = `Calls before step ${at}: ${known.join(', ') || 'none'}.`
    const message = call
      ? `The call "${key}" is not before step ${at}. ${places} Fork at ${call.step + 1} to change it.`
      : `The recording has no call "${key}". ${places}`
    throw new CapstanError('not_found', message, { evidence: { call: key, at } })
  })
  return new Map(entries)
}

/** Replaces the text of the last user message, or adds one if there is none. */
function withPrompt(messages: readonly Message[], prompt: string | undefined): readonly Message[] {
  if (prompt === undefined) return messages
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const asked: Message = { role: 'user', content: prompt }
  return at === -1 ? [...messages, asked] : messages.with(at, asked)
}

/** Returns a copy of an exchange whose reply contains the changed arguments. */
function withArguments(exchange: Exchange, changed: ReadonlyMap<string, object>): Exchange {
  const { at, reply } = exchange
  const step = outermostStep(at)
  const calls = isChildKey(at) ? [] : callsOf(reply?.message)
  if (!reply || !calls.some((_, index) => changed.has(`${step}/${index}`))) return exchange
  const tool_calls = calls.map((call, index) => {
    const args = changed.get(`${step}/${index}`)
    if (!args) return call
    return { ...call, function: { ...call.function, arguments: JSON.stringify(args) } }
  })
  const { deltas: _, ...rest } = reply
  return { ...exchange, reply: { ...rest, message: { ...reply.message, tool_calls } } }
}

function sentMessages({ events }: RunRecording): Map<number, string[]> {
  const sent = new Map<number, string[]>()
  for (const { at, event } of events) {
    if (event.type !== 'message-delivered' || isChildKey(at) || !isRecord(event)) continue
    const step = outermostStep(at)
    sent.set(step, [...(sent.get(step) ?? []), event.text])
  }
  return sent
}

function missingReply(at: string, file: string): CapstanError {
  const message = `"${file}" contains no request at ${at}, but the fork needs its reply. Fork at an earlier step.`
  return new CapstanError('not_found', message, { evidence: { file, at } })
}

function noModel(at: string, file: string): CapstanError {
  const message = `The request at ${at} is not in "${file}", and there is no model to send it to. Pass { model } or { agent }.`
  return new CapstanError('invalid_request', message, { evidence: { file, at } })
}
