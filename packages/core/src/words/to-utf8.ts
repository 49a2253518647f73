const encoder = new TextEncoder()

/** The bytes of a text. Node's own way shares memory among small ones. */
export function toUtf8(text: string): Uint8Array {
  return globalThis.Buffer?.from(text) ?? encoder.encode(text)
}
