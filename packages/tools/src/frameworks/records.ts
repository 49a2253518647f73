/** Whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function hasMethod<Name extends string>(
  value: unknown,
  name: Name,
): value is Readonly<Record<Name, (...args: unknown[]) => unknown>> {
  return typeof (Object(value) as Record<string, unknown>)[name] === 'function'
}
