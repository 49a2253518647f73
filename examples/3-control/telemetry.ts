// A run as OpenTelemetry spans: the agent, its requests to the model, its tool calls, and the work inside them. This
// program prints the spans; a service sends them to its exporter.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, tool } from '@capstan/core'
import { telemetry } from '@capstan/telemetry'
import { trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import * as z from 'zod'

// #region setup
const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
// #endregion

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  // #region inside
  execute: ({ city }) =>
    trace.getTracer('weather').startActiveSpan('SELECT readings', (span) => {
      span.end()
      return { city, degrees: city.length }
    }),
  // #endregion
})

const agent = new Agent({ name: 'forecaster', model: 'planner', tools: [weather] })
// #region run
await agent.run('What is the weather in Oslo and in Rome?', telemetry())
// #endregion

const spans = exporter.getFinishedSpans().toSorted((one, other) => begunAt(one) - begunAt(other))
print(spans, undefined, '')

function print(spans: readonly ReadableSpan[], parentId: string | undefined, indent: string): void {
  for (const span of spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parentId)) {
    const { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output } = span.attributes
    console.log(`${indent}${span.name}${input === undefined ? '' : `  (${input} tokens in, ${output} out)`}`)
    print(spans, span.spanContext().spanId, `${indent}  `)
  }
}

function begunAt({ startTime: [seconds, nanoseconds] }: ReadableSpan): number {
  return seconds * 1e9 + nanoseconds
}
