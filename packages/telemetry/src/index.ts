export type { ContentKind, TelemetryOptions } from './options.js'
export { type TracedRun, telemetry } from './telemetry.js'
export { traceHeaders } from './trace-headers.js'
