// Replaces `opentelemetry.ts` in the CommonJS build, which has no top-level await.
import { createRequire } from 'node:module'
import type * as Api from '@opentelemetry/api'

declare const __filename: string

/** The OpenTelemetry API, or undefined if it is not installed. */
export const opentelemetry = load()

function load(): typeof Api | undefined {
  try {
    return createRequire(__filename)('@opentelemetry/api')
  } catch {
    return undefined
  }
}
