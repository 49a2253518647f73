import { type ContentPart, textOf } from '../words/message.js'
import { newWords } from './new-words.js'
import { sameValue } from './same-json.js'

/** The content of an answer while it arrives, texts and parts in the order in which they came. */
export class ContentDraft {
  /** Parts, and what came between them as texts. */
  readonly #said: (readonly string[] | ContentPart)[] = []
  readonly #tell: (text: string) => void
  #texts: string[] = []
  #text = ''
  #isPieced = false

  /** `tell` hears each new text. */
  constructor(tell: (text: string) => void) {
    this.#tell = tell
  }

  /** Adds what comes next. */
  add(content: string | readonly ContentPart[]): void {
    this.#isPieced ||= textOf(content) !== ''
    this.#append(content)
  }

  /** Adds the content of a whole message, which may say again what came already. */
  addWhole(content: string | readonly ContentPart[]): void {
    if (this.#said.length === 0) {
      this.#append(content)
      return
    }
    this.#append(newWords(textOf(content), this.#text, this.#isPieced))
    if (typeof content !== 'string') this.#append(content.filter((part) => !part.text && !this.#has(part)))
  }

  /** A text, or parts where parts came. */
  toContent(): string | readonly ContentPart[] {
    if (this.#said.every(Array.isArray)) return this.#text
    return this.#said.map((one) => ('type' in one ? one : { type: 'text', text: one.join('') }))
  }

  #append(content: string | readonly ContentPart[]): void {
    if (typeof content !== 'string') for (const part of content) this.#appendPart(part)
    else if (content !== '') {
      if (this.#said.at(-1) !== this.#texts) {
        this.#texts = []
        this.#said.push(this.#texts)
      }
      this.#texts.push(content)
      this.#hear(content)
    }
  }

  #appendPart(part: ContentPart): void {
    this.#said.push(part)
    this.#hear(textOf([part]))
  }

  #hear(text: string): void {
    if (text === '') return
    this.#text += text
    this.#tell(text)
  }

  #has(part: ContentPart): boolean {
    return this.#said.some((one) => sameValue(one, part))
  }
}
