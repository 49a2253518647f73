import OpenAI from 'openai'
import { inject } from 'vitest'
import type {} from './start-once.js'

/** The service of this run, which all files share, and an official client without retries. */
export function localService() {
  const service = inject('service')
  return { service, client: new OpenAI({ ...service, maxRetries: 0 }) }
}
