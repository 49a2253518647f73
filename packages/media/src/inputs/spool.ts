import { type Held, holdBlob, holdFile } from './held.js'

/** Where bytes wait until all of them are there. */
export interface Spool {
  write(bytes: Uint8Array): Promise<void>
  /** What was written. */
  end(): Promise<Held>
  /** Takes it away. */
  remove(): Promise<void>
}

/** A temporary file, for nobody but us to read; memory where none can be made. */
export async function openSpool(): Promise<Spool> {
  return (await openFileSpool().catch(() => undefined)) ?? memorySpool()
}

async function openFileSpool(): Promise<Spool | undefined> {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs?.openAsBlob) return undefined
  const folder = process.getBuiltinModule('node:os').tmpdir()
  const path = process.getBuiltinModule('node:path').join(folder, `${crypto.randomUUID()}.part`)
  const file = await fs.promises.open(path, 'wx', 0o600)
  const remove = async () => {
    await file.close()
    await fs.promises.rm(path, { force: true })
  }
  return {
    write: (bytes) => file.writeFile(bytes),
    async end() {
      await file.close()
      return holdFile(path, remove)
    },
    remove,
  }
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
