import type { ChatModel, CreateHost, ModelOverride, Observer } from '@capstan/core'
import { Redactor } from '@capstan/core/internal'
import type * as Api from '@opentelemetry/api'
import { type Instruments, toInstruments } from './metrics.js'

/** What can be recorded of what was said. */
export type ContentKind = 'prompts' | 'outputs' | 'arguments' | 'results'

export interface TelemetryOptions {
  /** Who runs the steps of the run. Default: this process, in memory. */
  readonly host?: CreateHost
  /** Told of the run's events as well. */
  readonly observe?: Observer
  /** The run's own option `model`. Default: each agent's own model. */
  readonly model?: ChatModel | ModelOverride
  /**
   * What is recorded of what was said, `true` for all: `prompts` (instructions, messages, tools), `outputs`, and
   * `arguments` and `results` of calls. Secrets and base64 are taken out first; media are told by id, type and
   * size. Default: nothing.
   */
  readonly content?: boolean | readonly ContentKind[]
  /** Texts that must not be recorded anywhere, besides keys of the environment and of the models. Default: none. */
  readonly secrets?: readonly string[]
  /** Put on every span of the run, such as `{ 'gen_ai.conversation.id': id }`. Default: none. */
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
  /** Who serves the models: `gen_ai.provider.name`. Default `openai`, for whatever speaks as it does. */
  readonly provider?: string
  /** Whether requests to models carry the trace in their headers, baggage left out. Default true. */
  readonly propagate?: boolean
  /** Default: the one that is registered globally. */
  readonly tracerProvider?: { getTracer(name: string): object }
  /** Default: the one that is registered globally. */
  readonly meterProvider?: { getMeter(name: string): object }
}

/** What all spans of a run have in common. */
export interface Scope {
  readonly api: typeof Api
  readonly tracer: Api.Tracer
  /** Absent where nobody measures. */
  readonly instruments: Instruments | undefined
  readonly redactor: Redactor
  readonly content: ReadonlySet<ContentKind>
  readonly attributes: Api.Attributes
  readonly provider: string
  readonly propagate: boolean
}

const name = '@capstan/telemetry'

/** As things stand now: a provider may be registered later. Undefined where there is none yet. */
export function toScope(options: TelemetryOptions, api: typeof Api): Scope | undefined {
  const { tracerProvider = api.trace, meterProvider = api.metrics, content = [] } = options
  // Only what a provider must have is asked for, so that the types of the API are nobody's who has it not.
  const tracer = tracerProvider.getTracer(name) as Api.Tracer
  const meter = meterProvider.getMeter(name) as Api.Meter
  const instruments = meter === api.createNoopMeter() ? undefined : toInstruments(meter, api)
  if (tracer instanceof api.ProxyTracer && !instruments) return undefined
  return {
    api,
    tracer,
    instruments,
    redactor: new Redactor(options.secrets),
    content: new Set(content === true ? all : content === false ? [] : content),
    attributes: options.attributes ?? {},
    provider: options.provider ?? 'openai',
    propagate: options.propagate ?? true,
  }
}

const all: readonly ContentKind[] = ['prompts', 'outputs', 'arguments', 'results']
