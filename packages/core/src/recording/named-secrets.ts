const names = [
  '(?:proxy-)?authorization',
  '(?:set-)?cookie',
  '(?:x-)?(?:[a-z]+-)?api[-_]?key',
  '(?:x-)?(?:auth|access|refresh|session|security|csrf|id|amz-security)[-_]?token',
  'client[-_]?secret',
  'secret[-_]?(?:access[-_]?)?key',
  'private[-_]?key',
  'passw(?:or)?d',
  'passphrase',
].join('|')

const isName = new RegExp(`^(?:${names})$`, 'i')

/** Whether what a field of this name holds is a secret, whatever it is. */
export function namesSecret(field: string): boolean {
  return isName.test(field)
}

/** A name, in quotes or not, and what it is said to be: in quotes, behind a scheme, or one word. Cookies go to the end of their line. */
const said = new RegExp(
  [
    String.raw`(?<![\w-])((\\*["'])?(?:${names})\2\s*[:=]\s*)`,
    String.raw`(?:(\\*["'])((?:(?!\3)[^\n])*)\3|((?:(?:Bearer|Basic|Token|ApiKey|Digest)\s+)?[^\s&,;"'\\})\]]+(?:;\s*[\w.-]+=[^\s;,"'\\]+)*))`,
  ].join(''),
  'gi',
)

/** The text with what such names are said to be taken out of it, as in header lines, addresses and JSON. */
export function withoutNamed(text: string): string {
  return text.replace(said, (_, name: string, __, quote: string = '') => `${name}${quote}${redacted}${quote}`)
}

/** Stands where something was. */
export const redacted = '[redacted]'
