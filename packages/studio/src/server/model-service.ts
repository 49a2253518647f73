import type { ModelService } from '../runtime/protocol.js'

/** Loads the local service, as `@capstan/service` exports it. */
export type LoadService = () => Promise<typeof import('@capstan/service')>

/** The local service of a studio. */
export interface LocalService extends ModelService {
  close(): Promise<void>
}

/**
 * Starts the local service if no key is set, or if it should replace all models. Undefined if it is not needed.
 * @throws if it is needed and cannot be loaded
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

/** Whether the environment has the URL of a model server, or a key. */
export function hasService(): boolean {
  return Boolean(process.env.OPENAI_BASE_URL || process.env.OPENAI_API_KEY)
}

async function modelsOf(baseURL: string, apiKey: string): Promise<readonly string[]> {
  const response = await fetch(`${baseURL}/models`, { headers: { authorization: `Bearer ${apiKey}` } })
  const { data = [] } = (await response.json()) as { readonly data?: readonly { readonly id: string }[] }
  return data.map(({ id }) => id)
}
