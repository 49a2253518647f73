// Replaces `opentelemetry.ts` in the CommonJS build, which has no top-level await.
import type * as Api from '@opentelemetry/api'

declare const __filename: string

/** The OpenTelemetry API, or undefined if it is not installed. */
export const opentelemetry = load()

function load(): typeof Api | undefined {
  try {
    // Hide two modules from bundlers: Node's own module, which browsers do not have, and the package, which may not be
    // installed.
    return process.getBuiltinModule('node:module').createRequire(__filename)('@opentelemetry/api')
  } catch {
    return undefined
  }
}
