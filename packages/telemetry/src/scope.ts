import { Redactor } from '@capstan/core/wire'
import type * as Api from '@opentelemetry/api'
import { type Instruments, toInstruments } from './instruments.js'
import type { ContentKind, TelemetryOptions } from './telemetry-options.js'

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
