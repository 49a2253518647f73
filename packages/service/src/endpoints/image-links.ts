import { randomBytes } from 'node:crypto'
import type { PictureKind } from '@capstan/painter'

/** How long and how much a store of image links holds. */
export interface ImageLinksOptions {
  /** How long a link works, in milliseconds. Default one hour. */
  readonly ttlMs?: number
  /** How many bytes are held at most; beyond that the oldest links end early. Default 256 MB. */
  readonly maxBytes?: number
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number
}

/** Images held in memory behind addresses that nobody can guess. */
export interface ImageLinks {
  /** Holds an image and gives the path it is served at: `/files/<token>.png`, `.jpeg` or `.webp`. */
  put(bytes: Uint8Array, kind: PictureKind): string
  /** The image at a path; nothing when the link has expired or never was. */
  get(path: string): Uint8Array | undefined
  /** Lets go of every image. */
  close(): void
}

/** The media type of what is served at a path of `put`. */
export function mediaTypeOf(path: string): `image/${PictureKind}` {
  if (path.endsWith('.jpeg')) return 'image/jpeg'
  return path.endsWith('.webp') ? 'image/webp' : 'image/png'
}

/** Starts an empty store of image links; it runs no timers. */
export function startImageLinks(options: ImageLinksOptions = {}): ImageLinks {
  const { ttlMs = 3_600_000, maxBytes = 256 * 1024 * 1024, now = Date.now } = options
  // A map keeps the order of insertion, and all live equally long, so the first is always the oldest.
  const held = new Map<string, { bytes: Uint8Array; until: number }>()
  let total = 0

  const drop = (path: string): void => {
    total -= held.get(path)?.bytes.length ?? 0
    held.delete(path)
  }
  const tidy = (): void => {
    for (const [path, { until }] of held) {
      if (until > now() && total <= maxBytes) break
      drop(path)
    }
  }
  return {
    put(bytes, kind) {
      const path = `/files/${randomBytes(24).toString('base64url')}.${kind}`
      held.set(path, { bytes, until: now() + ttlMs })
      total += bytes.length
      tidy()
      return path
    },
    get(path) {
      tidy()
      return held.get(path)?.bytes
    },
    close() {
      held.clear()
      total = 0
    },
  }
}
