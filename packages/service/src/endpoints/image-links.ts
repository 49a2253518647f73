import { randomBytes } from 'node:crypto'
import type { PictureKind } from '@capstan/painter'

/** Limits for stored image links. */
export interface ImageLinksOptions {
  /** How long a link is valid, in milliseconds. Default: one hour. */
  readonly ttlMs?: number
  /** The maximum size of all images, in bytes. Above it, the oldest links expire early. Default: 256 MB. */
  readonly maxBytes?: number
  /** Returns the current time in milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/** Stores images in memory, at URLs that cannot be guessed. */
export interface ImageLinks {
  /** Stores an image, and returns its path: `/files/<token>.png`, `.jpeg` or `.webp`. */
  put(bytes: Uint8Array, kind: PictureKind): string
  /** Returns the image at a path. Undefined if the link has expired or is unknown. */
  get(path: string): Uint8Array | undefined
  /** Releases all images. */
  close(): void
}

/** Returns the media type for a path that `put` has returned. */
export function mediaTypeOf(path: string): `image/${PictureKind}` {
  if (path.endsWith('.jpeg')) return 'image/jpeg'
  return path.endsWith('.webp') ? 'image/webp' : 'image/png'
}

/** Creates an empty store of image links. Expired links are removed when the store is used, without timers. */
export function startImageLinks(options: ImageLinksOptions = {}): ImageLinks {
  const { ttlMs = 3_600_000, maxBytes = 256 * 1024 * 1024, now = Date.now } = options
  // A Map keeps insertion order, and all links are valid for the same time, so the first one is the oldest.
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
