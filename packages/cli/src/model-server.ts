import { type ChatModel, isCapstanError, type ModelOverride, wireTap } from '@capstan/core'
import { secretsOf, withSecretsOf } from '@capstan/core/internal'
import { loadService } from './commands/service.js'

/** Lets runs work without an API key. `close` stops the local service if it was started. */
export interface ModelServer {
  /**
   * The `model` run option. If a request fails because the API key is missing, sends the request again: to
   * `OPENAI_BASE_URL` if that is set, otherwise to the local service.
   */
  readonly model: ModelOverride
  close(): Promise<void>
}

/**
 * Lets models use the server at `OPENAI_BASE_URL` without a key. If neither `OPENAI_BASE_URL` nor `OPENAI_API_KEY` is
 * set, starts the local service for the first request that needs it. Calls `say` with one line for each server, when
 * the server is first used.
 */
export function openModelServer(say: (line: string) => void): ModelServer {
  const told = new Set<string>()
  let local: ReturnType<typeof startLocal> | undefined
  const tell = async (url: string) => {
    const address = url.replace(/\/(chat\/completions|responses|messages)?(\?.*)?$/, '')
    if (told.has(address)) return
    told.add(address)
    const isLocal = address === (await local)?.baseURL
    say(
      isLocal
        ? 'No API key is set, so the local service replies. It follows rules; it is not a language model.'
        : `${address} replies.`,
    )
  }
  const complete = async (own: ChatModel, ...[request, sink]: Parameters<ChatModel['complete']>) => {
    const nothing = { noted() {}, ended() {} }
    const sent = ({ url }: { readonly url: string }) => {
      void tell(url)
      return nothing
    }
    const tapped = { ...request, tap: wireTap({ sent }, request.tap) }
    try {
      return await own.complete(tapped, sink)
    } catch (error) {
      if (!isMissingKey(error)) throw error
      if (process.env.OPENAI_BASE_URL) process.env.OPENAI_API_KEY = 'none'
      else {
        local ??= startLocal()
        if (!(await local)) throw error
      }
      return own.complete(tapped, sink)
    }
  }
  return {
    model: (own) => withComplete(own, (...request) => complete(own, ...request)),
    async close() {
      await (await local)?.close()
    },
  }
}

/** Returns the model `own` with a different `complete`. All other fields and the secrets stay the same. */
function withComplete(own: ChatModel, complete: ChatModel['complete']): ChatModel {
  const model = new Proxy(own, {
    get: (target, name) => (name === 'complete' ? complete : Reflect.get(target, name)),
  })
  return withSecretsOf(model, secretsOf(own))
}

/** Whether a model sent no request because `OPENAI_API_KEY` is not set. */
function isMissingKey(error: unknown): boolean {
  return (
    isCapstanError(error) &&
    error.code === 'auth' &&
    error.message.startsWith('No API key. Set OPENAI_API_KEY')
  )
}

/**
 * Starts the local service, and sets its URL and key as environment variables. Undefined if the service is not
 * installed.
 */
async function startLocal() {
  const installed = await loadService().catch(() => undefined)
  const service = await installed?.startService({ journal: 0 })
  if (service)
    Object.assign(process.env, { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey })
  return service
}
