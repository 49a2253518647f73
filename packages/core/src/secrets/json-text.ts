import { redacted } from './named-secrets.js'
import { holdsSecret } from './secret-names.js'

/** What a text is as JSON, if it is an object or a list. */
export function jsonOf(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A list or an object that is open, at a place of the text. */
interface Open {
  readonly value: unknown
  readonly isSecret: boolean
  /** The item that comes next. */
  next: string | number
}

/** A name with its colon, a text, a bracket, a number or a word. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[[\]{}]|-?\d[\d.eE+-]*|true|false|null/g

/**
 * The same JSON without what stands under the names of secrets, its other texts as `show` makes them. All else stays as
 * it was written, the white space and the digits.
 */
export function shownJson(text: string, value: object, show: (text: string) => string): string {
  const once = eachOnce(show)
  const open: Open[] = [{ value: [value], isSecret: false, next: 0 }]
  return text.replace(token, (written, colon?: string) => {
    if (written === ']' || written === '}') {
      open.pop()
      return written
    }
    const around = open.at(-1) as Open
    if (colon !== undefined) {
      const quoted = written.slice(0, -colon.length)
      around.next = JSON.parse(quoted)
      return shownLeaf(quoted, false, once) + colon
    }
    const inner = itemOf(around)
    if (written === '[' || written === '{') open.push({ ...inner, next: 0 })
    return shownLeaf(written, inner.isSecret, once)
  })
}

/** Tables say the same names again and again. */
function eachOnce(show: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const shown = known.get(text) ?? show(text)
    known.set(text, shown)
    return shown
  }
}

function itemOf(around: Open): Pick<Open, 'value' | 'isSecret'> {
  const { value: all, next } = around
  const value = (all as Readonly<Record<string | number, unknown>>)[next]
  if (typeof next === 'string') return { value, isSecret: around.isSecret || holdsSecret(next, value) }
  around.next = next + 1
  return { value, isSecret: around.isSecret }
}

function shownLeaf(written: string, isSecret: boolean, show: (text: string) => string): string {
  const isText = written.startsWith('"')
  if (!isText && !/^[-\d]/.test(written)) return written
  const leaf: string = isText ? JSON.parse(written) : written
  const shown = isSecret && leaf !== '' ? redacted : show(leaf)
  return shown === leaf ? written : JSON.stringify(shown)
}
