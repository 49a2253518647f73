import type { ModelService } from '../runtime/protocol.js'

/** Imports `@capstan/service`. Rejects if it is not installed. */
export type LoadService = () => Promise<typeof import('@capstan/service')>

/** The local service that a studio has started. */
export interface LocalService extends ModelService {
  close(): Promise<void>
}

/**
 * Starts the local service if neither a base URL nor a key is set, or if `isForced` is true. Otherwise returns
 * undefined.
 * @throws the loader's error if the service is needed but cannot be loaded
 */
export async function startModelService(
  load: LoadService,
  isForced: boolean,
): Promise<LocalService | undefined> {
  if (!isForced && hasService()) return undefined
  const { startService } = await load()
  const { baseURL, apiKey, close } = await startService({ journal: 0 })
  const models = await modelsOf(baseURL, apiKey)
  return { baseURL, apiKey, models, isForced, close }
}

/** Whether `OPENAI_BASE_URL` or `OPENAI_API_KEY` is set. */
export function hasService(): boolean {
  return Boolean(process.env.OPENAI_BASE_URL || process.env.OPENAI_API_KEY)
}

async function modelsOf(baseURL: string, apiKey: string): Promise<readonly string[]> {
  const response = await fetch(`${baseURL}/models`, { headers: { authorization: `Bearer ${apiKey}` } })
  const { data = [] } = (await response.json()) as { readonly data?: readonly { readonly id: string }[] }
  return data.map(({ id }) => id)
}
