import { CapstanError } from '@capstan/core'
import { fileSystem } from './byte-streams.js'
import { fromFile, type StoredBytes } from './stored-bytes.js'

/**
 * Reads the file that a `file:` URL names in a folder. The URL is untrusted, so nothing outside the folder is read,
 * even through `..`, an absolute path or a link. Devices and pipes are not read either.
 * @throws CapstanError `invalid_arguments` for a blocked file, `not_found` for a missing file
 */
export async function readFileInFolder(address: string, folder: string, limit: number): Promise<Uint8Array> {
  const { fs, path: paths } = fileSystem()
  const { realpath, lstat, open } = fs.promises
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  const root = await realpath(folder).catch(() => undefined)
  if (root === undefined) throw missingFolder(folder)
  const asked = paths.resolve(root, toPath(address))
  const path = await realpath(asked).catch(() => undefined)
  if (!isInside(root, path ?? asked)) throw rejectedError(address, 'it is outside the allowed folder')
  if (path === undefined) throw missingFile(address)
  // Does not follow a path that has become a link since the check, and does not block on a pipe.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!file) throw missingFile(address)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw rejectedError(address, 'it is not a file')
    // Compares with what was checked, because a folder on the path may have become a link before the file was opened.
    const [now, there] = await Promise.all([realpath(path), lstat(path)]).catch(() => [])
    if (now !== path || there?.ino !== stat.ino || there.dev !== stat.dev)
      throw rejectedError(address, 'it was moved while it was being opened')
    if (stat.size > limit) throw rejectedError(address, `it is larger than ${limit} bytes`)
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

/** Returns the path in a URL such as `file:a.png` or `file:///home/a.png`. Decodes escapes once. */
function toPath(address: string): string {
  const [, host, rest = ''] = /^file:(?:\/\/([^/]*))?(.*)$/is.exec(address) ?? []
  if (host && host !== 'localhost') throw rejectedError(address, 'it names another machine')
  const path = unescaped(rest)
  if (path === undefined || path === '' || path.includes('\0'))
    throw rejectedError(address, 'it is not a valid path')
  // On Windows, a drive follows the slash, as in /C:/pictures.
  return /^\/[a-z]:/i.test(path) ? path.slice(1) : path
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function rejectedError(address: string, why: string): CapstanError {
  const message = `"${address.slice(0, 100)}" cannot be read: ${why}. Name a file in the folder, as file:<name>, or pass an artifact id.`
  return new CapstanError('invalid_arguments', message)
}

function missingFile(address: string): CapstanError {
  return new CapstanError(
    'not_found',
    `There is no file "${address.slice(0, 100)}" in the folder. Check its name.`,
  )
}

function missingFolder(folder: string): CapstanError {
  return new CapstanError('not_found', `The folder "${folder}" does not exist.`)
}

/**
 * Opens a file for the application. The file is streamed, because a recording may be larger than memory.
 * @throws CapstanError `not_found` for a missing file, `unsupported` if there is no file system
 */
export async function openFile(path: string): Promise<StoredBytes> {
  const { fs } = fileSystem()
  try {
    const file = await fs.promises.open(path)
    try {
      // A folder can be opened, but cannot be read.
      await file.read(new Uint8Array(1), 0, 1, 0)
    } finally {
      await file.close()
    }
    return await fromFile(path)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CapstanError('not_found', `Cannot read "${path}": ${why}`, { evidence: { path }, cause: error })
  }
}
