import { type CapstanError, isCapstanError } from '@capstan/core'

/** The properties in which servers differ. */
export interface MediaDialect {
  /**
   * The request field for the audio container. It is `format` for the documented service, and `response_format` for
   * OpenAI.
   */
  readonly speechFormat: 'format' | 'response_format'
  /** The value of `response_format` in image requests. `null` omits the field, and the server chooses. */
  readonly imageDelivery: 'b64_json' | 'url' | null
  /** Whether to stream requests for partial images. If false, they are sent without streaming. */
  readonly imageStream: boolean
  /** How to send edits: as a multipart form, or as JSON with the files in `data:` URLs. */
  readonly edits: 'multipart' | 'json'
  /** Whether the server has an endpoint for variations. */
  readonly variations: boolean
  /** How a mask marks the region to change: with transparent or with white pixels. */
  readonly mask: 'alpha' | 'white'
  /** Limits for images to be edited or varied. */
  readonly takes: ImageLimits
}

/** A server's limits for images. If a field is missing, there is no limit. */
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
 * Known servers. `interface` is the documented service, and `openai` is api.openai.com. `local` fits most local
 * servers, which use OpenAI's fields and have no variations.
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

/** The name of a known server, or an object with the properties that differ from `interface`. */
export type DialectOption = keyof typeof dialects | Partial<MediaDialect>

export function toDialect(given: DialectOption = 'interface'): MediaDialect {
  return typeof given === 'string' ? dialects[given] : { ...dialects.interface, ...given }
}

/** Whether an error may be about the dialect, not about the key or the server's state. */
function mayRevealDialect({ status = 0 }: CapstanError): boolean {
  return [400, 404, 405, 415, 422, 501].includes(status)
}

/**
 * Returns what an error reveals about the dialect: an unknown field, a rejected encoding or a missing endpoint.
 * Undefined if it reveals nothing.
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

/** Whether a streamed image request was rejected because it is streamed. Some servers do not name the field. */
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

/** Whether an error is about the field itself, not about its value. */
function isUnknownField(field: string, message: string): boolean {
  const isNamed = new RegExp(`(^|[^a-z_])${field}([^a-z_]|$)`, 'i').test(message)
  return (
    isNamed &&
    /unknown|unrecogni[sz]ed|unexpected|not permitted|extra|unsupported param|not allowed/i.test(message)
  )
}

/** What responses to a client have revealed about the server's dialect. */
interface LearnedDialect {
  facts: Partial<MediaDialect>
}

/** What has been learned, by client. All tools with the same client share a dialect. */
const learnedByClient = new WeakMap<object, LearnedDialect>()

export function learnedDialectOf(client: object): LearnedDialect {
  const learned = learnedByClient.get(client) ?? { facts: {} }
  learnedByClient.set(client, learned)
  return learned
}

/**
 * Sends a request in the known dialect. If the error reveals another dialect, sends it again in that dialect. Remembers
 * a dialect that worked. If all attempts fail, throws the first error.
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
      // A new key is needed: for the same key with another body, the server could reject the request or repeat the
      // first error.
      const reply = await send({ ...dialect, ...facts }, times === 0 ? '' : `/again${times}`)
      learned.facts = { ...learned.facts, ...facts }
      return reply
    } catch (error) {
      first ??= error
      if (!isCapstanError(error) || !mayRevealDialect(error)) throw error
      const more = detectDialect(error, { ...dialect, ...facts })
      // A retry cannot help if the endpoint does not exist.
      if (more?.variations === false) learned.facts = { ...learned.facts, variations: false }
      if (!more || more.variations === false || times === maxRetries) throw first
      facts = { ...facts, ...more }
    }
  }
}

/** The maximum number of retries. An image request can be wrong in three ways at the same time. */
const maxRetries = 3
