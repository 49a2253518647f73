import { ByteReader } from '../inputs/byte-streams.js'
import { fromBytes, type StoredBytes } from '../inputs/stored-bytes.js'
import { readWavFormat, wavDuration } from './wav.js'

/**
 * Reads a recording's duration in milliseconds from its bytes. Undefined if the duration is unknown, or parsing takes
 * too long.
 */
export async function readDuration(stored: StoredBytes): Promise<number | undefined> {
  const known = await wavDuration(stored)
  if (known !== undefined) return known
  return parseDuration(withPauses(stored), stored.blob.size)
}

async function parseDuration(stream: ReadableStream<Uint8Array>, size: number | undefined) {
  return (await import('./parse-duration.js')).parseDuration(stream, size)
}

/** Maximum milliseconds for parsing, because hostile bytes could take minutes. */
const maxReadMs = 5000
const stepBytes = 64 * 1024

/** Streams the bytes in steps, so that other work can run between them. Fails after `maxReadMs`. */
function withPauses(stored: StoredBytes): ReadableStream<Uint8Array> {
  const end = Date.now() + maxReadMs
  const reader = new ByteReader(stored.stream())
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve))
      const isLate = Date.now() > end
      const step = isLate ? new Uint8Array() : await reader.take(stepBytes)
      if (step.length > 0) return controller.enqueue(step)
      await reader.close()
      if (isLate) controller.error(new Error('Reading the duration took too long.'))
      else controller.close()
    },
    cancel: () => reader.close(),
  })
}

/** Measures a recording's duration as its bytes arrive. */
export interface DurationMeter {
  /** Adds the next bytes. You may reuse the bytes after the promise resolves. Empty bytes mark the end. */
  add(bytes: Uint8Array): Promise<void>
  /** Returns the duration in milliseconds, or undefined if it is unknown. Call it after the end. */
  result(): Promise<number | undefined>
  /** Stops measuring. Does nothing after the end. */
  stop(): void
}

interface StartedRecording {
  readonly mediaType: string
  /** The recording's first bytes. Pass them to `add` as well. */
  readonly head: Uint8Array
  /** Size in bytes, if known. */
  readonly size: number | undefined
}

/**
 * Starts measuring a recording. For a WAV, only the header is needed. Other formats are parsed as their bytes arrive.
 */
export function startDurationMeter(recording: StartedRecording): DurationMeter {
  if (recording.mediaType === 'audio/wav') return wavMeter(recording)
  return recording.mediaType === 'audio/pcm' || recording.mediaType === 'audio/l16'
    ? noMeter
    : parsingMeter(recording)
}

/** A meter for raw samples. It measures nothing, because raw samples do not contain their sample rate. */
const noMeter: DurationMeter = { add: async () => {}, result: async () => undefined, stop: () => {} }

function wavMeter({ head }: StartedRecording): DurationMeter {
  let bytes = 0
  return {
    async add({ length }) {
      bytes += length
    },
    async result() {
      const format = await readWavFormat(new ByteReader(fromBytes(head).stream()), bytes)
      return format && Math.round((format.soundBytes / format.bytesPerSecond) * 1000)
    },
    stop: () => {},
  }
}

function parsingMeter({ size }: StartedRecording): DurationMeter {
  const pipe = new TransformStream<Uint8Array, Uint8Array>()
  const writer = pipe.writable.getWriter()
  writer.closed.catch(() => {})
  const parsed = parseDuration(pipe.readable, size)
  let waitedMs = 0
  let isOpen = true
  const end = (how: Promise<void>) => {
    isOpen = false
    how.catch(() => {})
  }
  const stop = () => {
    if (isOpen) end(writer.abort(new Error('Reading the duration took too long, or is no longer needed.')))
  }
  // The parser may end before all bytes have arrived.
  void parsed.then(stop)
  return {
    async add(bytes) {
      if (!isOpen) return
      if (bytes.length === 0) return end(writer.close())
      const from = performance.now()
      await Promise.race([writer.write(bytes.slice()).catch(() => {}), parsed])
      waitedMs += performance.now() - from
      if (waitedMs > maxReadMs) stop()
    },
    result: () => parsed,
    stop,
  }
}
