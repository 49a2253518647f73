// Files of this machine, where the runtime has a file system.

import { CapstanError, messageOf } from '../errors.js'

/** @throws CapstanError `unsupported` without a file system, `not_found` for a missing file */
export async function readFile(path: string): Promise<Uint8Array> {
  try {
    return await fileSystem().readFile(path)
  } catch (error) {
    throw fileError('read', path, error)
  }
}

/** @throws CapstanError `unsupported` without a file system, `not_found` for a missing folder */
export async function writeFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await fileSystem().writeFile(path, bytes)
  } catch (error) {
    throw fileError('write', path, error)
  }
}

/** Loads the module by name, so that bundles for other runtimes need no `node:` import. */
function fileSystem(): typeof import('node:fs/promises') {
  const found = globalThis.process?.getBuiltinModule?.('node:fs/promises')
  if (!found)
    throw new CapstanError(
      'unsupported',
      'This runtime has no file system. Pass bytes or a Blob instead of a path.',
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
