import type {
  QuickJSContext,
  QuickJSEmscriptenModule,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { prelude } from './prelude.js'
import {
  type Addresses,
  copyPages,
  decodeSnapshot,
  fingerprintOf,
  restorePages,
  type Snapshot,
} from './snapshot.js'

/** A QuickJS instance with its own memory. No program has been loaded into it yet. */
export interface Instance {
  readonly runtime: QuickJSRuntime
  readonly context: QuickJSContext
  readonly memory: WebAssembly.Memory
  /** The function that the prelude returns. */
  readonly makeApi: QuickJSHandle
}

let spare: { readonly memoryMb: number; readonly instance: Promise<Instance> } | undefined

/** Returns an instance with this memory limit: the prepared instance if it has the same limit, otherwise a new one. */
export function takeInstance(memoryMb: number): Promise<Instance> {
  const found = spare?.memoryMb === memoryMb ? spare.instance : makeInstance(memoryMb)
  if (found === spare?.instance) spare = undefined
  return found
}

/** Creates an instance in advance, for the next program. */
export function prepareInstance(memoryMb: number): void {
  if (spare?.memoryMb === memoryMb) return
  const instance = makeInstance(memoryMb)
  // If this fails, the program that uses the instance reports the error.
  instance.catch(() => {})
  spare = { memoryMb, instance }
}

async function makeInstance(memoryMb: number): Promise<Instance> {
  const { addresses, ...pages } = await takeSnapshot()
  // QuickJS's own limit does not cover all of its memory. This maximum does.
  const memory = new WebAssembly.Memory({ initial: startPages, maximum: memoryMb * 16 })
  const quickjs = await instantiate(memory, addresses)
  restorePages(memory, pages)
  const runtime = quickjs.newRuntime()
  const context = runtime.newContext()
  const makeApi = context.getProp(context.global, apiName)
  context.unwrapResult(context.evalCode(`delete globalThis.${apiName}`)).dispose()
  return { runtime, context, memory, makeApi }
}

/** The size of an engine's memory at its start, in pages of 64 KiB. */
const startPages = 256

/** The global variable that holds the function that the prelude returns, until an instance takes it. */
const apiName = 'makeApi'

/** Returns the snapshot from which all instances start. Without a file from the build, creates an instance for it. */
export function takeSnapshot(): Promise<Snapshot> {
  snapshot ??= loadEngine().then(({ built, fingerprint }) =>
    built?.engine === fingerprint ? built : makeSnapshot(fingerprint),
  )
  return snapshot
}

let snapshot: Promise<Snapshot> | undefined

async function makeSnapshot(engine: number): Promise<Snapshot> {
  const memory = new WebAssembly.Memory({ initial: startPages, maximum: startPages })
  const addresses: Addresses = {}
  const context = (await instantiate(memory, addresses)).newRuntime().newContext()
  const makeApi = context.unwrapResult(context.evalCode(prelude, 'prelude'))
  context.setProp(context.global, apiName, makeApi)
  makeApi.dispose()
  return { engine, addresses, ...copyPages(memory) }
}

/** Creates an engine that uses the runtime and the context at these addresses. Records them if it creates them. */
async function instantiate(memory: WebAssembly.Memory, addresses: Addresses): Promise<QuickJSWASMModule> {
  const { core, variant, wasmModule } = await loadEngine()
  const importFFI = async () => {
    const Functions = await variant.importFFI()
    return class extends Functions {
      constructor(module: QuickJSEmscriptenModule) {
        super(module)
        const { QTS_NewRuntime: newRuntime, QTS_NewContext: newContext } = this
        this.QTS_NewRuntime = () => (addresses.runtime ??= newRuntime())
        this.QTS_NewContext = (...args) => (addresses.context ??= newContext(...args))
      }
    }
  }
  const options = { wasmMemory: memory, ...(wasmModule && { wasmModule }) }
  return core.newQuickJSWASMModuleFromVariant(core.newVariant({ ...variant, importFFI }, options))
}

/** Loads QuickJS. Later calls return the same promise. */
export function loadEngine(): Promise<Loaded> {
  loaded ??= load()
  return loaded
}

let loaded: Promise<Loaded> | undefined

interface Loaded {
  readonly core: typeof import('quickjs-emscripten-core')
  readonly variant: QuickJSSyncVariant
  /** The compiled engine. Each program gets an instance of it. Undefined if the package has to load its file itself. */
  readonly wasmModule?: WebAssembly.Module
  /** The fingerprint of the engine's file. 0 if it is unknown. */
  readonly fingerprint: number
  /** The snapshot from this package's build. Undefined when running from source. */
  readonly built?: Snapshot | undefined
}

async function load(): Promise<Loaded> {
  const core = await import('quickjs-emscripten-core')
  const { default: given } = await import('@jitl/quickjs-wasmfile-release-sync')
  // If a CommonJS script imports the module, its default export is nested in `default`.
  const variant = 'default' in given ? (given.default as QuickJSSyncVariant) : given
  const bytes = readNear('@jitl/quickjs-wasmfile-release-sync/wasm')
  // Without its bytes, the package loads and compiles its file itself, once per instance.
  if (!bytes) return { core, variant, fingerprint: 0 }
  const compiling = WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>)
  const saved = readNear(snapshotFile)
  const built = saved && decodeSnapshot(saved)
  return { core, variant, wasmModule: await compiling, fingerprint: fingerprintOf(bytes), built }
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
