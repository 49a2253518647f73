import type { Artifact } from '@capstan/core'
import type { Recording } from './pieces.js'

/** A recording in a file, of which hardly anything is in memory at one time. Undefined where there is no file system. */
export function fileRecording(artifact: Artifact, path: string): Recording | undefined {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs?.openAsBlob) return undefined
  return { artifact, open: () => openFile(path), file: () => fs.openAsBlob(path) }
}

/** The bytes of a file, read into what the reader brings, where it brings something. */
async function openFile(path: string): Promise<ReadableStream<Uint8Array>> {
  const file = await process.getBuiltinModule('node:fs/promises').open(path)
  return new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: 64 * 1024,
    async pull(controller) {
      const request = controller.byobRequest
      if (!request?.view) return
      const into = request.view as Uint8Array
      const { bytesRead } = await file.read(into, 0, into.byteLength)
      if (bytesRead === 0) {
        await file.close()
        controller.close()
      }
      request.respond(bytesRead)
    },
    cancel: () => file.close(),
  })
}
