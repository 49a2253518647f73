import { CapstanError } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { RestateConfig } from './options.js'

export type Row = Readonly<Record<string, unknown>>

/** A Restate server, by HTTP. */
export class RestateServer {
  readonly #plan: Pick<RestateConfig, 'ingress' | 'admin' | 'headers'>

  constructor(plan: Pick<RestateConfig, 'ingress' | 'admin' | 'headers'>) {
    this.#plan = plan
  }

  /** Gives work to a handler of a run, and waits only until that is kept. The id of the work, and whether it is new. */
  async send(
    service: string,
    key: string,
    handler: string,
    body: unknown,
  ): Promise<{ id: string; isNew: boolean }> {
    const path = `/${service}/${encodeURIComponent(key)}/${handler}/send`
    const answer = await this.#ask(this.#plan.ingress, path, { method: 'POST', body })
    if (answer.status === 404) throw noWorker(service)
    const { invocationId, status } = readFields(await readResponse(answer))
    return { id: String(invocationId), isNew: status === 'Accepted' }
  }

  /** What work came to, once it is over; undefined when that takes longer, or nobody can be asked. */
  async outcome(id: string, signal: AbortSignal): Promise<unknown> {
    const path = `/restate/invocation/${id}/attach`
    try {
      const answer = await this.#ask(this.#plan.ingress, path, { method: 'GET', signal })
      return answer.ok ? await answer.json() : undefined
    } catch {
      return undefined
    }
  }

  /** What a run came to, once it is over. */
  async output(service: string, key: string): Promise<unknown> {
    const path = `/restate/workflow/${service}/${encodeURIComponent(key)}/output`
    return (await readResponse(await this.#ask(this.#plan.ingress, path, { method: 'GET' }))) as unknown
  }

  async query(sql: string): Promise<readonly Row[]> {
    const body = { query: sql }
    for (let left = 20; ; left--) {
      const answer = await this.#ask(this.#plan.admin, '/query', { method: 'POST', body })
      // A server that has just started answers before it knows its own parts.
      if (answer.status < 500 || left === 0)
        return readFields(await readResponse(answer)).rows as readonly Row[]
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }

  /** What has ended stays as it is. */
  cancel(id: string): Promise<void> {
    return this.#change(id, 'cancel')
  }

  /** Lets work that was set aside go on. */
  resume(id: string): Promise<void> {
    return this.#change(id, 'resume')
  }

  /** Makes a worker known, in the place of what was known of its URL. */
  async register(uri: string): Promise<void> {
    const body = { uri, force: true }
    await readResponse(await this.#ask(this.#plan.admin, '/deployments', { method: 'POST', body }))
  }

  async #change(id: string, what: string): Promise<void> {
    const answer = await this.#ask(this.#plan.admin, `/invocations/${id}/${what}`, { method: 'PATCH' })
    // It ended meanwhile, or is as it is to be.
    if (answer.status !== 404 && answer.status !== 409) await readResponse(answer)
  }

  async #ask(
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
          ...this.#plan.headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      })
    } catch (cause) {
      const message = `Restate does not answer at ${base}. Start it, or say where it is: durable(agent, { ingress, admin }).`
      throw new CapstanError('network', message, { cause, retryable: true })
    }
  }
}

async function readResponse(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (answer.ok) return text === '' ? undefined : JSON.parse(text)
  const { url, status } = answer
  const message = `Restate refused (${status} at ${new URL(url).pathname}): ${text.slice(0, 300)}`
  throw new CapstanError('api', message, { status, retryable: status >= 500 })
}

function readFields(value: unknown): Row {
  if (isRecord(value)) return value
  throw new CapstanError('invalid_response', 'What answered is no Restate server of a version that is known.')
}

function noWorker(service: string): CapstanError {
  const message = `Restate knows no worker of the agent "${service}". Start one: startWorker([agent], { port }).`
  return new CapstanError('not_found', message, { evidence: { service } })
}
