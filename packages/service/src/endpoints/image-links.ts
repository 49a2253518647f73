import { randomBytes } from 'node:crypto'
import type { PictureKind } from '@capstan/painter'

/** Limits for stored image links. */
export interface ImageLinksOptions {
  /** Milliseconds until a link expires. Default: one hour. */
  readonly ttlMs?: number
  /** Maximum bytes to keep. Above the limit, the oldest links expire early. Default: 256 MB. */
  readonly maxBytes?: number
  /** The clock, in milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/** Images in memory, at URLs that cannot be guessed. */
export interface ImageLinks {
  /** Stores an image and returns the path that serves it: `/files/<token>.png`, `.jpeg` or `.webp`. */
  put(bytes: Uint8Array, kind: PictureKind): string
  /** Returns the image at a path, or undefined for an expired or unknown link. */
  get(path: string): Uint8Array | undefined
  /** Releases all images. */
  close(): void
}

/** Returns the media type for a path that `put` returned. */
export function mediaTypeOf(path: string): `image/${PictureKind}` {
  if (path.endsWith('.jpeg')) return 'image/jpeg'
  return path.endsWith('.webp') ? 'image/webp' : 'image/png'
}

/** Creates an empty store of image links. Expired links are removed on use, without timers. */
export function startImageLinks(options: ImageLinksOptions = {}): ImageLinks {
  const { ttlMs = 3_600_000, maxBytes = 256 * 1024 * 1024, now = Date.now } = options
  // A map keeps the order of insertion and all links live equally long, so the first is the oldest.
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
