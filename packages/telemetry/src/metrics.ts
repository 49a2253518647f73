import type * as Api from '@opentelemetry/api'
import { metricNames } from './attributes.js'
import { quietly } from './errors.js'

/** The histograms of the conventions. */
export type Instruments = Readonly<Record<keyof typeof metricNames, Instrument>>

type Instrument = Pick<Api.Histogram, 'record'>

/** Those of a meter, made once for each. */
export function toInstruments(given: Api.Meter, api: typeof Api): Instruments {
  const meter: Instrumented = {
    createHistogram(...named) {
      const histogram = given.createHistogram(...named)
      return { record: (...measured) => void quietly(api, () => histogram.record(...measured)) }
    },
  }
  const made = known.get(given) ?? {
    chatDuration: seconds(meter, metricNames.chatDuration),
    timeToFirstChunk: seconds(meter, metricNames.timeToFirstChunk),
    inputTokens: tokens(meter, metricNames.inputTokens),
    outputTokens: tokens(meter, metricNames.outputTokens),
    agentDuration: seconds(meter, metricNames.agentDuration),
    toolDuration: seconds(meter, metricNames.toolDuration),
  }
  known.set(given, made)
  return made
}

interface Instrumented {
  createHistogram(...named: Parameters<Api.Meter['createHistogram']>): Instrument
}

const known = new WeakMap<Api.Meter, Instruments>()

function seconds(meter: Instrumented, name: string): Instrument {
  const explicitBucketBoundaries = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
  ]
  return meter.createHistogram(name, { unit: 's', advice: { explicitBucketBoundaries } })
}

function tokens(meter: Instrumented, name: string): Instrument {
  const explicitBucketBoundaries = Array.from({ length: 14 }, (_, power) => 4 ** power)
  return meter.createHistogram(name, { unit: '{token}', advice: { explicitBucketBoundaries } })
}
