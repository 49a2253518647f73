import type { Redactor } from '@capstan/core/wire'
import type * as Api from '@opentelemetry/api'
import { names } from './names.js'
import { quietly } from './quietly.js'
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
