import { fileSystem } from './file-system.js'

/**
 * The bytes of a file, read into what the reader brings, where it brings something.
 * @throws CapstanError `unsupported` where there is no file system
 */
export function fileStream(path: string): ReadableStream<Uint8Array> {
  const { fs } = fileSystem()
  let opened: ReturnType<typeof fs.promises.open> | undefined
  const close = async () => (await opened)?.close()
  return new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: 64 * 1024,
    async pull(controller) {
      const request = controller.byobRequest
      if (!request?.view) return
      const into = request.view as Uint8Array
      try {
        opened ??= fs.promises.open(path)
        const { bytesRead } = await (await opened).read(into, 0, into.byteLength)
        if (bytesRead === 0) {
          await close()
          controller.close()
        }
        request.respond(bytesRead)
      } catch (error) {
        await close().catch(() => {})
        throw error
      }
    },
    cancel: close,
  })
}
