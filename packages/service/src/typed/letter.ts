/** The text of a letter without its salutation and closing, and the name at its end. */
export interface Letter {
  readonly text: string
  readonly signature: string | undefined
}

const closing =
  /\n\s*(?:(?:(?:best|kind|warm|many) )?(?:regards|wishes|thanks)|(?:yours )?(?:sincerely|faithfully|truly)|best|cheers|thanks|thank you)[,!.]?\s*\n+\s*([^\n]{1,60})\s*$/i
const person = /^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*){0,3}$/u
const greeting = /^\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b/i

/** Removes the salutation and closing of a letter. Also returns the name in its signature. */
export function readLetter(text: string): Letter {
  const [ending = '', name = ''] = closing.exec(text) ?? []
  const body = text.slice(0, text.length - ending.length)
  const isSigned = person.test(name.trim())
  return { text: withoutGreeting(isSigned ? body : text), signature: isSigned ? name.trim() : undefined }
}

// If a letter has a subject, the salutation follows it.
function withoutGreeting(text: string): string {
  const lines = text.split('\n')
  const left = lines.filter((line, index) => index > 6 || !isGreeting(line)).join('\n')
  const [hello = ''] = /^[^\n.:;!?,]{0,40}[,!:.]\s/.exec(left) ?? []
  return isGreeting(hello) ? left.slice(hello.length) : left
}

function isGreeting(line: string): boolean {
  if (/^\s*thanks?(?: you)?(?: (?:a lot|so much|very much))?\s*[,!.]*\s*$/i.test(line)) return true
  const [lead = ''] = greeting.exec(line) ?? []
  return lead !== '' && addressed.test(line.slice(lead.length))
}

const addressed =
  /^(?: (?:there|all|both|team|everyone|everybody|sirs?|madam|or|\p{Lu}[\p{L}.]*)){0,4}\s*[,!:.]*\s*$/u
