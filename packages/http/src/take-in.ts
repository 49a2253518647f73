import { type AnyAgent, type Artifact, artifactKindOf, sniffMediaType } from '@capstan/core'
import { artifactIdOf } from './artifact-url.js'
import { HttpError } from './http-error.js'
import { mayRead } from './may-read.js'
import type { Visit } from './site.js'

/**
 * A file that a message carries, as an artifact of the agent: a `data:` address brings its bytes, one of ours names
 * what is here. No other address is ever asked. @throws HttpError 400
 */
export async function takeIn(url: string, agent: AnyAgent, visit: Visit): Promise<Artifact> {
  const { site, user } = visit
  const id = artifactIdOf(site.options, url)
  const known = id && (await site.artifacts.readableOf(agent, user).stat(id))
  if (known && (await mayRead(known, visit))) {
    site.artifacts.give(agent, user, known)
    return known
  }
  const data = readDataUrl(url)
  if (!data) throw invalid('Files must come as data: addresses, or be artifacts of yours.')
  const mediaType = sniffMediaType(data.bytes) ?? data.mediaType
  const store = site.artifacts.of(agent, user)
  const artifact = await store.put(data.bytes, { kind: artifactKindOf(mediaType), mediaType })
  site.readable.add(user.id, [artifact])
  return artifact
}

/** A message's words with its files named at their end, as the agent's own attachments are. */
export function withFiles(text: string, files: readonly Artifact[]): string {
  if (files.length === 0) return text
  const names = files.map(({ id, mediaType, bytes }) => `${id} (${mediaType}, ${bytes} bytes)`)
  const line = `Attached: ${names.join(', ')}`
  return text === '' ? line : `${text}\n\n${line}`
}

function readDataUrl(url: string): { readonly bytes: Uint8Array; readonly mediaType: string } | undefined {
  const comma = url.indexOf(',')
  if (!url.startsWith('data:') || comma === -1) return undefined
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  const data = url.slice(comma + 1)
  try {
    const bytes = parameters.includes('base64')
      ? Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
      : new TextEncoder().encode(decodeURIComponent(data))
    return { bytes, mediaType: mediaType || 'application/octet-stream' }
  } catch {
    throw invalid('The data of a file cannot be read.')
  }
}

function invalid(message: string): HttpError {
  return new HttpError(400, 'invalid_request', message)
}
