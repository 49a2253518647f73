import { decodeSnapshot, fingerprintOf, type Snapshot } from './snapshot.js'

/** What all instances of the engine are created from. A thread can send it to another one. */
export interface EngineFiles {
  readonly wasmModule: WebAssembly.Module
  /** The fingerprint of the engine's file. */
  readonly fingerprint: number
  /** The snapshot from this package's build. Undefined when running from source. */
  readonly snapshot?: Snapshot | undefined
}

/**
 * Reads and compiles the engine's file, and reads the snapshot. Undefined if the file cannot be read here. The package
 * of the engine then loads it, once per instance. Later calls return the same promise.
 */
export function loadEngineFiles(): Promise<EngineFiles | undefined> {
  loaded ??= load()
  return loaded
}

let loaded: Promise<EngineFiles | undefined> | undefined

async function load(): Promise<EngineFiles | undefined> {
  const bytes = readNear('@jitl/quickjs-wasmfile-release-sync/wasm')
  if (!bytes) return undefined
  const compiling = WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>)
  const saved = readNear(snapshotFile)
  const snapshot = saved && decodeSnapshot(saved)
  const fingerprint = fingerprintOf(bytes)
  const isValid = snapshot?.engine === fingerprint
  return { wasmModule: await compiling, fingerprint, ...(isValid && { snapshot }) }
}

/** The name of the snapshot's file in the built package. */
export const snapshotFile = './engine.snapshot'

/** Reads a file that Node finds from here. Undefined if there is none, or no file system. */
function readNear(name: string): Uint8Array | undefined {
  const builtin = globalThis.process?.getBuiltinModule
  try {
    const file = builtin?.('node:module')
      .createRequire(import.meta.url ?? __filename)
      .resolve(name)
    return file === undefined ? undefined : builtin?.('node:fs').readFileSync(file)
  } catch {
    return undefined
  }
}
