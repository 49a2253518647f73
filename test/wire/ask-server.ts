import { type CheckedServer, CheckFailed } from './server-check.js'

export interface ServerReply {
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown
}

export interface AskOptions {
  /** In place of the server's key; null sends none. */
  readonly key?: string | null
  /** In place of the body: these words. */
  readonly raw?: string
}

const timeLimitMs = 60_000

/** Posts a chat request, with the server's model unless the fields name another, and reads the answer to its end. */
export async function askServer(
  server: CheckedServer,
  fields: Readonly<Record<string, unknown>>,
  { key = server.key ?? null, raw }: AskOptions = {},
): Promise<ServerReply> {
  const headers = {
    'content-type': 'application/json',
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  }
  const body = raw ?? JSON.stringify({ model: server.model, ...fields })
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new Error(`no answer within ${timeLimitMs} ms`)), timeLimitMs)
  try {
    const url = `${server.url.replace(/\/+$/, '')}/chat/completions`
    const response = await fetch(url, { method: 'POST', headers, body, signal: stop.signal })
    const text = await response.text()
    const contentType = response.headers.get('content-type') ?? ''
    return { status: response.status, contentType, text, body: parse(text) }
  } catch (error) {
    const { cause, message } = error as Error
    throw new CheckFailed(`no answer: ${cause instanceof Error ? cause.message : message}`)
  } finally {
    clearTimeout(timer)
  }
}

/** The beginning of an answer, for a report. */
export function excerpt({ status, text }: ServerReply): string {
  return `status ${status}, ${text === '' ? 'an empty body' : text.replace(/\s+/g, ' ').slice(0, 160)}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
