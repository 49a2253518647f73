import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { absent } from '../tool/artifact-entries.js'

/** Opens a file to read it and to add to its end; undefined when it is not there and is not to be made. A new one is for its user alone. */
export async function openToAppend(path: string, make: boolean): Promise<FileHandle | undefined> {
  if (!make) return open(path, flags).catch(absent)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, flags | constants.O_CREAT, 0o600)
  await syncFolder(dirname(path))
  return file
}

const flags = constants.O_RDWR | constants.O_APPEND

/** All bytes from a place on, wherever the file is written meanwhile. */
export async function bytesFrom(file: FileHandle, start: number): Promise<Buffer> {
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.max(0, size - start))
  let read = 0
  while (read < bytes.length) {
    const { bytesRead } = await file.read(bytes, read, bytes.length - read, start + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.subarray(0, read)
}

/** Which files a folder has outlasts a power failure only when the folder is written out as well. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and needs none of this.
  if (process.platform === 'win32') return
  const handle = await open(folder).catch(absent)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}
