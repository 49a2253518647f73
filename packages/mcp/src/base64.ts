import { CapstanError } from '@capstan/core'

/** @throws CapstanError `invalid_response` for what is no base64 */
export function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch (cause) {
    throw new CapstanError('invalid_response', 'The MCP server sent bytes that are no base64.', { cause })
  }
}

export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + pieceBytes)))
  return btoa(pieces.join(''))
}

/** As many arguments as any engine takes. */
const pieceBytes = 0x8000
