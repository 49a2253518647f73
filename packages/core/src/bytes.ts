const encoder = new TextEncoder()

/** The bytes of a text. Node's own way shares memory among small ones. */
export function toUtf8(text: string): Uint8Array {
  return globalThis.Buffer?.from(text) ?? encoder.encode(text)
}

/** The text of bytes that are in parts, cut between characters. */
export function fromUtf8(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return parts.map((part) => decoder.decode(part)).join('')
}

/** Bytes as base64, in pieces that any engine takes as arguments. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + pieceBytes)))
  return btoa(pieces.join(''))
}

const pieceBytes = 0x8000

/** All parts as one, in order. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0
  for (const { byteLength } of parts) length += byteLength
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

/** What a stream gets its bytes from. */
export interface PullSource {
  /** Fills from the start of what it is given, and says how many bytes that was: 0 at the end only. */
  read(into: Uint8Array): Promise<number>
  /** Called when all was read, when reading failed and when nobody reads on; maybe more than once. */
  close(): Promise<void>
}

/** Bytes as a stream, read into what the reader brings, where it brings something. */
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
