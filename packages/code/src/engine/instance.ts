import type {
  QuickJSContext,
  QuickJSEmscriptenModule,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { type EngineFiles, loadEngineFiles } from './engine-files.js'
import { prelude } from './prelude.js'
import { type Addresses, copyPages, restorePages, type Snapshot } from './snapshot.js'

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

/**
 * Loads what an engine consists of, so that its first instance is ready earlier. A thread gets the files from the thread
 * that starts it.
 */
export function prepareEngine(given: Promise<EngineFiles | undefined>): void {
  files = given
  loadLibrary().catch(() => {})
}

let files: Promise<EngineFiles | undefined> | undefined

/** Returns the snapshot from which all instances start. Creates an instance for it if the files contain none. */
export async function takeSnapshot(): Promise<Snapshot> {
  files ??= loadEngineFiles()
  snapshot ??= files.then((found) => found?.snapshot ?? makeSnapshot(found?.fingerprint ?? 0))
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
  const { core, variant } = await loadLibrary()
  const wasmModule = (await files)?.wasmModule
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
function loadLibrary(): Promise<Library> {
  library ??= Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ]).then(([core, { default: given }]) =>
    // If a CommonJS script imports the module, its default export is nested in `default`.
    ({ core, variant: 'default' in given ? (given.default as QuickJSSyncVariant) : given }),
  )
  return library
}

let library: Promise<Library> | undefined

interface Library {
  readonly core: typeof import('quickjs-emscripten-core')
  readonly variant: QuickJSSyncVariant
}
