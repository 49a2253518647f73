import OpenAI from 'openai'
import { afterAll } from 'vitest'
import { type Service, startService } from '../src/index.js'

/** A service for the tests of one file, ended after them, and the official client that asks it once. */
export async function localService(): Promise<{ service: Service; client: OpenAI }> {
  const service = await startService()
  afterAll(() => service.close())
  return { service, client: new OpenAI({ ...service, maxRetries: 0 }) }
}
