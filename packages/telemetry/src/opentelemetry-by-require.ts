// Takes the place of `opentelemetry.ts` in the CommonJS build, which cannot wait for a module.
import { createRequire } from 'node:module'
import type * as Api from '@opentelemetry/api'

declare const __filename: string

/** The OpenTelemetry API, or undefined where it is not installed. */
export const opentelemetry = load()

function load(): typeof Api | undefined {
  try {
    return createRequire(__filename)('@opentelemetry/api')
  } catch {
    return undefined
  }
}
