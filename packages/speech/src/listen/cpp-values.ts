import type { Program } from './program.js'

// How the C++ library of the program lays out its strings and vectors: three words each.

/** The size of a string or of a vector's own part, in bytes. */
export const valueSize = 12

const longString = 0x8000_0000

/** A string of the program's at `at`; what it holds is never freed. */
export function writeString({ memory, allocate }: Program, at: number, text: string): void {
  const bytes = new TextEncoder().encode(`${text}\0`)
  const content = allocate(bytes.length)
  memory.bytes.set(bytes, content)
  memory.writeInt(at, content)
  memory.writeInt(at + 4, bytes.length - 1)
  memory.writeInt(at + 8, longString | bytes.length)
}

/** The string of the program's at `at`: short ones are held in the three words themselves, their length in the last byte. */
export function readString({ memory }: Program, at: number): string {
  const length = memory.bytes[at + valueSize - 1] ?? 0
  if (length < 128) return memory.readText(at, length)
  return memory.readText(memory.readInt(at), memory.readInt(at + 4))
}

export interface Vector {
  /** Where the vector itself is. */
  readonly at: number
  /** Where its items are, one after the other. */
  readonly items: number
}

/** A vector of `size` bytes in all. */
export function createVector({ memory, allocate }: Program, size: number): Vector {
  const items = size > 0 ? allocate(size) : 0
  const at = allocate(valueSize)
  memory.writeInt(at, items)
  memory.writeInt(at + 4, items + size)
  memory.writeInt(at + 8, items + size)
  return { at, items }
}

/** Where the items of a vector are, each of `size` bytes. */
export function itemsOf({ memory }: Program, { at }: Pick<Vector, 'at'>, size: number): number[] {
  const [from, to] = [memory.readInt(at), memory.readInt(at + 4)]
  return Array.from({ length: (to - from) / size }, (_, index) => from + index * size)
}

export function freeVector({ memory, free }: Program, { at }: Pick<Vector, 'at'>): void {
  free(memory.readInt(at))
  free(at)
}
