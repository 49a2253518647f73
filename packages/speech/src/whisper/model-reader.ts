import type { FileHandle } from 'node:fs/promises'
import { SpeechError } from '../speech-error.js'

/** Why a file is no model, as a typed error. */
export function noModel(why: string): SpeechError {
  const message = `The file is no Whisper model that can be used: ${why}. Give one in ggml format, such as ggml-base.bin.`
  return new SpeechError('invalid_model', message)
}

const bufferSize = 65_536

/** A file from its start to its end, of which only a window is in memory. Throws `invalid_model` when it ends early. */
export class ModelReader {
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

  /** The next bytes, at most 64 KB. */
  async read(count: number): Promise<Buffer> {
    if (count > this.left) throw noModel('it ends too early, as after a download that was cut')
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

  /** Passes over bytes without reading them. */
  skip(count: number): void {
    if (count > this.left) throw noModel('it ends too early, as after a download that was cut')
    this.#at += count
  }

  async #moveWindow(): Promise<void> {
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(bufferSize), 0, bufferSize, this.#at)
    this.#window = buffer.subarray(0, bytesRead)
    this.#windowAt = this.#at
  }
}
