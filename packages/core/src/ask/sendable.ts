import { CapstanError } from '../words/error.js'

/** A text as a header can carry it: what is beyond ASCII is percent-encoded. */
export function toHeaderText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent)
}

/** @throws CapstanError `invalid_request` for a header with characters that cannot be sent; never with its value */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue
    const where =
      name === 'authorization' ? 'The API key, or the header authorization,' : `The header ${name}`
    const message = `${where} holds a line break or another character that no header can carry. Was it read from a file? Trim it.`
    throw new CapstanError('invalid_request', message, { evidence: { header: name } })
  }
}
