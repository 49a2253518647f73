/**
 * Follows JSON that comes in pieces, each looked at once: whether it has begun, and whether what was opened is closed.
 * It counts brackets and takes no offence: a closed text may still be no JSON.
 */
export class JsonEdge {
  #depth = 0
  #inString = false
  #escaped = false
  #isOdd = false
  /** Whether anything but white space came. */
  isBegun = false

  /** Whether an object or a list came and is closed. */
  get isClosed(): boolean {
    return this.isBegun && !this.#isOdd && !this.#inString && this.#depth === 0
  }

  add(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (this.#inString) at = this.#endOfString(text, at)
      else this.#bare(text.charCodeAt(at++))
    }
  }

  /** Goes to the next character that counts, or behind the text: most of what comes is strings. */
  #endOfString(text: string, from: number): number {
    marks.lastIndex = this.#escaped ? from + 1 : from
    this.#escaped = false
    if (!marks.test(text)) return text.length
    const isEnd = text.charCodeAt(marks.lastIndex - 1) === quote
    if (isEnd) this.#inString = false
    else this.#escaped = true
    return marks.lastIndex
  }

  #bare(code: number): void {
    if (isSpace(code)) return
    this.isBegun = true
    if (code === openBrace || code === openBracket) this.#depth++
    else if (this.#depth === 0) this.#isOdd = true
    else if (code === closeBrace || code === closeBracket) this.#depth--
    else if (code === quote) this.#inString = true
  }
}

/** In a string. */
const marks = /["\\]/g

const [quote, openBrace, closeBrace, openBracket, closeBracket] = [34, 123, 125, 91, 93]

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xfeff
}
