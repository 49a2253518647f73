import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { SpeechError } from '../speech-error.js'

/** The metadata in an ONNX file, by name. */
export type Facts = Readonly<Record<string, string>>

/**
 * Reads the metadata in an ONNX file without loading the weights. Rejects with `invalid_model` if the file is damaged
 * or has another format.
 */
export async function readFacts(path: string): Promise<Facts> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const facts: Record<string, string> = {}
    let hasGraph = false
    for (let at = 0; at < size; ) {
      const field = await readField(file, { at, size, path })
      if (field.number === graphField) hasGraph = true
      if (field.number === metadataField) {
        const { key = '', value = '' } = await readEntry(file, field)
        facts[key] = value
      }
      at = field.end
    }
    if (!hasGraph) throw notOnnx(path)
    return facts
  } finally {
    await file.close()
  }
}

const graphField = 7
const metadataField = 14

interface Field {
  readonly number: number
  /** The position of the content, and of the next field. */
  readonly start: number
  readonly end: number
}

// A field number and a length have at most ten bytes each.
const headSize = 20

async function readField(
  file: FileHandle,
  { at, size, path }: { at: number; size: number; path: string },
): Promise<Field> {
  const head = await readBytes(file, at, Math.min(headSize, size - at))
  const field = parseField(head, 0)
  if (!field || at + field.end > size || field.number === 0) throw notOnnx(path)
  return { number: field.number, start: at + field.start, end: at + field.end }
}

/** Parses the field that starts at a byte. Undefined if there is none. */
function parseField(bytes: Uint8Array, at: number): Field | undefined {
  const tag = parseVarint(bytes, at)
  if (!tag) return undefined
  const number = Math.floor(tag.value / 8)
  const type = tag.value % 8
  if (type === 1 || type === 5) return { number, start: tag.end, end: tag.end + (type === 1 ? 8 : 4) }
  const length = parseVarint(bytes, tag.end)
  if (!length || (type !== 0 && type !== 2)) return undefined
  return { number, start: length.end, end: type === 0 ? length.end : length.end + length.value }
}

function parseVarint(bytes: Uint8Array, from: number): { value: number; end: number } | undefined {
  let value = 0
  for (let at = from; at < bytes.length && at < from + 10; at += 1) {
    const byte = bytes[at] ?? 0
    value += (byte % 128) * 2 ** (7 * (at - from))
    if (byte < 128) return { value, end: at + 1 }
  }
  return undefined
}

const longestEntry = 100_000

async function readEntry(
  file: FileHandle,
  { start, end }: Field,
): Promise<{ key?: string | undefined; value?: string | undefined }> {
  const bytes = await readBytes(file, start, Math.min(end - start, longestEntry))
  const texts: (string | undefined)[] = []
  for (let at = 0; at < bytes.length; ) {
    const field = parseField(bytes, at)
    if (!field) break
    texts[field.number] = new TextDecoder().decode(bytes.subarray(field.start, field.end))
    at = field.end
  }
  return { key: texts[1], value: texts[2] }
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read({ buffer: new Uint8Array(length), position })
  return buffer.subarray(0, bytesRead)
}

function notOnnx(path: string): SpeechError {
  const message = `The file ${basename(path)} is not a complete ONNX model. Unpack its archive again.`
  return new SpeechError('invalid_model', message)
}
