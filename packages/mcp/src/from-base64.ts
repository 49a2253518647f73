import { CapstanError } from '@capstan/core'

/** @throws CapstanError `invalid_response` for what is no base64 */
export function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch (cause) {
    throw new CapstanError('invalid_response', 'The MCP server sent bytes that are no base64.', { cause })
  }
}
