/** Goes on with a value: at once, or when it is there. Waiting for what need not be waited for costs time. */
export function andThen<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
