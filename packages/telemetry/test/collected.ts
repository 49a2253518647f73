import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type Span,
} from '@opentelemetry/sdk-trace-node'

/** Spans and metrics of one test, and the spans that have not ended. */
export interface Collected {
  readonly tracerProvider: NodeTracerProvider
  readonly meterProvider: MeterProvider
  readonly open: ReadonlySet<string>
  spans(): readonly ReadableSpan[]
  /** The span names, indented under their parents, with the status of failed spans. */
  tree(): string
  /** Count and sum of each histogram, by its name and some attributes. */
  metrics(): Promise<readonly Point[]>
  reset(): void
}

interface Point {
  readonly name: string
  readonly unit: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly count: number
  readonly sum: number
}

/** Collects in memory. Registers a global tracer provider with async context. */
export function collect(): Collected {
  const exporter = new InMemorySpanExporter()
  const open = new Set<string>()
  // Two spans may start at one time of the clock.
  const started: string[] = []
  const noting = {
    onStart: (span: Span) => {
      open.add(span.spanContext().spanId)
      started.push(span.spanContext().spanId)
    },
    onEnd: (span: ReadableSpan) => void open.delete(span.spanContext().spanId),
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const tracerProvider = new NodeTracerProvider({
    spanProcessors: [noting, new SimpleSpanProcessor(exporter)],
  })
  tracerProvider.register()
  const { meterProvider, metrics } = metricsIn()
  return {
    tracerProvider,
    meterProvider,
    open,
    spans: () => exporter.getFinishedSpans(),
    tree: () => toTree(exporter.getFinishedSpans(), started),
    metrics,
    reset() {
      exporter.reset()
      open.clear()
      started.length = 0
    },
  }
}

/** Metrics in memory. */
export function metricsIn() {
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  })
  const meterProvider = new MeterProvider({ readers: [reader] })
  return {
    meterProvider,
    async metrics() {
      await meterProvider.forceFlush()
      const last = metricExporter.getMetrics().at(-1)
      return (last?.scopeMetrics ?? []).flatMap(({ metrics }) =>
        metrics.flatMap(({ descriptor: { name, unit }, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => {
            const { count, sum = 0 } = value as { count: number; sum?: number }
            return { name, unit, attributes, count, sum }
          }),
        ),
      )
    },
  }
}

/** In the order in which they started. */
function toTree(spans: readonly ReadableSpan[], started: readonly string[]): string {
  const ids = new Set(spans.map((span) => span.spanContext().spanId))
  const placeOf = (span: ReadableSpan) => started.indexOf(span.spanContext().spanId)
  const begun = spans.toSorted((one, other) => placeOf(one) - placeOf(other))
  const childrenOf = (id: string | undefined) =>
    begun.filter(({ parentSpanContext: parent }) =>
      id ? parent?.spanId === id : !ids.has(parent?.spanId ?? ''),
    )
  const lines = (span: ReadableSpan, depth: number): string[] => [
    `${'  '.repeat(depth)}${span.name}${span.status.code === 2 ? ` ! ${span.status.message}` : ''}`,
    ...childrenOf(span.spanContext().spanId).flatMap((child) => lines(child, depth + 1)),
  ]
  return childrenOf(undefined)
    .flatMap((span) => lines(span, 0))
    .join('\n')
}
