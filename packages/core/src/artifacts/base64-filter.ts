import { fromBase64 } from '../bytes.js'
import { sniffMediaType } from './artifact.js'
import {
  base64Runs,
  dataPrefix,
  fewCharacters,
  headCharacters,
  isBase64,
  linesOf,
  shortestLine,
} from './base64-files.js'

/** Holds files in base64 back from streamed text, and all text after them: the reply names artifacts in their place. */
export class Base64Filter {
  /** The length of the stretch of base64 at the end, its first characters and the one before it. */
  #stretch = 0
  #head = ''
  #before = ''
  /** The length of its last line. */
  #line = 0
  /** Whether that stretch may be a file. Undefined while it is short. */
  #mayBeFile: boolean | undefined
  #held: string | undefined
  #isFile = false
  /** Text at the end that was shown and not looked at: looking at each delta would take too long. */
  #unread = ''
  /** Text at the end that may begin a `data:` URL: it is not shown. The character before it. */
  #address = ''
  #last = ' '

  /** Whether text is held back. */
  get isHolding(): boolean {
    return this.#held !== undefined || this.#address !== ''
  }

  /** Returns the text that may be shown so far: nothing of a `data:` URL, and less than 1 kB of another file. */
  add(given: string): string {
    if (this.#isFile) return ''
    if (this.#held !== undefined) return this.#addRead(given)
    const text = this.#withoutAddress(given)
    // A space ends every stretch of base64.
    const unread = text.includes(' ') ? text : this.#unread + text
    if (unread.length > shownCharacters) return this.#addRead(text)
    this.#unread = unread
    return text
  }

  /** Holds the start of a URL back until it is known to be one, or another text. */
  #withoutAddress(given: string): string {
    if (this.#address === '' && !given.includes('d')) {
      this.#last = given.charAt(given.length - 1) || this.#last
      return given
    }
    const text = this.#address + given
    const [address = ''] = addressAtEnd.exec(this.#last + text) ?? []
    this.#address = address
    const shown = text.slice(0, text.length - address.length)
    this.#last = shown.charAt(shown.length - 1) || this.#last
    return shown
  }

  #addRead(text: string): string {
    if (this.#unread !== '') this.#follow(this.#unread)
    this.#unread = ''
    const before = this.#held ?? ''
    const known = this.#mayBeFile === false ? 0 : this.#stretch
    const start = known + text.length > fewCharacters ? this.#startOfFile(text) : undefined
    if (start !== undefined) {
      this.#held = ''
      this.#isFile = true
      return start === 0 ? '' : before + text.slice(0, start).replace(dataPrefix, '')
    }
    this.#follow(text)
    if (this.#stretch > shownCharacters) this.#mayBeFile ??= startsFile(this.#head, this.#before)
    this.#held = this.#mayBeFile ? before + text : undefined
    return this.#mayBeFile ? '' : before + text
  }

  /** Returns where a file of more than 1 kB starts; 0 also for one that started before. */
  #startOfFile(text: string): number | undefined {
    const other = text.search(notBase64)
    const lead = other === -1 ? text.length : other
    const isLong = this.#stretch + lead > fewCharacters
    if (isLong && startsFile(this.#head + text.slice(0, headCharacters), this.#before)) return 0
    for (const run of base64Runs(text)) {
      for (const { start, end } of linesOf(text, run)) {
        const isFirst = start > 0 && end - start >= shortestLine
        if (isFirst && startsFile(text.slice(start, end), text[start - 1])) return start
      }
    }
    return undefined
  }

  #follow(text: string): void {
    const end = stretchAtEnd(text)
    if (end < text.length) this.#restart(text.charAt(text.length - end - 1))
    const lines = text.slice(text.length - end).split('\n')
    for (const [at, line] of lines.entries()) {
      if (at > 0) this.#breakLine()
      this.#line += line.length
      this.#stretch += line.length
      if (this.#head.length < headCharacters) this.#head += line.slice(0, headCharacters)
    }
  }

  /** A file goes on after a long line. */
  #breakLine(): void {
    if (this.#line < shortestLine || !startsFile(this.#head, this.#before)) this.#restart('\n')
    this.#line = 0
  }

  #restart(before: string): void {
    this.#stretch = 0
    this.#line = 0
    this.#mayBeFile = undefined
    this.#head = ''
    this.#before = before
  }
}

/** The characters of base64 without a URL that are shown before a file is held back. */
const shownCharacters = 256

const notBase64 = /[^A-Za-z0-9+/\r\n]/

/** A `data:` URL at the end of a text, or the start of one. A longer one is found by its base64. */
const addressAtEnd = /(?<=[\s("'=<])d(?:a(?:t(?:a(?::[^\s,"')]{0,400}(?:,[A-Za-z0-9+/]{0,1100})?)?)?)?)?$/

/** Whether base64 may be a file: by its first bytes, or because a comma stands before it, as in a `data:` URL. */
function startsFile(encoded: string, before: string | undefined): boolean {
  return before === ',' || sniffMediaType(fromBase64(encoded.slice(0, headCharacters))) !== undefined
}

/** Returns the number of characters of base64 at the end of a text, line breaks included. */
function stretchAtEnd(text: string): number {
  let at = text.length
  while (at > 0 && isBase64(text.charCodeAt(at - 1))) at--
  return text.length - at
}
