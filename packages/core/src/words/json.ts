/** A value that JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** What a value of type `T` is after a trip through JSON: a Date a string, a function gone. */
export type Jsonified<T> = unknown extends T
  ? unknown
  : T extends Json
    ? T
    : T extends { toJSON(): infer J }
      ? Jsonified<J>
      : T extends undefined | void | symbol | ((...args: never[]) => unknown)
        ? undefined
        : T extends readonly unknown[]
          ? { [K in keyof T]: Jsonified<T[K]> }
          : T extends object
            ? { [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: Field<T, K> }
            : never

/** An optional field is there with a value or not at all: JSON holds no undefined. */
type Field<T, K extends keyof T> = Jsonified<
  Partial<Pick<T, K>> extends Pick<T, K> ? Exclude<T[K], undefined> : T[K]
>
