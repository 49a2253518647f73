import type { ChatModel } from '../words/model.js'
import { withoutBase64 } from './base64-runs.js'
import { environmentSecrets } from './environment-secrets.js'
import { jsonOf, shownJson } from './json-text.js'
import { redacted, withoutNamed } from './named-secrets.js'
import { holdsSecret } from './secret-names.js'
import { Secrets } from './secrets.js'
import { secretsOf } from './secrets-of.js'

/**
 * Takes out of values what must not be kept: what the environment and the models asked hold as keys, what was given as
 * a secret, what stands under the name of one, and base64.
 */
export class Redactor {
  readonly #own = new Secrets()
  readonly #models = new Set<Secrets>()

  constructor(given: readonly string[] = []) {
    for (const secret of [...environmentSecrets(), ...given]) this.#own.add(secret)
  }

  /** What this model sends is a secret as well. */
  learn(model: ChatModel): void {
    for (const secrets of secretsOf(model)) this.#models.add(secrets)
  }

  /** The text without any of it. What was JSON still is. */
  text(text: string): string {
    const json = jsonOf(text)
    return json ? shownJson(text, json, (inner) => this.text(inner)) : this.#plain(text)
  }

  /** The same for all texts and numbers in a value that JSON can hold, the names of fields included. */
  value<T>(value: T): T {
    return this.#inside(value, false) as T
  }

  #plain(text: string): string {
    let shown = withoutNamed(withoutBase64(text))
    for (const secrets of [this.#own, ...this.#models]) shown = secrets.hide(shown)
    return shown
  }

  #inside(value: unknown, isSecret: boolean): unknown {
    if (typeof value === 'string' || typeof value === 'number') return this.#leaf(value, isSecret)
    if (Array.isArray(value)) return value.map((one) => this.#inside(one, isSecret))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([name, inner]) => [
      this.text(name),
      this.#inside(inner, isSecret || holdsSecret(name, inner)),
    ])
    return Object.fromEntries(entries)
  }

  #leaf(value: string | number, isSecret: boolean): string | number {
    if (isSecret && value !== '') return redacted
    const text = String(value)
    const shown = this.text(text)
    return shown === text ? value : shown
  }

  /**
   * The pieces of one text without any of it: a secret may be cut between two. Pieces of a text that held one come
   * as one piece.
   */
  pieces(pieces: readonly string[]): readonly string[] {
    const whole = pieces.join('')
    const shown = this.text(whole)
    return shown === whole ? pieces : [shown]
  }
}
