import { readFile } from 'node:fs/promises'
import { patchRecognizer } from './patch-recognizer.js'
import { packageFile } from './recognizer-package.js'

/** The recogniser's program, patched and compiled at the first call (about 0.4 s), then kept. */
export function loadRecognizer(): Promise<WebAssembly.Module> {
  loading ??= compile()
  return loading
}

let loading: Promise<WebAssembly.Module> | undefined

async function compile(): Promise<WebAssembly.Module> {
  const patched = await patchRecognizer(await readFile(packageFile('webapp/js/pocketsphinx.wasm')))
  return WebAssembly.compile(patched as Uint8Array<ArrayBuffer>)
}
