// Runs the WebAssembly program of the package `sherpa-onnx`, with a read-only file system that consists of one folder.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import nodeModule from 'node:module'
import { join, posix } from 'node:path'
import { compileFunction } from 'node:vm'
import { isNotInstalled, SpeechError } from '../speech-error.js'
import { isInside } from './model-folder.js'

/** The functions of the speech engine. */
export interface Sherpa {
  readonly createVoice: (config: object) => SherpaVoice
  readonly createRecognizer: (config: object) => SherpaRecognizer
  /** Runs `work`. Returns its outcome, and the lines that the engine logged while it ran. */
  readonly watch: <T>(work: () => T) => Outcome<T>
}

/** The result of a call to the engine, or the value that the engine threw. C++ exceptions are numbers. */
export type Outcome<T> = ({ readonly value: T } | { readonly error: unknown }) & {
  readonly lines: readonly string[]
}

interface SherpaVoice {
  /** 0 if the model could not be loaded. */
  readonly handle: number
  readonly generateWithConfig: (
    text: string,
    config: { readonly sid: number; readonly speed: number; readonly extra: object },
  ) => { readonly samples: Float32Array; readonly sampleRate: number }
}

export interface SherpaRecognizer {
  /** 0 if the model could not be loaded. */
  readonly handle: number
  readonly setConfig: (config: object) => void
  readonly createStream: () => SherpaStream
  readonly decode: (stream: SherpaStream) => void
  readonly getResult: (stream: SherpaStream) => SherpaResult
}

interface SherpaStream {
  readonly acceptWaveform: (sampleRate: number, samples: Float32Array) => void
  readonly free: () => void
}

/** A transcript. Only Whisper reports the language and the segments. Their times are in seconds. */
export interface SherpaResult {
  readonly text: string
  readonly lang?: string
  readonly segment_timestamps?: readonly number[]
  readonly segment_durations?: readonly number[]
  readonly segment_texts?: readonly string[]
}

/** The path at which the engine finds the model's folder. It is the same on every operating system. */
export const modelRoot = '/model'

/** Loads the engine. Rejects with `sherpa_not_installed` if its package is not installed. */
export async function loadSherpa(folder: string): Promise<Sherpa> {
  const require = findPackage()
  const path = require.resolve('sherpa-onnx/sherpa-onnx-wasm-nodejs.js')
  const [source, wasmBinary] = await Promise.all([
    readFile(path, 'utf8'),
    readFile(path.replace(/\.js$/, '.wasm')),
  ])
  let written = ''
  const log = (text: string) => {
    written = (written + text).slice(-4000)
  }
  const program = await startProgram(source, { folder, wasmBinary, log })
  // These two modules have no side effects.
  const voices: VoiceModule = require('sherpa-onnx/sherpa-onnx-tts.js')
  const recognizers: RecognizerModule = require('sherpa-onnx/sherpa-onnx-asr.js')
  return {
    createVoice: (config) => voices.createOfflineTts(program, config),
    createRecognizer: (config) => new recognizers.OfflineRecognizer(config, program),
    watch(work) {
      written = ''
      try {
        return { value: work(), lines: toLines(written) }
      } catch (error) {
        return { error, lines: toLines(written) }
      }
    },
  }
}

interface VoiceModule {
  readonly createOfflineTts: (program: object, config: object) => SherpaVoice
}

interface RecognizerModule {
  readonly OfflineRecognizer: new (config: object, program: object) => SherpaRecognizer
}

function findPackage(): NodeJS.Require {
  // CommonJS builds only have `__filename`. Other builds only have `import.meta.url`.
  const require = nodeModule.createRequire(import.meta.url ?? __filename)
  try {
    require.resolve('sherpa-onnx/package.json')
    return require
  } catch (error) {
    if (!isNotInstalled(error, 'sherpa-onnx/package.json')) throw error
    const message = 'Your own models need an optional package. Install it: npm install sherpa-onnx'
    throw new SpeechError('sherpa_not_installed', message)
  }
}

interface ProgramOptions {
  readonly folder: string
  readonly wasmBinary: Uint8Array
  readonly log: (text: string) => void
}

/** Runs the program's script with replacements for Node's modules. */
async function startProgram(source: string, { folder, wasmBinary, log }: ProgramOptions): Promise<object> {
  const modules: Readonly<Record<string, unknown>> = {
    fs: toFileSystem(folder, log),
    path: posix,
    crypto: await import('node:crypto'),
  }
  const module: { exports?: (program: object) => Promise<unknown> } = {}
  const script = compileFunction(source, [
    'module',
    'exports',
    'require',
    'process',
    '__filename',
    '__dirname',
  ])
  script(module, {}, (name: string) => modules[name], toProcess(), '/sherpa-onnx.js', '/')
  if (!module.exports)
    throw new Error('The package sherpa-onnx is not the expected version. Install version 1.13.8.')
  const program = { wasmBinary, print: log, printErr: log }
  await module.exports(program)
  return program
}

/** Returns the fields of `process` that the script reads. */
function toProcess(): object {
  return {
    versions: process.versions,
    platform: 'linux',
    argv: [],
    env: {},
    cwd: () => modelRoot,
    binding: () => ({ fs: constants }),
  }
}

/** Returns the functions of `node:fs` with which the program reads the folder and writes messages. */
function toFileSystem(folder: string, log: (text: string) => void): object {
  const toPath = (path: string) => resolveIn(folder, path)
  return {
    constants,
    lstatSync: (path: string) => lstatSync(toPath(path)),
    statSync: (path: string) => statSync(toPath(path)),
    readdirSync: (path: string) => readdirSync(toPath(path)),
    openSync: (path: string) => openSync(toPath(path), 'r'),
    fstatSync,
    closeSync,
    readSync,
    writeSync(_descriptor: number, bytes: Int8Array, offset: number, length: number) {
      log(new TextDecoder().decode(Uint8Array.from(bytes.subarray(offset, offset + length))))
      return length
    },
  }
}

/** Resolves a path inside the folder. Throws `ENOENT` for anything outside, even if a link leads there. */
function resolveIn(folder: string, path: string): string {
  const inside = posix.relative(modelRoot, posix.resolve(modelRoot, path))
  const found = inside.startsWith('..') ? undefined : realpathSync(join(folder, inside))
  if (found !== undefined && isInside(folder, found)) return found
  throw Object.assign(new Error(`ENOENT: no such file, ${path}`), { code: 'ENOENT' })
}

// Lines start with a position in the engine's source code.
function toLines(written: string): string[] {
  const lines = written.split('\n').map((line) => line.replace(/^\S+\.(cc|h):\S+:\d+\s*/, '').trim())
  return lines.filter(Boolean)
}
