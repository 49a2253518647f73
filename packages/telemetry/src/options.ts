import type { ChatModel, CreateHost, ModelOverride, Observer } from '@capstan/core'
import { Redactor } from '@capstan/core/internal'
import type * as Api from '@opentelemetry/api'
import { type Instruments, toInstruments } from './metrics.js'

/** A kind of content that can be recorded. */
export type ContentKind = 'prompts' | 'outputs' | 'arguments' | 'results'

export interface TelemetryOptions {
  /** The host that executes the run's steps. Default: in memory, in this process. */
  readonly host?: CreateHost
  /** Also receives the run's events. */
  readonly observe?: Observer
  /** The model to use instead of each agent's own model, like the `model` run option. */
  readonly model?: ChatModel | ModelOverride
  /**
   * The content to record: `prompts` (instructions, messages, tools), `outputs`, and calls' `arguments` and `results`.
   * `true` records all of them. Secrets and base64 are removed first. For media, the id, type and size are recorded.
   * Default: none.
   */
  readonly content?: boolean | readonly ContentKind[]
  /**
   * Strings that must never be recorded. Keys in environment variables and the models' keys are always redacted.
   * Default: none.
   */
  readonly secrets?: readonly string[]
  /** Attributes for every span of the run, such as `{ 'gen_ai.conversation.id': id }`. Default: none. */
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
  /**
   * The models' provider, recorded as `gen_ai.provider.name`. Default: `openai`, for any server with an
   * OpenAI-compatible API.
   */
  readonly provider?: string
  /** Whether model requests include trace headers. Baggage is never included. Default true. */
  readonly propagate?: boolean
  /**
   * The `@opentelemetry/api` package: `import * as api from '@opentelemetry/api'`. Pass it in programs that you bundle
   * with webpack, because webpack omits the package. Default: the installed one.
   */
  readonly api?: object
  /** The tracer provider. Default: the global one. */
  readonly tracerProvider?: { getTracer(name: string): object }
  /** The meter provider. Default: the global one. */
  readonly meterProvider?: { getMeter(name: string): object }
}

/** Settings shared by all spans of a run. */
export interface TelemetryContext {
  readonly api: typeof Api
  readonly tracer: Api.Tracer
  /** Absent without a meter provider. */
  readonly instruments: Instruments | undefined
  readonly redactor: Redactor
  readonly content: ReadonlySet<ContentKind>
  readonly attributes: Api.Attributes
  readonly provider: string
  readonly propagate: boolean
}

const scopeName = '@capstan/telemetry'

/**
 * Reads the options, and uses the providers that are registered at this time. Returns undefined if there is no
 * provider.
 */
export function toTelemetryContext(options: TelemetryOptions, api: typeof Api): TelemetryContext | undefined {
  const { tracerProvider = api.trace, meterProvider = api.metrics, content = [] } = options
  // The option types declare only the methods that are used, so users do not need the API's types.
  const tracer = tracerProvider.getTracer(scopeName) as Api.Tracer
  const meter = meterProvider.getMeter(scopeName) as Api.Meter
  const instruments = meter === api.createNoopMeter() ? undefined : toInstruments(meter, api)
  if (tracer instanceof api.ProxyTracer && !instruments) return undefined
  return {
    api,
    tracer,
    instruments,
    redactor: new Redactor(options.secrets),
    content: new Set(content === true ? allContent : content === false ? [] : content),
    attributes: options.attributes ?? {},
    provider: options.provider ?? 'openai',
    propagate: options.propagate ?? true,
  }
}

const allContent: readonly ContentKind[] = ['prompts', 'outputs', 'arguments', 'results']
