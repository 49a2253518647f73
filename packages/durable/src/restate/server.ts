import { CapstanError } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { RestateConfig } from './options.js'

export type Row = Readonly<Record<string, unknown>>

/** A client for a Restate server's HTTP interfaces. */
export class RestateServer {
  readonly #config: Pick<RestateConfig, 'ingress' | 'admin' | 'headers'>

  constructor(config: Pick<RestateConfig, 'ingress' | 'admin' | 'headers'>) {
    this.#config = config
  }

  /** Sends an invocation to a handler. Once the invocation is stored, resolves with its id and whether it is new. */
  async send(
    service: string,
    key: string,
    handler: string,
    body: unknown,
  ): Promise<{ id: string; isNew: boolean }> {
    const path = `/${service}/${encodeURIComponent(key)}/${handler}/send`
    const response = await this.#request(this.#config.ingress, path, { method: 'POST', body })
    if (response.status === 404) throw noWorker(service)
    const { invocationId, status } = readFields(await readResponse(response))
    return { id: String(invocationId), isNew: status === 'Accepted' }
  }

  /** Waits for an invocation's output. Returns undefined if the signal aborts or the invocation fails. */
  async outcome(id: string, signal: AbortSignal): Promise<unknown> {
    const path = `/restate/invocation/${id}/attach`
    try {
      const response = await this.#request(this.#config.ingress, path, { method: 'GET', signal })
      return response.ok ? await response.json() : undefined
    } catch {
      return undefined
    }
  }

  /** Returns the output of a completed run's workflow. */
  async output(service: string, key: string): Promise<unknown> {
    const path = `/restate/workflow/${service}/${encodeURIComponent(key)}/output`
    return (await readResponse(await this.#request(this.#config.ingress, path, { method: 'GET' }))) as unknown
  }

  /** Runs an SQL query on Restate's tables. Retries it while the server is starting. */
  async query(sql: string): Promise<readonly Row[]> {
    const body = { query: sql }
    for (let left = 20; ; left--) {
      const response = await this.#request(this.#config.admin, '/query', { method: 'POST', body })
      // While a server is starting, it accepts requests before its tables are ready.
      if (response.status < 500 || left === 0)
        return readFields(await readResponse(response)).rows as readonly Row[]
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }

  /** Cancels an invocation. Does nothing if the invocation has ended. */
  cancel(id: string): Promise<void> {
    return this.#change(id, 'cancel')
  }

  /** Resumes a paused invocation. Does nothing if the invocation is not paused. */
  resume(id: string): Promise<void> {
    return this.#change(id, 'resume')
  }

  /** Registers the worker at a URL. Replaces an earlier registration of the same URL. */
  async register(uri: string): Promise<void> {
    const body = { uri, force: true }
    await readResponse(await this.#request(this.#config.admin, '/deployments', { method: 'POST', body }))
  }

  async #change(id: string, what: string): Promise<void> {
    const response = await this.#request(this.#config.admin, `/invocations/${id}/${what}`, {
      method: 'PATCH',
    })
    // The invocation has ended, or it already has the requested status.
    if (response.status !== 404 && response.status !== 409) await readResponse(response)
  }

  async #request(
    base: string,
    path: string,
    {
      method,
      body,
      signal,
    }: { readonly method: string; readonly body?: unknown; readonly signal?: AbortSignal },
  ): Promise<Response> {
    try {
      return await fetch(base + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...this.#config.headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      })
    } catch (cause) {
      const message = `Cannot reach Restate at ${base}. Start it, or set its URLs: durable(agent, { ingress, admin }).`
      throw new CapstanError('network', message, { cause, retryable: true })
    }
  }
}

async function readResponse(response: Response): Promise<unknown> {
  const text = await response.text()
  if (response.ok) return text === '' ? undefined : JSON.parse(text)
  const { url, status } = response
  const message = `Restate rejected the request (${status} at ${new URL(url).pathname}): ${text.slice(0, 300)}`
  throw new CapstanError('api', message, { status, retryable: status >= 500 })
}

function readFields(value: unknown): Row {
  if (isRecord(value)) return value
  throw new CapstanError(
    'invalid_response',
    'The server responded in an unknown format. Check that `ingress` and `admin` are URLs of a Restate server.',
  )
}

function noWorker(service: string): CapstanError {
  const message = `No worker for agent "${service}" is registered with Restate. Start one: startWorker([agent], { port }).`
  return new CapstanError('not_found', message, { evidence: { service } })
}
