import { filledStream } from '@capstan/core/wire'
import { fileSystem } from './file-system.js'

/**
 * The bytes of a file, read into what the reader brings, where it brings something.
 * @throws CapstanError `unsupported` where there is no file system
 */
export function fileStream(path: string): ReadableStream<Uint8Array> {
  const { fs } = fileSystem()
  let opened: ReturnType<typeof fs.promises.open> | undefined
  return filledStream({
    async read(into) {
      opened ??= fs.promises.open(path)
      const { bytesRead } = await (await opened).read(into, 0, into.byteLength)
      return bytesRead
    },
    close: async () => (await opened)?.close(),
  })
}
