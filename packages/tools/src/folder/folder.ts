import { randomUUID } from 'node:crypto'
import { constants, existsSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { CapstanError } from '@capstan/core'
import { partsOf, rejectedPath, shownPath } from './path.js'

/** A file as it was read, for comparison before a later write. */
export interface FileVersion {
  readonly path: string
  readonly bytes: Uint8Array
  /** Changes with each write. */
  readonly version: string
}

/**
 * A folder that paths cannot leave. Links inside it are followed if their target is inside. Errors contain only paths
 * in the folder, never real paths.
 */
export class Folder {
  /** The folder's real path, without links. */
  readonly root: string
  readonly #isIgnored: (parts: readonly string[]) => boolean

  /** @throws CapstanError `not_found` if there is no such folder */
  constructor(folder: string, of: string, isIgnored: (parts: readonly string[]) => boolean = () => false) {
    this.root = realFolder(folder, of)
    this.#isIgnored = isIgnored
  }

  /** Whether the folder's tools ignore a path, in the system's notation. */
  isIgnored(real: string): boolean {
    return this.#isIgnored(this.#namesTo(real))
  }

  /** Returns the path as tools show it: relative to the folder, with "/". */
  shown(real: string): string {
    return this.#namesTo(real).join('/')
  }

  /** Returns the real path of an existing file or folder. @throws CapstanError `invalid_arguments`, `not_found` */
  async find(path: string): Promise<string> {
    const parts = partsOf(path)
    const asked = join(this.root, ...parts)
    const real = await realpath(asked).catch(() => undefined)
    if (real !== undefined) {
      this.#check(path, real)
      return real
    }
    // Of a missing file nothing is told but that, unless it would be elsewhere.
    await this.#parentOf(path, parts)
    throw missing(path)
  }

  /**
   * Reads an entire file. @throws CapstanError `invalid_arguments`, `not_found`; `conflict` if the file is moved
   * meanwhile
   */
  async read(path: string, limit = maxFileBytes): Promise<FileVersion> {
    const real = await this.find(path)
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    // Does not follow a path that became a link meanwhile, and does not wait for a pipe.
    const file = await open(real, flags).catch((error) => {
      throw failed(path, 'read', error)
    })
    try {
      const stat = await file.stat({ bigint: true })
      if (!stat.isFile()) throw rejectedPath(path, 'it is not a file', 'Use that of a file')
      await this.#checkOpened(path, file, real)
      if (stat.size > limit)
        throw rejectedPath(path, `it is larger than ${limit} bytes`, 'Use a smaller file')
      const bytes = await readAtMost(file, limit)
      if (!bytes) throw rejectedPath(path, `it is larger than ${limit} bytes`, 'Use a smaller file')
      return { path: real, bytes, version: versionOf(stat) }
    } catch (error) {
      throw failed(path, 'read', error)
    } finally {
      await file.close()
    }
  }

  /**
   * Replaces a file, or creates it with its folders. Readers see the old content or the new one. The file's mode stays
   * the same.
   * @throws CapstanError `invalid_arguments`; `conflict` if the file is no longer the `before` that was read
   */
  async write(path: string, bytes: Uint8Array, before?: FileVersion): Promise<{ readonly created: boolean }> {
    const parts = partsOf(path)
    if (parts.length === 0) throw rejectedPath(path, 'it names no file', 'Use that of a file')
    try {
      // A link is followed: the file that it names is written.
      const known = await realpath(join(this.root, ...parts)).catch(() => undefined)
      if (known !== undefined) this.#check(path, known)
      const names = known === undefined ? parts : this.#namesTo(known)
      const name = names.at(-1)
      if (name === undefined) throw rejectedPath(path, 'it is not a file', 'Use that of a file')
      await using parent = await this.#openParent(path, names)
      const there = await lstat(parent.pathTo(name), { bigint: true }).catch(() => undefined)
      if (there && !there.isFile()) throw rejectedPath(path, 'it is not a file', 'Use that of a file')
      if (before && (before.path !== known || !there || versionOf(there) !== before.version))
        throw changed(path)
      await this.#replace(path, parent, { name, bytes, mode: there && Number(there.mode & 0o7777n) })
      return { created: !there }
    } catch (error) {
      throw failed(path, 'written', error)
    }
  }

  /** Writes a file next to the old one, and moves it into place. */
  async #replace(path: string, parent: OpenFolder, { name, bytes, mode }: NewFile): Promise<void> {
    const part = `.${randomUUID()}.part`
    const unfinished = parent.pathTo(part)
    try {
      const file = await open(unfinished, 'wx', mode === undefined ? 0o666 : 0o600)
      try {
        // Without a path through the opened folder it may have become a link: then nothing is written.
        if (!parent.isHeld) await this.#checkOpened(path, file, unfinished)
        await file.writeFile(bytes)
        if (mode !== undefined) await file.chmod(mode)
      } finally {
        await file.close()
      }
      await rename(unfinished, parent.pathTo(name))
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      throw error
    }
  }

  /** Opens the folder of a file to be written, and creates missing parts of it. */
  async #openParent(path: string, parts: readonly string[]): Promise<OpenFolder> {
    const { real, missing } = await this.#parentOf(path, parts)
    let folder = await this.#openFolder(path, real, real)
    for (const name of missing) {
      await using parent = folder
      this.#check(path, join(parent.real, name))
      // Another call may create it at the same time.
      await mkdir(parent.pathTo(name)).catch((error) => {
        if (error.code !== 'EEXIST') throw error
      })
      folder = await this.#openFolder(path, join(parent.real, name), parent.pathTo(name))
    }
    return folder
  }

  async #openFolder(path: string, real: string, through: string): Promise<OpenFolder> {
    const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
    const file = await open(through, flags)
    try {
      await this.#checkOpened(path, file, real)
      return new OpenFolder(file, real)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Returns the real path of the deepest existing folder on the way to a file, with the names of the folders to create. */
  async #parentOf(
    path: string,
    parts: readonly string[],
  ): Promise<{ readonly real: string; readonly missing: readonly string[] }> {
    const names = parts.slice(0, -1)
    this.#check(path, join(this.root, ...parts))
    for (let count = names.length; count >= 0; count--) {
      const real = await realpath(join(this.root, ...names.slice(0, count))).catch(() => undefined)
      if (real === undefined) continue
      this.#check(path, real)
      return { real, missing: names.slice(count) }
    }
    throw missing(path)
  }

  /** @throws CapstanError `invalid_arguments` for a real path that is outside the folder or ignored */
  #check(path: string, real: string): void {
    if (!isInside(this.root, real)) throw rejectedPath(path, 'it leads out of the folder')
    if (this.isIgnored(real)) throw rejectedPath(path, 'the folder leaves it out')
  }

  /** Checks that an opened file is still the file at its path. */
  async #checkOpened(path: string, file: FileHandle, real: string): Promise<void> {
    const [opened, now, there] = await Promise.all([
      file.stat({ bigint: true }),
      realpath(real).catch(() => undefined),
      lstat(real, { bigint: true }).catch(() => undefined),
    ])
    if (now !== real || there?.ino !== opened.ino || there.dev !== opened.dev) throw changed(path)
  }

  #namesTo(real: string): readonly string[] {
    return relative(this.root, real)
      .split(sep)
      .filter((name) => name !== '')
  }
}

interface NewFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly mode: number | undefined
}

/** Whether paths can go through an opened folder, so that moving the folder has no effect. */
const hasHeldFolders = existsSync('/proc/self/fd')

/** An opened folder. A different folder may be at its path later. */
class OpenFolder implements AsyncDisposable {
  readonly isHeld = hasHeldFolders
  readonly #file: FileHandle
  readonly real: string

  constructor(file: FileHandle, real: string) {
    this.#file = file
    this.real = real
  }

  pathTo(name: string): string {
    return join(this.isHeld ? `/proc/self/fd/${this.#file.fd}` : this.real, name)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close()
  }
}

/** Maximum bytes of a file that is read. */
const maxFileBytes = 50 * 1024 * 1024

function realFolder(folder: string, of: string): string {
  try {
    const real = realpathSync.native(resolve(folder))
    if (statSync(real).isDirectory()) return real
  } catch {
    // As one that is not a folder.
  }
  const name = basename(folder)
  const message = `${of}: no folder "${name}". Create it, or give another.`
  throw new CapstanError('not_found', message, { evidence: { folder: name } })
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

async function readAtMost(file: FileHandle, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The file may grow while it is read.
  for (;;) {
    const { bytesRead, buffer } = await file.read(new Uint8Array(1 << 16), 0, 1 << 16)
    if (bytesRead === 0) return Buffer.concat(chunks, size)
    size += bytesRead
    if (size > limit) return undefined
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

function versionOf({
  ino,
  size,
  mtimeNs,
}: {
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
}): string {
  return `${ino} ${size} ${mtimeNs}`
}

function missing(path: string): CapstanError {
  return new CapstanError('not_found', `No file or folder ${shownPath(path)}. Use a path that is listed.`)
}

function changed(path: string): CapstanError {
  const message = `${shownPath(path)} was changed or moved meanwhile. Read it again.`
  return new CapstanError('conflict', message)
}

/** Returns the error for a failed access. The system's error would contain a real path. */
export function failed(path: string, access: 'read' | 'written', error: unknown): unknown {
  const { code } = Object(error) as { readonly code?: unknown }
  if (error instanceof CapstanError || typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) return error
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing(path)
  const why = reasons[code] ?? `the system reports ${code}`
  return new CapstanError('invalid_arguments', `${shownPath(path)} cannot be ${access}: ${why}.`)
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'it is not permitted',
  EPERM: 'it is not permitted',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EEXIST: 'something else has its name',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'it is a link that leads nowhere',
}
