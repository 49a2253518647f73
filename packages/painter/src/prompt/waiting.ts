import type { Named, Side } from './request.js'

/** The adjectives whose noun has not been read yet. */
export interface Waiting {
  count?: Held<number>
  size?: Held<number>
  degree?: Held<{ readonly factor: number; readonly brightness: number }>
  color?: Held<Named>
  side?: Held<Side>
  not?: boolean
}

/** A value and its word in the prompt. */
export interface Held<T> {
  readonly word: string
  readonly value: T
}

/** The value of one kind of adjective. */
export type Value<K extends keyof Waiting> = NonNullable<Waiting[K]> extends Held<infer T> ? T : never
