import { setOwn } from '../words/set-own.js'
import { getOwn, isFilled, isNothing } from './loose.js'
import { newWords } from './new-words.js'
import { sameValue } from './same-json.js'

/** The fields of an answer that nobody knows here, while they arrive: kept for the server to see again. */
export class FieldDrafts {
  readonly fields: Record<string, unknown> = {}
  readonly #pieced = new Set<string>()

  /** Adds a piece: texts are joined, lists appended, else the newest counts. Gives back the text that is new. */
  add(field: string, value: unknown): string {
    if (isFilled(value)) this.#pieced.add(field)
    return this.#join(field, value)
  }

  /** Adds a field of a whole message, which may say again what came already. */
  addWhole(field: string, value: unknown): string {
    const before = getOwn(this.fields, field)
    const isPieced = this.#pieced.has(field)
    if (typeof before === 'string' && typeof value === 'string')
      return this.#join(field, newWords(value, before, isPieced))
    if (Array.isArray(before) && Array.isArray(value) && value.length > 0) {
      if (isPieced || sameValue(before, value.slice(0, before.length))) before.length = 0
    }
    return this.#join(field, value)
  }

  #join(field: string, value: unknown): string {
    const before = getOwn(this.fields, field)
    if (!isFilled(value) || (before !== undefined && isNothing(value))) return ''
    if (Array.isArray(before) && Array.isArray(value)) {
      for (const one of value) before.push(one)
      return ''
    }
    if (typeof before !== 'string' || typeof value !== 'string') {
      setOwn(this.fields, field, Array.isArray(value) ? [...value] : value)
      return typeof value === 'string' ? value : ''
    }
    if (value === before && !isSpoken(field)) return ''
    setOwn(this.fields, field, before + value)
    return value
  }
}

/** Fields that hold what a model says; in others, such as `name`, a word that comes again is the same word. */
function isSpoken(field: string): boolean {
  return /reason|think|thought|refusal|content|text|transcript|summary/i.test(field)
}
