import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import { prelude } from './prelude.js'

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
  const { core, variant, wasmModule } = await loadEngine()
  // QuickJS's own limit does not cover all of its memory. This maximum does.
  const memory = new WebAssembly.Memory({ initial: 256, maximum: memoryMb * 16 })
  const quickjs = await core.newQuickJSWASMModuleFromVariant(
    core.newVariant(variant, { wasmMemory: memory, ...(wasmModule && { wasmModule }) }),
  )
  const runtime = quickjs.newRuntime()
  const context = runtime.newContext()
  return { runtime, context, memory, makeApi: context.unwrapResult(context.evalCode(prelude, 'prelude')) }
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
  readonly wasmModule: WebAssembly.Module | undefined
}

async function load(): Promise<Loaded> {
  const core = await import('quickjs-emscripten-core')
  const { default: given } = await import('@jitl/quickjs-wasmfile-release-sync')
  // If a CommonJS script imports the module, its default export is nested in `default`.
  const variant = 'default' in given ? (given.default as QuickJSSyncVariant) : given
  const [module, files] = ['node:module', 'node:fs/promises'].map((name) =>
    globalThis.process?.getBuiltinModule?.(name),
  ) as [typeof import('node:module') | undefined, typeof import('node:fs/promises') | undefined]
  try {
    const file = module?.createRequire(import.meta.url ?? __filename).resolve(wasmFile)
    const bytes = file && (await files?.readFile(file))
    return { core, variant, wasmModule: bytes ? await WebAssembly.compile(bytes) : undefined }
  } catch {
    // The package then loads and compiles its file itself, once per instance.
    return { core, variant, wasmModule: undefined }
  }
}

const wasmFile = '@jitl/quickjs-wasmfile-release-sync/wasm'
