import { type CapstanError, isCapstanError } from '@capstan/core'

/** The properties in which servers differ. */
export interface MediaDialect {
  /** The request field for the audio container: `format` for the documented service, `response_format` for OpenAI. */
  readonly speechFormat: 'format' | 'response_format'
  /** Value of `response_format` in image requests. With `null` the field is omitted, and the server chooses. */
  readonly imageDelivery: 'b64_json' | 'url' | null
  /** Whether requests for partial images are streamed. If false, they are sent without streaming. */
  readonly imageStream: boolean
  /** How edits and their files are sent: as a multipart form, or as JSON with `data:` URLs. */
  readonly edits: 'multipart' | 'json'
  /** Whether the server has an endpoint for variations. */
  readonly variations: boolean
  /** How a mask marks the region to change: with transparent pixels or with white ones. */
  readonly mask: 'alpha' | 'white'
  /** Limits on the images that can be edited or varied. */
  readonly takes: ImageLimits
}

/** A server's limits on images. A missing field means no limit. */
export interface ImageLimits {
  /** Accepted media types. */
  readonly types?: readonly string[]
  readonly bytes?: number
  /** Maximum length of the longer side, in pixels. */
  readonly side?: number
}

// #region presets
const service: MediaDialect = {
  speechFormat: 'format',
  imageDelivery: null,
  imageStream: true,
  edits: 'multipart',
  variations: true,
  mask: 'alpha',
  takes: {},
}

const rasters = ['image/png', 'image/jpeg', 'image/webp']

/**
 * Known servers: `interface` is the documented service, `openai` is api.openai.com, `local` fits most local servers,
 * which use OpenAI's fields and have no variations.
 */
export const dialects = {
  interface: service,
  openai: { ...service, speechFormat: 'response_format', takes: { types: rasters, bytes: 50_000_000 } },
  local: {
    ...service,
    speechFormat: 'response_format',
    imageDelivery: 'b64_json',
    variations: false,
    takes: { types: rasters },
  },
} as const satisfies Record<string, MediaDialect>

// #endregion

/** A known server, or the differences from `interface`. */
export type DialectOption = keyof typeof dialects | Partial<MediaDialect>

export function toDialect(given: DialectOption = 'interface'): MediaDialect {
  return typeof given === 'string' ? dialects[given] : { ...dialects.interface, ...given }
}

/** Whether an error may be about the dialect, not about the key or the server's state. */
function mayRevealDialect({ status = 0 }: CapstanError): boolean {
  return [400, 404, 405, 415, 422, 501].includes(status)
}

/**
 * Returns what an error reveals about the dialect: an unknown field, a rejected encoding, a missing endpoint.
 * Returns undefined if it reveals nothing.
 */
function detectDialect(error: CapstanError, dialect: MediaDialect): Partial<MediaDialect> | undefined {
  if (!mayRevealDialect(error)) return undefined
  const { status, code, message, evidence } = error
  if (refusesStream(error, dialect)) return { imageStream: false }
  switch (evidence?.endpoint) {
    case '/images/variations':
      return code === 'unsupported' ? { variations: false } : withoutDelivery(message, dialect)
    case '/images/edits': {
      const wantsJson = status === 415 || /json|multipart/i.test(message)
      return dialect.edits === 'multipart' && wantsJson
        ? { edits: 'json' }
        : withoutDelivery(message, dialect)
    }
    case '/images/generations':
      return withoutDelivery(message, dialect)
    case '/audio/speech': {
      const other = dialect.speechFormat === 'format' ? 'response_format' : 'format'
      return isUnknownField(dialect.speechFormat, message) ? { speechFormat: other } : undefined
    }
    default:
      return undefined
  }
}

/** Whether a streaming image request was rejected because it streams. Some servers do not name the field. */
function refusesStream(error: CapstanError, dialect: MediaDialect): boolean {
  const { status, message, evidence } = error
  if (!dialect.imageStream || !String(evidence?.endpoint).startsWith('/images/')) return false
  if (withoutDelivery(message, dialect)) return false
  return status === 501 || /stream|partial|unknown|unrecogni|unexpected|not permitted|extra/i.test(message)
}

function withoutDelivery(
  message: string,
  { imageDelivery }: MediaDialect,
): Partial<MediaDialect> | undefined {
  return imageDelivery !== null && isUnknownField('response_format', message)
    ? { imageDelivery: null }
    : undefined
}

/** Whether an error is about a field itself, not about its value. */
function isUnknownField(field: string, message: string): boolean {
  const isNamed = new RegExp(`(^|[^a-z_])${field}([^a-z_]|$)`, 'i').test(message)
  return (
    isNamed &&
    /unknown|unrecogni[sz]ed|unexpected|not permitted|extra|unsupported param|not allowed/i.test(message)
  )
}

/** What the responses to one client have revealed about the server's dialect. */
interface LearnedDialect {
  facts: Partial<MediaDialect>
}

/** Keyed by client, so that all tools with the same client share a dialect. */
const learnedByClient = new WeakMap<object, LearnedDialect>()

export function learnedDialectOf(client: object): LearnedDialect {
  const learned = learnedByClient.get(client) ?? { facts: {} }
  learnedByClient.set(client, learned)
  return learned
}

/**
 * Sends a request in the known dialect. If the error reveals a different dialect, retries with it and remembers what
 * worked. If all fail, throws the first error.
 */
export async function retryWithDialect<T>(
  learned: LearnedDialect,
  dialect: MediaDialect,
  send: (dialect: MediaDialect, again: string) => Promise<T>,
): Promise<T> {
  let facts: Partial<MediaDialect> = {}
  let first: unknown
  for (let times = 0; ; times++) {
    try {
      // If the same key came with a different body, the server could reject it or repeat the first error.
      const reply = await send({ ...dialect, ...facts }, times === 0 ? '' : `/again${times}`)
      learned.facts = { ...learned.facts, ...facts }
      return reply
    } catch (error) {
      first ??= error
      if (!isCapstanError(error) || !mayRevealDialect(error)) throw error
      const more = detectDialect(error, { ...dialect, ...facts })
      // Without the endpoint a retry is pointless.
      if (more?.variations === false) learned.facts = { ...learned.facts, variations: false }
      if (!more || more.variations === false || times === maxRetries) throw first
      facts = { ...facts, ...more }
    }
  }
}

/** Maximum retries: an image request can differ in three ways at the same time. */
const maxRetries = 3
