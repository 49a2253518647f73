import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifact, ArtifactStore } from '../words/artifact.js'
import { filledStream } from '../words/filled-stream.js'
import { inTurn } from '../words/in-turn.js'
import {
  absent,
  claimEntry,
  entryFile,
  findEntry,
  listEntries,
  readEntry,
  writeWhole,
} from './artifact-entries.js'
import { artifactFile } from './artifact-file.js'
import { describeArtifact, describeDigest, keepDescribed, takenIn } from './describe-artifact.js'
import { noArtifact } from './memory-artifacts.js'
import { writePart } from './part-file.js'

/** Artifacts as files. */
export interface FolderArtifacts extends ArtifactStore {
  /** Where the file of an artifact is. */
  pathOf(artifact: Artifact): string
}

/**
 * A store in a folder, made when it is missing: each artifact is a file with its usual extension, beside a
 * JSON file that describes it. An artifact whose file was deleted or cut is not there, until it is put again.
 * Writes are atomic; ids are checked, so that none names a path outside. Files have mode 0600, a new folder 0700.
 */
export function folderArtifacts(folder: string): FolderArtifacts {
  const pathOf = (artifact: Artifact) => join(folder, artifactFile(artifact))
  const stat = async (id: string) => (await findEntry(folder, id))?.artifact
  // Also those whose file is not there yet: another process may be writing it.
  const isTaken = takenIn(async (id) => (await readEntry(folder, id))?.artifact)
  const turn = inTurn()
  const keep = <One extends Artifact>(artifact: One, write: (path: string) => Promise<void>) =>
    turn(artifact.id, async () => {
      const at = performance.timeOrigin + performance.now()
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const { artifact: there } = await claimEntry(folder, { artifact, at })
      if (there.sha256 !== artifact.sha256) return undefined
      if (!(await findEntry(folder, artifact.id))) await write(pathOf(there))
      return there as One
    })
  return {
    pathOf,
    async put(data, info) {
      if (data instanceof Uint8Array)
        return keepDescribed(
          () => describeArtifact(data, info, isTaken),
          (artifact) => keep(artifact, (path) => writeWhole(path, data)),
        )
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await using part = await writePart(folder, data)
      return await keepDescribed(
        () => describeDigest(part, info, isTaken),
        (artifact) => keep(artifact, (path) => rename(part.path, path)),
      )
    },
    async open(id) {
      const entry = await findEntry(folder, id)
      const stream = entry && (await openFile(pathOf(entry.artifact)))
      if (!stream) throw noArtifact(id)
      return stream
    },
    stat,
    list: async () => (await listEntries(folder)).map(({ artifact }) => artifact),
    async delete(id) {
      const entry = await readEntry(folder, id)
      if (!entry) return
      await turn(id, async () => {
        // While it has an entry, no other content takes its id, and with it the name of its file.
        await rm(pathOf(entry.artifact), { force: true })
        await rm(join(folder, entryFile(id)), { force: true })
      })
    },
  }
}

/** Opened before it is handed over, so that a file gone since it was looked for is told as not there. */
async function openFile(path: string): Promise<ReadableStream<Uint8Array> | undefined> {
  const file = await open(path).catch(absent)
  if (!file) return undefined
  return filledStream({
    read: async (into) => (await file.read(into, 0, into.byteLength)).bytesRead,
    close: () => file.close(),
  })
}
