// Replaces `opentelemetry.ts` in the CommonJS build, which has no top-level await.
import type * as Api from '@opentelemetry/api'

declare const __filename: string

/** The OpenTelemetry API, or undefined if it is not installed. */
export const opentelemetry = load()

function load(): typeof Api | undefined {
  try {
    // Bundlers see neither the module of Node, which browsers have not, nor the package, which may be missing.
    return process.getBuiltinModule('node:module').createRequire(__filename)('@opentelemetry/api')
  } catch {
    return undefined
  }
}
