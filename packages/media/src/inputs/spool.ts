import { type Held, holdBlob, holdFile } from './held.js'

/** Where bytes wait until all of them are there. */
export interface Spool {
  write(bytes: Uint8Array): Promise<void>
  /** What was written. */
  end(): Promise<Held>
  /** Takes it away. */
  remove(): Promise<void>
}

/** A temporary file, for nobody but us to read; memory where none can be made, or the disk is full. */
export async function openSpool(): Promise<Spool> {
  return (await openFileSpool().catch(() => undefined)) ?? memorySpool()
}

async function openFileSpool(): Promise<Spool | undefined> {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs?.openAsBlob) return undefined
  const folder = process.getBuiltinModule('node:os').tmpdir()
  const path = process.getBuiltinModule('node:path').join(folder, `${crypto.randomUUID()}.part`)
  const file = await fs.promises.open(path, 'wx', 0o600)
  const forget = untilExit(path)
  const remove = async () => {
    await file.close()
    await fs.promises.rm(path, { force: true })
    forget()
  }
  let size = 0
  let memory: Spool | undefined
  return {
    async write(bytes) {
      if (memory) return memory.write(bytes)
      try {
        await file.writeFile(bytes)
        size += bytes.length
      } catch {
        // The disk is full: they go where they went before there was a file.
        memory = memorySpool()
        await memory.write((await fs.promises.readFile(path)).subarray(0, size))
        await memory.write(bytes)
        await remove()
      }
    },
    async end() {
      if (memory) return memory.end()
      await file.close()
      return holdFile(path, remove)
    },
    remove,
  }
}

const left = new Set<string>()
let isWatched = false

/** Has a file removed when the process exits before the function that is returned was called. */
function untilExit(path: string): () => void {
  left.add(path)
  if (!isWatched) process.on('exit', removeLeft)
  isWatched = true
  return () => {
    left.delete(path)
  }
}

function removeLeft(): void {
  const { rmSync } = process.getBuiltinModule('node:fs')
  for (const path of left) rmSync(path, { force: true })
}

function memorySpool(): Spool {
  const parts: Blob[] = []
  return {
    write: async (bytes) => {
      parts.push(new Blob([bytes as Uint8Array<ArrayBuffer>]))
    },
    end: async () => holdBlob(new Blob(parts)),
    remove: async () => {},
  }
}
