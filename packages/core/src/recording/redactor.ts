import { Secrets } from '../ask/secrets.js'
import { secretsOf } from '../ask/secrets-of.js'
import type { ChatModel } from '../words/model.js'
import { withoutBase64 } from './base64-runs.js'
import { environmentSecrets } from './environment-secrets.js'
import { namesSecret, redacted, withoutNamed } from './named-secrets.js'

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

  /** The text without any of it. */
  text(text: string): string {
    let shown = withoutNamed(withoutBase64(text))
    for (const secrets of [this.#own, ...this.#models]) shown = secrets.hide(shown)
    return shown
  }

  /** The same for all texts in a value that JSON can hold, the names of fields included. */
  value<T>(value: T): T {
    return this.#inside(value) as T
  }

  #inside(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((one) => this.#inside(one))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([name, inner]) => [
      this.text(name),
      typeof inner === 'string' && namesSecret(name) ? redacted : this.#inside(inner),
    ])
    return Object.fromEntries(entries)
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
