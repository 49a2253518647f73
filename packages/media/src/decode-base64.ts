/** The bytes of base64, in the URL-safe alphabet too; undefined for text that is none. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'))
    // A plain loop: Uint8Array.from takes twenty times as long, 0.4 s for a picture of 6 MB.
    const bytes = new Uint8Array(binary.length)
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
    return bytes
  } catch {
    return undefined
  }
}
