import { CapstanError } from '@capstan/core'

/**
 * Node's file system, asked for by name, so that bundles for places without files need no `node:` import.
 * @throws CapstanError `unsupported` where there is none
 */
export function fileSystem() {
  const builtin = globalThis.process?.getBuiltinModule
  const fs = builtin?.('node:fs')
  if (!builtin || !fs) {
    const message = 'There is no file system here. Give bytes, a Blob or an artifact id instead of a path.'
    throw new CapstanError('unsupported', message)
  }
  return { fs, path: builtin('node:path'), url: builtin('node:url'), stream: builtin('node:stream') }
}
