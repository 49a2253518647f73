export { type TracedRun, telemetry } from './telemetry.js'
export type { ContentKind, TelemetryOptions } from './telemetry-options.js'
export { traceHeaders } from './trace-headers.js'
