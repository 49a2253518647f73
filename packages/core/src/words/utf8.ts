const encoder = new TextEncoder()

/** The bytes of a text. Node's own way shares memory among small ones. */
export function toUtf8(text: string): Uint8Array {
  return globalThis.Buffer?.from(text) ?? encoder.encode(text)
}

/** The text of bytes that are in parts, cut between characters. */
export function fromUtf8(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return parts.map((part) => decoder.decode(part)).join('')
}
