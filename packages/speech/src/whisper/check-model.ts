import { type FileHandle, open } from 'node:fs/promises'
import { SpeechError } from '../speech-error.js'

interface ModelFacts {
  /** Whether it supports other languages than English. */
  readonly multilingual: boolean
}

/**
 * Checks a Whisper model in ggml format from header to last tensor without loading it, because the engine
 * ends its process at some invalid files. Rejects with `invalid_model` and the reason.
 */
export async function checkModel(path: string): Promise<ModelFacts> {
  const file = await open(path).catch((error: Error) => {
    throw new SpeechError('invalid_model', `The model file cannot be opened: ${error.message}`)
  })
  try {
    const { size } = await file.stat()
    const reader = new ModelReader(file, size)
    const header = await readHeader(reader)
    await passFilters(reader, header.mels)
    await passWords(reader, header.words)
    await passTensors(reader, header)
    return { multilingual: header.words >= leastMultilingual }
  } finally {
    await file.close()
  }
}

const magic = 0x67676d6c
const leastMultilingual = 51_865

interface Header {
  readonly words: number
  readonly audioLayers: number
  readonly textLayers: number
  readonly mels: number
}

async function readHeader(reader: ModelReader): Promise<Header> {
  const [mark] = await reader.readInts(1)
  if (mark !== magic) throw invalidModel('it does not begin like one')
  const numbers = await reader.readInts(11)
  const [words = 0, , state = 0, heads = 0, audioLayers = 0, , , , textLayers = 0, mels = 0] = numbers
  const isPossible =
    numbers.slice(0, 10).every((value) => value > 0 && value < 200_000) &&
    state % heads === 0 &&
    Math.max(audioLayers, textLayers) <= 100 &&
    words > 50_000
  if (!isPossible) throw invalidModel('its header contains sizes that no model has')
  return { words, audioLayers, textLayers, mels }
}

async function passFilters(reader: ModelReader, mels: number): Promise<void> {
  const [rows = 0, columns = 0] = await reader.readInts(2)
  if (rows !== mels || columns !== 201)
    throw invalidModel('its filters have another size than its header says')
  reader.skip(4 * rows * columns)
}

async function passWords(reader: ModelReader, most: number): Promise<void> {
  const [count = 0] = await reader.readInts(1)
  if (count < 1 || count > most)
    throw invalidModel('its list of words has another length than its header says')
  for (let word = 0; word < count; word += 1) {
    const [length = 0] = await reader.readInts(1)
    if (length < 0 || length > 1000) throw invalidModel('its vocabulary is damaged')
    reader.skip(length)
  }
}

async function passTensors(reader: ModelReader, { audioLayers, textLayers }: Header): Promise<void> {
  const due = 11 + 15 * audioLayers + 24 * textLayers
  let count = 0
  while (reader.left > 0) {
    await passTensor(reader)
    count += 1
  }
  if (count !== due) throw invalidModel(`it has ${count} tensors where its header asks for ${due}`)
}

async function passTensor(reader: ModelReader): Promise<void> {
  const [dimensions = 0, nameLength = 0, type = 0] = await reader.readInts(3)
  if (dimensions < 1 || dimensions > 4 || nameLength < 1 || nameLength > 200)
    throw invalidModel('a tensor is damaged')
  const sizes = await reader.readInts(dimensions)
  const name = (await reader.read(nameLength)).toString('latin1')
  const format = formats[type]
  const count = sizes.reduce((product, size) => product * size, 1)
  if (!format || count < 1 || count % format.values !== 0) {
    throw invalidModel(`its tensor ${JSON.stringify(name)} is damaged`)
  }
  // The engine ends its process at convolutions in any other format.
  if (/\.conv\d\.weight$/.test(name) && type !== half) {
    throw invalidModel(`its tensor ${name} is not in 16-bit floats`)
  }
  reader.skip((count / format.values) * format.bytes)
}

const half = 1

/** The number of values and the bytes of a block, for each ggml format: floats, then the quantised ones. */
const formats: Readonly<Record<number, { readonly values: number; readonly bytes: number }>> = {
  0: { values: 1, bytes: 4 },
  [half]: { values: 1, bytes: 2 },
  2: { values: 32, bytes: 18 },
  3: { values: 32, bytes: 20 },
  6: { values: 32, bytes: 22 },
  7: { values: 32, bytes: 24 },
  8: { values: 32, bytes: 34 },
  10: { values: 256, bytes: 84 },
  11: { values: 256, bytes: 110 },
  12: { values: 256, bytes: 144 },
  13: { values: 256, bytes: 176 },
  14: { values: 256, bytes: 210 },
}

/** The `invalid_model` error for a file. */
function invalidModel(why: string): SpeechError {
  const message = `The file is not a usable Whisper model: ${why}. Give one in ggml format, such as ggml-base.bin.`
  return new SpeechError('invalid_model', message)
}

const bufferSize = 65_536

/** Reads a file from start to end with only a window in memory. Throws `invalid_model` when it ends early. */
class ModelReader {
  #window: Buffer = Buffer.alloc(0)
  #windowAt = 0
  #at = 0

  constructor(
    readonly file: FileHandle,
    readonly size: number,
  ) {}

  get left(): number {
    return this.size - this.#at
  }

  /** Returns the next bytes, at most 64 KB. */
  async read(count: number): Promise<Buffer> {
    if (count > this.left) throw invalidModel('it ends too early, perhaps after an incomplete download')
    const start = this.#at - this.#windowAt
    if (start < 0 || start + count > this.#window.length) await this.#moveWindow()
    const from = this.#at - this.#windowAt
    this.#at += count
    return this.#window.subarray(from, from + count)
  }

  async readInts(count: number): Promise<number[]> {
    const bytes = await this.read(4 * count)
    return Array.from({ length: count }, (_, index) => bytes.readInt32LE(4 * index))
  }

  /** Skips bytes without reading them. */
  skip(count: number): void {
    if (count > this.left) throw invalidModel('it ends too early, perhaps after an incomplete download')
    this.#at += count
  }

  async #moveWindow(): Promise<void> {
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(bufferSize), 0, bufferSize, this.#at)
    this.#window = buffer.subarray(0, bytesRead)
    this.#windowAt = this.#at
  }
}
