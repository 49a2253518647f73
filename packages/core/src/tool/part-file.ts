import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Digested } from './describe-artifact.js'
import { eachPart } from './read-bytes.js'

/** Bytes in a file that is not yet an artifact's. */
export interface PartFile extends Digested, AsyncDisposable {
  readonly path: string
}

/** Writes a stream to a file as it comes, so that it is never in memory as a whole; the file goes with its scope. */
export async function writePart(folder: string, data: ReadableStream<Uint8Array>): Promise<PartFile> {
  const path = join(folder, `${crypto.randomUUID()}.part`)
  const remove = () => rm(path, { force: true })
  const hash = createHash('sha256')
  let size = 0
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of eachPart(data)) {
        hash.update(chunk)
        size += chunk.byteLength
        await file.writeFile(chunk)
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    await remove()
    throw error
  }
  return { path, digest: hash.digest(), size, [Symbol.asyncDispose]: remove }
}
