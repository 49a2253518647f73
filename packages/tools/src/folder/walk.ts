import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CapstanError } from '@capstan/core'
import { type Folder, failed } from './folder.js'
import { rejectedPath } from './path.js'

/** A file or folder within a folder. */
export interface Entry {
  /** The real path. For a link to a file, this is the path of the link itself. */
  readonly real: string
  readonly isFolder: boolean
}

/**
 * Lists everything below a path, ordered by name. Each folder's files come first, then its subfolders, each followed by
 * its content. With `deep: false`, the content of subfolders is omitted. Links to folders are omitted, because their
 * targets are listed elsewhere or are outside. Ignored entries, and entries that are neither a file nor a folder, are
 * omitted too.
 * @throws CapstanError `not_found` or `invalid_arguments` if the path cannot be listed
 */
export async function* walk(
  folder: Folder,
  path: string,
  { deep = true, signal }: { readonly deep?: boolean; readonly signal?: AbortSignal } = {},
): AsyncGenerator<Entry> {
  const start = await folder.find(path)
  const found = await stat(start).catch((error) => {
    throw failed(path, 'read', error)
  })
  if (!found.isDirectory()) {
    if (!found.isFile()) throw rejectedPath(path, 'it is neither a file nor a folder', 'Use a different path')
    yield { real: start, isFolder: false }
    return
  }
  const open = [start]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at !== start) yield { real: at, isFolder: true }
    if (at !== start && !deep) continue
    signal?.throwIfAborted()
    const folders: string[] = []
    for (const entry of await entriesIn(folder, at, at === start ? path : undefined))
      if (entry.isFolder) folders.push(entry.real)
      else yield entry
    open.push(...folders.reverse())
  }
}

/**
 * Lists one folder. Pass `path` only for the folder where the walk starts: if that folder cannot be read, this throws.
 * Any other folder that cannot be read is treated as empty.
 */
async function entriesIn(folder: Folder, real: string, path: string | undefined): Promise<readonly Entry[]> {
  try {
    const entries = await readdir(real, { withFileTypes: true })
    // It may have become a link before it was read.
    if ((await realpath(real)) !== real) return []
    const found: Entry[] = []
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const inner = join(real, entry.name)
      // A name with a line break would look like two names. Control characters are not allowed in paths anyway.
      if (folder.isIgnored(inner) || /\p{Cc}/u.test(entry.name)) continue
      if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(folder, inner))))
        found.push({ real: inner, isFolder: false })
      if (entry.isDirectory()) found.push({ real: inner, isFolder: true })
    }
    return found
  } catch (error) {
    if (path === undefined && !(error instanceof CapstanError)) return []
    throw failed(path ?? '', 'read', error)
  }
}

async function leadsToFile(folder: Folder, link: string): Promise<boolean> {
  try {
    const real = await folder.find(folder.shown(link))
    return (await stat(real)).isFile()
  } catch {
    return false
  }
}

/** Returns the names of links at the top of a folder that lead to folders outside it. */
export async function linksOut(folder: Folder): Promise<readonly string[]> {
  const entries = await readdir(folder.root, { withFileTypes: true })
  const links = entries.filter(
    (entry) => entry.isSymbolicLink() && !folder.isIgnored(join(folder.root, entry.name)),
  )
  const found = await Promise.all(
    links.map(async ({ name }) => {
      const target = await stat(join(folder.root, name)).catch(() => undefined)
      const isWithin = await folder.find(name).then(
        () => true,
        () => false,
      )
      return target?.isDirectory() && !isWithin ? [name] : []
    }),
  )
  return found.flat()
}
