import { CapstanError, messageOf } from '../words/error.js'

/** Reads a file, where there is a file system. @throws CapstanError `unsupported` elsewhere, `not_found` for no such file */
export async function readFile(path: string): Promise<Uint8Array> {
  try {
    return await fileSystem().readFile(path)
  } catch (error) {
    throw fileError('read', path, error)
  }
}

/** Writes a file. @throws CapstanError `unsupported` where there is no file system */
export async function writeFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await fileSystem().writeFile(path, bytes)
  } catch (error) {
    throw fileError('write', path, error)
  }
}

/** Asked for by name, so that bundles for places without files need no `node:` import. */
function fileSystem(): typeof import('node:fs/promises') {
  const found = globalThis.process?.getBuiltinModule?.('node:fs/promises')
  if (!found)
    throw new CapstanError(
      'unsupported',
      'There is no file system here. Give bytes or a Blob instead of a path.',
    )
  return found
}

function fileError(what: string, path: string, error: unknown): CapstanError {
  if (error instanceof CapstanError) return error
  return new CapstanError('not_found', `Cannot ${what} "${path}": ${messageOf(error)}`, {
    evidence: { path },
    cause: error,
  })
}
