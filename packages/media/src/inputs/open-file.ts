import { CapstanError } from '@capstan/core'
import { fileSystem } from './file-system.js'
import { type Held, holdFile } from './held.js'

/**
 * A file of the developer's, not read as a whole: a recording may be longer than memory.
 * @throws CapstanError `not_found` for no such file, `unsupported` where there is no file system
 */
export async function openFile(path: string): Promise<Held> {
  const { fs } = fileSystem()
  try {
    const file = await fs.promises.open(path)
    try {
      // What can be opened may still not be read, as a folder.
      await file.read(new Uint8Array(1), 0, 1, 0)
    } finally {
      await file.close()
    }
    return await holdFile(path)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CapstanError('not_found', `Cannot read "${path}": ${why}`, { evidence: { path }, cause: error })
  }
}
