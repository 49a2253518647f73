import type { Artifact } from '@capstan/core'
import { fileStream } from '../inputs/file-stream.js'
import type { Recording } from './pieces.js'

/** A recording in a file, of which hardly anything is in memory at one time. Undefined where there is no file system. */
export function fileRecording(artifact: Artifact, path: string): Recording | undefined {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs?.openAsBlob) return undefined
  return { artifact, open: async () => fileStream(path), file: () => fs.openAsBlob(path) }
}
