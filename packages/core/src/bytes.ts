const encoder = new TextEncoder()

/**
 * Encodes a string as UTF-8. Uses Node's Buffer if it exists, because it is faster: it takes small buffers from a pool.
 */
export function toUtf8(text: string): Uint8Array {
  return globalThis.Buffer?.from(text) ?? encoder.encode(text)
}

/** Decodes UTF-8 that is split into parts. Each part must end at a character boundary. */
export function fromUtf8(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return parts.map((part) => decoder.decode(part)).join('')
}

/** Whether the first 4096 bytes look like UTF-8 text. */
export function isText(bytes: Uint8Array): boolean {
  return !binary.test(fromUtf8([bytes.subarray(0, 4096)]))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: text has none of these. Its last character may be cut off.
const binary = /[\0-\x08]|\ufffd(?!$)/

/** Encodes bytes as base64. Works in chunks, because engines limit the number of arguments in a call. */
export function toBase64(bytes: Uint8Array): string {
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes)
    chunks.push(String.fromCharCode(...bytes.subarray(at, at + chunkBytes)))
  return btoa(chunks.join(''))
}

const chunkBytes = 0x8000

/** Decodes base64 or base64url, with or without padding. */
export function fromBase64(text: string): Uint8Array {
  return (
    globalThis.Buffer?.from(text, 'base64') ??
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0))
  )
}

/** Returns uninitialized bytes. Node takes small arrays from a pool, which is faster than allocating each one. */
export function freeBytes(length: number): Uint8Array<ArrayBuffer> {
  return globalThis.Buffer?.allocUnsafe(length) ?? new Uint8Array(length)
}

export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(lengthOf(parts))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

/** The source of a byte stream. */
export interface PullSource {
  /** Writes to the start of the buffer and returns the number of bytes. 0 means the end of the stream. */
  read(into: Uint8Array): Promise<number>
  /** Called at the end, after a failed read, and when the stream is cancelled. May be called more than once. */
  close(): Promise<void>
}

/** Returns a byte stream over a source. If the reader supplies a buffer, the source reads directly into that buffer. */
export function pullStream({ read, close }: PullSource): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: 64 * 1024,
    async pull(controller) {
      const request = controller.byobRequest
      if (!request?.view) return
      try {
        const length = await read(request.view as Uint8Array)
        if (length === 0) {
          await close()
          controller.close()
        }
        request.respond(length)
      } catch (error) {
        await close().catch(() => {})
        throw error
      }
    },
    cancel: close,
  })
}
