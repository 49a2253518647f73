import OpenAI from 'openai'
import { afterAll } from 'vitest'
import { type Service, startService } from '../src/index.js'

/** Starts a service for the tests of one file, closed after them, and an official client without retries. */
export async function localService(): Promise<{ service: Service; client: OpenAI }> {
  const service = await startService()
  afterAll(() => service.close())
  return { service, client: new OpenAI({ ...service, maxRetries: 0 }) }
}
