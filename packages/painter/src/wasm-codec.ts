import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** The bytes of a picture to what a codec makes of them, and back. */
export interface Codec {
  readonly decode: (bytes: Uint8Array) => Promise<Decoded>
  readonly encode: (picture: Decoded, quality: number) => Promise<Uint8Array>
}

/** Pixels as a codec gives and takes them. */
export interface Decoded {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

/** JPEG by MozJPEG. Its decoder turns a picture upright as its EXIF says; its encoder leaves transparency out. */
export const jpeg: Codec = {
  async decode(bytes) {
    const { default: decode, init } = await import('@jsquash/jpeg/decode.js')
    const module = await compiled('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm')
    return alone(init, module, () => decode(asBuffer(bytes), { preserveOrientation: true }))
  },
  async encode(picture, quality) {
    const { default: encode, init } = await import('@jsquash/jpeg/encode.js')
    const module = await compiled('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm')
    return new Uint8Array(
      await alone(init, module, () => encode(asImage(picture), { quality, progressive: false })),
    )
  },
}

/** WebP by libwebp. */
export const webp: Codec = {
  async decode(bytes) {
    const { default: decode, init } = await import('@jsquash/webp/decode.js')
    const module = await compiled('@jsquash/webp/codec/dec/webp_dec.wasm')
    return alone(init, module, () => decode(asBuffer(bytes)))
  },
  async encode(picture, quality) {
    const { default: encode, init } = await import('@jsquash/webp/encode.js')
    const module = await compiled('@jsquash/webp/codec/enc/webp_enc_simd.wasm')
    const lossless = quality === 100 ? { lossless: 1, exact: 1 } : {}
    return new Uint8Array(await alone(init, module, () => encode(asImage(picture), { quality, ...lossless })))
  },
}

type Init = (module: WebAssembly.Module, options: Partial<EmscriptenOptions>) => Promise<unknown>

interface EmscriptenOptions {
  print: (line: string) => void
  printErr: (line: string) => void
}

const quiet: EmscriptenOptions = { print: () => {}, printErr: () => {} }

/**
 * Runs a codec in an instance of its own: one that a damaged file has thrown off its course, or that has grown with
 * a large picture, is not used again. The `ImageData` its glue leaves behind in Node is taken away.
 */
async function alone<T>(init: Init, module: WebAssembly.Module, run: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'ImageData')
  try {
    await init(module, quiet)
    return await run()
  } finally {
    if (!before) Reflect.deleteProperty(globalThis, 'ImageData')
  }
}

const modules = new Map<string, Promise<WebAssembly.Module>>()

function compiled(path: string): Promise<WebAssembly.Module> {
  const module = modules.get(path) ?? load(path)
  modules.set(path, module)
  return module
}

async function load(path: string): Promise<WebAssembly.Module> {
  // The CommonJS build has only the first of the two, the others only the second.
  const here = typeof __filename === 'string' ? __filename : import.meta.url
  return WebAssembly.compile(await readFile(createRequire(here).resolve(path)))
}

function asBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}

function asImage({ width, height, data }: Decoded): ImageData {
  return { width, height, data: new Uint8ClampedArray(data), colorSpace: 'srgb' }
}
