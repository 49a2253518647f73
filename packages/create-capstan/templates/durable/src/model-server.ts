// Chooses who replies: the server of OPENAI_BASE_URL and OPENAI_API_KEY, else the local service, and says so.
import { startService } from '@capstan/service'

/** Call it before the first request. The local service plans by rules, and is not a language model. */
export async function openModelServer(): Promise<{ close(): Promise<void> }> {
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env
  if (url || key) {
    // A server without keys ignores this one.
    process.env.OPENAI_API_KEY ||= 'none'
    console.error(`${url || 'https://api.openai.com/v1'} replies.`)
    return { async close() {} }
  }
  const service = await startService()
  Object.assign(process.env, { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey })
  console.error(
    'No API key is set, so the local service replies. It follows rules; it is not a language model.',
  )
  return service
}
