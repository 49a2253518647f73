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
