import { randomUUID } from 'node:crypto'
import { constants, existsSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { CapstanError } from '@capstan/core'
import { partsOf, rejectedPath, shownPath } from './path.js'

/** A file's content and version when it was read. A later write compares the version, to detect changes by others. */
export interface FileVersion {
  readonly path: string
  readonly bytes: Uint8Array
  /** Consists of the inode, size and modification time, so it changes with each write. */
  readonly version: string
}

/**
 * A folder that paths cannot lead out of. Links in the folder are followed only if their targets are in the folder too.
 * Errors never contain real paths, only paths within the folder.
 */
export class Folder {
  /** The folder's real path, with links resolved. */
  readonly root: string
  readonly #isIgnored: (parts: readonly string[]) => boolean

  /**
   * Opens a folder for the function that is named in `of`. Errors start with that name.
   * @throws CapstanError `not_found` if the folder does not exist
   */
  constructor(folder: string, of: string, isIgnored: (parts: readonly string[]) => boolean = () => false) {
    this.root = realFolder(folder, of)
    this.#isIgnored = isIgnored
  }

  /** Whether the folder's tools ignore the file or folder at a real path. */
  isIgnored(real: string): boolean {
    return this.#isIgnored(this.#namesTo(real))
  }

  /** Converts a real path to the form that tools show: relative to the folder, separated by "/". */
  shown(real: string): string {
    return this.#namesTo(real).join('/')
  }

  /**
   * Returns the real path of an existing file or folder.
   * @throws CapstanError `not_found` if it does not exist, `invalid_arguments` for a path that is invalid, ignored or
   * outside the folder
   */
  async find(path: string): Promise<string> {
    const parts = partsOf(path)
    const asked = join(this.root, ...parts)
    const real = await realpath(asked).catch(() => undefined)
    if (real !== undefined) {
      this.#check(path, real)
      return real
    }
    // Throws for a path that leads outside or is ignored, so that the error below does not reveal what exists there.
    await this.#parentOf(path, parts)
    throw missing(path)
  }

  /**
   * Reads an entire file.
   * @throws CapstanError `not_found` or `invalid_arguments` as in `find`, `invalid_arguments` if the file is larger
   * than `limit` or is not a regular file, `conflict` if the file is moved while it is being opened
   */
  async read(path: string, limit = maxFileBytes): Promise<FileVersion> {
    const real = await this.find(path)
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    // Does not follow a path that has become a link in the meantime, and does not block on a pipe.
    const file = await open(real, flags).catch((error) => {
      throw failed(path, 'read', error)
    })
    try {
      const stat = await file.stat({ bigint: true })
      if (!stat.isFile()) throw rejectedPath(path, 'it is not a file', 'Use the path of a file')
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
   * Replaces a file, or creates it together with its folders. Readers see either the old or the new content. An
   * existing file keeps its mode.
   * @throws CapstanError `invalid_arguments` for an invalid path or a failed write, `conflict` if `before` is given and
   * the file has changed since
   */
  async write(path: string, bytes: Uint8Array, before?: FileVersion): Promise<{ readonly created: boolean }> {
    const parts = partsOf(path)
    if (parts.length === 0) throw rejectedPath(path, 'it does not name a file', 'Use the path of a file')
    try {
      // If the path is a link, its target is written.
      const known = await realpath(join(this.root, ...parts)).catch(() => undefined)
      if (known !== undefined) this.#check(path, known)
      const names = known === undefined ? parts : this.#namesTo(known)
      const name = names.at(-1)
      if (name === undefined) throw rejectedPath(path, 'it is not a file', 'Use the path of a file')
      await using parent = await this.#openParent(path, names)
      const there = await lstat(parent.pathTo(name), { bigint: true }).catch(() => undefined)
      if (there && !there.isFile()) throw rejectedPath(path, 'it is not a file', 'Use the path of a file')
      if (before && (before.path !== known || !there || versionOf(there) !== before.version))
        throw changed(path)
      await this.#replace(path, parent, { name, bytes, mode: there && Number(there.mode & 0o7777n) })
      return { created: !there }
    } catch (error) {
      throw failed(path, 'written', error)
    }
  }

  /** Writes a temporary file in the same folder, then renames it over the old one. */
  async #replace(path: string, parent: OpenFolder, { name, bytes, mode }: NewFile): Promise<void> {
    const part = `.${randomUUID()}.part`
    const unfinished = parent.pathTo(part)
    try {
      const file = await open(unfinished, 'wx', mode === undefined ? 0o666 : 0o600)
      try {
        // If the system cannot write through the opened folder, the path may have become a link. This call then throws.
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

  /** Opens the folder of a file to be written. Creates the folder and its parents if they do not exist. */
  async #openParent(path: string, parts: readonly string[]): Promise<OpenFolder> {
    const { real, missing } = await this.#parentOf(path, parts)
    let folder = await this.#openFolder(path, real, real)
    for (const name of missing) {
      await using parent = folder
      this.#check(path, join(parent.real, name))
      // Another call may have created it in the meantime.
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

  /**
   * Returns the real path of the deepest existing folder on a file's path, and the names of the folders below it that
   * do not exist yet.
   * @throws CapstanError `invalid_arguments` for a path that is ignored or outside the folder
   */
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
    if (this.isIgnored(real)) throw rejectedPath(path, 'it is ignored here')
  }

  /** Checks that an opened file is still the file at its path. @throws CapstanError `conflict` if it is not */
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

/** Whether the system supports paths through an opened folder, as Linux does. Moving the folder then has no effect. */
const hasHeldFolders = existsSync('/proc/self/fd')

/**
 * An opened folder. On systems that support it, `pathTo` still leads into this folder after the folder has been moved.
 */
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

/** The default size limit for reading a file, in bytes. */
const maxFileBytes = 50 * 1024 * 1024

function realFolder(folder: string, of: string): string {
  try {
    const real = realpathSync.native(resolve(folder))
    if (statSync(real).isDirectory()) return real
  } catch {
    // Treated like a path that is not a folder.
  }
  const name = basename(folder)
  const message = `${of}: there is no folder "${name}". Create it, or pass a different path.`
  throw new CapstanError('not_found', message, { evidence: { folder: name } })
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

async function readAtMost(file: FileHandle, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The file may grow while it is being read.
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
  return new CapstanError('not_found', `There is no file or folder ${shownPath(path)}. Use a listed path.`)
}

function changed(path: string): CapstanError {
  const message = `${shownPath(path)} was changed or moved in the meantime. Read it again.`
  return new CapstanError('conflict', message)
}

/** Converts a system error to an error without the real path. Returns any other error unchanged. */
export function failed(path: string, access: 'read' | 'written', error: unknown): unknown {
  const { code } = Object(error) as { readonly code?: unknown }
  if (error instanceof CapstanError || typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) return error
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing(path)
  const why = reasons[code] ?? `the system reports ${code}`
  return new CapstanError('invalid_arguments', `${shownPath(path)} cannot be ${access}: ${why}.`)
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EEXIST: 'something else already has this name',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'it is a link that cannot be followed',
}
