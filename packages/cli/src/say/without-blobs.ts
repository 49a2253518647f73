/** A text without long runs of base64, which say nothing to anybody. */
export function withoutBlobs(text: string): string {
  return text.replace(/[A-Za-z0-9+/_-]{120,}={0,2}/g, (blob) => `(${blob.length} characters)`)
}
