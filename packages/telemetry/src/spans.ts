import type { CallResult, RunEvent, Usage } from '@capstan/core'
import type { Redactor } from '@capstan/core/internal'
import type * as Api from '@opentelemetry/api'
import { attributeNames, eventNames, operations } from './attributes.js'
import { ignoreErrors } from './errors.js'
import type { TelemetryContext } from './options.js'

/** Token counts by attribute name. */
export type TokenCounts = Readonly<Record<string, number>>

interface SpanStart {
  readonly name: string
  readonly kind: Api.SpanKind
  readonly attributes: Api.Attributes
  /** Called once with the duration in seconds, however the span ends. */
  readonly onEnd?: OnSpanEnd | undefined
}

export type OnSpanEnd = (seconds: number, failure: string | undefined) => void

/** A span for work in progress. Redacts its attributes, and never makes the work fail. */
export class TracedSpan {
  /** The context in which this span is active. */
  readonly context: Api.Context
  readonly #isRecording: boolean
  readonly #scope: TelemetryContext
  readonly #span: Api.Span
  readonly #onEnd: OnSpanEnd | undefined
  readonly #startedAt = performance.now()
  #hasEnded = false

  constructor(start: SpanStart, parent: Api.Context, telemetry: TelemetryContext) {
    this.#scope = telemetry
    this.#onEnd = start.onEnd
    this.#span = startSpan(start, parent, telemetry)
    this.context = telemetry.api.trace.setSpan(parent, this.#span)
    this.#isRecording = ignoreErrors(telemetry.api, () => this.#span.isRecording()) ?? false
  }

  /**
   * Whether the span is still recording. After an abort, work may continue, and may report data after its
   * span has ended.
   */
  get isRecording(): boolean {
    return this.#isRecording && !this.#hasEnded
  }

  /** Runs `work` with the span active. If the context manager fails, runs `work` without it. */
  runWith<T>(work: () => Promise<T>): Promise<T> {
    const { api } = this.#scope
    let working: Promise<T> | undefined
    const begin = () => {
      working ??= (async () => work())()
      return working
    }
    ignoreErrors(api, () => api.context.with(this.context, begin))
    return begin()
  }

  set(attributes: Api.Attributes): void {
    if (!this.isRecording) return
    ignoreErrors(this.#scope.api, () => this.#span.setAttributes(redacted(attributes, this.#scope.redactor)))
  }

  /** Records content. Redacts it as objects first, so that the result is valid JSON. */
  setContent(toContent: () => Readonly<Record<string, unknown>>): void {
    if (!this.isRecording) return
    ignoreErrors(this.#scope.api, () => {
      for (const [name, value] of Object.entries(this.#scope.redactor.value(toContent())))
        this.#span.setAttribute(name, typeof value === 'string' ? value : JSON.stringify(value))
    })
  }

  addEvent(event: string, attributes: Api.Attributes = {}): void {
    if (!this.isRecording) return
    ignoreErrors(this.#scope.api, () =>
      this.#span.addEvent(event, redacted(attributes, this.#scope.redactor)),
    )
  }

  secondsSoFar(): number {
    return (performance.now() - this.#startedAt) / 1000
  }

  /**
   * Ends the span. If `failure` is given, marks the span as failed with that code. Returns the span's duration in
   * seconds; undefined if it had already ended.
   */
  end(failure?: string): number | undefined {
    if (this.#hasEnded) return undefined
    this.#hasEnded = true
    const { api } = this.#scope
    if (failure !== undefined)
      ignoreErrors(api, () => {
        this.#span.setAttribute(attributeNames.error, failure)
        this.#span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure })
      })
    ignoreErrors(api, () => this.#span.end())
    const seconds = this.secondsSoFar()
    this.#onEnd?.(seconds, failure)
    return seconds
  }
}

/** Starts a span with its attributes, because samplers read them at the start. */
function startSpan(
  { name, kind, attributes }: SpanStart,
  parent: Api.Context,
  telemetry: TelemetryContext,
): Api.Span {
  const { api, redactor, tracer } = telemetry
  const options = { kind, attributes: redacted({ ...telemetry.attributes, ...attributes }, redactor) }
  return (
    ignoreErrors(api, () => tracer.startSpan(redactor.text(name), options, parent)) ??
    api.trace.wrapSpanContext(api.INVALID_SPAN_CONTEXT)
  )
}

/**
 * Redacts attribute values. Attribute names are not redacted, because they come from this package or the application.
 */
function redacted(attributes: Api.Attributes, redactor: Redactor): Api.Attributes {
  const shown: Api.Attributes = {}
  for (const [name, value] of Object.entries(attributes))
    shown[name] = typeof value === 'string' ? redactor.text(value) : redactor.value(value)
  return shown
}

/** The parts of a call's result that tracing uses. */
export type CallOutcome = CallResult | { readonly status: 'pending' | 'ready' | 'paused' }

interface InvocationStart {
  readonly agent: string
  /** The id of the run that the invocation represents. */
  readonly runId: string
  /** Ids of the calls that led to this run, outermost first. Default: none, for the outermost run. */
  readonly path?: string
  /** The invocation that contains this one. */
  readonly parent?: Invocation
  /** The span of the call that runs a program. A program is not an agent, so its invocation does not start a span. */
  readonly call?: TracedSpan | undefined
}

/** The spans of one run: for one agent, or for several agents connected by handoffs. */
export class Invocation {
  readonly runId: string
  readonly path: string
  /** The id of the outermost run. */
  readonly topRunId: string
  readonly telemetry: TelemetryContext
  readonly #parent: Invocation | undefined
  readonly #first: ActiveAgent
  readonly #isProgram: boolean
  readonly #open = new Set<TracedSpan>()
  readonly #calls = new Map<string, OpenCall>()
  #active: ActiveAgent
  #failure: string | undefined

  constructor(
    { agent, runId, path = '', parent: within, call }: InvocationStart,
    parent: Api.Context,
    telemetry: TelemetryContext,
  ) {
    this.telemetry = telemetry
    this.#parent = within
    this.runId = runId
    this.path = path
    this.topRunId = within?.topRunId ?? runId
    this.#isProgram = call !== undefined
    this.#first = call ? { agent, span: call, tokens: {} } : this.#startAgent(agent, parent)
    this.#active = this.#first
  }

  /** The span of the agent that has the conversation. */
  get span(): TracedSpan {
    return this.#active.span
  }

  /** The name of the agent that has the conversation. */
  get agent(): string {
    return this.#active.agent
  }

  /** Returns the span of an open call, or the agent's span if there is no such call. */
  spanOf(callId: string): TracedSpan {
    return this.#calls.get(callId)?.span ?? this.span
  }

  /** Starts a span for the agent that takes over the conversation. */
  handOver(to: string): void {
    this.span.addEvent(eventNames.handedOff, { [attributeNames.agent]: to })
    if (this.#active !== this.#first) this.#endAgent(this.#active)
    this.#active = this.#startAgent(to, this.#first.span.context)
  }

  /** Starts a span inside the agent's span. If the caller does not end it, `close` does. */
  startSpan(start: SpanStart): TracedSpan {
    const span = new TracedSpan(start, this.span.context, this.telemetry)
    this.#open.add(span)
    return span
  }

  endSpan(span: TracedSpan, failure?: string): number | undefined {
    this.#open.delete(span)
    return span.end(failure)
  }

  startCall(callId: string, name: string): TracedSpan {
    const attributes = {
      [attributeNames.operation]: operations.tool,
      [attributeNames.tool]: name,
      [attributeNames.toolType]: 'function',
      [attributeNames.callId]: callId,
    }
    const kind = this.telemetry.api.SpanKind.INTERNAL
    const span = this.startSpan({ name: `${operations.tool} ${name}`, kind, attributes })
    this.#calls.set(callId, { span, name })
    return span
  }

  endCall(callId: string, outcome: CallOutcome): void {
    const call = this.#calls.get(callId)
    // A call that runs an agent ends when its child run ends.
    if (!call || outcome.status === 'ready') return
    this.#calls.delete(callId)
    const { span, name } = call
    span.set({ [attributeNames.callStatus]: outcome.status })
    const isHandle = 'background' in outcome && outcome.background === true
    if (isHandle) span.set({ [attributeNames.background]: true })
    else if ('content' in outcome) this.#recordResult(span, outcome)
    const failure = outcome.status === 'error' || outcome.status === 'rejected' ? outcome.status : undefined
    const seconds = this.endSpan(span, failure)
    // A background call's function has its own span.
    if (!isHandle && hasRun(outcome)) this.#recordDuration(name, seconds, failure)
  }

  #recordDuration(tool: string, seconds: number | undefined, failure?: string): void {
    if (seconds === undefined) return
    this.telemetry.instruments?.toolDuration.record(seconds, {
      [attributeNames.operation]: operations.tool,
      [attributeNames.tool]: tool,
      [attributeNames.toolType]: 'function',
      ...(failure ? { [attributeNames.error]: failure } : {}),
    })
  }

  /** Ends a call that failed unexpectedly. */
  failCall(callId: string, code: string): void {
    const call = this.#calls.get(callId)
    this.#calls.delete(callId)
    if (call) this.endSpan(call.span, code)
  }

  /** Stores the error code to record when the run ends. */
  setFailure(code: string): void {
    this.#failure = code
  }

  /** Adds token counts to the agent and to all agents that contain it. */
  addTokens(counts: TokenCounts): void {
    for (const { tokens } of new Set([this.#active, this.#first]))
      for (const [name, count] of Object.entries(counts)) tokens[name] = (tokens[name] ?? 0) + count
    this.#parent?.addTokens(counts)
  }

  /** Ends all spans that the run left open. Metrics count them like any other span. */
  close(stopReason: string, { estimatedTokens }: Pick<Usage, 'estimatedTokens'>): void {
    const calls = new Map([...this.#calls.values()].map(({ span, name }) => [span, name]))
    for (const span of this.#open) {
      span.set({ [attributeNames.aborted]: true })
      const seconds = span.end()
      const tool = calls.get(span)
      if (tool !== undefined) this.#recordDuration(tool, seconds)
    }
    if (estimatedTokens) this.#first.span.set({ [attributeNames.estimatedTokens]: estimatedTokens })
    this.#open.clear()
    this.#calls.clear()
    if (this.#active !== this.#first) this.#endAgent(this.#active, stopReason)
    // A program's span ends with its call.
    if (!this.#isProgram) this.#endAgent(this.#first, stopReason)
  }

  #startAgent(agent: string, parent: Api.Context): ActiveAgent {
    const attributes = {
      [attributeNames.operation]: operations.agent,
      [attributeNames.provider]: this.telemetry.provider,
      [attributeNames.agent]: agent,
      [attributeNames.runId]: this.runId,
    }
    const kind = this.telemetry.api.SpanKind.INTERNAL
    const start = { name: `${operations.agent} ${agent}`, kind, attributes }
    return { agent, span: new TracedSpan(start, parent, this.telemetry), tokens: {} }
  }

  #endAgent({ agent, span, tokens }: ActiveAgent, stopReason?: string): void {
    const failure = stopReason === 'error' ? (this.#failure ?? '_OTHER') : undefined
    if (stopReason) span.set({ [attributeNames.stopReason]: stopReason })
    if (Object.values(tokens).some((count) => count > 0)) span.set(tokens)
    const seconds = span.end(failure)
    if (seconds === undefined) return
    this.telemetry.instruments?.agentDuration.record(seconds, {
      [attributeNames.operation]: operations.agent,
      [attributeNames.provider]: this.telemetry.provider,
      [attributeNames.agent]: agent,
      ...(failure ? { [attributeNames.error]: failure } : {}),
    })
  }

  #recordResult(span: TracedSpan, { artifacts = [], content, result }: CallResult): void {
    for (const { id, mediaType, size: bytes } of artifacts)
      span.addEvent(eventNames.artifact, { id, mime_type: mediaType, bytes })
    if (this.telemetry.content.has('results'))
      span.setContent(() => ({ [attributeNames.callResult]: result ?? content }))
  }
}

interface ActiveAgent {
  readonly agent: string
  readonly span: TracedSpan
  readonly tokens: Record<string, number>
}

interface OpenCall {
  readonly span: TracedSpan
  readonly name: string
}

function hasRun({ status }: CallOutcome): boolean {
  return status === 'ok' || status === 'error' || status === 'cut_off'
}

/** The open invocations. They can be found by run, event or request. */
export class Invocations {
  readonly #byRun = new Map<string, Invocation>()
  readonly #byCall = new Map<string, Invocation>()

  /**
   * Adds an invocation. If there already is one with the same run id, ends it, because events do not distinguish the
   * two.
   */
  add(invocation: Invocation): void {
    const before = this.#byRun.get(invocation.runId)
    if (before) this.close(before, 'aborted', {})
    this.#byRun.set(invocation.runId, invocation)
    this.#byCall.set(placeOf(invocation.topRunId, invocation.path), invocation)
  }

  /** Removes an invocation and ends it. */
  close(invocation: Invocation, stopReason: string, usage: Pick<Usage, 'estimatedTokens'>): void {
    invocation.close(stopReason, usage)
    if (this.#byRun.get(invocation.runId) !== invocation) return
    this.#byRun.delete(invocation.runId)
    this.#byCall.delete(placeOf(invocation.topRunId, invocation.path))
  }

  ofRun(runId: string): Invocation | undefined {
    return this.#byRun.get(runId)
  }

  ofEvent({ runId, parentCallId = '' }: RunEvent): Invocation | undefined {
    return this.#byCall.size === 0 ? undefined : this.#byCall.get(placeOf(runId, parentCallId))
  }

  /** Returns the invocation that sent a request. The request's idempotency key starts with the run id. */
  ofRequest(idempotencyKey: string): Invocation | undefined {
    for (let end = idempotencyKey.lastIndexOf('/'); end > 0; end = idempotencyKey.lastIndexOf('/', end - 1)) {
      const found = this.#byRun.get(idempotencyKey.slice(0, end))
      if (found) return found
    }
    return undefined
  }
}

function placeOf(topRunId: string, path: string): string {
  return `${topRunId}\n${path}`
}
