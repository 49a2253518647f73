import type { OnReadOpts, Socket } from 'node:net'

/** How a request over node:http reads its connection. */
export interface ReadBuffer {
  readonly onread: OnReadOpts
  /** Whether it did: what stands in for a connection, as in tests, does not. */
  isUsed(): boolean
}

const readBytes = 64 * 1024

/**
 * A connection is read into one buffer, of which the parser copies what it keeps. Otherwise each read takes a buffer
 * of its own, and those of a large answer pile up until they are collected.
 */
export function readBuffer(): ReadBuffer {
  let used = false
  return {
    onread: {
      buffer: new Uint8Array(readBytes),
      // With a buffer of one's own a connection does not say `data`, which the parser waits for.
      callback(this: Socket, length: number, buffer: Uint8Array) {
        used = true
        this.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, length))
        return true
      },
    },
    isUsed: () => used,
  }
}
