import { CapstanError } from '../words/error.js'

/** A text as a header can carry it: what is beyond ASCII is percent-encoded. */
export function toHeaderText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent)
}

/** @throws CapstanError `invalid_request` for a header that cannot be sent; never with its value, nor a name that may be one */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw unsendable('The name of a header')
    if (typeof value !== 'string') {
      const message = `The header ${name} is no text. Leave it out, or give it a value.`
      throw new CapstanError('invalid_request', message, { evidence: { header: name } })
    }
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue
    const isKey = name === 'authorization'
    throw unsendable(isKey ? 'The API key, or the header authorization,' : `The header ${name}`, name)
  }
}

function unsendable(what: string, header?: string): CapstanError {
  const message = `${what} holds a line break or another character that no header can carry. Was it read from a file? Trim it.`
  return new CapstanError('invalid_request', message, header === undefined ? {} : { evidence: { header } })
}
