import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import { prelude } from './prelude.js'

/** QuickJS with its own memory, before a program is loaded. */
export interface Instance {
  readonly runtime: QuickJSRuntime
  readonly context: QuickJSContext
  readonly memory: WebAssembly.Memory
  /** The function that the prelude returns. */
  readonly makeApi: QuickJSHandle
}

let spare: { readonly memoryMb: number; readonly instance: Promise<Instance> } | undefined

/** Returns an instance with at most this memory: the prepared one, or a new one. */
export function takeInstance(memoryMb: number): Promise<Instance> {
  const found = spare?.memoryMb === memoryMb ? spare.instance : makeInstance(memoryMb)
  if (found === spare?.instance) spare = undefined
  return found
}

/** Creates an instance for the next program in advance. */
export function prepareInstance(memoryMb: number): void {
  if (spare?.memoryMb === memoryMb) return
  const instance = makeInstance(memoryMb)
  // The program that takes the instance reports its failure.
  instance.catch(() => {})
  spare = { memoryMb, instance }
}

async function makeInstance(memoryMb: number): Promise<Instance> {
  const { core, variant, wasmModule } = await loadEngine()
  // The memory limit of the engine itself does not bound it: this one does.
  const memory = new WebAssembly.Memory({ initial: 256, maximum: memoryMb * 16 })
  const quickjs = await core.newQuickJSWASMModuleFromVariant(
    core.newVariant(variant, { wasmMemory: memory, ...(wasmModule && { wasmModule }) }),
  )
  const runtime = quickjs.newRuntime()
  const context = runtime.newContext()
  return { runtime, context, memory, makeApi: context.unwrapResult(context.evalCode(prelude, 'prelude')) }
}

/** Loads QuickJS once. */
export function loadEngine(): Promise<Loaded> {
  loaded ??= load()
  return loaded
}

let loaded: Promise<Loaded> | undefined

interface Loaded {
  readonly core: typeof import('quickjs-emscripten-core')
  readonly variant: QuickJSSyncVariant
  /** The compiled engine. Each program gets its own instance. */
  readonly wasmModule: WebAssembly.Module | undefined
}

async function load(): Promise<Loaded> {
  const core = await import('quickjs-emscripten-core')
  const { default: given } = await import('@jitl/quickjs-wasmfile-release-sync')
  // Required by a script, a module has its default within the default.
  const variant = 'default' in given ? (given.default as QuickJSSyncVariant) : given
  const [module, files] = ['node:module', 'node:fs/promises'].map((name) =>
    globalThis.process?.getBuiltinModule?.(name),
  ) as [typeof import('node:module') | undefined, typeof import('node:fs/promises') | undefined]
  try {
    const file = module?.createRequire(import.meta.url ?? __filename).resolve(wasmFile)
    const bytes = file && (await files?.readFile(file))
    return { core, variant, wasmModule: bytes ? await WebAssembly.compile(bytes) : undefined }
  } catch {
    // The package finds its file itself, for each engine.
    return { core, variant, wasmModule: undefined }
  }
}

const wasmFile = '@jitl/quickjs-wasmfile-release-sync/wasm'
