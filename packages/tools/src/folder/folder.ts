import { randomUUID } from 'node:crypto'
import { constants, realpathSync, statSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { CapstanError } from '@capstan/core'
import { partsOf, rejectedPath, shownPath } from './path.js'

/** A file as it was read: what a later write compares with. */
export interface FileVersion {
  readonly path: string
  readonly bytes: Uint8Array
  /** Changes with each write. */
  readonly version: string
}

/**
 * A folder that nothing leads out of. A link within it is followed as far as it leads to something within. Errors have
 * the paths of the folder only, never one of the machine.
 */
export class Folder {
  /** Without links. */
  readonly root: string
  readonly #isIgnored: (parts: readonly string[]) => boolean

  /** @throws CapstanError `not_found` when there is no such folder */
  constructor(folder: string, of: string, isIgnored: (parts: readonly string[]) => boolean = () => false) {
    this.root = realFolder(folder, of)
    this.#isIgnored = isIgnored
  }

  /** Whether the tools of the folder leave a path out. Its names are those of the system. */
  isIgnored(real: string): boolean {
    return this.#isIgnored(this.#namesTo(real))
  }

  /** Returns the path as tools show it: from the folder, with "/". */
  shown(real: string): string {
    return this.#namesTo(real).join('/')
  }

  /** Returns the real path of what is there. @throws CapstanError `invalid_arguments`, `not_found` */
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

  /** Reads a whole file. @throws CapstanError `invalid_arguments`, `not_found`; `conflict` for one that is moved meanwhile */
  async read(path: string, limit = maxFileBytes): Promise<FileVersion> {
    const real = await this.find(path)
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    // Does not follow a path that became a link meanwhile, and does not wait for a pipe.
    const file = await open(real, flags).catch((error) => {
      throw failed(path, 'read', error)
    })
    try {
      const stat = await file.stat({ bigint: true })
      if (!stat.isFile()) throw rejectedPath(path, 'it is not a file')
      await this.#checkOpened(path, file, real)
      if (stat.size > limit) throw rejectedPath(path, `it is larger than ${limit} bytes`)
      const bytes = await readAtMost(file, limit)
      if (!bytes) throw rejectedPath(path, `it is larger than ${limit} bytes`)
      return { path: real, bytes, version: versionOf(stat) }
    } catch (error) {
      throw failed(path, 'read', error)
    } finally {
      await file.close()
    }
  }

  /**
   * Replaces a file, or creates it with its folders: a reader sees the old content or the new one. The mode stays.
   * @throws CapstanError `invalid_arguments`; `conflict` if the file is no longer the `before` that was read
   */
  async write(path: string, bytes: Uint8Array, before?: FileVersion): Promise<{ readonly created: boolean }> {
    const parts = partsOf(path)
    const name = parts.at(-1)
    if (name === undefined) throw rejectedPath(path, 'it names no file')
    try {
      const parent = await this.#createParent(path, parts)
      const asked = join(parent, name)
      // A link is followed: the file that it names is written.
      const real = (await realpath(asked).catch(() => undefined)) ?? asked
      this.#check(path, real)
      const there = await lstat(real, { bigint: true }).catch(() => undefined)
      if (there && !there.isFile()) throw rejectedPath(path, 'it is not a file')
      if (before && (before.path !== real || !there || versionOf(there) !== before.version))
        throw changed(path)
      await this.#replace(path, real, { bytes, mode: there && Number(there.mode & 0o7777n) })
      return { created: !there }
    } catch (error) {
      throw failed(path, 'written', error)
    }
  }

  /** Writes a file beside, and moves it into its place. The name of it cannot be guessed: it is only where it was made. */
  async #replace(
    path: string,
    real: string,
    { bytes, mode }: { readonly bytes: Uint8Array; readonly mode: number | undefined },
  ): Promise<void> {
    const part = join(dirname(real), `.${randomUUID()}.part`)
    try {
      const file = await open(part, 'wx', mode === undefined ? 0o666 : 0o600)
      try {
        // A folder on the path may have become a link: then nothing is written.
        await this.#checkOpened(path, file, part)
        await file.writeFile(bytes)
        if (mode !== undefined) await file.chmod(mode)
      } finally {
        await file.close()
      }
      await rename(part, real)
    } catch (error) {
      await rm(part, { force: true }).catch(() => {})
      throw error
    }
  }

  /** Returns the real path of the folder of a file to be written, and creates what is missing of it. */
  async #createParent(path: string, parts: readonly string[]): Promise<string> {
    const { real, missing } = await this.#parentOf(path, parts)
    let folder = real
    for (const name of missing) {
      folder = join(folder, name)
      this.#check(path, folder)
      // Another call may create it at the same time.
      await mkdir(folder).catch((error) => {
        if (error.code !== 'EEXIST') throw error
      })
      if ((await realpath(folder)) !== folder) throw changed(path)
    }
    return folder
  }

  /** Returns the real path of the deepest folder there is on the way to a file, with the names of those to create. */
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

  /** @throws CapstanError `invalid_arguments` for a real path that is not within the folder, or ignored */
  #check(path: string, real: string): void {
    if (!isInside(this.root, real)) throw rejectedPath(path, 'it leads out of the folder')
    if (this.isIgnored(real)) throw rejectedPath(path, 'the folder leaves it out')
  }

  /** Compares an opened file with what is at its path now: neither may be elsewhere. */
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

/** The largest file that is read. */
export const maxFileBytes = 50 * 1024 * 1024

function realFolder(folder: string, of: string): string {
  try {
    const real = realpathSync.native(resolve(folder))
    if (statSync(real).isDirectory()) return real
  } catch {
    // As one that is not a folder.
  }
  const name = basename(folder)
  const message = `${of}: there is no folder "${name}". Create it, or give another.`
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
  return new CapstanError('not_found', `There is no file or folder ${shownPath(path)}. List the files first.`)
}

function changed(path: string): CapstanError {
  const message = `${shownPath(path)} was changed or moved meanwhile. Read it again.`
  return new CapstanError('conflict', message)
}

/** Returns the error for a failed access. That of the system has a path of the machine. */
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
