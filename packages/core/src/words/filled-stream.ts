/** What a stream gets its bytes from. */
export interface Filler {
  /** Fills from the start of what it is given, and says how many bytes that was: 0 at the end only. */
  read(into: Uint8Array): Promise<number>
  /** Called when all was read, when reading failed and when nobody reads on; maybe more than once. */
  close(): Promise<void>
}

/** Bytes as a stream, read into what the reader brings, where it brings something. */
export function filledStream({ read, close }: Filler): ReadableStream<Uint8Array> {
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
