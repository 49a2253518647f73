import type { Reply } from '../http/endpoint.js'
import type { Passage } from '../http/passage.js'
import { askUpstream } from './ask-upstream.js'
import type { Upstream } from './upstream.js'
import { withoutSecret } from './without-secret.js'

// All that goes either way beside the body: neither key, no cookies, nothing about the connection.
const sent = [
  'accept',
  'content-type',
  'idempotency-key',
  'openai-beta',
  'openai-organization',
  'openai-project',
]
const kept = /^(retry-after|retry-after-ms|x-should-retry|x-ratelimit-[\w-]+|openai-[\w-]+)$/

/** Answers by asking another server: its status, its words, as they come. */
export function passOn(upstream: Upstream): Passage {
  return async ({ method, path, headers, body, signal }) => {
    const own = sent.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)] as [string, string]]
    })
    const response = await askUpstream(upstream, path, { method, headers: own, body, signal })
    return toReply(response, upstream.apiKey)
  }
}

function toReply({ status, headers, body }: Response, secret: string | undefined): Reply {
  const told = [...headers].filter(([name]) => kept.test(name))
  const clean = secret ? told.filter(([, value]) => !value.includes(secret)) : told
  const shared = { status, headers: { ...Object.fromEntries(clean), 'x-capstan-engine': 'upstream; remote' } }
  const mediaType = headers.get('content-type') ?? 'application/octet-stream'
  if (!body) return { ...shared, bytes: new Uint8Array(), mediaType }
  return { ...shared, stream: secret ? withoutSecret(body, secret) : body, mediaType }
}
