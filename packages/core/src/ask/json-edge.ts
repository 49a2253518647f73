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
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#inString) this.#quoted(code)
      else if (!isSpace(code)) this.#bare(code)
    }
  }

  #quoted(code: number): void {
    if (this.#escaped) this.#escaped = false
    else if (code === backslash) this.#escaped = true
    else if (code === quote) this.#inString = false
  }

  #bare(code: number): void {
    this.isBegun = true
    if (code === openBrace || code === openBracket) this.#depth++
    else if (this.#depth === 0) this.#isOdd = true
    else if (code === closeBrace || code === closeBracket) this.#depth--
    else if (code === quote) this.#inString = true
  }
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93]

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xfeff
}
