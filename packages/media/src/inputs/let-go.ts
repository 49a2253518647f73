let nowhere: MessagePort | undefined

/**
 * Gives the memory of bytes back at once; they are gone. Otherwise it waits for the collector, which looks for buffers
 * when tens of megabytes of them have piled up. Bytes that share their memory stay.
 */
export function letGo(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return
  nowhere ??= closedPort()
  nowhere.postMessage(undefined, [buffer])
}

/** What is sent through it arrives nowhere. */
function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.close()
  return port1
}
