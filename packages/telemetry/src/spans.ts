import type { CallResult, RunEvent } from '@capstan/core'
import type { Redactor } from '@capstan/core/internal'
import type * as Api from '@opentelemetry/api'
import { eventNames, names, operations } from './attributes.js'
import { quietly } from './errors.js'
import type { Scope } from './options.js'

interface OperationStart {
  readonly name: string
  readonly kind: Api.SpanKind
  readonly attributes: Api.Attributes
}

/** A span while its work goes on. What it is told goes through the redactor; nothing of it disturbs the work. */
export class Operation {
  /** That in which the span is the active one. */
  readonly context: Api.Context
  readonly isRecording: boolean
  readonly #scope: Scope
  readonly #span: Api.Span
  readonly #startedAt = performance.now()
  #hasEnded = false

  constructor(begun: OperationStart, parent: Api.Context, scope: Scope) {
    this.#scope = scope
    this.#span = start(begun, parent, scope)
    this.context = scope.api.trace.setSpan(parent, this.#span)
    this.isRecording = quietly(scope.api, () => this.#span.isRecording()) ?? false
  }

  /** Works with the span as the active one; without, where that cannot be. */
  within<T>(work: () => Promise<T>): Promise<T> {
    const { api } = this.#scope
    let working: Promise<T> | undefined
    const begin = () => {
      working ??= (async () => work())()
      return working
    }
    quietly(api, () => api.context.with(this.context, begin))
    return begin()
  }

  set(attributes: Api.Attributes): void {
    if (!this.isRecording) return
    quietly(this.#scope.api, () => this.#span.setAttributes(redacted(attributes, this.#scope.redactor)))
  }

  /** What was said: redacted while it has its form, so that what is left is JSON. */
  say(toContent: () => Readonly<Record<string, unknown>>): void {
    if (!this.isRecording) return
    quietly(this.#scope.api, () => {
      for (const [name, value] of Object.entries(this.#scope.redactor.value(toContent())))
        this.#span.setAttribute(name, typeof value === 'string' ? value : JSON.stringify(value))
    })
  }

  tell(event: string, attributes: Api.Attributes = {}): void {
    if (!this.isRecording) return
    quietly(this.#scope.api, () => this.#span.addEvent(event, redacted(attributes, this.#scope.redactor)))
  }

  secondsSoFar(): number {
    return (performance.now() - this.#startedAt) / 1000
  }

  /** Ends it, as failed where a code is given. What it took in seconds; undefined when it had ended before. */
  end(failure?: string): number | undefined {
    if (this.#hasEnded) return undefined
    this.#hasEnded = true
    const { api } = this.#scope
    if (failure !== undefined)
      quietly(api, () => {
        this.#span.setAttribute(names.error, failure)
        this.#span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure })
      })
    quietly(api, () => this.#span.end())
    return this.secondsSoFar()
  }
}

/** With its attributes at once: samplers go by them. */
function start({ name, kind, attributes }: OperationStart, parent: Api.Context, scope: Scope): Api.Span {
  const { api, redactor, tracer } = scope
  const options = { kind, attributes: redacted({ ...scope.attributes, ...attributes }, redactor) }
  return (
    quietly(api, () => tracer.startSpan(redactor.text(name), options, parent)) ??
    api.trace.wrapSpanContext(api.INVALID_SPAN_CONTEXT)
  )
}

/** The names are ours, or the user's. */
function redacted(attributes: Api.Attributes, redactor: Redactor): Api.Attributes {
  const shown: Api.Attributes = {}
  for (const [name, value] of Object.entries(attributes))
    shown[name] = typeof value === 'string' ? redactor.text(value) : redactor.value(value)
  return shown
}

/** What a call came to, as far as it is told. */
export type Came = CallResult | { readonly status: 'pending' | 'delegated' | 'paused' }

interface InvocationStart {
  readonly agent: string
  /** Of this agent's run. */
  readonly runId: string
  /** The calls that it answers, of the outermost run first. Default: it is the outermost. */
  readonly path?: string
  /** The invocation that it is in. */
  readonly within?: Invocation
}

/** One agent, or several that hand over to each other, at work on one run: its span, and those within it. */
export class Invocation {
  readonly runId: string
  readonly path: string
  /** The outermost run. */
  readonly topRunId: string
  readonly scope: Scope
  readonly #within: Invocation | undefined
  readonly #first: Acting
  readonly #open = new Set<Operation>()
  readonly #calls = new Map<string, OpenCall>()
  #acting: Acting
  #failure: string | undefined

  constructor({ agent, runId, path = '', within }: InvocationStart, parent: Api.Context, scope: Scope) {
    this.scope = scope
    this.#within = within
    this.runId = runId
    this.path = path
    this.topRunId = within?.topRunId ?? runId
    this.#first = this.#act(agent, parent)
    this.#acting = this.#first
  }

  /** The span of the agent that acts now. */
  get operation(): Operation {
    return this.#acting.operation
  }

  /** The span of an open call; else that of the agent. */
  operationOf(callId: string): Operation {
    return this.#calls.get(callId)?.operation ?? this.operation
  }

  /** Another agent goes on with the conversation. */
  handOver(to: string): void {
    this.operation.tell(eventNames.handedOff, { [names.agent]: to })
    if (this.#acting !== this.#first) this.#leave(this.#acting)
    this.#acting = this.#act(to, this.#first.operation.context)
  }

  /** A span within that of the agent, ended with it at the latest. */
  begin(name: string, kind: Api.SpanKind, attributes: Api.Attributes): Operation {
    const operation = new Operation({ name, kind, attributes }, this.operation.context, this.scope)
    this.#open.add(operation)
    return operation
  }

  end(operation: Operation, failure?: string): number | undefined {
    this.#open.delete(operation)
    return operation.end(failure)
  }

  beginCall(callId: string, name: string): Operation {
    const operation = this.begin(`${operations.tool} ${name}`, this.scope.api.SpanKind.INTERNAL, {
      [names.operation]: operations.tool,
      [names.tool]: name,
      [names.toolType]: 'function',
      [names.callId]: callId,
    })
    this.#calls.set(callId, { operation, name })
    return operation
  }

  endCall(callId: string, came: Came): void {
    const call = this.#calls.get(callId)
    // One that goes on as another agent's run is over with that.
    if (!call || came.status === 'delegated') return
    this.#calls.delete(callId)
    const { operation, name } = call
    operation.set({ [names.callStatus]: came.status })
    if ('content' in came) this.#tellAnswer(operation, came)
    const failure = came.status === 'error' || came.status === 'rejected' ? came.status : undefined
    const seconds = this.end(operation, failure)
    if (seconds === undefined || !hasRun(came)) return
    this.scope.instruments?.toolDuration.record(seconds, {
      [names.operation]: operations.tool,
      [names.tool]: name,
      [names.toolType]: 'function',
      ...(failure ? { [names.error]: failure } : {}),
    })
  }

  /** What a call failed of that should not have. */
  failCall(callId: string, code: string): void {
    const call = this.#calls.get(callId)
    this.#calls.delete(callId)
    if (call) this.end(call.operation, code)
  }

  /** What the run will end of, if it does. */
  noteFailure(code: string): void {
    this.#failure = code
  }

  /** What a request took counts for all that it was made for. */
  count(input: number, output: number): void {
    for (const acting of new Set([this.#acting, this.#first])) {
      acting.input += input
      acting.output += output
    }
    this.#within?.count(input, output)
  }

  /** Ends all that is open. */
  close(stopReason: string): void {
    for (const operation of this.#open) {
      operation.set({ [names.aborted]: true })
      operation.end()
    }
    this.#open.clear()
    this.#calls.clear()
    if (this.#acting !== this.#first) this.#leave(this.#acting, stopReason)
    this.#leave(this.#first, stopReason)
  }

  #act(agent: string, parent: Api.Context): Acting {
    const attributes = {
      [names.operation]: operations.agent,
      [names.provider]: this.scope.provider,
      [names.agent]: agent,
      [names.runId]: this.runId,
    }
    const kind = this.scope.api.SpanKind.INTERNAL
    const start = { name: `${operations.agent} ${agent}`, kind, attributes }
    return { agent, operation: new Operation(start, parent, this.scope), input: 0, output: 0 }
  }

  #leave({ agent, operation, input, output }: Acting, stopReason?: string): void {
    const failure = stopReason === 'error' ? (this.#failure ?? '_OTHER') : undefined
    if (stopReason) operation.set({ [names.stopReason]: stopReason })
    if (input + output > 0) operation.set({ [names.inputTokens]: input, [names.outputTokens]: output })
    const seconds = operation.end(failure)
    if (seconds === undefined) return
    this.scope.instruments?.agentDuration.record(seconds, {
      [names.operation]: operations.agent,
      [names.provider]: this.scope.provider,
      [names.agent]: agent,
      ...(failure ? { [names.error]: failure } : {}),
    })
  }

  #tellAnswer(operation: Operation, { artifacts = [], content, result }: CallResult): void {
    for (const { id, mediaType, bytes } of artifacts)
      operation.tell(eventNames.artifact, { id, mime_type: mediaType, bytes })
    if (this.scope.content.has('results')) operation.say(() => ({ [names.callResult]: result ?? content }))
  }
}

interface Acting {
  readonly agent: string
  readonly operation: Operation
  input: number
  output: number
}

interface OpenCall {
  readonly operation: Operation
  readonly name: string
}

function hasRun({ status }: Came): boolean {
  return status === 'ok' || status === 'error' || status === 'cut_off'
}

/** The invocations that go on, by what is known where they are asked for. */
export class Invocations {
  readonly #byRun = new Map<string, Invocation>()
  readonly #byCall = new Map<string, Invocation>()

  /** One that goes on under the same id is over: nobody could tell the two apart. */
  add(invocation: Invocation): void {
    const before = this.#byRun.get(invocation.runId)
    if (before) this.close(before, 'aborted')
    this.#byRun.set(invocation.runId, invocation)
    this.#byCall.set(placeOf(invocation.topRunId, invocation.path), invocation)
  }

  /** Takes it out, ended. */
  close(invocation: Invocation, stopReason: string): void {
    invocation.close(stopReason)
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

  /** That which a request is made for: its key begins with the id of the run. */
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
