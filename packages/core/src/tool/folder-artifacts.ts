import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Artifact, type ArtifactStore, isArtifact, isArtifactId } from '../words/artifact.js'
import { describeArtifact } from './describe-artifact.js'
import { noArtifact } from './memory-artifacts.js'
import { readBytes } from './read-bytes.js'

interface Entry {
  readonly artifact: Artifact
  /** When it was put, in milliseconds: the order of the list. */
  readonly at: number
}

/** Artifacts as files. */
export interface FolderArtifacts extends ArtifactStore {
  /** Where the file of an artifact is. */
  pathOf(artifact: Artifact): string
}

/**
 * A store in a folder, made when it is missing: each artifact is a file with its usual extension, beside a
 * JSON file that describes it. Writes are atomic; ids are checked, so that none names a path outside.
 */
export function folderArtifacts(folder: string): FolderArtifacts {
  const describe = async (id: string): Promise<Entry | undefined> => {
    if (!isArtifactId(id)) return undefined
    const text = await readFile(join(folder, id + suffix), 'utf8').catch(absent)
    return text === undefined ? undefined : toEntry(text, id)
  }
  const list = async (): Promise<Entry[]> => {
    const names = (await readdir(folder).catch(absent)) ?? []
    const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
    const entries = (await Promise.all(ids.map(describe))).filter((entry) => entry !== undefined)
    return entries.sort((a, b) => a.at - b.at)
  }
  const pathOf = (artifact: Artifact) => join(folder, fileOf(artifact))
  return {
    pathOf,
    async put(data, info) {
      const bytes = await readBytes(data)
      const artifact = await describeArtifact(bytes, info, async (id, sha256) => {
        const there = await describe(id)
        return there !== undefined && there.artifact.sha256 !== sha256
      })
      const there = await describe(artifact.id)
      if (there) return there.artifact as typeof artifact
      const at = performance.timeOrigin + performance.now()
      await mkdir(folder, { recursive: true })
      await writeWhole(pathOf(artifact), bytes)
      await writeWhole(join(folder, artifact.id + suffix), JSON.stringify({ artifact, at }))
      return artifact
    },
    async open(id) {
      const entry = await describe(id)
      if (!entry) throw noArtifact(id)
      return Readable.toWeb(createReadStream(pathOf(entry.artifact))) as ReadableStream<Uint8Array>
    },
    stat: async (id) => (await describe(id))?.artifact,
    list: async () => (await list()).map(({ artifact }) => artifact),
    async delete(id) {
      const entry = await describe(id)
      if (!entry) return
      await rm(join(folder, id + suffix), { force: true })
      await rm(pathOf(entry.artifact), { force: true })
    },
  }
}

/** Of the describing files: no artifact's own file ends so, not even one of JSON. */
const suffix = '.artifact.json'

/** An entry describes the id it is named for, and nothing else; a spoilt description describes nothing. */
function toEntry(text: string, id: string): Entry | undefined {
  try {
    const { artifact, at } = JSON.parse(text) as Entry
    const named: unknown = { ...artifact, id }
    return isArtifact(named) ? { artifact: named, at } : undefined
  } catch {
    return undefined
  }
}

/** A reader sees the old file or the new one, never half of it. */
async function writeWhole(path: string, data: Uint8Array | string): Promise<void> {
  const unfinished = `${path}.${crypto.randomUUID()}.part`
  await writeFile(unfinished, data)
  await rename(unfinished, path)
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}

const extensions: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['text/plain', 'txt'],
  ['application/octet-stream', 'bin'],
])

/** From id and type alone: what the describing file says is not trusted with a path. */
function fileOf({ id, mediaType }: Artifact): string {
  return `${id}.${extensionOf(mediaType)}`
}

function extensionOf(mediaType: string): string {
  const [type = ''] = mediaType.split(';')
  return extensions.get(type.trim()) ?? /^[a-z]+\/(?:x-)?([a-z0-9]+)$/.exec(type.trim())?.[1] ?? 'bin'
}
