import { CapstanError } from '@capstan/core'

/** Asked for by name, so that bundles for places without files need no `node:` import. @throws CapstanError `unsupported` */
export function fileSystem(): typeof import('node:fs') {
  const found = globalThis.process?.getBuiltinModule?.('node:fs')
  if (found) return found
  throw new CapstanError('unsupported', 'There is no file system here: recordings need one.')
}

/** The folder that a file is in. */
export function folderOf(path: string): string {
  return globalThis.process.getBuiltinModule('node:path').dirname(path)
}
