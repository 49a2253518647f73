import { readFile } from 'node:fs/promises'
import nodeModule from 'node:module'
import { PaintError } from './paint-error.js'
import { kindOf, type Picture, type PictureKind, sizeFault } from './picture.js'
import { encodePng, parsePng } from './png.js'
import { noteIn, withNote } from './scene-note.js'

/**
 * Decodes a PNG, JPEG or WebP. Detects the format from the content, and applies the EXIF rotation of a JPEG. Throws
 * `invalid_image` for anything else, with the detected format. `param` is the request field to name in the message.
 */
export async function readPicture(bytes: Uint8Array, param: string): Promise<Picture> {
  const picture = await readPixels(bytes, param)
  const found = kindOf(bytes)
  const scene = 'kind' in found ? noteIn(bytes, found.kind) : undefined
  return scene ? { ...picture, scene } : picture
}

async function readPixels(bytes: Uint8Array, param: string): Promise<Picture> {
  const found = kindOf(bytes)
  if ('other' in found) {
    const message = `"${param}" must be a PNG, JPEG or WebP; it is ${found.other}.`
    throw new PaintError('invalid_image', message, param)
  }
  if (found.kind === 'png') return parsePng(bytes, param)
  const [name, facts, codec] =
    found.kind === 'jpeg'
      ? (['JPEG', checkJpeg(bytes), jpeg] as const)
      : (['WebP', checkWebp(bytes), webp] as const)
  const fault = 'fault' in facts ? facts.fault : undefined
  const picture = fault ? undefined : await decoded(codec, bytes, facts as Size)
  if (picture) return picture
  const message = `The ${name} in "${param}" cannot be read: ${fault ?? 'it is damaged; save it again'}.`
  throw new PaintError('invalid_image', message, param)
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Decodes a file. Undefined if the codec fails, or if the size of its result differs from the header. */
async function decoded(codec: Codec, bytes: Uint8Array, facts: Size): Promise<Picture | undefined> {
  const { width, height, data } = await codec
    .decode(bytes)
    .catch(() => ({ width: 0, height: 0, data: undefined }))
  const sides = [width, height].toSorted().join()
  if (!data || sides !== [facts.width, facts.height].toSorted().join()) return undefined
  return data.length === width * height * 4
    ? { width, height, pixels: new Uint8ClampedArray(data) }
    : undefined
}

/** The format of an image file, and its quality. */
export interface Output {
  readonly kind: PictureKind
  /** The quality of a JPEG or WebP, from 0 to 100. A WebP with 100 is lossless. Has no effect on a PNG. Default 90. */
  readonly quality?: number | undefined
}

/** Encodes an image with its scene. The same image results in the same bytes on every machine. */
export async function writePicture(picture: Picture, output: Output): Promise<Uint8Array> {
  const file = await writePixels(picture, output)
  return picture.scene ? withNote(file, output.kind, picture.scene) : file
}

async function writePixels(picture: Picture, { kind, quality = 90 }: Output): Promise<Uint8Array> {
  if (kind === 'png') return encodePng(picture)
  const { width, height } = picture
  if (kind === 'webp') return webp.encode({ width, height, data: picture.pixels }, quality)
  return jpeg.encode({ width, height, data: onWhite(picture) }, quality)
}

/** Adds a white background, because JPEG has no transparency. */
function onWhite({ pixels }: Picture): Uint8ClampedArray {
  const result = pixels.slice()
  for (let i = 0; i < pixels.length; i += 4) {
    const alpha = (pixels[i + 3] ?? 0) / 255
    if (alpha === 1) continue
    for (let c = 0; c < 3; c++) result[i + c] = 255 + ((pixels[i + c] ?? 0) - 255) * alpha
    result[i + 3] = 255
  }
  return result
}

/** Decodes and encodes one image format. */
interface Codec {
  readonly decode: (bytes: Uint8Array) => Promise<Decoded>
  readonly encode: (picture: Decoded, quality: number) => Promise<Uint8Array>
}

/** The pixels that a codec decoded. */
interface Decoded {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

const modules = new Map<string, Promise<WebAssembly.Module>>()

const quiet: EmscriptenOptions = { print: () => {}, printErr: () => {} }

/** Uses MozJPEG. The decoder applies the EXIF orientation, and the encoder drops transparency. */
const jpeg: Codec = {
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

/** Uses libwebp. */
const webp: Codec = {
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

/**
 * Runs a codec in a new instance, because a damaged file can corrupt an instance, and a large image can make it grow.
 * Removes the global `ImageData` that the codec's glue code leaves behind in Node.
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

function compiled(path: string): Promise<WebAssembly.Module> {
  const module = modules.get(path) ?? load(path)
  modules.set(path, module)
  return module
}

async function load(path: string): Promise<WebAssembly.Module> {
  // CommonJS builds only have `__filename`. Other builds only have `import.meta.url`.
  const here = import.meta.url ?? __filename
  return WebAssembly.compile(await readFile(nodeModule.createRequire(here).resolve(path)))
}

function asBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}

function asImage({ width, height, data }: Decoded): ImageData {
  return { width, height, data: new Uint8ClampedArray(data), colorSpace: 'srgb' }
}

/** The size in the markers of a JPEG, or what is wrong with the file. */
type JpegFacts = { readonly width: number; readonly height: number } | { readonly fault: string }

// In a progressive image, each scan covers all pixels again. Ordinary images have ten scans.
const mostScans = 100

/** Checks the structure of a JPEG before its pixels are decoded. */
function checkJpeg(bytes: Uint8Array): JpegFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const cutOff = { fault: 'it is cut off; send the entire file' }
  let size: { width: number; height: number } | undefined
  let scans = 0
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes[at] === 0xff ? (bytes[at + 1] ?? 0) : 0
    // Padding bytes may separate segments. Pixel data can contain any bytes that are not markers.
    if (marker === 0xff || (marker === 0 && scans > 0) || isBare(marker)) {
      at += marker === 0 || marker === 0xff ? 1 : 2
      continue
    }
    if (marker === 0) return { fault: 'its header is damaged' }
    if (marker === 0xd9) break
    if (isFrame(marker)) {
      if (at + 9 > bytes.length) return cutOff
      size ??= { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    }
    if (marker === 0xda && ++scans > mostScans) return { fault: `it has more than ${mostScans} scans` }
    at += 2 + view.getUint16(at + 2)
  }
  if (!size || scans === 0 || !isEnded(bytes)) return cutOff
  if (size.width === 0 || size.height === 0) return { fault: 'its header is damaged' }
  const fault = sizeFault(size.width, size.height)
  return fault ? { fault } : size
}

/** Whether a marker has no body, such as a restart or the start. */
function isBare(marker: number): boolean {
  return (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01
}

/** Whether a marker starts a frame. Its body contains the size. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** Whether the end marker is present. Some cameras append a few bytes after it. */
function isEnded(bytes: Uint8Array): boolean {
  return (
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).lastIndexOf('\xff\xd9', -1, 'latin1') > 0
  )
}

/** The size in the header of a WebP, or what is wrong with the file. */
type WebpFacts = { readonly width: number; readonly height: number } | { readonly fault: string }

/** Checks the structure of a WebP before its pixels are decoded. */
function checkWebp(bytes: Uint8Array): WebpFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 30 || view.getUint32(4, true) + 8 > bytes.length) {
    return { fault: 'it is cut off; send the entire file' }
  }
  const size = toSize(view, Buffer.from(bytes.subarray(12, 16)).toString('latin1'))
  if (!size) return { fault: 'its header is damaged' }
  if (size.animated) return { fault: 'it is animated; send one image' }
  const fault = sizeFault(size.width, size.height)
  return fault ? { fault } : size
}

interface WebpSize {
  readonly width: number
  readonly height: number
  readonly animated?: boolean
}

function toSize(view: DataView, chunk: string): WebpSize | undefined {
  if (chunk === 'VP8X') {
    return {
      width: int24(view, 24) + 1,
      height: int24(view, 27) + 1,
      animated: (view.getUint8(20) & 2) !== 0,
    }
  }
  if (chunk === 'VP8L' && view.getUint8(20) === 0x2f) {
    const packed = view.getUint32(21, true)
    return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 }
  }
  if (chunk === 'VP8 ' && int24(view, 23) === 0x2a019d) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  return undefined
}

function int24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}
