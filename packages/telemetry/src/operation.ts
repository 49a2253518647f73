import type { Redactor } from '@capstan/core/wire'
import type * as Api from '@opentelemetry/api'
import { names } from './names.js'
import type { Scope } from './scope.js'

export interface OperationStart {
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
    this.isRecording = this.#span.isRecording()
  }

  /** Works with the span as the active one. */
  within<T>(work: () => T): T {
    return this.#scope.api.context.with(this.context, work)
  }

  set(attributes: Api.Attributes): void {
    if (this.isRecording) this.#span.setAttributes(redacted(attributes, this.#scope.redactor))
  }

  /** What was said: redacted while it has its form, so that what is left is JSON. */
  say(toContent: () => Readonly<Record<string, unknown>>): void {
    if (!this.isRecording) return
    quietly(this.#scope, () => {
      for (const [name, value] of Object.entries(this.#scope.redactor.value(toContent())))
        this.#span.setAttribute(name, typeof value === 'string' ? value : JSON.stringify(value))
    })
  }

  tell(event: string, attributes: Api.Attributes = {}): void {
    if (this.isRecording) this.#span.addEvent(event, redacted(attributes, this.#scope.redactor))
  }

  secondsSoFar(): number {
    return (performance.now() - this.#startedAt) / 1000
  }

  /** Ends it, as failed where a code is given. What it took in seconds; undefined when it had ended before. */
  end(failure?: string): number | undefined {
    if (this.#hasEnded) return undefined
    this.#hasEnded = true
    if (failure !== undefined) {
      this.#span.setAttribute(names.error, failure)
      this.#span.setStatus({ code: this.#scope.api.SpanStatusCode.ERROR, message: failure })
    }
    quietly(this.#scope, () => this.#span.end())
    return this.secondsSoFar()
  }
}

/** With its attributes at once: samplers go by them. */
function start({ name, kind, attributes }: OperationStart, parent: Api.Context, scope: Scope): Api.Span {
  const { api, redactor, tracer } = scope
  const options = { kind, attributes: redacted({ ...scope.attributes, ...attributes }, redactor) }
  return (
    quietly(scope, () => tracer.startSpan(redactor.text(name), options, parent)) ??
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

/** What cannot be written, and what a processor of spans throws, is told to OpenTelemetry's own log. */
function quietly<T>({ api }: Scope, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    api.diag.error('A span could not be written.', String(error))
    return undefined
  }
}
