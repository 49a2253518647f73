import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { mostPages, packageFile, patchRecognizer } from './patch-recognizer.js'

// The smallest program that is one.
const otherProgram = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)

test('rejects another program and names the missing part', async () => {
  await expect(patchRecognizer(otherProgram)).rejects.toThrow(
    /0 instead of 1 limits.*pocketsphinx\.js 1\.0\.0/,
  )
})

test('the patched recogniser accepts growing memory, the original does not', async () => {
  const original = await readFile(packageFile('webapp/js/pocketsphinx.wasm'))
  const memory = new WebAssembly.Memory({ initial: 1536, maximum: mostPages })
  const instantiate = async (bytes: Uint8Array) => {
    const module = await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>)
    const functions = WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0])
    const table = new WebAssembly.Table({ initial: 760, maximum: 760, element: 'anyfunc' })
    const env = {
      ...Object.fromEntries(functions),
      memory,
      table,
      tableBase: 0,
      DYNAMICTOP_PTR: 0,
      STACKTOP: 0,
    }
    return WebAssembly.instantiate(module, { env, global: { NaN, Infinity } })
  }
  await expect(instantiate(original)).rejects.toThrow('larger maximum size')
  await expect(instantiate(await patchRecognizer(original))).resolves.toBeInstanceOf(WebAssembly.Instance)
})
