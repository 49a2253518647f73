import type { JSContextPointer, JSRuntimePointer } from 'quickjs-emscripten-core'

/**
 * The memory of an engine that has run the prelude. An engine that starts with it does not have to create its built-in
 * objects and run the prelude, so the first program starts about 40 ms earlier.
 */
export interface Snapshot extends Pages {
  /** The fingerprint of the engine's file. A snapshot is only valid for this file. */
  readonly engine: number
  readonly addresses: Addresses
}

interface Pages {
  /** The indexes of the pages that are not empty. */
  readonly pages: readonly number[]
  /** The content of these pages. */
  readonly bytes: Uint8Array
}

/** Where the engine's runtime and its context are in its memory. Undefined before the engine creates them. */
export interface Addresses {
  runtime?: JSRuntimePointer
  context?: JSContextPointer
}

const pageBytes = 4096

/** Copies all pages that are not empty. */
export function copyPages(memory: WebAssembly.Memory): Pages {
  const all = new Uint8Array(memory.buffer)
  const pages: number[] = []
  for (let page = 0; page * pageBytes < all.length; page++) if (!isEmpty(memory, page)) pages.push(page)
  const bytes = new Uint8Array(pages.length * pageBytes)
  for (const [at, page] of pages.entries()) bytes.set(pageOf(all, page), at * pageBytes)
  return { pages, bytes }
}

/** Writes the pages of a snapshot into the memory of an engine that has not run anything yet. */
export function restorePages(memory: WebAssembly.Memory, { pages, bytes }: Pages): void {
  const all = new Uint8Array(memory.buffer)
  for (const [at, page] of pages.entries()) all.set(pageOf(bytes, at), page * pageBytes)
}

function pageOf(bytes: Uint8Array, page: number): Uint8Array {
  return bytes.subarray(page * pageBytes, (page + 1) * pageBytes)
}

function isEmpty(memory: WebAssembly.Memory, page: number): boolean {
  return new Uint32Array(memory.buffer, page * pageBytes, pageBytes / 4).every((word) => word === 0)
}

/** Returns a snapshot as the bytes of a file. */
export function encodeSnapshot({ bytes, ...head }: Snapshot): Uint8Array {
  const line = new TextEncoder().encode(`${JSON.stringify(head)}\n`)
  const file = new Uint8Array(line.length + bytes.length)
  file.set(line)
  file.set(bytes, line.length)
  return file
}

export function decodeSnapshot(file: Uint8Array): Snapshot {
  const end = file.indexOf(10)
  return { ...JSON.parse(new TextDecoder().decode(file.subarray(0, end))), bytes: file.subarray(end + 1) }
}

/** Returns a number that differs between builds of the engine. Reads one word in 16, because all would take 4 ms. */
export function fingerprintOf(file: Uint8Array): number {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  let hash = file.length
  for (let at = 0; at + 4 <= file.length; at += 64)
    hash = Math.imul(hash ^ view.getUint32(at, true), 0x01000193)
  return hash >>> 0
}
