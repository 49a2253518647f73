import type { IncomingHttpHeaders } from 'node:http'
import type { ServiceRequest } from './endpoint.js'
import { createRedactor } from './redact-request.js'

/** A recorded request for tests to check, without keys and long base64. */
export interface RecordedRequest {
  /** The `x-request-id` of the response. */
  readonly id: string
  readonly method: string
  /** The path without the query. For image links, it is `/files/*`. */
  readonly path: string
  /** The headers, with names in lower case. Secret values are replaced with `***`. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The JSON body, or the fields of a form. A file is `{ name, mediaType, bytes }`, and `bytes` is its size. Undefined
   * if the body cannot be read, or is a form that another server handles.
   */
  readonly body: unknown
  /**
   * The status of the response. Undefined if the response is not complete yet, or the client disconnected before it
   * started.
   */
  readonly status: number | undefined
}

/** The record of a request that is in progress. */
export interface OpenEntry {
  /** Adds the parsed body. */
  readonly addFields: (body: Pick<ServiceRequest, 'fields' | 'files'>) => void
  /** Adds the body of a forwarded request. Omits the body if it is not JSON. */
  readonly addBytes: (body: Uint8Array, contentType: string | undefined) => void
  readonly end: (status: number | undefined) => void
}

/** The newest requests, oldest first. */
export interface Journal {
  readonly start: (request: Pick<RecordedRequest, 'id' | 'method' | 'path'> & RequestHeaders) => OpenEntry
  readonly list: () => readonly RecordedRequest[]
  readonly clear: () => void
}

interface RequestHeaders {
  readonly headers: IncomingHttpHeaders
}

/** The limits of a journal. */
export interface JournalOptions {
  /** The number of requests to keep. */
  readonly most: number
  /** The maximum number of characters in all stored bodies together, as JSON. Default: 4 million. */
  readonly mostText?: number
  /** Values that are never stored. */
  readonly secrets: readonly string[]
}

/** Creates an empty journal. Above a limit, it drops the oldest requests. */
export function createJournal({ most, mostText = 4_000_000, secrets }: JournalOptions): Journal {
  const redact = createRedactor(secrets)
  let entries: { record: RecordedRequest; size: number }[] = []
  let total = 0
  const trim = (): void => {
    while (entries.length > most || total > mostText) total -= entries.shift()?.size ?? 0
  }
  return {
    start({ id, method, path, headers }) {
      const shown = String(redact.value(path.replace(/^\/files\/.*/s, '/files/*')))
      const record = {
        id,
        method,
        path: shown,
        headers: redact.headers(headers),
        body: undefined,
        status: undefined,
      }
      const entry: (typeof entries)[number] = { record, size: 0 }
      entries.push(entry)
      trim()
      const add = (given: unknown): void => {
        // A request that has been dropped does not count.
        if (given === undefined || !entries.includes(entry)) return
        const body = redact.value(given)
        const size = JSON.stringify(body).length
        const kept = size > mostText ? `<${size} characters>` : body
        entry.record = { ...entry.record, body: kept }
        entry.size = kept === body ? size : 0
        total += entry.size
        trim()
      }
      return {
        addFields: (body) => add(withFiles(body)),
        addBytes: (bytes, contentType) => add(most > 0 ? parseJson(bytes, contentType) : undefined),
        end: (status) => {
          entry.record = { ...entry.record, status }
        },
      }
    },
    list: () => entries.map(({ record }) => record),
    clear: () => {
      entries = []
      total = 0
    },
  }
}

function withFiles({ fields, files }: Pick<ServiceRequest, 'fields' | 'files'>): object {
  const described = Object.entries(files).map(([field, { name, mediaType, bytes }]) => {
    return [field, { name, mediaType, bytes: bytes.length }] as const
  })
  return { ...fields, ...Object.fromEntries(described) }
}

function parseJson(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (!/json/i.test(contentType ?? '')) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // The other server rejects this body if it is invalid.
    return undefined
  }
}
