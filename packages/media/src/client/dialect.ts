import { type CapstanError, isCapstanError } from '@capstan/core'

/** What a server can do where servers differ. */
export interface MediaDialect {
  /** The field by which a request for speech names the container: that of the interface, or that of OpenAI. */
  readonly speechFormat: 'format' | 'response_format'
  /** What requests for images ask for as `response_format`; `null` sends none and takes what comes. */
  readonly imageDelivery: 'b64_json' | 'url' | null
  /** How an edit and its files go up: as a form, or as JSON with the files as `data:` addresses. */
  readonly edits: 'multipart' | 'json'
  /** Whether there is an endpoint for variations. */
  readonly variations: boolean
  /** How a mask marks what to change: by transparent pixels, or by white ones. */
  readonly mask: 'alpha' | 'white'
  /** What is taken as an image to edit or vary. */
  readonly takes: ImageLimits
}

/** Limits of a server; what is not named has none. */
export interface ImageLimits {
  /** Media types. */
  readonly types?: readonly string[]
  readonly bytes?: number
  /** Longer side in pixels. */
  readonly side?: number
}

// #region presets
const service: MediaDialect = {
  speechFormat: 'format',
  imageDelivery: null,
  edits: 'multipart',
  variations: true,
  mask: 'alpha',
  takes: {},
}

const rasters = ['image/png', 'image/jpeg', 'image/webp']

/**
 * Servers by name: `interface` is the documented service, `openai` api.openai.com, `local` most servers for one's own
 * machine, which know OpenAI's fields and have no variations.
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

/** A server by name, or as it differs from `interface`. */
export type DialectOption = keyof typeof dialects | Partial<MediaDialect>

export function toDialect(given: DialectOption = 'interface'): MediaDialect {
  return typeof given === 'string' ? dialects[given] : { ...dialects.interface, ...given }
}

/** Whether an error may say something of the server, and not of its state or of the key. */
function isRefusal({ status = 0 }: CapstanError): boolean {
  return [400, 404, 405, 415, 422, 501].includes(status)
}

/**
 * What a refusal says of a server: the field it does not know, the form it does not take, the endpoint it lacks.
 * Undefined when it says nothing of the kind.
 */
function learnDialect(error: CapstanError, dialect: MediaDialect): Partial<MediaDialect> | undefined {
  if (!isRefusal(error)) return undefined
  const { status, code, message, evidence } = error
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
      return isUnknown(dialect.speechFormat, message) ? { speechFormat: other } : undefined
    }
    default:
      return undefined
  }
}

function withoutDelivery(
  message: string,
  { imageDelivery }: MediaDialect,
): Partial<MediaDialect> | undefined {
  return imageDelivery !== null && isUnknown('response_format', message) ? { imageDelivery: null } : undefined
}

/** Whether a refusal is about a field, and not about its value. */
function isUnknown(field: string, message: string): boolean {
  const isNamed = new RegExp(`(^|[^a-z_])${field}([^a-z_]|$)`, 'i').test(message)
  return (
    isNamed &&
    /unknown|unrecogni[sz]ed|unexpected|not permitted|extra|unsupported param|not allowed/i.test(message)
  )
}

/** What was learned of a server that a client speaks to. */
interface Learned {
  facts: Partial<MediaDialect>
}

/** By client, so that all its tools know what one of them was told. */
const known = new WeakMap<object, Learned>()

export function learnedOf(client: object): Learned {
  const learned = known.get(client) ?? { facts: {} }
  known.set(client, learned)
  return learned
}

/**
 * Sends in a dialect; where a refusal says that the server has another one, sends again in that. What worked is
 * remembered. When nothing did, the first refusal is the one to tell: the guesses were wrong.
 */
export async function withLearning<T>(
  learned: Learned,
  dialect: MediaDialect,
  send: (dialect: MediaDialect, again: string) => Promise<T>,
): Promise<T> {
  let facts: Partial<MediaDialect> = {}
  let first: unknown
  for (let times = 0; ; times++) {
    try {
      // Another body under the same key would be taken for a mistake, or answered with the first refusal.
      const reply = await send({ ...dialect, ...facts }, times === 0 ? '' : `/again${times}`)
      learned.facts = { ...learned.facts, ...facts }
      return reply
    } catch (error) {
      first ??= error
      if (!isCapstanError(error) || !isRefusal(error)) throw error
      const more = learnDialect(error, { ...dialect, ...facts })
      // Without the endpoint there is nothing to send again.
      if (more?.variations === false) learned.facts = { ...learned.facts, variations: false }
      if (!more || more.variations === false || times === mostTimes) throw first
      facts = { ...facts, ...more }
    }
  }
}

/** A request for an image can differ in two ways at once. */
const mostTimes = 2
