import { CapstanError } from '@capstan/core'
import { headBytes } from './content-type.js'
import { fileSystem } from './file-system.js'

/** A file of the developer's, not yet read as a whole: a recording may be longer than memory. */
export interface OpenFile {
  readonly head: Uint8Array
  readonly size: number
  stream(): ReadableStream<Uint8Array>
}

/** @throws CapstanError `not_found` for no such file, `unsupported` where there is no file system */
export async function openFile(path: string): Promise<OpenFile> {
  const { fs, stream } = fileSystem()
  try {
    const file = await fs.promises.open(path)
    try {
      const { size } = await file.stat()
      const { buffer, bytesRead } = await file.read(new Uint8Array(headBytes), 0, headBytes, 0)
      const rest = () => stream.Readable.toWeb(fs.createReadStream(path)) as ReadableStream<Uint8Array>
      return { head: buffer.subarray(0, bytesRead), size, stream: rest }
    } finally {
      await file.close()
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CapstanError('not_found', `Cannot read "${path}": ${why}`, { evidence: { path }, cause: error })
  }
}
