import type { TestProject } from 'vitest/node'
import { isLong } from '../../../scripts/cases.mjs'
import { type Service, startService } from '../src/index.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address and key of the service of this run. */
    service: { readonly baseURL: string; readonly apiKey: string }
  }
}

let service: Promise<Service> | undefined

/** Starts one service with the usual options for all files of a test run, whichever projects ask for it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // The slow tests recognise speech in several files at once.
  service ??= startService(isLong ? { workers: 4 } : {})
  const { baseURL, apiKey, close } = await service
  provide('service', { baseURL, apiKey })
  return close
}
