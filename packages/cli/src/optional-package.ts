import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Tries several ways to load an optional package, in order. @throws Error with `advice` if the package is not installed
 */
export async function loadOptional<Loaded>(
  name: string,
  ways: readonly (() => Promise<Loaded>)[],
  advice: string,
): Promise<Loaded> {
  for (const way of ways) {
    const found = await way().catch((error) => ignoreMissing(error, name))
    if (found) return found
  }
  throw new Error(advice)
}

/** Imports the copy of a package that a file in `folder` would import. */
export async function importPackage<Loaded>(name: string, folder: string): Promise<Loaded> {
  const path = createRequire(join(folder, 'any.js')).resolve(name)
  return import(pathToFileURL(path).href)
}

/** Returns undefined if the error means that the package is not installed. Rethrows all other errors. */
function ignoreMissing(error: unknown, name: string): undefined {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown }
  const isAbsent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  if (!isAbsent || !String(message).includes(name)) throw error
}
