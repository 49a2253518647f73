export interface Tidied {
  readonly text: string
  /** What was mended, in words. */
  readonly repairs: readonly string[]
}

/** One token that may need mending: strings are tokens so that nothing inside them is touched, cut ones so that each is read once. */
const token =
  /"[^"\\]*(?:\\.[^"\\]*)*"?|'[^'\\]*(?:\\.[^'\\]*)*'?|\b(?:True|False|None)\b|(?<![{[,:]\s*),(?=\s*[}\]])/gs
const python: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' }

/**
 * Takes off a code fence, drops a comma after a last value, writes Python's literals and quotes as JSON's. It adds nothing:
 * a text that was cut off stays one that does not parse.
 */
export function tidyJson(text: string): Tidied {
  const repairs = new Set<string>()
  const fenced = inFence(text.trim())
  if (fenced !== undefined) repairs.add('a code fence was taken off')
  const tidied = (fenced ?? text).replace(token, (found) => {
    if (found.startsWith('"') || isCut(found)) return found
    if (found === ',') repairs.add('a trailing comma was dropped')
    else repairs.add('Python was read as JSON')
    return found === ',' ? '' : (python[found] ?? requoted(found))
  })
  return { text: tidied, repairs: [...repairs] }
}

function inFence(text: string): string | undefined {
  const [opening] = /^```\w*\s*\n/.exec(text) ?? []
  if (opening === undefined || text.length < opening.length + 3 || !text.endsWith('```')) return undefined
  return text.slice(opening.length, -3).trimEnd()
}

function isCut(token: string): boolean {
  return token.startsWith("'") && (token.length < 2 || !token.endsWith("'"))
}

function requoted(single: string): string {
  const inner = single
    .slice(1, -1)
    .replace(/\\.|"/gs, (part) => (part === "\\'" ? "'" : part === '"' ? '\\"' : part))
  return `"${inner}"`
}
