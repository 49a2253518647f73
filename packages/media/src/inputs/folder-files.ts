import { CapstanError } from '@capstan/core'
import { fileSystem } from './byte-streams.js'
import { type Held, holdFile } from './stored-bytes.js'

/**
 * The file that a `file:` address names in a folder; the address is a stranger's. Nothing outside is read, also not
 * through `..`, an absolute path or a link, and no device or pipe.
 * @throws CapstanError `invalid_arguments` for what is refused, `not_found` for what is not there
 */
export async function fileInFolder(address: string, folder: string, limit: number): Promise<Uint8Array> {
  const { fs, path: paths } = fileSystem()
  const { realpath, lstat, open } = fs.promises
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  const root = await realpath(folder).catch(() => undefined)
  if (root === undefined) throw noFolder(folder)
  const asked = paths.resolve(root, toPath(address))
  const path = await realpath(asked).catch(() => undefined)
  if (!isInside(root, path ?? asked)) throw refused(address, 'it is not in the folder that may be read')
  if (path === undefined) throw notThere(address)
  // What has become a link since is not followed, and a pipe does not keep us waiting.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!file) throw notThere(address)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw refused(address, 'it is no file')
    // A folder on the way may have become a link before it was opened: what is open must be what was checked.
    const [now, there] = await Promise.all([realpath(path), lstat(path)]).catch(() => [])
    if (now !== path || there?.ino !== stat.ino || there.dev !== stat.dev)
      throw refused(address, 'it was moved meanwhile')
    if (stat.size > limit) throw refused(address, `it is larger than ${limit} bytes`)
    return new Uint8Array(await file.readFile())
  } finally {
    await file.close()
  }
}

function isInside(root: string, path: string): boolean {
  const { relative, isAbsolute, sep } = fileSystem().path
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** `file:a.png`, `file:///home/a.png`, and escapes undone once. */
function toPath(address: string): string {
  const [, host, rest = ''] = /^file:(?:\/\/([^/]*))?(.*)$/is.exec(address) ?? []
  if (host && host !== 'localhost') throw refused(address, 'it names another machine')
  const path = unescaped(rest)
  if (path === undefined || path === '' || path.includes('\0')) throw refused(address, 'it is no path')
  // On Windows a drive comes after a slash: /C:/pictures.
  return /^\/[a-z]:/i.test(path) ? path.slice(1) : path
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function refused(address: string, why: string): CapstanError {
  const message = `"${address.slice(0, 100)}" cannot be read: ${why}. Name a file in the folder, as file:<name>, or give an artifact id.`
  return new CapstanError('invalid_arguments', message)
}

function notThere(address: string): CapstanError {
  return new CapstanError('not_found', `There is no file "${address.slice(0, 100)}" in the folder.`)
}

function noFolder(folder: string): CapstanError {
  return new CapstanError('not_found', `There is no folder "${folder}", which allow: { folder } names.`)
}

/**
 * A file of the developer's, not read as a whole: a recording may be longer than memory.
 * @throws CapstanError `not_found` for no such file, `unsupported` where there is no file system
 */
export async function openFile(path: string): Promise<Held> {
  const { fs } = fileSystem()
  try {
    const file = await fs.promises.open(path)
    try {
      // What can be opened may still not be read, as a folder.
      await file.read(new Uint8Array(1), 0, 1, 0)
    } finally {
      await file.close()
    }
    return await holdFile(path)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CapstanError('not_found', `Cannot read "${path}": ${why}`, { evidence: { path }, cause: error })
  }
}
