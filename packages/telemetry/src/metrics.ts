import type * as Api from '@opentelemetry/api'
import { metricNames } from './attributes.js'
import { ignoreErrors } from './errors.js'

/** The histograms that the conventions define. */
export type Instruments = Readonly<Record<keyof typeof metricNames, Instrument>>

type Instrument = Pick<Api.Histogram, 'record'>

/** Returns a meter's histograms, which are created once per meter. */
export function toInstruments(given: Api.Meter, api: typeof Api): Instruments {
  const meter: HistogramFactory = {
    createHistogram(...named) {
      const histogram = given.createHistogram(...named)
      return { record: (...measured) => void ignoreErrors(api, () => histogram.record(...measured)) }
    },
  }
  const made = instrumentsByMeter.get(given) ?? {
    chatDuration: secondsHistogram(meter, metricNames.chatDuration),
    timeToFirstChunk: secondsHistogram(meter, metricNames.timeToFirstChunk),
    inputTokens: tokenHistogram(meter, metricNames.inputTokens),
    outputTokens: tokenHistogram(meter, metricNames.outputTokens),
    agentDuration: secondsHistogram(meter, metricNames.agentDuration),
    toolDuration: secondsHistogram(meter, metricNames.toolDuration),
  }
  instrumentsByMeter.set(given, made)
  return made
}

interface HistogramFactory {
  createHistogram(...named: Parameters<Api.Meter['createHistogram']>): Instrument
}

const instrumentsByMeter = new WeakMap<Api.Meter, Instruments>()

function secondsHistogram(meter: HistogramFactory, name: string): Instrument {
  const explicitBucketBoundaries = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
  ]
  return meter.createHistogram(name, { unit: 's', advice: { explicitBucketBoundaries } })
}

function tokenHistogram(meter: HistogramFactory, name: string): Instrument {
  const explicitBucketBoundaries = Array.from({ length: 14 }, (_, power) => 4 ** power)
  return meter.createHistogram(name, { unit: '{token}', advice: { explicitBucketBoundaries } })
}
